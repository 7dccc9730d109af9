#!/usr/bin/env python3
"""TTL and basalt_max_bytes without anybody's help: parts that are over wholly are dropped within 60 s,
rows and columns that are over leave their parts, a table's size stays under its cap, also after kill -9.

usage: ttl.py path/to/basalt"""

import sys
import tempfile
import time

from checks import check, finish
from server import Server

BASALT = sys.argv[1]


def wait_for(what, sql, want, seconds=60):
    got = None
    for _ in range(seconds * 5):
        got = server.ask(sql)
        if got == want:
            break
        time.sleep(0.2)
    check(what, got, want)


path = tempfile.mkdtemp(prefix="basalt-ttl-")
server = Server(BASALT, path)
server.ask("CREATE TABLE logs (ts DateTime, id UInt64, text String) ENGINE = MergeTree PARTITION BY toDate(ts) "
           "ORDER BY id TTL ts + INTERVAL 2 DAY")
server.ask("INSERT INTO logs SELECT now() - INTERVAL 5 DAY, number, toString(number) FROM numbers(100000)")
server.ask("INSERT INTO logs SELECT now(), number, toString(number) FROM numbers(1000)")
server.ask("CREATE TABLE mixed (ts DateTime, id UInt64, secret String DEFAULT 'gone' TTL ts + INTERVAL 1 DAY) "
           "ENGINE = MergeTree ORDER BY id TTL ts + INTERVAL 10 DAY DELETE WHERE id % 2 = 1")
server.ask("INSERT INTO mixed SELECT if(number < 10, now() - INTERVAL 20 DAY, now()), number, 's' FROM numbers(20)")
wait_for("a part that is over is dropped", "SELECT count() FROM logs", "1000")
wait_for("rows and values that are over go", "SELECT count(), countIf(secret = 'gone'), countIf(secret = 's') FROM mixed",
         "15\t5\t10")
check("no old part is left", server.ask("SELECT count() FROM system.parts WHERE table = 'logs' AND active AND "
                                        "max_time < now() - INTERVAL 3 DAY"), "0")
server.ask("INSERT INTO logs SELECT now() - INTERVAL 5 DAY, number, toString(number) FROM numbers(300000)")
server.kill()
server = Server(BASALT, path)
wait_for("after kill -9 too", "SELECT count() FROM logs", "1000")
server.ask("ALTER TABLE logs MODIFY TTL ts + INTERVAL 1 SECOND")
wait_for("a shorter TTL", "SELECT count() FROM logs", "0")

server.ask("CREATE TABLE capped (id UInt64, noise String) ENGINE = MergeTree ORDER BY id SETTINGS basalt_max_bytes = 20000000")
for turn in range(6):
    server.ask(f"INSERT INTO capped SELECT {turn}, randomString(20) FROM numbers(300000)")
time.sleep(1)
for _ in range(300):
    size = int(server.ask("SELECT sum(bytes_on_disk) FROM system.parts WHERE table = 'capped' AND active"))
    if size <= 20000000:
        break
    time.sleep(0.2)
check("the size is under its cap", size <= 20000000, True)
kept = server.ask("SELECT min(id) > 0, max(id), count() > 0 FROM capped")
check("the newest rows are kept", kept, "1\t5\t1")
check("a clean stop", server.stop(), 0)
sys.exit(finish())
