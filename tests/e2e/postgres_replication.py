#!/usr/bin/env python3
"""PostgreSQL followed by Basalt: pgbench, kinds of changes, changes of definition, bad input; then both
are killed again and again under a mixed load and compared row by row.

usage: postgres_replication.py path/to/basalt [--kills N] [--seconds S] [--only NAME]"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from checks import check, finish, holds
from pg_replica import Pair

parser = argparse.ArgumentParser()
parser.add_argument("basalt", type=os.path.abspath)
parser.add_argument("--kills", type=int, default=6, help="of Basalt, of PostgreSQL and of both, in turn")
parser.add_argument("--positions", type=int, default=12, help="changes of definition, each followed by a read")
parser.add_argument("--seconds", type=int, default=5, help="of pgbench")
parser.add_argument("--only", default="", help="name of one part")
options = parser.parse_args()
PGBENCH = "/usr/lib/postgresql/15/bin/pgbench"


def pgbench(pair, *arguments):
    done = subprocess.run([PGBENCH, *arguments, pair.uri], capture_output=True, text=True)
    holds("pgbench", done.returncode == 0, done.stderr[-500:])
    return done.stdout


def benchmark(pair):
    pgbench(pair, "-i", "-q", "-s", "1")
    out = pair.link()
    holds("link", "pgbench_accounts following: 100000 rows" in out, out)
    answer = pair.link()
    holds("link twice", "has a database shop already" in answer, answer)
    holds("link says what it changes", '"pgbench_history" has no primary key' in out, out)
    pgbench(pair, "-c", "4", "-j", "2", "-n", "-T", str(options.seconds))
    for table, column in (("accounts", "abalance"), ("branches", "bbalance"), ("tellers", "tbalance"),
                          ("history", "delta")):
        query = f"SELECT count(*), sum({column}) FROM {{}}pgbench_{table}"
        expected = pair.sql(query.format(""))
        check(f"sums of {table} at one position", pair.ask(query.format("shop."), pair.lsn()).replace("\t", "|"),
              expected)
    check("accounts row by row", pair.same("pgbench_accounts", "aid, bid, abalance", "aid"), "")
    check("count is that of living rows", pair.ask("SELECT total_rows FROM system.tables WHERE database = 'shop' "
                                                   "AND name = 'pgbench_accounts'"), "100000")
    p99 = pair.state(column="lag_p99_ms")
    holds("lag is measured", p99.isdigit(), p99)
    print(f"lag p50 {pair.state(column='lag_p50_ms')} ms, p99 {p99} ms under pgbench", flush=True)


def changes(pair):
    """Kinds of changes, those of keys and of long values among them."""
    pair.sql("CREATE TABLE kinds (id int PRIMARY KEY, n bigint, t text, long text)")
    pair.sql("ALTER TABLE kinds ALTER COLUMN long SET STORAGE EXTERNAL")
    pair.sql("INSERT INTO kinds SELECT i, i * 10, 't' || i, repeat(md5(i::text), 200) FROM generate_series(1, 500) i")
    holds("a new table is found", pair.wait_state("following", "kinds"), pair.state("kinds", "last_error"))
    columns = "id, n, t, length(long), substr(long, 1, 40)"
    check("after the copy", pair.same("kinds", columns, "id"), "")
    pair.sql("UPDATE kinds SET n = n + 1 WHERE id % 3 = 0")  # the long value is not sent
    check("a long value stays", pair.same("kinds", columns, "id"), "")
    pair.sql("UPDATE kinds SET id = id + 1000 WHERE id % 5 = 0")
    check("changed keys", pair.same("kinds", columns, "id"), "")
    pair.sql("BEGIN; UPDATE kinds SET n = 1 WHERE id = 1; UPDATE kinds SET t = 'again' WHERE id = 1; "
             "UPDATE kinds SET id = 9001 WHERE id = 1; UPDATE kinds SET n = 3 WHERE id = 9001; COMMIT")
    check("several changes of a row in one transaction", pair.same("kinds", columns, "id"), "")
    pair.sql("BEGIN; DELETE FROM kinds WHERE id = 2; INSERT INTO kinds VALUES (2, 2, 'new', 'x'); COMMIT")
    check("deleted and inserted again", pair.same("kinds", columns, "id"), "")
    pair.sql("BEGIN; UPDATE kinds SET id = -3 WHERE id = 3; UPDATE kinds SET id = 3 WHERE id = 4; "
             "UPDATE kinds SET id = 4 WHERE id = -3; COMMIT")
    check("swapped keys", pair.same("kinds", columns, "id"), "")
    pair.sql("BEGIN; DELETE FROM kinds; ROLLBACK")
    pair.sql("BEGIN; SAVEPOINT a; UPDATE kinds SET n = -1; ROLLBACK TO a; UPDATE kinds SET n = 77 WHERE id = 7; COMMIT")
    check("what was rolled back", pair.same("kinds", columns, "id"), "")
    pair.sql("INSERT INTO kinds SELECT i, i, NULL, NULL FROM generate_series(10000, 309999) i")
    check("a large transaction", pair.same("kinds", "count(*), sum(n), count(t)", "1"), "")
    pair.sql("BEGIN; UPDATE kinds SET n = n + 1 WHERE id >= 10000; DELETE FROM kinds WHERE id % 2 = 0 AND id >= 10000; COMMIT")
    check("large updates and deletions", pair.same("kinds", "count(*), sum(n), sum(id)", "1"), "")
    pair.sql("DELETE FROM kinds WHERE id >= 10000")
    check("rows after them", pair.same("kinds", columns, "id"), "")
    pair.sql("TRUNCATE kinds")
    check("TRUNCATE", pair.ask("SELECT count() FROM shop.kinds", pair.lsn()), "0")
    pair.sql("BEGIN; INSERT INTO kinds VALUES (1); TRUNCATE kinds; INSERT INTO kinds VALUES (2, 3, 'after', NULL); COMMIT")
    check("TRUNCATE among inserts", pair.same("kinds", columns, "id"), "")
    # Equal rows are counted.
    pair.sql("CREATE TABLE bag (a int, b text)")
    holds("a table without a key", pair.wait_state("following", "bag"), pair.state("bag", "last_error"))
    pair.sql("INSERT INTO bag SELECT i % 3, CASE WHEN i % 2 = 0 THEN 'x' END FROM generate_series(1, 60) i")
    pair.sql("DELETE FROM bag WHERE ctid IN (SELECT ctid FROM bag WHERE a = 1 LIMIT 4)")
    pair.sql("UPDATE bag SET b = 'y' WHERE ctid IN (SELECT ctid FROM bag WHERE a = 2 LIMIT 3)")
    check("equal rows", pair.same("bag", "a, b, count(*)", "a, b NULLS FIRST", "1 = 1 GROUP BY a, b"), "")


def definitions(pair):
    pair.sql("CREATE TABLE defs (id int PRIMARY KEY, a int)")
    pair.sql("INSERT INTO defs SELECT i, i FROM generate_series(1, 100) i")
    holds("followed", pair.wait_state("following", "defs"))

    def after(what, columns):
        check(what, pair.same("defs", columns, "id"), "")

    pair.sql("ALTER TABLE defs ADD COLUMN b int DEFAULT 7")
    after("ADD COLUMN with a default fills rows", "id, a, b")
    pair.sql("INSERT INTO defs VALUES (101, 1, 2); ALTER TABLE defs RENAME COLUMN a TO z; INSERT INTO defs VALUES (102, 1, 2)")
    after("RENAME COLUMN", "id, z, b")
    pair.sql("UPDATE defs SET z = 5 WHERE id = 1; ALTER TABLE defs DROP COLUMN b; UPDATE defs SET z = 6 WHERE id = 2")
    after("DROP COLUMN", "id, z")
    pair.sql("ALTER TABLE defs ALTER COLUMN z TYPE text USING 'v' || z; INSERT INTO defs VALUES (103, 'text')")
    after("another type", "id, z")
    pair.sql("ALTER TABLE defs ALTER COLUMN z SET NOT NULL")
    pair.sql("ALTER TABLE defs ALTER COLUMN z DROP NOT NULL; INSERT INTO defs VALUES (104, NULL)")
    after("NOT NULL dropped", "id, z")
    pair.sql("ALTER TABLE defs RENAME TO defs_renamed")
    holds("a renamed table", pair.wait_state("following", "defs_renamed"))
    check("has its rows", pair.same("defs_renamed", "id, z", "id"), "")
    pair.sql("DROP TABLE defs_renamed")
    holds("a dropped table is told", pair.wait_state("dropped", "defs_renamed"))
    check("and keeps its rows", pair.ask("SELECT count() FROM shop.defs_renamed"), "104")
    pair.sql("CREATE TABLE defs_renamed (id int PRIMARY KEY); INSERT INTO defs_renamed VALUES (1)")
    holds("a table of the same name", pair.wait_state("following", "defs_renamed"))
    check("takes its place", pair.ask("SELECT count() FROM shop.defs_renamed", pair.lsn()), "1")
    # Partitions are one table.
    pair.sql("CREATE TABLE parts (id int, day date, v int, PRIMARY KEY (id, day)) PARTITION BY RANGE (day)")
    pair.sql("CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')")
    pair.sql("INSERT INTO parts SELECT i, '2026-01-05', i FROM generate_series(1, 50) i")
    holds("partitions", pair.wait_state("following", "parts"), pair.state("parts", "last_error"))
    pair.sql("CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM ('2026-02-01') TO ('2026-03-01')")
    pair.sql("INSERT INTO parts SELECT i, '2026-02-05', i FROM generate_series(1, 50) i; "
             "UPDATE parts SET v = v + 1 WHERE id % 2 = 0; DELETE FROM parts WHERE id = 3; "
             "UPDATE parts SET day = '2026-02-07' WHERE id = 5 AND day < '2026-02-01'")
    check("changes in and across partitions", pair.same("parts", "id, day, v", "id, day"), "")
    check("other schemas", pair.sql("CREATE SCHEMA side; CREATE TABLE side.t (id int PRIMARY KEY); "
                                    "INSERT INTO side.t VALUES (1)"), "")
    holds("are followed", pair.wait_state("following", "side.t"))
    check("under both names", pair.ask("SELECT count() FROM shop.`side.t`", pair.lsn()), "1")


def kill_postgres(pair):
    pid = int(open(os.path.join(pair.home, "shop", "data", "postmaster.pid")).readline())
    os.kill(pid, signal.SIGKILL)


def positions(pair):
    """Rows at a position are never those of before it, whatever must be copied again for them."""
    pair.sql("CREATE TABLE moved (id int PRIMARY KEY, n bigint)")
    pair.sql("INSERT INTO moved SELECT i, 0 FROM generate_series(1, 100000) i")
    holds("followed", pair.wait_state("following", "moved"))
    query = "SELECT count(*), sum(n) FROM {}moved"
    wrong = []
    kinds = ("ALTER TABLE moved ALTER COLUMN n TYPE {type} USING {value}",  # no change of a row follows
             "ALTER TABLE moved ADD COLUMN extra_{value} int; UPDATE moved SET n = {value} WHERE id % 2 = 0",
             "BEGIN; UPDATE moved SET n = n + 1; ALTER TABLE moved ALTER COLUMN n TYPE {type}; DELETE FROM moved WHERE "
             "id = {value}; COMMIT; UPDATE moved SET n = {value} WHERE id = {value} + 50")
    for number in range(options.positions):
        pair.sql(kinds[number % 3].format(value=number + 1, type=("int", "bigint")[number % 6 // 3 ^ (number % 3 == 2)]))
        if number % 4 == 3:
            kill_postgres(pair)
            while pair.lsn().startswith("ERROR"):
                time.sleep(0.1)
        expected = pair.sql(query.format(""))
        got = pair.ask(query.format("shop."), pair.lsn()).replace("\t", "|")
        if got != expected:
            wrong.append((number, got, expected))
    check("rows of before the position", wrong, [])
    began = time.monotonic()
    for _ in range(100):
        pair.sql("UPDATE moved SET n = n + 1 WHERE id = 90000")
        pair.ask("SELECT n FROM shop.moved WHERE id = 90000", pair.lsn())
    print(f"an UPDATE and its row at the position behind it: {(time.monotonic() - began) * 10:.1f} ms", flush=True)
    pair.sql("CREATE TABLE unfit (id int PRIMARY KEY, n numeric); INSERT INTO unfit VALUES (1, 1)")
    holds("followed", pair.wait_state("following", "unfit"))
    pair.sql("INSERT INTO unfit VALUES (2, 'NaN')")
    answer = pair.ask("SELECT count() FROM shop.unfit SETTINGS max_execution_time = 3", pair.lsn())
    holds("a table that failed has no rows at a later position", "TIMEOUT_EXCEEDED" in answer, answer)
    check("but those of before", pair.ask("SELECT count() FROM shop.unfit"), "1")
    pair.sql("UPDATE unfit SET n = 3")
    check("it is waited for", pair.ask("SELECT count(), sum(n) FROM shop.unfit", pair.lsn()), "2\t6")
    pair.sql("DROP TABLE unfit")
    answer = pair.ask("SELECT count() FROM shop.unfit", pair.lsn())
    holds("a dropped table has none either", "TABLE_IS_DROPPED" in answer, answer)


def types(pair):
    pair.sql("CREATE EXTENSION IF NOT EXISTS hstore; CREATE TYPE mood AS ENUM ('sad', 'ok'); "
             "CREATE DOMAIN positive AS int CHECK (VALUE > 0)")
    pair.sql("""CREATE TABLE kindred (id int PRIMARY KEY, b boolean NOT NULL, i2 smallint, f4 real, f8 float8, n numeric(10, 3),
             nn numeric, u uuid, d date, ts timestamp, tz timestamptz, m mood, p positive, ia int[], ta text[],
             ii int[][], j json, jb jsonb, r int4range, ip inet, h hstore, by bytea, iv interval, ch char(5))""")
    pair.sql("INSERT INTO kindred VALUES (1, true, -5, 1.5, 1e-300, 12345.678, 0.000000000000000000000000001, "
             "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '2024-02-29', '2024-02-29 12:34:56.789', "
             "'2024-02-29 12:34:56.789+02', 'ok', 3, '{1,NULL,3}', ARRAY['a', 'b,\"c\"', NULL], '{{1,2},{3,4}}', "
             "'{\"a\": 1}', '{\"b\":2}', '[1,5)', '10.0.0.1/8', 'a=>1', '\\xdead', '1 day 2 hours', 'ab')")
    pair.sql("INSERT INTO kindred (id, b, d, ts, tz, f8) VALUES (2, false, 'infinity', '-infinity', 'infinity', 'NaN')")
    holds("types", pair.wait_state("following", "kindred"), pair.state("kindred", "last_error"))
    pair.sql("INSERT INTO kindred SELECT 3, b, i2, f4, f8, n, nn, u, d, ts, tz, m, p, ia, ta, ii, j, jb, r, ip, h, by, iv, ch "
             "FROM kindred WHERE id = 1")
    lsn = pair.lsn()
    row = pair.ask("SELECT * EXCEPT id FROM shop.kindred WHERE id = 1 FORMAT TSV", lsn)
    check("by copy and by stream they are the same", pair.ask("SELECT * EXCEPT id FROM shop.kindred WHERE id = 3 FORMAT TSV", lsn), row)
    check("values", row.split("\t"),
          ["true", "-5", "1.5", "1e-300", "12345.678", "0.000000000000000000000000001", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
           "2024-02-29", "2024-02-29 12:34:56.789000", "2024-02-29 10:34:56.789000", "ok", "3", "[1,NULL,3]",
           "['a','b,\"c\"',NULL]", "[[1,2],[3,4]]", '{"a": 1}', '{"b": 2}', "[1,5)", "10.0.0.1/8", '"a"=>"1"', "\\\\xdead",
           "1 day 02:00:00", "ab   "])
    check("infinity", pair.ask("SELECT d, ts, tz, f8, n, ia FROM shop.kindred WHERE id = 2", lsn),
          "2299-12-31\t1900-01-01 00:00:00.000000\t2299-12-31 23:59:59.999999\tnan\t\\N\t[]")
    pair.sql("CREATE TABLE bad_key (day date PRIMARY KEY); INSERT INTO bad_key VALUES ('infinity')")
    holds("infinity in a key fails its table", pair.wait_state("failed", "bad_key"), pair.state("bad_key"))
    pair.sql("DROP TABLE bad_key; CREATE TABLE bad (id int PRIMARY KEY, n numeric); INSERT INTO bad VALUES (1, 1), (2, 'NaN')")
    holds("a value without a place fails its table", pair.wait_state("failed", "bad"), pair.state("bad"))
    holds("by name", "NaN" in pair.state("bad", "last_error"), pair.state("bad", "last_error"))
    pair.sql("INSERT INTO kindred (id, b) VALUES (4, true)")
    check("the others go on", pair.ask("SELECT count() FROM shop.kindred", pair.lsn()), "4")
    pair.sql("DELETE FROM bad WHERE id = 2")
    holds("it comes back", pair.wait_state("following", "bad"), pair.state("bad", "last_error"))


def bad_input(pair):
    for what, statement in (("INSERT", "INSERT INTO shop.pgbench_tellers VALUES (1, 2, 3, '')"),
                            ("TRUNCATE", "TRUNCATE TABLE shop.pgbench_tellers")):
        answer = pair.ask(statement)
        holds(f"{what} is refused", "TABLE_IS_READ_ONLY" in answer, answer)
    answer = pair.ask("SELECT count() FROM shop.pgbench_tellers", "nonsense")
    holds("a position that is none", "BAD_ARGUMENTS" in answer, answer)
    for what, arguments, error in (("arguments", "('a:1', 'b')", "BAD_ARGUMENTS"),
                                   ("port", "('a:x', 'b', 'c', 'd')", "BAD_ARGUMENTS"),
                                   ("settings", "('a:1', 'b', 'c', 'd') SETTINGS nonsense = 1", "UNKNOWN_SETTING")):
        answer = pair.ask(f"CREATE DATABASE wrong ENGINE = MaterializedPostgreSQL{arguments}")
        holds(f"wrong {what}", error in answer, answer)
    # Wrong password: told, and tried again.
    pair.ask(f"CREATE DATABASE wrong ENGINE = MaterializedPostgreSQL('127.0.0.1:{pair.pg_port}', 'shop', 'postgres', 'wrong')")
    end = time.monotonic() + 20
    query = "SELECT last_error FROM system.postgres_replication WHERE database = 'wrong'"
    while "password authentication failed" not in pair.ask(query) and time.monotonic() < end:
        time.sleep(0.1)
    holds("a wrong password is told", "password authentication failed" in pair.ask(query), pair.ask(query))
    holds("not in the log of queries", "'wrong')" not in pair.ask(
        "SELECT query FROM system.query_log WHERE query LIKE 'CREATE DATABASE wrong%' FORMAT TSVRaw"))
    check("it can be dropped", pair.ask("DROP DATABASE wrong"), "")
    # A table without identity on a server that is not ours.
    pair.sql("CREATE SCHEMA foreign_side; CREATE TABLE foreign_side.plain (a int)")
    password = open(os.path.join(pair.home, "shop", "password")).read().strip()
    pair.ask(f"CREATE DATABASE other ENGINE = MaterializedPostgreSQL('127.0.0.1:{pair.pg_port}', 'shop', 'postgres', "
             f"'{password}') SETTINGS materialized_postgresql_schema = 'foreign_side'")
    query = "SELECT state FROM system.postgres_replication WHERE database = 'other' AND table = 'plain'"
    end = time.monotonic() + 20
    while pair.ask(query) != "inserts only" and time.monotonic() < end:
        time.sleep(0.1)
    check("a foreign table without a key", pair.ask(query), "inserts only")
    holds("may be updated by its users", pair.sql("INSERT INTO foreign_side.plain VALUES (1); "
                                                  "UPDATE foreign_side.plain SET a = 2; DELETE FROM foreign_side.plain") == "")
    check("dropping it", pair.ask("DROP DATABASE other"), "")
    check("takes its slot away", pair.sql("SELECT count(*) FROM pg_replication_slots WHERE slot_name LIKE 'basalt_other%'"), "0")
    check("and its publications", pair.sql("SELECT count(*) FROM pg_publication WHERE pubname LIKE 'basalt_other%'"), "0")
    # Both sides are compared all the time.
    query = "SELECT max(result = 'same'), max(result != 'same') FROM system.postgres_consistency WHERE table = '{}'"
    for table, want in (("pgbench_accounts", "1\t0"), ("bag", "1\t0"), ("kinds", "1\t0")):
        end = time.monotonic() + 90
        while pair.ask(query.format(table)) != want and time.monotonic() < end:
            time.sleep(0.5)
        check(f"{table} is found to be the same", pair.ask(query.format(table)), want)
    # A change that PostgreSQL did not publish.
    slot = pair.state(column="slot")
    answer = pair.sql(f"BEGIN; ALTER PUBLICATION {slot} DROP TABLE pgbench_tellers; DELETE FROM pgbench_tellers WHERE tid = 1; "
                      f"ALTER PUBLICATION {slot} ADD TABLE ONLY pgbench_tellers; COMMIT")
    check("a change behind our back", answer, "")
    query = "SELECT max(result = 'different' AND postgres_rows = 9 AND basalt_rows = 10) FROM system.postgres_consistency " \
            "WHERE table = 'pgbench_tellers'"
    end = time.monotonic() + 90
    while pair.ask(query) != "1" and time.monotonic() < end:
        time.sleep(0.5)
    check("a difference is found", pair.ask(query), "1")
    # The slot is lost: everything is copied again.
    pair.sql(f"SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = '{slot}'")
    pair.sql(f"SELECT pg_drop_replication_slot('{slot}')")
    pair.sql("UPDATE pgbench_tellers SET tbalance = tbalance + 1")
    end = time.monotonic() + 30
    while pair.same("pgbench_tellers", "tid, tbalance", "tid") and time.monotonic() < end:
        time.sleep(0.2)
    check("a slot that was dropped", pair.same("pgbench_tellers", "tid, tbalance", "tid"), "")


def foreign(pair):
    """The table function postgresql() and the engine PostgreSQL."""
    pair.sql("CREATE TABLE there (id int PRIMARY KEY, t text, n numeric(10, 2), a int[], d date)")
    pair.sql("INSERT INTO there SELECT i, 't' || i, i * 1.5, ARRAY[i, NULL], '2024-01-01' FROM generate_series(1, 1000) i")
    password = open(os.path.join(pair.home, "shop", "password")).read().strip()
    address = f"'127.0.0.1:{pair.pg_port}', 'shop', 'there', 'postgres', '{password}'"
    there = f"postgresql({address})"
    for query, want, sent in (
            ("SELECT count() FROM {}", "1000", 'COPY (SELECT 1 FROM "public"."there") TO STDOUT'),
            ("SELECT id, t FROM {} WHERE id > 990 AND t = 't995' AND n > 1", "995\tt995",
             "\"id\" > '990'::int8 AND \"t\" = 't995'::text) TO STDOUT"),
            ("SELECT sum(id) FROM {} WHERE id IN (1, 2, 3)", "6", "\"id\" IN ("),
            ("SELECT count() FROM (SELECT id FROM {} LIMIT 3)", "3", "LIMIT 3) TO STDOUT"),
            ("SELECT count() FROM {} WHERE 11 > id AND t IS NOT NULL", "10", "\"id\" < '11'::int8 AND \"t\" IS NOT NULL"),
            ("SELECT n, a, d FROM {} WHERE id = 2", "3\t[2,NULL]\t2024-01-01", "\"id\" = '2'::int8")):
        check(query, pair.ask(query.format(there)), want)
        literal = sent.replace("'", "''")
        holds(f"what PostgreSQL was asked for {query}", pair.sql(
            "SELECT count(*) > 0 FROM pg_stat_statements WHERE query LIKE 'COPY%' "
            f"AND position('{literal}' IN query) > 0") == "t", sent)
    check("CREATE TABLE", pair.ask(f"CREATE TABLE there (id Int32, t Nullable(String), n Decimal(10, 2), "
                                   f"a Array(Nullable(Int32)), d Date32) ENGINE = PostgreSQL({address})"), "")
    holds("hides the password", password not in pair.ask("SHOW CREATE TABLE there"))
    check("INSERT", pair.ask("INSERT INTO there VALUES (5001, 'tab\\t', 1.25, [1, NULL], '2024-05-05'), "
                             "(5002, NULL, -1, [], '1950-01-01')"), "")
    check("arrives", pair.sql("SELECT * FROM there WHERE id > 5000 ORDER BY id"),
          "5001|tab\t|1.25|{1,NULL}|2024-05-05\n5002|\\N|-1.00|{}|1950-01-01")
    answer = pair.ask("INSERT INTO there (id) VALUES (9000), (1)")
    holds("an INSERT that fails", "duplicate key" in answer, answer)
    check("leaves nothing", pair.sql("SELECT count(*) FROM there WHERE id = 9000"), "0")
    pair.sql("CREATE FUNCTION shout() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'a loud warning'; RETURN 1; END $$; "
             "CREATE VIEW loud AS SELECT shout() AS a")
    loud = there.replace("'there'", "'loud'")
    check("a view that warns", pair.ask(f"SELECT a FROM {loud}"), "1")
    with open(pair.server.log_path, errors="replace") as log:
        holds("its warning is not in our log", "loud warning" not in log.read())
    for what, text, error in (("table", there.replace("'there'", "'nope'"), "UNKNOWN_TABLE"),
                              ("password", there.replace(password, "wrong"), "password authentication failed"),
                              ("number of arguments", "postgresql('a:1', 'b')", "NUMBER_OF_ARGUMENTS_DOESNT_MATCH")):
        answer = pair.ask(f"SELECT * FROM {text}")
        holds(f"a wrong {what}", error in answer, answer)


class Load(threading.Thread):
    """A mixed load that goes on whatever dies."""

    def __init__(self, pair, seed):
        super().__init__()
        self.pair, self.random, self.ended = pair, random.Random(seed), False
        self.statements = 0
        self.seed = seed

    def statement(self):
        r = self.random
        key = r.randrange(2000)
        return r.choice([
            f"INSERT INTO mixed (id, n, t, long) VALUES ({key}, {r.randrange(1000)}, 't{key}', repeat(md5('{r.random()}'), 100)) "
            f"ON CONFLICT (id) DO UPDATE SET n = mixed.n + 1",
            f"UPDATE mixed SET n = n + 1 WHERE id BETWEEN {key} AND {key + 20}",
            f"UPDATE mixed SET t = 'u' || id WHERE id = {key}",
            f"DELETE FROM mixed WHERE id = {key}",
            f"UPDATE mixed SET id = {r.randrange(2000, 4000)} WHERE id = {key} AND NOT EXISTS (SELECT FROM mixed WHERE id >= 2000)",
            f"UPDATE mixed SET id = {key} WHERE id >= 2000 AND NOT EXISTS (SELECT FROM mixed WHERE id = {key})",
            f"UPDATE mixed SET long = repeat(md5('{r.random()}'), 80) WHERE id = {key}",
            f"INSERT INTO mixed_bag VALUES ({r.randrange(5)}, 'b')",
            f"DELETE FROM mixed_bag WHERE ctid = (SELECT ctid FROM mixed_bag WHERE a = {r.randrange(5)} LIMIT 1)",
            f"UPDATE mixed_bag SET a = {r.randrange(5)} WHERE ctid = (SELECT ctid FROM mixed_bag LIMIT 1)",
            "BEGIN; INSERT INTO mixed_bag SELECT i % 5, 'c' FROM generate_series(1, 500) i; "
            "DELETE FROM mixed_bag WHERE b = 'c'; COMMIT",
            "BEGIN; UPDATE mixed SET n = n + 1; ROLLBACK",
        ])

    def run(self):
        while not self.ended:
            if self.seed == 0 and self.random.random() < 0.004:
                text = self.random.choice(["ALTER TABLE mixed ADD COLUMN extra int DEFAULT 3", "ALTER TABLE mixed DROP COLUMN extra",
                                           "TRUNCATE mixed_bag", "ALTER TABLE mixed ALTER COLUMN t TYPE varchar"])
            else:
                text = "; ".join(self.statement() for _ in range(20))
            if self.pair.sql(text).startswith("ERROR"):
                time.sleep(0.05)
            else:
                self.statements += 1


def kills(pair):
    pair.sql("CREATE TABLE mixed (id int PRIMARY KEY, n int, t text, long text); CREATE TABLE mixed_bag (a int, b text); "
             "ALTER TABLE mixed ALTER COLUMN long SET STORAGE EXTERNAL")
    pair.sql("INSERT INTO mixed SELECT i, 0, 't', repeat(md5(i::text), 100) FROM generate_series(1, 1000) i")
    loads = [Load(pair, seed) for seed in range(3)]
    for load in loads:
        load.start()
    r = random.Random(1)
    survived = 0
    for kill in range(options.kills):
        time.sleep(r.uniform(0.3, 2.5))
        if kill % 3 != 1:
            pair.server.kill()
        if kill % 3 != 0:
            kill_postgres(pair)
        if kill % 3 != 1:
            time.sleep(r.uniform(0, 0.5))
            pair.start()
        # A round counts when both are up and the replica has caught up with the load.
        end = time.monotonic() + 60
        while time.monotonic() < end:
            lsn = pair.lsn()
            if lsn.startswith("ERROR"):
                time.sleep(0.1)
                continue
            answer = pair.ask("SELECT count() FROM shop.mixed", lsn)
            if not answer.startswith("ERROR"):
                survived += 1
                break
            time.sleep(0.1)
    for load in loads:
        load.ended = True
    for load in loads:
        load.join()
    check("kills survived", survived, options.kills)
    columns = pair.sql("SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'mixed'::regclass "
                       "AND attnum > 0 AND NOT attisdropped")
    check("rows after kills", pair.same("mixed", columns, "id"), "")
    check("equal rows after kills", pair.same("mixed_bag", "a, b, count(*)", "a, b", "1 = 1 GROUP BY a, b"), "")
    # What compares the sides all the time has seen no difference either.
    query = "SELECT max(result = 'same'), max(result != 'same') FROM system.postgres_consistency WHERE table = '{}'"
    for table in ("mixed", "mixed_bag"):
        end = time.monotonic() + 90
        while pair.ask(query.format(table)) != "1\t0" and time.monotonic() < end:
            time.sleep(0.5)
        check(f"{table} is found to be the same after kills", pair.ask(query.format(table)), "1\t0")
    check("the count agrees with the rows", pair.ask("SELECT count() = (SELECT sum(1) FROM shop.mixed) FROM shop.mixed"), "1")
    print(f"{survived} kills survived, {sum(load.statements for load in loads)} batches of statements, "
          f"{pair.state('mixed', 'copies')} copies since the last start", flush=True)


def main():
    work = tempfile.mkdtemp(prefix="basalt-replication-")
    os.chmod(work, 0o755)
    pair = None
    try:
        pair = Pair(options.basalt, work).start()
        for part in (benchmark, changes, definitions, positions, types, foreign, bad_input, kills):
            if not options.only or part is benchmark or part.__name__ == options.only:
                began = time.monotonic()
                part(pair)
                print(f"{part.__name__}: {time.monotonic() - began:.1f} s", flush=True)
        with open(pair.server.log_path, errors="replace") as log:
            text = log.read()
        holds("no assertion failed", "assert" not in text.lower(), text[-2000:])
        if os.environ.get("SHOW_LOG"):
            print(text[-6000:])
        check("the server ends well", pair.server.stop(), 0)
    except Exception:
        if pair and pair.server:
            print(open(pair.server.log_path, errors="replace").read()[-4000:])
        raise
    finally:
        if pair:
            pair.close()
        shutil.rmtree(work, ignore_errors=True)
    return finish()


raise SystemExit(main())
