#!/usr/bin/env python3
"""BACKUP and RESTORE: tables, databases, everything; incremental; under inserts at one moment; damage,
places that are not allowed, kill -9 in the midst; FREEZE and ATTACH of what was frozen.

usage: backups.py path/to/basalt"""

import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from checks import check, finish, holds
from server import Server

BASALT = os.path.abspath(sys.argv[1])
work = tempfile.mkdtemp(prefix="basalt-backups-")
ROOT = pathlib.Path(work, "data", "backups")


class Node(Server):
    def ask(self, sql, **settings):
        url = self.url + "/?" + urllib.parse.urlencode(settings)
        try:
            return urllib.request.urlopen(url, data=sql.encode(), timeout=120).read().decode().strip()
        except urllib.error.HTTPError as error:
            return "error " + error.headers.get("X-ClickHouse-Exception-Code", "?")


node = Node(BASALT, work)
ask = node.ask


def status(sql):
    answer = ask(sql)
    return answer.split("\t")[1] if "\t" in answer else answer


def sums(table):
    return ask(f"SELECT count(), sum(cityHash64(*)) FROM {table}")


# --- a database with tables of all kinds
ask("CREATE DATABASE shop COMMENT 'of things'")
ask("CREATE TABLE shop.events (id UInt64, text String, day Date) ENGINE = MergeTree PARTITION BY day ORDER BY id")
ask("INSERT INTO shop.events SELECT number, concat('event ', toString(number)), toDate('2026-08-25') + number % 3 FROM numbers(300000)")
ask("INSERT INTO shop.events SELECT number, 'live', toDate('2026-08-25') FROM numbers(10)")
ask("ALTER TABLE shop.events RENAME COLUMN text TO line")
ask("ALTER TABLE shop.events ADD COLUMN n UInt32 DEFAULT id % 7")
ask("INSERT INTO shop.events (id, line, day) VALUES (7, 'after', '2026-08-26')")
ask("CREATE TABLE shop.days (day Date, n UInt64) ENGINE = MergeTree ORDER BY day")
ask("CREATE MATERIALIZED VIEW shop.by_day TO shop.days AS SELECT day, count() AS n FROM shop.events GROUP BY day")
ask("CREATE MATERIALIZED VIEW shop.inner_view (day Date, n UInt64) ENGINE = MergeTree ORDER BY day AS SELECT day, count() AS n FROM shop.events GROUP BY day")
ask("CREATE VIEW shop.lines AS SELECT line FROM shop.events WHERE n = 3")
ask("CREATE TABLE shop.memory (x UInt8, s LowCardinality(Nullable(String))) ENGINE = Memory")
ask("INSERT INTO shop.memory VALUES (1, 'a'), (2, NULL)")
ask("CREATE TABLE shop.log (x UInt64) ENGINE = Log")
ask("INSERT INTO shop.log SELECT number FROM numbers(1000)")
ask("INSERT INTO shop.events SELECT number, 'counted', toDate('2026-08-27'), 1 FROM numbers(100)")
TABLES = ["events", "days", "inner_view", "lines", "memory", "log"]
want = {t: sums(f"shop.{t}") for t in TABLES}
log_order = ask("SELECT groupArray(x) FROM shop.log")

check("BACKUP DATABASE", status("BACKUP DATABASE shop TO Disk('backups', 'monday')"), "BACKUP_CREATED")
check("again", ask("BACKUP DATABASE shop TO Disk('backups', 'monday')"), "error 598")
check("nothing unfinished", [p.name for p in ROOT.iterdir()], ["monday"])
check("RESTORE AS", status("RESTORE DATABASE shop AS shop2 FROM Disk('backups', 'monday')"), "RESTORED")
for t in TABLES:
    check(f"restored {t}", sums(f"shop2.{t}"), want[t])
check("the order of a Log table", ask("SELECT groupArray(x) FROM shop2.log"), log_order)
check("the database's comment", ask("SELECT comment FROM system.databases WHERE name = 'shop2'"), "of things")
ask("INSERT INTO shop2.events (id, line, day) VALUES (1, 'new', '2026-08-25')")
holds("its views take from its tables",
      sums("shop2.days") != want["days"] and sums("shop2.inner_view") != want["inner_view"])
check("and not from the first", (sums("shop.days"), sums("shop.inner_view")), (want["days"], want["inner_view"]))
ask("ALTER TABLE shop2.events RENAME COLUMN line TO text")
check("columns can be renamed again", ask("SELECT count() FROM shop2.events WHERE text LIKE 'event%'"), "300000")
node.kill()
node = Node(BASALT, work)
ask = node.ask
check("after kill -9", (ask("SELECT count() FROM shop2.events WHERE text LIKE 'event%'"), sums("shop2.inner_view") != ""),
      ("300000", True))
check("DROP", ask("DROP DATABASE shop2"), "")

# --- tables
check("not empty", ask("RESTORE TABLE shop.events FROM Disk('backups', 'monday')"), "error 608")
check("allow_non_empty_tables",
      status("RESTORE TABLE shop.events FROM Disk('backups', 'monday') SETTINGS allow_non_empty_tables = 1"), "RESTORED")
check("twice the rows", ask("SELECT count() FROM shop.events"), str(2 * int(want["events"].split()[0])))
ask("DROP TABLE shop.events")
check("RESTORE TABLE", status("RESTORE TABLE shop.events FROM Disk('backups', 'monday')"), "RESTORED")
check("the same rows", sums("shop.events"), want["events"])
check("AS another", status("RESTORE TABLE shop.events AS shop.copy FROM Disk('backups', 'monday')"), "RESTORED")
check("the other's rows", sums("shop.copy"), want["events"])
ask("DROP TABLE shop.copy")
check("structure_only", status("RESTORE TABLE shop.events AS shop.copy FROM Disk('backups', 'monday') SETTINGS structure_only = 1"), "RESTORED")
check("no rows", ask("SELECT count() FROM shop.copy"), "0")
ask("DROP TABLE shop.copy")
ask("CREATE TABLE shop.copy (id String) ENGINE = MergeTree ORDER BY id")
check("another definition", ask("RESTORE TABLE shop.events AS shop.copy FROM Disk('backups', 'monday')"), "error 608")
ask("DROP TABLE shop.copy")
check("PARTITION", status("RESTORE TABLE shop.events AS shop.copy PARTITION '2026-08-27' FROM Disk('backups', 'monday')"), "RESTORED")
check("its rows", ask("SELECT uniqExact(day), count() FROM shop.copy"),
      ask("SELECT 1, count() FROM shop.events WHERE day = '2026-08-27'"))
check("a table that is not in it", ask("RESTORE TABLE shop.nothing FROM Disk('backups', 'monday')"), "error 605")
check("a backup that is not there", ask("RESTORE TABLE shop.events FROM Disk('backups', 'tuesday')"), "error 599")

# --- incremental
ask("INSERT INTO shop.events SELECT number, 'tuesday', toDate('2026-08-28'), 2 FROM numbers(1000)")
tuesday = sums("shop.events")
check("incremental", status("BACKUP TABLE shop.events TO File('tuesday') SETTINGS base_backup = Disk('backups', 'monday')"), "BACKUP_CREATED")
size = {name: sum(f.stat().st_size for f in (ROOT / name).rglob("*") if f.is_file()) for name in ("monday", "tuesday")}
holds("it holds what is new", size["tuesday"] < size["monday"] / 4, size)
check("a third", status("BACKUP TABLE shop.events TO File('wednesday') SETTINGS base_backup = File('tuesday')"), "BACKUP_CREATED")
check("RESTORE through two", status("RESTORE TABLE shop.events AS shop.third FROM File('wednesday')"), "RESTORED")
check("its rows", sums("shop.third"), tuesday)
check("system.backups", ask("SELECT status, num_files > num_entries, total_size > uncompressed_size, end_time >= start_time FROM system.backups WHERE name LIKE '%wednesday%' AND base_backup_name != ''"),
      "BACKUP_CREATED\t1\t1\t1")
os.rename(ROOT / "monday", ROOT / "gone")
check("without its base", ask("RESTORE TABLE shop.events AS shop.x FROM File('wednesday')"), "error 602")
os.rename(ROOT / "gone", ROOT / "monday")

# --- damage
for name in ("flip", "cut", "missing"):
    shutil.copytree(ROOT / "monday", ROOT / name)
    victim = max((f for f in (ROOT / name / "data").rglob("*") if f.is_file()), key=lambda f: f.stat().st_size)
    if name == "flip":
        data = bytearray(victim.read_bytes())
        data[len(data) // 2] ^= 1
        victim.write_bytes(data)
    elif name == "cut":
        victim.write_bytes(victim.read_bytes()[:-1])
    else:
        victim.unlink()
    check(f"damage: {name}", ask(f"RESTORE DATABASE shop AS damaged FROM Disk('backups', '{name}')"), "error 601")
    check("nothing of it is left", ask("SELECT count() FROM system.databases WHERE name = 'damaged'"), "0")
manifest = ROOT / "flip" / ".backup"
manifest.write_bytes(manifest.read_bytes()[:-3])
check("a damaged description", ask("RESTORE ALL FROM Disk('backups', 'flip')"), "error 601")

# --- places
for place in ("File('../x')", "File('/etc/x')", "Disk('other', 'x')", f"File('{ROOT}/../../x')"):
    check(place, ask(f"BACKUP TABLE shop.log TO {place}"), "error 318")
check("an archive", ask("BACKUP TABLE shop.log TO File('x.zip')"), "error 48")
check("no such engine", ask("BACKUP TABLE shop.log TO Nowhere('x')"), "error 627")
check("an absolute place below the root", status(f"BACKUP TABLE shop.log TO File('{ROOT}/deep/er/log')"), "BACKUP_CREATED")
check("a setting that is unknown", ask("BACKUP TABLE shop.log TO File('y') SETTINGS no_such = 1"), "error 115")

# --- at one moment: what one INSERT brought to two tables is in both or in neither
stop = threading.Event()


def insert():
    i = 0
    while not stop.is_set():
        ask(f"INSERT INTO shop.events SELECT {i}, 'pair', toDate('2026-09-01'), 1 FROM numbers(10)")
        i += 1


threads = [threading.Thread(target=insert) for _ in range(3)]
for thread in threads:
    thread.start()
for i in range(5):
    time.sleep(0.1)
    check("BACKUP under load", status(f"BACKUP TABLE shop.events, TABLE shop.days TO File('moment{i}')"), "BACKUP_CREATED")
stop.set()
for thread in threads:
    thread.join()
for i in range(5):
    ask("CREATE DATABASE m")
    ask(f"RESTORE TABLE shop.events AS m.events, TABLE shop.days AS m.days FROM File('moment{i}')")
    pair = ask("SELECT (SELECT count() FROM m.events WHERE day = '2026-09-01'), (SELECT sum(n) FROM m.days WHERE day = '2026-09-01')")
    holds("both tables are of one moment", len(set(pair.split("\t"))) == 1 and pair != "0\t0", pair)
    ask("DROP DATABASE m")

# --- everything, asynchronously
answer = ask("BACKUP ALL EXCEPT TABLES shop.third TO File('all') ASYNC")
identity, state = answer.split("\t")
check("ASYNC answers at once", state, "CREATING_BACKUP")
for _ in range(300):
    state = ask(f"SELECT status FROM system.backups WHERE id = '{identity}'")
    if state != "CREATING_BACKUP":
        break
    time.sleep(0.1)
check("and is done later", state, "BACKUP_CREATED")
everything = {t: sums(f"shop.{t}") for t in TABLES}
ask("DROP DATABASE shop")
check("RESTORE ALL", status("RESTORE ALL FROM File('all')"), "RESTORED")
check("everything is back", {t: sums(f"shop.{t}") for t in TABLES}, everything)
check("but what was left out", ask("SELECT count() FROM shop.third"), "error 60")

# --- kill -9 in the midst
ask("CREATE TABLE shop.large (x UInt64, r UInt64, s String) ENGINE = MergeTree ORDER BY x")
ask("INSERT INTO shop.large SELECT number, sipHash64(number), hex(sipHash128(number)) FROM numbers(3000000)")
large = sums("shop.large")
for turn in range(3):
    ask(f"BACKUP TABLE shop.large TO File('large{turn}') ASYNC")
    time.sleep(0.05 * turn)
    node.kill()
    node = Node(BASALT, work)
    ask = node.ask
    check("nothing half done", [p.name for p in ROOT.iterdir() if p.name.startswith("tmp_")], [])
    there = (ROOT / f"large{turn}").exists()
    answer = status(f"RESTORE TABLE shop.large AS shop.again FROM File('large{turn}')")
    check("a whole backup or none", answer, "RESTORED" if there else "error 599")
    if there:
        check("its rows", sums("shop.again"), large)
        ask("DROP TABLE shop.again")
ask("BACKUP TABLE shop.large TO File('large')")
for turn in range(3):
    ask("RESTORE TABLE shop.large AS shop.again FROM File('large') ASYNC")
    time.sleep(0.05 * turn)
    node.kill()
    node = Node(BASALT, work)
    ask = node.ask
    rows = ask("SELECT count() FROM shop.again")
    holds("all rows or none", rows in ("error 60", "0", "3000000"), rows)
    ask("DROP TABLE IF EXISTS shop.again")

# --- FREEZE
ask("INSERT INTO shop.large VALUES (1, 2, 'buffered')")
check("FREEZE", ask("ALTER TABLE shop.large FREEZE WITH NAME 'cold day'"), "")
check("again", ask("ALTER TABLE shop.large FREEZE WITH NAME 'cold day'"), "error 84")
frozen = list(pathlib.Path(work, "data", "shadow", "cold%20day").rglob("part.bin"))
holds("parts are linked", len(frozen) >= 2 and frozen[0].stat().st_nlink > 1, frozen)
ask("CREATE TABLE shop.thawed AS shop.large")
detached = pathlib.Path(ask("SELECT data_paths[1] FROM system.tables WHERE name = 'thawed'"), "detached")
for part in frozen:
    shutil.copytree(part.parent, detached / part.parent.name)
check("system.detached_parts", ask("SELECT count() FROM system.detached_parts WHERE table = 'thawed'"), str(len(frozen)))
for part in frozen:
    check("ATTACH PART", ask(f"ALTER TABLE shop.thawed ATTACH PART '{part.parent.name}'"), "")
check("its rows", sums("shop.thawed"), sums("shop.large"))
check("UNFREEZE", ask("ALTER TABLE shop.large UNFREEZE WITH NAME 'cold day'"), "")
holds("the links are gone", not pathlib.Path(work, "data", "shadow", "cold%20day").exists())
check("FREEZE without a name", ask("ALTER TABLE shop.large FREEZE"), "")
holds("has a number", pathlib.Path(work, "data", "shadow", "1").exists())
check("SYSTEM UNFREEZE", ask("SYSTEM UNFREEZE WITH NAME '1'"), "")
holds("takes it away", not pathlib.Path(work, "data", "shadow", "1").exists())
check("the last stop", node.stop(), 0)
shutil.rmtree(work)
sys.exit(finish())
