#!/usr/bin/env python3
"""Real logs in Basalt: bytes of the default encoding against ZSTD(3), times of LIKE, and proof that both tables and
the raw text answer the same.

usage: bench/real_logs.py URL [FOLDER]     FOLDER of *.log files, default build/corpus (tools/corpus/make.sh)

Every file becomes tables real_<name> and real_<name>_zstd (a line number and the line). The needles are cut from
random lines of the file; their counts are compared with a count over the file itself. Exit 1 on any difference."""

import glob
import os
import random
import statistics
import sys
import time
import urllib.parse
import urllib.request

url = sys.argv[1]
folder = sys.argv[2] if len(sys.argv) > 2 else "build/corpus"


def ask(sql, body=None):
    address = url + "/?" + urllib.parse.urlencode({"query": sql}) if body is not None else url + "/"
    data = body if body is not None else sql.encode()
    with urllib.request.urlopen(urllib.request.Request(address, data=data)) as reply:
        return reply.read().decode().strip()


def timed(sql):
    started = time.perf_counter()
    answer = ask(sql)
    return answer, (time.perf_counter() - started) * 1e3


def load(table, codec, raw):
    ask(f"DROP TABLE IF EXISTS {table}")
    ask(f"CREATE TABLE {table} (n UInt64 DEFAULT rowNumberInAllBlocks(), line String{codec}) ENGINE = MergeTree ORDER BY n")
    started = time.perf_counter()
    ask(f"INSERT INTO {table} (line) FORMAT LineAsString", raw)
    seconds = time.perf_counter() - started
    ask(f"OPTIMIZE TABLE {table} FINAL")
    size = int(ask("SELECT sum(column_data_compressed_bytes) FROM system.parts_columns WHERE active AND "
                   f"table = '{table}' AND column = 'line'"))
    return size, seconds


def needles(lines, seed):
    """Pieces of random lines without quotes, backslashes and LIKE's own signs."""
    pick, found = random.Random(seed), []
    while len(found) < 20:
        line = pick.choice(lines)
        length = pick.choice([4, 8, 12, 20, 40])
        start = pick.randrange(max(1, len(line) - length))
        piece = line[start:start + length]
        if len(piece) > 2 and piece.isascii() and not set(piece) & set("'\\%_{"):
            found.append(piece)
    return found


problems = 0
print(f"{'log':12} {'lines':>8} {'raw MiB':>8} {'default':>9} {'ZSTD(3)':>9} {'smaller':>8} {'load s':>7} {'zstd s':>7} "
      f"{'LIKE ms':>8} {'zstd ms':>8}")
for path in sorted(glob.glob(os.path.join(folder, "*.log"))):
    name = "real_" + os.path.splitext(os.path.basename(path))[0]
    raw = open(path, "rb").read()
    lines = raw.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    size, seconds = load(name, "", raw)
    size_zstd, seconds_zstd = load(name + "_zstd", " CODEC(ZSTD(3))", raw)
    proof = "SELECT count(), sum(length(line)), sum(cityHash64(line)) FROM "
    if ask(proof + name) != ask(proof + name + "_zstd"):
        problems += 1
        print(f"{name}: the two tables differ")
    times, times_zstd = [], []
    for needle in needles(lines, name):
        where = f" WHERE line LIKE '%{needle}%'"
        mine, took = timed(f"SELECT count() FROM {name}{where}")
        other, took_zstd = timed(f"SELECT count() FROM {name}_zstd{where}")
        times.append(took)
        times_zstd.append(took_zstd)
        expected = sum(needle in line for line in lines)
        if not int(mine) == int(other) == expected:
            problems += 1
            print(f"{name}: LIKE '%{needle}%' gives {mine} and {other}, the file has {expected}")
    print(f"{name[5:]:12} {len(lines):8} {len(raw) / 2**20:8.1f} {size / 2**20:8.2f}M {size_zstd / 2**20:8.2f}M "
          f"{size_zstd / size:7.2f}x {seconds:7.2f} {seconds_zstd:7.2f} {statistics.median(times):8.1f} "
          f"{statistics.median(times_zstd):8.1f}")
    ask(f"DROP TABLE {name}")
    ask(f"DROP TABLE {name}_zstd")
sys.exit(1 if problems else 0)
