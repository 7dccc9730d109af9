#!/usr/bin/env python3
"""ALTER and partitions through kill -9 and restarts: a mutation that was cut off goes on, no row shows
half of a change, dropped columns do not come back with old values, detached partitions stay so.

usage: alter_restart.py path/to/basalt"""

import random
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from checks import check, finish
from server import Server

BASALT = sys.argv[1]
ROWS = 200_000


class Node(Server):
    def ask(self, sql, timeout=120):
        request = urllib.request.Request(self.url + "/", data=sql.encode())
        try:
            return urllib.request.urlopen(request, timeout=timeout).read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def one(self, sql):
        return self.ask(sql).strip()


path = tempfile.mkdtemp(prefix="basalt-alter-")
server = Node(BASALT, path)
generator = random.Random(20260825)


def restart():
    global server
    server.kill()
    server = Node(BASALT, path)


def cut_off(sql, seconds):
    """Sends the statement, kills the server meanwhile; whether it had been acknowledged."""
    done = []

    def send():
        try:
            done.append(server.ask(sql))
        except OSError:
            pass

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    time.sleep(seconds)
    server.kill()
    acknowledged = done == [""]
    sender.join(30)
    globals()["server"] = Node(BASALT, path)
    return acknowledged


def wait_for_mutations(what):
    for _ in range(600):
        if server.one("SELECT count() FROM system.mutations WHERE NOT is_done") == "0":
            return
        time.sleep(0.1)
    check(f"{what}: the mutation ends", server.one("SELECT * FROM system.mutations WHERE NOT is_done"), "")


def fresh(name, settings=""):
    server.ask(f"DROP TABLE IF EXISTS {name}")
    server.ask(f"CREATE TABLE {name} (id UInt64, part UInt8, text String, value Int64, twice Int64 MATERIALIZED "
               f"value * 2) ENGINE = MergeTree PARTITION BY part ORDER BY id {settings}")
    for start in range(0, ROWS, ROWS // 4):
        server.ask(f"INSERT INTO {name} SELECT number, number % 4, concat('row ', toString(number)), number "
                   f"FROM numbers({start}, {ROWS // 4})")


SUM = ROWS * (ROWS - 1) // 2


def updates():
    for turn, seconds in enumerate((0.0, 0.02, 0.05, 0.1, 0.2)):
        fresh("u")
        acknowledged = cut_off("ALTER TABLE u UPDATE value = value + 1000000 WHERE 1 SETTINGS mutations_sync = 1", seconds)
        known = server.one("SELECT count() FROM system.mutations WHERE table = 'u'")
        check("an acknowledged UPDATE is known", known in ("1",) if acknowledged else known in ("0", "1"), True)
        wait_for_mutations("UPDATE")
        # Each row was changed once or, when the statement was never stored, not at all.
        added = 1000000 * ROWS if known == "1" else 0
        check(f"UPDATE cut off after {seconds} s",
              server.one("SELECT count(), sum(value), sum(twice), uniqExact(id) FROM u").split("\t"),
              [str(ROWS), str(SUM + added), str(2 * (SUM + added)), str(ROWS)])
        if turn == 0:
            restart()
            check("UPDATE after another restart", server.one("SELECT sum(value) FROM u"), str(SUM + added))


def deletes():
    for seconds in (0.0, 0.03, 0.1):
        fresh("d")
        acknowledged = cut_off("ALTER TABLE d DELETE WHERE id % 2 = 0 SETTINGS mutations_sync = 1", seconds)
        known = server.one("SELECT count() FROM system.mutations WHERE table = 'd'") == "1"
        check("an acknowledged DELETE is known", known or not acknowledged, True)
        wait_for_mutations("DELETE")
        rows = server.one("SELECT count(), countIf(id % 2 = 0), countIf(text = concat('row ', toString(id))) FROM d")
        left = ROWS // 2 if known else ROWS
        check(f"DELETE cut off after {seconds} s", rows, f"{left}\t{0 if known else ROWS // 2}\t{left}")
    fresh("d")
    server.ask("ALTER TABLE d UPDATE value = 7 WHERE id < 100")
    server.ask("ALTER TABLE d DELETE WHERE value = 7")
    restart()
    wait_for_mutations("two mutations")
    check("mutations run in their order", server.one("SELECT count(), min(id) FROM d"), f"{ROWS - 100}\t100")


def indexes():
    for seconds in (0.0, 0.03, 0.1):
        fresh("i", "SETTINGS index_granularity = 1024")
        server.ask("ALTER TABLE i ADD INDEX by_value value TYPE minmax GRANULARITY 1, "
                   "ADD INDEX by_text text TYPE bloom_filter GRANULARITY 1")
        cut_off("ALTER TABLE i MATERIALIZE INDEX by_text, MATERIALIZE INDEX by_value SETTINGS mutations_sync = 1", seconds)
        wait_for_mutations("MATERIALIZE INDEX")
        for number in (0, 777, ROWS - 1):
            check("a row is found with the indexes", server.one(
                f"SELECT id FROM i WHERE text = 'row {number}' AND value = {number}"), str(number))
        check("no row is lost", server.one("SELECT count(), sum(value) FROM i"), f"{ROWS}\t{SUM}")


def columns():
    for turn in range(6):
        fresh("c")
        seconds = generator.random() * 0.1
        cut_off("ALTER TABLE c DROP COLUMN text, ADD COLUMN text String DEFAULT 'new', RENAME COLUMN value TO amount, "
                "MODIFY COLUMN twice REMOVE MATERIALIZED" if turn % 2 else
                "ALTER TABLE c DROP COLUMN text, ADD COLUMN text String DEFAULT 'new'", seconds)
        altered = "DEFAULT 'new'" in server.one("SHOW CREATE TABLE c").replace("\\'", "'")
        value = "amount" if altered and turn % 2 else "value"
        text = "text = 'new'" if altered else "text = concat('row ', toString(id))"
        want = f"{ROWS}\t{ROWS}\t{SUM}"
        question = f"SELECT count(), countIf({text}), sum({value}) FROM c"
        check("ALTER is there wholly or not at all", server.one(question), want)
        restart()
        check("ALTER after another restart", server.one(question), want)
        server.ask("OPTIMIZE TABLE c FINAL")
        check("ALTER after a merge", server.one(question), want)
    fresh("c")
    server.ask("ALTER TABLE c DROP COLUMN text")
    server.ask("ALTER TABLE c ADD COLUMN text String")
    server.ask("INSERT INTO c (id, part, text, value) VALUES (1000000, 9, 'after', 0)")
    restart()
    check("a dropped column does not come back",
          server.one("SELECT countIf(text = ''), countIf(text = 'after'), count() FROM c"), f"{ROWS}\t1\t{ROWS + 1}")
    server.ask("ALTER TABLE c MODIFY COLUMN value Int128")
    restart()
    check("a modified type stays", server.one("SELECT toTypeName(any(value)), sum(value) FROM c"), f"Int128\t{SUM}")


def partitions():
    fresh("p")
    quarter = ROWS // 4
    server.ask("ALTER TABLE p DETACH PARTITION 1")
    server.ask("ALTER TABLE p DROP PARTITION 2")
    restart()
    check("detached and dropped", server.one("SELECT count(), groupUniqArray(part) = [0, 3] OR groupUniqArray(part) = "
                                             "[3, 0] FROM p"), f"{2 * quarter}\t1")
    names = server.one("SELECT count() > 0, min(partition_id), max(partition_id) FROM system.detached_parts WHERE table = 'p'")
    check("the detached parts are listed", names, "1\t1\t1")
    server.ask("ALTER TABLE p ATTACH PARTITION 1")
    restart()
    check("attached", server.one("SELECT count(), sum(value), countIf(text = concat('row ', toString(id))) FROM p WHERE part = 1"),
          f"{quarter}\t{sum(range(1, ROWS, 4))}\t{quarter}")
    check("nothing is left detached", server.one("SELECT count() FROM system.detached_parts WHERE table = 'p'"), "0")
    for turn in range(4):
        before = server.one("SELECT count() FROM p WHERE part = 0")
        cut_off("ALTER TABLE p DETACH PARTITION 0" if turn % 2 == 0 else "ALTER TABLE p ATTACH PARTITION 0",
                generator.random() * 0.01)
        rows = int(server.one("SELECT count() FROM p WHERE part = 0"))
        detached = int(server.one("SELECT count() FROM system.detached_parts WHERE table = 'p'"))
        check("a partition is here or there", (rows, detached > 0) in ((quarter, False), (0, True)), True)
        if turn % 2 == 0 and rows:
            server.ask("ALTER TABLE p DETACH PARTITION 0")
        if turn % 2 == 1 and not rows:
            server.ask("ALTER TABLE p ATTACH PARTITION 0")
    check("no row is lost", server.one("SELECT count(), sum(value) FROM p WHERE part = 0"),
          f"{quarter}\t{sum(range(0, ROWS, 4))}")
    server.ask("ALTER TABLE p DROP PARTITION 0")
    restart()
    check("a dropped partition stays away", server.one("SELECT count() FROM p WHERE part = 0"), "0")


for test in (updates, deletes, indexes, columns, partitions):
    test()
check("a clean stop", server.stop(), 0)
sys.exit(finish())
