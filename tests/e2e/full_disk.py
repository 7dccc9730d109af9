#!/usr/bin/env python3
"""A full disk: reads, DROP, DELETE, TTL and restarts work, INSERT fails with NOT_ENOUGH_SPACE and works
again by itself when space returns. On a tmpfs of its own when root; else the faulty file system of
storage_simulator stands for it.

usage: full_disk.py path/to/basalt"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from checks import check, finish, holds
from server import Server

BASALT = sys.argv[1]
MIB = 1 << 20


def on_tmpfs(path):
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", path], capture_output=True)
    return made.returncode == 0


def fill(path):
    """Another program takes every byte that is left."""
    with open(os.path.join(path, "filler"), "ab", buffering=0) as filler:
        for size in (MIB, 4096, 1):
            try:
                while True:
                    filler.write(b"x" * size)
            except OSError:
                pass


def insert(first, day):
    random.seed(first)
    rows = "".join(f"{day}\t{first + i}\t{random.randbytes(500).hex()}\n" for i in range(1000))
    return server.ask(f"INSERT INTO logs (day, id, text) FORMAT TabSeparated\n{rows}")


def wait_for(what, sql, want, seconds=60):
    got = None
    for _ in range(seconds * 5):
        got = server.ask(sql)
        if got == want:
            break
        time.sleep(0.2)
    check(what, got, want)


path = tempfile.mkdtemp(prefix="basalt-full-disk-")
if os.geteuid() != 0 or not on_tmpfs(path):
    print("full disk: no tmpfs here, the simulator's faulty file system stands for it")
    simulator = os.path.join(os.path.dirname(BASALT), "storage_simulator")
    shutil.rmtree(path)
    check("simulator", subprocess.run([simulator, "--seeds", "50"], stdout=subprocess.DEVNULL).returncode, 0)
    sys.exit(finish())

print("full disk: on a tmpfs")
server = None
try:
    server = Server(BASALT, path)
    server.ask("CREATE TABLE logs (day UInt8, id UInt64, text String) ENGINE = MergeTree PARTITION BY day "
               "ORDER BY id")
    server.ask("CREATE TABLE old (ts DateTime, text String) ENGINE = MergeTree PARTITION BY toDate(ts) "
               "ORDER BY ts TTL ts + INTERVAL 20 SECOND")
    server.ask("INSERT INTO old SELECT now(), hex(number) FROM numbers(1000)")
    server.ask("OPTIMIZE TABLE old")
    kept = 0
    answer = ""
    for batch in range(400):
        answer = insert(batch * 1000, batch % 4)
        if answer:
            break
        kept += 1000
    holds("INSERT names the full disk", "Code: 243" in answer and "NOT_ENOUGH_SPACE" in answer, answer[:300])
    holds("some batches fitted", kept >= 10000, kept)
    fill(path)
    check("rows that were acknowledged", server.ask("SELECT count(), uniqExact(id) FROM logs"), f"{kept}\t{kept}")
    holds("INSERT still fails", "NOT_ENOUGH_SPACE" in insert(900000, 0))

    server.kill()
    server = Server(BASALT, path)
    check("after kill -9 on a full disk", server.ask("SELECT count() FROM logs"), str(kept))
    check("server ends in order", server.stop(), 0)
    server = Server(BASALT, path)
    check("after a stop on a full disk", server.ask("SELECT count() FROM logs"), str(kept))

    wait_for("TTL drops a part on a full disk", "SELECT count() FROM old", "0")
    in_day = int(server.ask("SELECT count() FROM logs WHERE day = 3"))
    check("DROP PARTITION on a full disk", server.ask("ALTER TABLE logs DROP PARTITION 3"), "")
    kept -= in_day
    check("rows after DROP", server.ask("SELECT count() FROM logs"), str(kept))
    for _ in range(100):
        answer = insert(2000000, 0)
        if not answer:
            break
        time.sleep(0.2)
    check("INSERT works again by itself", answer, "")
    kept += 1000
    check("DELETE", server.ask("DELETE FROM logs WHERE day = 2 AND id % 2 = 0"), "")
    kept = int(server.ask("SELECT count() FROM logs"))
    check("nothing is left of what was deleted", server.ask("SELECT count() FROM logs WHERE day = 2 AND id % 2 = 0"),
          "0")
    check("DROP TABLE", server.ask("DROP TABLE old"), "")
    server.kill()
    server = Server(BASALT, path)
    check("after all of it", server.ask("SELECT count() FROM logs"), str(kept))
    check("server ends in order", server.stop(), 0)
    server = None
finally:
    if server:
        server.kill()
    subprocess.run(["umount", path])
    shutil.rmtree(path, ignore_errors=True)
sys.exit(finish())
