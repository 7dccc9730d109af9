#!/usr/bin/env python3
"""Engines that combine rows, through kill -9, merges and mutations: FINAL always shows what a dictionary
shows, and after OPTIMIZE FINAL plain SELECT does too. TTL GROUP BY and RECOMPRESS without anybody's help.

usage: engines_restart.py path/to/basalt"""

import random
import sys
import tempfile
import time

from checks import check, finish
from server import Server

BASALT = sys.argv[1]


path = tempfile.mkdtemp(prefix="basalt-engines-")
server = Server(BASALT, path)
generator = random.Random(7)

server.ask("CREATE TABLE latest (k UInt64, v UInt64, gone UInt8, s String) ENGINE = ReplacingMergeTree(v, gone) "
           "PARTITION BY k % 3 ORDER BY k")
server.ask("CREATE TABLE sums (k UInt64, n Int64) ENGINE = SummingMergeTree ORDER BY k")
server.ask("CREATE TABLE states (k UInt64, sign Int8, x UInt64) ENGINE = CollapsingMergeTree(sign) ORDER BY k")
latest, sums, states = {}, {}, {}


def expected_latest():
    rows = [f"{k}\t{v}\t{s}" for k, (v, gone, s) in sorted(latest.items()) if not gone]
    return "\n".join(rows)


def compare(turn):
    check(f"turn {turn}: latest", server.ask("SELECT k, v, s FROM latest FINAL ORDER BY k"), expected_latest())
    check(f"turn {turn}: latest by value",
          server.ask("SELECT count() FROM latest FINAL WHERE s LIKE '%7%'"),
          str(sum(1 for v, gone, s in latest.values() if not gone and "7" in s)))
    check(f"turn {turn}: sums", server.ask("SELECT k, n FROM sums FINAL ORDER BY k"),
          "\n".join(f"{k}\t{n}" for k, n in sorted(sums.items()) if n))
    check(f"turn {turn}: states", server.ask("SELECT k, x FROM states FINAL ORDER BY k"),
          "\n".join(f"{k}\t{x}" for k, x in sorted(states.items())))


version = 0
for turn in range(8):
    for _ in range(12):
        version += 1
        rows = {generator.randrange(200): (version + generator.randrange(3), generator.randrange(10) == 0,
                                           str(generator.randrange(1000))) for _ in range(20)}
        values = ", ".join(f"({k}, {v}, {int(gone)}, '{s}')" for k, (v, gone, s) in rows.items())
        if server.ask(f"INSERT INTO latest VALUES {values}"):
            raise SystemExit("an insert failed")
        for k, row in rows.items():
            if k not in latest or row[0] >= latest[k][0]:
                latest[k] = row
        added = [(generator.randrange(50), generator.randrange(-5, 6)) for _ in range(10)]
        server.ask("INSERT INTO sums VALUES " + ", ".join(f"({k}, {n})" for k, n in added))
        for k, n in added:
            sums[k] = sums.get(k, 0) + n
        k, x = generator.randrange(40), generator.randrange(1000)
        if k in states:
            change = [(k, -1, states[k])] + ([(k, 1, x)] if generator.randrange(3) else [])
        else:
            change = [(k, 1, x)]
        server.ask("INSERT INTO states VALUES " + ", ".join(f"({a}, {b}, {c})" for a, b, c in change))
        if change[-1][1] > 0:
            states[k] = x
        else:
            del states[k]
    what = generator.randrange(4)
    if what == 0:
        for table in ("latest", "sums", "states"):
            server.ask(f"OPTIMIZE TABLE {table}")
    elif what == 1:
        server.ask("ALTER TABLE latest UPDATE s = concat(s, '7') WHERE k < 10 SETTINGS mutations_sync = 2")
        for k in [k for k in latest if k < 10]:
            latest[k] = (latest[k][0], latest[k][1], latest[k][2] + "7")
    compare(turn)
    if turn % 2:
        server.kill()
        server = Server(BASALT, path)
        compare(f"{turn} after kill -9")

for table in ("latest", "sums", "states"):
    server.ask(f"OPTIMIZE TABLE {table} FINAL")
compare("after OPTIMIZE")
check("merged rows", server.ask("SELECT k, v, s FROM latest WHERE NOT gone ORDER BY k"), expected_latest())
check("merged sums", server.ask("SELECT k, n FROM sums ORDER BY k"),
      "\n".join(f"{k}\t{n}" for k, n in sorted(sums.items()) if n))


def wait_for(what, sql, want, seconds=60):
    got = None
    for _ in range(seconds * 5):
        got = server.ask(sql)
        if got == want:
            break
        time.sleep(0.2)
    check(what, got, want)


server.ask("CREATE TABLE rolled (day Date, host String, n UInt64, top UInt64) ENGINE = MergeTree ORDER BY (host, day) "
           "TTL day + INTERVAL 1 DAY GROUP BY host SET n = sum(n), top = max(top)")
server.ask("INSERT INTO rolled SELECT '2020-01-01', toString(number % 4), 1, number FROM numbers(1000)")
server.ask("INSERT INTO rolled SELECT today() + 1, toString(number % 4), 1, number FROM numbers(8)")
wait_for("old rows are rolled up",
         "SELECT host, n, top FROM rolled WHERE day < '2021-01-01' ORDER BY host",
         "0\t250\t996\n1\t250\t997\n2\t250\t998\n3\t250\t999")
check("new rows are not", server.ask("SELECT count() FROM rolled WHERE day > '2021-01-01'"), "8")

server.ask("CREATE TABLE packed (ts DateTime, id UInt64, own UInt64 CODEC(NONE)) ENGINE = MergeTree "
           "PARTITION BY toYear(ts) ORDER BY id TTL ts + INTERVAL 1 DAY RECOMPRESS CODEC(ZSTD(5)), "
           "ts + INTERVAL 1 YEAR RECOMPRESS CODEC(ZSTD(12))")
server.ask("INSERT INTO packed SELECT '2020-01-01 00:00:00', number, number FROM numbers(1000)")
server.ask("INSERT INTO packed SELECT now() - INTERVAL 40 DAY, number, number FROM numbers(1000)")
server.ask("INSERT INTO packed SELECT now() + INTERVAL 400 DAY, number, number FROM numbers(1000)")
wait_for("each part has the codec of its age",
         "SELECT default_compression_codec FROM system.parts WHERE table = 'packed' AND active ORDER BY min_time",
         "ZSTD(12)\nZSTD(5)\nAuto")
check("with all its rows", server.ask("SELECT count(), sum(id), sum(own) FROM packed"), "3000\t1498500\t1498500")
check("what happened to parts", server.ask("SELECT DISTINCT event_type FROM system.part_log WHERE table = 'rolled' "
                                           "ORDER BY event_type"), "NewPart\nMergeParts\nRemovePart")
check("a clean stop", server.stop(), 0)
sys.exit(finish())
