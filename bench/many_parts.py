#!/usr/bin/env python3
"""A table of many parts, one to a partition: how long a server takes to start with it, with warm and (as
root) with cold caches, and whether every row is there.

usage: many_parts.py [--parts N] [--max-start-s S] path/to/basalt"""

import argparse
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "e2e"))
from checks import check, finish, holds
from server import Server

parser = argparse.ArgumentParser()
parser.add_argument("basalt")
parser.add_argument("--parts", type=int, default=100000)
parser.add_argument("--rows-per-part", type=int, default=20)
parser.add_argument("--max-start-s", type=float, default=10)
options = parser.parse_args()
PARTS, ROWS = options.parts, options.parts * options.rows_per_part
LIVE = "SELECT count(), sum(rows) FROM system.parts WHERE table = 'many' AND active"


def start(path, what):
    began = time.monotonic()
    server = Server(options.basalt, path)
    ready = time.monotonic() - began
    check(f"{what}: rows", server.ask("SELECT count(), sum(id), uniqExact(text) FROM many"),
          f"{ROWS}\t{ROWS * (ROWS - 1) // 2}\t97")
    print(f"{what}: ready after {ready:.2f} s, first answer over all parts after "
          f"{time.monotonic() - began:.2f} s", flush=True)
    holds(f"{what}: starts in time", ready <= options.max_start_s, f"{ready:.2f} s")
    return server


path = tempfile.mkdtemp(prefix="basalt-many-parts-")
server = Server(options.basalt, path)
try:
    server.ask("CREATE TABLE many (part UInt32, id UInt64, text String) ENGINE = MergeTree PARTITION BY part "
               "ORDER BY id")
    server.ask("SYSTEM STOP MERGES many")
    began = time.monotonic()
    step = 15000  # parts of an INSERT; 20 rows in each are enough to be written at once
    for first in range(0, PARTS, step):
        last = min(first + step, PARTS)
        answer = server.ask(
            f"INSERT INTO many SELECT intDiv(number, {options.rows_per_part}), number, toString(number % 97) FROM "
            f"numbers({first * options.rows_per_part}, {(last - first) * options.rows_per_part}) "
            "SETTINGS max_partitions_per_insert_block = 0")
        if answer:
            raise SystemExit(answer)
    print(f"{PARTS} parts inserted in {time.monotonic() - began:.1f} s", flush=True)
    server.ask("OPTIMIZE TABLE many")  # what was too little to be written at once
    parts, rows = map(int, server.ask(LIVE).split("\t"))
    holds("parts", parts >= PARTS and rows == ROWS, (parts, rows))
    check("server ends in order", server.stop(), 0)
    server = start(path, "warm caches")
    check("server ends in order", server.stop(), 0)
    if os.geteuid() == 0:
        os.sync()
        with open("/proc/sys/vm/drop_caches", "w") as drop:
            drop.write("3\n")
        server = start(path, "cold caches")
        server.kill()
        server = start(path, "after kill -9")
finally:
    server.kill()
    shutil.rmtree(path, ignore_errors=True)
sys.exit(finish())
