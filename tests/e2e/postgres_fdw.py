#!/usr/bin/env python3
"""Basalt's tables in a real PostgreSQL through postgres_fdw: what is imported, what is pushed down (EXPLAIN
and Basalt's log both say), and that every answer is that of the same rows in a table of PostgreSQL.

usage: postgres_fdw.py path/to/basalt"""

import os
import shutil
import subprocess
import sys
import tempfile

from checks import check, holds, finish
from server import Server, free_port

BASALT = os.path.abspath(sys.argv[1])
work = tempfile.mkdtemp(prefix="basalt-fdw-")
os.chmod(work, 0o755)
home = os.path.join(work, "home")
basalt = Server(BASALT, work, postgres=True)


def pg(*arguments):
    done = subprocess.run([BASALT, "pg", "--home", home, *arguments], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise SystemExit(f"basalt pg {arguments}: {done.stdout}{done.stderr}")
    return done.stdout


pg("create", "near", "--port", str(free_port()), "--memory", "512MB")
pg("start", "near")
URI = pg("status", "near", "--uri").strip()


def sql(statement):
    """Rows as psql prints them: fields with | between them."""
    done = subprocess.run(["psql", "-XAtq", "-P", "null=\\N", "-v", "ON_ERROR_STOP=1", URI], input=statement,
                          capture_output=True, text=True, timeout=120)
    return done.stdout.rstrip("\n") if done.returncode == 0 else "ERROR " + done.stderr.strip()


def quiet(statement):
    answer = sql(statement)
    holds(statement[:60], answer == "", answer)


def fill():
    answer = basalt.ask(
        """CREATE TABLE facts (id Int32, big Int64, small Int16, n Nullable(Int32), f Float64, price Decimal(10, 2),
           s String, lc LowCardinality(String), ns Nullable(String), d Date, ts DateTime, ts3 DateTime64(3),
           zoned DateTime('Asia/Tokyo'), b Bool, u UUID, level Enum('low' = 2, 'high' = 1), huge UInt64, tags Array(String),
           m Map(String, Int32), ip IPv4) ENGINE = MergeTree ORDER BY id""")
    holds("CREATE TABLE", answer == "", answer)
    answer = basalt.ask(
        """INSERT INTO facts SELECT number, number * 1000000007 - 5000, number % 300 - 150, if(number % 7 = 0, NULL, number % 50),
           number / 8, toDecimal64(number, 2) / 4, concat(['a', 'B', 'c', 'ä', '_', 'Z'][number % 6 + 1], toString(number % 20)),
           ['x', 'y', 'z'][number % 3 + 1], if(number % 5 = 0, NULL, repeat('q', number % 4)), toDate('2026-01-01') + number % 100,
           toDateTime('2026-01-01 00:00:00', 'UTC') + number * 61, addMilliseconds(toDateTime64('2026-01-01 00:00:00', 3, 'UTC'), number * 125),
           toDateTime('2026-01-01 00:00:00', 'UTC') + number * 3600, number % 2, toUUID(concat('00000000-0000-0000-0000-', leftPad(toString(number), 12, '0'))),
           if(number % 2 = 0, 'low', 'high'), 18446744073709551615 - number, [toString(number), 'two words'], map('k', number), toIPv4(number * 70000)
           FROM numbers(1000)""")
    holds("INSERT", answer == "", answer)


fill()
quiet("CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS "
      f"(host '127.0.0.1', port '{basalt.postgres_port}', dbname 'default'); CREATE USER MAPPING FOR CURRENT_USER SERVER far "
      "OPTIONS (user 'default', password ''); CREATE SCHEMA remote;")
answer = sql('IMPORT FOREIGN SCHEMA nothing FROM SERVER far INTO remote')
holds("a schema that is not there", "is not present on foreign server" in answer, answer)
quiet('IMPORT FOREIGN SCHEMA "default" FROM SERVER far INTO remote')
check("columns", sql("SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN '' ELSE '?' END, ', ' "
                     "ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'remote.facts'::regclass AND attnum > 0"),
      "id integer, big bigint, small smallint, n integer?, f double precision, price numeric(10,2), s text, lc text, ns text?, d date, "
      "ts timestamp(0) without time zone, ts3 timestamp(3) without time zone, zoned timestamp(0) without time zone, b boolean, u uuid, "
      "level text, huge numeric(20,0), tags text[], m text, ip text")
quiet("CREATE TABLE local (LIKE remote.facts); ALTER TABLE local ALTER s TYPE text COLLATE \"C\", ALTER lc TYPE text COLLATE \"C\", "
      "ALTER ns TYPE text COLLATE \"C\", ALTER level TYPE text COLLATE \"C\", ALTER m TYPE text COLLATE \"C\", ALTER ip TYPE text COLLATE \"C\"; "
      "INSERT INTO local SELECT * FROM remote.facts")
check("all rows came", sql("SELECT count(*), sum(id), min(ts), max(ts3), min(zoned), count(n), sum(huge) FROM local"),
      "1000|499500|2026-01-01 00:00:00|2026-01-01 00:02:04.875|2026-01-01 00:00:00|857|18446744073709551115500")


def remote_statement(query):
    plan = sql(query.replace("SELECT", "EXPLAIN (VERBOSE, COSTS off) SELECT", 1))
    lines = [line.split("Remote SQL:")[1].strip() for line in plan.split("\n") if "Remote SQL:" in line]
    return lines[0] if lines else plan


# query over {}, what must be pushed down ('' for nothing in particular)
QUERIES = [
    ("SELECT * FROM {} ORDER BY id", ""),
    ("SELECT id FROM {} WHERE id = 17", "(id = 17)"),
    ("SELECT id FROM {} WHERE big > 500000000000 AND small < -100 ORDER BY id", "big >"),
    ("SELECT id FROM {} WHERE n IS NULL ORDER BY id LIMIT 5", "IS NULL"),
    ("SELECT id FROM {} WHERE n IS NOT NULL AND n <> 3 ORDER BY id DESC LIMIT 7", "LIMIT 7"),
    ("SELECT id FROM {} WHERE s LIKE 'a1%' ORDER BY id", "~~"),
    ("SELECT id FROM {} WHERE s NOT LIKE '%1%' ORDER BY id", "!~~"),
    ("SELECT id FROM {} WHERE s ~ '^[aB]1' ORDER BY id", "~"),
    ("SELECT id FROM {} WHERE id IN (1, 2, 999, 5000) ORDER BY id", "ANY"),
    ("SELECT id FROM {} WHERE NOT (n IN (1, 2)) ORDER BY id LIMIT 20", ""),
    ("SELECT id FROM {} WHERE s IN ('a0', 'Z5', 'it''s') ORDER BY id", "ANY"),
    ("SELECT id FROM {} WHERE id BETWEEN 10 AND 20 OR d = '2026-02-01' ORDER BY id", "2026-02-01"),
    ("SELECT id FROM {} WHERE ts >= '2026-01-01 10:00:00' AND ts < '2026-01-01 11:00:00' ORDER BY id", "ts >="),
    ("SELECT id FROM {} WHERE ts3 = '2026-01-01 00:00:00.125'", "ts3 ="),
    ("SELECT id FROM {} WHERE zoned = '2026-01-01 05:00:00'", "zoned ="),
    ("SELECT id FROM {} WHERE b AND id < 10 ORDER BY id", "b"),
    ("SELECT id FROM {} WHERE NOT b AND id < 10 ORDER BY id", "NOT b"),
    ("SELECT id FROM {} WHERE u = '00000000-0000-0000-0000-000000000042'", "u ="),
    ("SELECT id FROM {} WHERE level = 'low' AND id < 9 ORDER BY id", "level ="),
    ("SELECT level, id FROM {} ORDER BY level, id LIMIT 3", "LIMIT 3"),
    ("SELECT ip, id FROM {} ORDER BY ip, id LIMIT 5", "LIMIT 5"),
    ("SELECT id FROM {} WHERE huge > 18446744073709551600 ORDER BY id", "huge >"),
    ("SELECT id FROM {} WHERE price = 2.25", "price ="),
    ("SELECT id FROM {} WHERE f < 0.5 ORDER BY id", "f <"),
    ("SELECT id FROM {} WHERE id / 3 = 7 ORDER BY id", "/ 3"),
    ("SELECT id FROM {} WHERE small / 7 = -2 AND small % 7 = -3 ORDER BY id", "/ 7"),
    ("SELECT id FROM {} WHERE length(s) = 2 ORDER BY id LIMIT 10", "length"),
    ("SELECT id FROM {} WHERE upper(s) = 'A6' AND lower(s) = 'a6' ORDER BY id LIMIT 3", ""),
    ("SELECT id FROM {} WHERE abs(small) > 148 ORDER BY id", "abs"),
    ("SELECT id FROM {} WHERE coalesce(n, -1) = -1 ORDER BY id LIMIT 4", ""),
    ("SELECT id FROM {} WHERE CASE WHEN n > 40 THEN true ELSE false END ORDER BY id LIMIT 4", ""),
    ("SELECT id FROM {} WHERE s || lc = 'a0x' ORDER BY id", "||"),
    ("SELECT id FROM {} WHERE id::bigint * 2 = 84", ""),
    ("SELECT id FROM {} WHERE tags[1] = '7'", ""),
    ("SELECT DISTINCT lc FROM {} ORDER BY lc", ""),
    ("SELECT s FROM {} GROUP BY s ORDER BY s", "GROUP BY"),
    ("SELECT s, id FROM {} ORDER BY s DESC, id OFFSET 5 LIMIT 5", "OFFSET"),
    ("SELECT n, id FROM {} ORDER BY n DESC, id LIMIT 5", "DESC NULLS FIRST"),
    ("SELECT n, id FROM {} ORDER BY n NULLS FIRST, id LIMIT 5", "NULLS FIRST"),
    ("SELECT count(*) FROM {}", "count(*)"),
    ("SELECT count(*), count(n), sum(id), sum(big), min(s), max(d), max(ts3) FROM {} WHERE id > 100", "sum(big)"),
    ("SELECT sum(id), max(s), count(*), avg(f) FROM {} WHERE id < 0", "sum(id)"),
    ("SELECT lc, count(*), sum(price) FROM {} GROUP BY lc ORDER BY lc", "GROUP BY"),
    ("SELECT lc, sum(n) FROM {} GROUP BY lc HAVING sum(n) > 100 ORDER BY lc", "HAVING"),
    ("SELECT avg(f), avg(small) FROM {} WHERE id < 8", "avg(f)"),
    ("SELECT count(DISTINCT lc) FROM {}", "DISTINCT"),
    ("SELECT count(*) FILTER (WHERE n > 10) FROM {}", "FILTER"),
    ("SELECT date_trunc('hour', ts), count(*) FROM {} GROUP BY 1 ORDER BY 1", ""),
    ("SELECT date_trunc('month', ts3), date_trunc('week', zoned), count(*) FROM {} GROUP BY 1, 2 ORDER BY 1, 2", ""),
    ("SELECT extract(dow FROM ts), date_part('month', d), count(*) FROM {} GROUP BY 1, 2 ORDER BY 1, 2", ""),
    ("SELECT id FROM {} WHERE extract(hour FROM ts) = 3 ORDER BY id", ""),
    ("SELECT sum(9223372036854775807 - id), avg(id) FROM {} WHERE id < 4", "sum"),
    ("SELECT id FROM {} WHERE substr(s, 0, 3) = 'a1' AND left(s, 1) = 'a' ORDER BY id LIMIT 5", "substr"),
    ("SELECT id FROM {} WHERE substr(s, 2) = '12' AND left(s, -2) = 'a' ORDER BY id LIMIT 5", "substr"),
    ("SELECT id FROM {} WHERE md5(s) = md5('ä3') ORDER BY id LIMIT 3", "md5"),
    ("SELECT id FROM {} WHERE replace(s, 'a', 'bb') = 'bb12' ORDER BY id LIMIT 3", "replace"),
    ("SELECT bool_and(b), bool_or(b) FROM {}", "bool_and"),
    ("SELECT a.id, b.id FROM {} a JOIN {} b ON a.id = b.small WHERE a.id < 5 ORDER BY 1, 2", "JOIN"),
    ("SELECT a.id, b.id, b.s FROM {} a LEFT JOIN {} b ON a.id = b.id + 5 AND b.id < 3 WHERE a.id < 10 ORDER BY 1, 2", "LEFT JOIN"),
    ("SELECT count(*) FROM {} a JOIN {} b ON a.n = b.n JOIN {} c ON b.id = c.id WHERE a.id < 20", "JOIN"),
    ("SELECT count(*) FROM {} a WHERE EXISTS (SELECT 1 FROM {} b WHERE b.small = a.id)", ""),
]


def compare(query, pushed):
    # Joins of small tables look cheaper here than there.
    query = ("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_nestloop = off; " if "JOIN" in pushed else "") + query
    far = sql(query.replace("{}", "remote.facts"))
    near = sql(query.replace("{}", "local"))
    if "avg(" in query:  # numeric has more digits than Float64
        far, near = ["|".join(str(round(float(x), 9)) if x.replace(".", "").lstrip("-").isdigit() else x for x in text.split("|"))
                     for text in (far, near)]
    check(query, far, near)
    if pushed:
        statement = remote_statement(query.replace("{}", "remote.facts"))
        holds(f"{query} pushes {pushed} down", pushed in statement, statement)


for query, pushed in QUERIES:
    compare(query, pushed)

# --- what Basalt ran, and other statements of postgres_fdw
sql("SELECT count(*) FROM remote.facts WHERE id < 50")
log = basalt.ask("SELECT query FROM system.query_log WHERE type = 'QueryFinish' AND interface = 5 AND query LIKE '%count(*)%' AND query LIKE "
                 "'%id < 50%' ORDER BY event_time_microseconds DESC LIMIT 1")
holds("Basalt counted", "count(*)" in log, log)
quiet("ANALYZE remote.facts")
check("ANALYZE counted", sql("SELECT reltuples FROM pg_class WHERE oid = 'remote.facts'::regclass"), "1000")
check("a join with a local table", sql("SELECT l.id, r.s FROM local l JOIN remote.facts r USING (id) WHERE l.id < 3 ORDER BY 1"),
      "0|a0\n1|B1\n2|c2")
check("a nested loop goes back to the begin", sql(
    "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; ALTER SERVER far OPTIONS (ADD fetch_size '10'); "
    "SELECT count(*) FROM (VALUES (1), (2), (3)) v(x) JOIN (SELECT * FROM remote.facts OFFSET 0) r ON r.id % 100 = v.x"), "30")
check("a transaction", sql("BEGIN; SELECT count(*) FROM remote.facts; SAVEPOINT a; SELECT max(id) FROM remote.facts; ROLLBACK TO a; "
                           "SELECT min(id) FROM remote.facts; COMMIT"), "1000\n999\n0")
check("a cursor", sql("BEGIN; DECLARE c CURSOR FOR SELECT id FROM remote.facts ORDER BY id; FETCH 2 FROM c; FETCH 1 FROM c; CLOSE c; COMMIT"),
      "0\n1\n2")
check("a parameter", sql("PREPARE p(int) AS SELECT s FROM remote.facts WHERE id = $1; EXECUTE p(3); EXECUTE p(4)"), "ä3\n_4")
answer = sql("SELECT count(*) FROM remote.facts WHERE right(s, 1) = 'x'")
holds("what has no equal here is refused", "Function right with PostgreSQL's meaning is not implemented" in answer, answer)
answer = sql("UPDATE remote.facts SET s = s || clock_timestamp() WHERE id = 1")
holds("UPDATE by row is refused", answer.startswith("ERROR"), answer)
basalt.ask("CREATE TABLE sink (a Int32, s Nullable(String), d Date, x Float64) ENGINE = MergeTree ORDER BY a")
quiet('IMPORT FOREIGN SCHEMA "default" LIMIT TO (sink) FROM SERVER far INTO remote')
quiet("INSERT INTO remote.sink VALUES (1, 'it''s \\ ü', '2026-01-01', 1.5), (2, NULL, '2026-01-02', -2)")
quiet("INSERT INTO remote.sink SELECT id, s, d, f FROM local WHERE id > 990")
check("INSERT", sql("SELECT * FROM remote.sink WHERE a < 3 ORDER BY a"), "1|it's \\ ü|2026-01-01|1.5\n2|\\N|2026-01-02|-2")
check("INSERT SELECT", sql("SELECT count(*), sum(x) FROM remote.sink WHERE a > 990"), "9|1119.375")

# --- basalt pg link sets it up
quiet("CREATE TABLE orders (id int PRIMARY KEY, name text, price numeric(10, 2)); INSERT INTO orders SELECT g, 'n' || g, g / 4.0 FROM "
      "generate_series(1, 500) g")
out = pg("link", "near", "--url", basalt.url, "--wire-port", str(basalt.postgres_port))
holds("link tells", 'Schema "basalt" of the instance' in out, out)
check("the way back", sql("SELECT count(*), sum(price) FROM basalt.orders"), sql("SELECT count(*), sum(price) FROM orders"))
holds("and Basalt sums", "sum(price)" in remote_statement("SELECT count(*), sum(price) FROM basalt.orders"))

pg("stop", "near")
basalt.stop()
pg("destroy", "near", "--yes")
shutil.rmtree(work, ignore_errors=True)
sys.exit(finish())
