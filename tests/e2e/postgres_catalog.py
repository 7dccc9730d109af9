#!/usr/bin/env python3
"""pg_catalog on the PostgreSQL wire: psql's commands, psycopg2, and the questions that JDBC's driver and
SQLAlchemy ask.

usage: postgres_catalog.py path/to/basalt"""

import os
import shutil
import subprocess
import sys
import tempfile

try:
    import psycopg2
except ImportError:  # another python3 stands before the system's
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

from checks import check, holds, finish
from server import Server

BASALT = os.path.abspath(sys.argv[1])
work = tempfile.mkdtemp(prefix="basalt-pgcatalog-")
server = Server(BASALT, work, postgres=True)
connection = psycopg2.connect(host="127.0.0.1", port=server.postgres_port, user="default", dbname="default")
connection.autocommit = True
cursor = connection.cursor()


def ask(text, *parameters):
    try:
        cursor.execute(text, parameters or None)
        return cursor.fetchall()
    except psycopg2.Error as error:
        return f"{error.pgcode}: {error}"


def psql(command, database="default"):
    done = subprocess.run(["psql", "-X", "-h", "127.0.0.1", "-p", str(server.postgres_port), "-U", "default",
                           "-d", database, "-c", command], capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


for statement in (
        "CREATE DATABASE shop",
        """CREATE TABLE shop.orders (id UInt64, at DateTime64(3) DEFAULT now64(3) COMMENT 'when', name String,
           note Nullable(String), price Decimal(10, 2), tags Array(String), level Enum('low' = 1, 'high' = 2),
           total Float64 MATERIALIZED toFloat64(price), INDEX by_name name TYPE bloom_filter GRANULARITY 1,
           CONSTRAINT positive CHECK price >= 0) ENGINE = MergeTree ORDER BY (id, at) COMMENT 'what is bought'""",
        "CREATE VIEW shop.cheap AS SELECT id, name FROM shop.orders WHERE price < 10",
        "INSERT INTO shop.orders (id, at, name, price, level) VALUES (1, '2026-01-01 00:00:00', 'a', 1.5, 'low')",
        'CREATE TABLE "Upper" ("Key" UInt32) ENGINE = MergeTree ORDER BY "Key"'):
    answer = server.ask(statement.replace('"', "`"))
    holds(statement.split("(")[0], answer == "", answer)


# --- psql
def shows(command, *parts, database="shop"):
    text = psql(command, database)
    plain = " ".join(text.split())
    for part in parts:
        holds(f"psql {command}: {part}", part in plain, text)
    holds(f"psql {command}: no error", "ERROR" not in text, text)
    return text


shows("\\d", "shop | cheap | view | default", "shop | orders | table | default", "(2 rows)")
shows("\\dt", "shop | orders | table | default", "(1 row)")
shows("\\dt+", "MergeTree", "what is bought", "bytes")
shows("\\dt *.orders", "shop | orders | table", database="default")
shows("\\dv", "shop | cheap | view", "(1 row)")
shows("\\di", "by_name | index | default | orders", "orders_sorting_key | index | default | orders")
shows("\\d orders", 'Table "shop.orders"', "id | numeric(20,0) | | not null |",
      "at | timestamp(3) without time zone | | not null | now64(3)", "note | text | C | |",
      "price | numeric(10,2) |", "tags | text[] |", "generated always as (toFloat64(price)) stored",
      'Indexes: "by_name" bloom_filter (name)', '"orders_sorting_key" sorting (id, at) CLUSTER',
      "Check constraints:", '"positive" CHECK (price >= 0)')
shows("\\d+ orders", "when", "Access method: MergeTree")
shows("\\d cheap", 'View "shop.cheap"', "name | text |")
shows("\\d+ cheap", "View definition:", "price < 10")
shows("\\d by_name", 'Index "shop.by_name"')
shows('\\d "Upper"', 'Table "default.Upper"', "Key | bigint |", database="default")
holds("a table that is not there", 'Did not find any relation named "nothing"' in psql("\\d nothing", "shop"))
shows("\\l", "shop | default | UTF8")
shows("\\l+", "shop")
shows("\\dn", "shop | default")
shows("\\dn+", "shop")
shows("\\du", "default")
shows("\\conninfo", 'You are connected to database "shop" as user "default"')
for command in ("\\df", "\\dT", "\\dx", "\\dp", "\\dD", "\\db", "\\dc", "\\ds", "\\dm", "\\dE", "\\dO", "\\dew", "\\des",
                "\\det", "\\dRp", "\\dy", "\\drds", "\\dC", "\\dL", "\\dA", "\\do nothing", "\\dX", "\\dP", "\\sv cheap"):
    shows(command)

# --- casts, operators, functions
cursor.execute("USE shop")
for text, want in (
        ("SELECT 'orders'::regclass = 'shop.orders'::regclass", 1),
        ("SELECT oid::regclass::text FROM pg_class WHERE oid = 'orders'::regclass", "orders"),
        ("SELECT relname FROM pg_class WHERE relname ~ '^ord' AND relkind = ANY(ARRAY['r', 'v'])", "orders"),
        ("SELECT relname FROM pg_class WHERE relname ~* '^ORD' AND relname !~ 'key$'", "orders"),
        ("SELECT relname FROM pg_catalog.pg_class WHERE relname OPERATOR(pg_catalog.~) '^(orders)$' COLLATE pg_catalog.default", "orders"),
        ("SELECT RELNAME FROM PG_CLASS WHERE relname ~~ 'ord%s' AND relkind = ANY('{r,v}')", "orders"),
        ("SELECT pg_catalog.format_type(23, -1)", "integer"),
        ("SELECT pg_catalog.format_type(1700, 655366)", "numeric(10,2)"),
        ("SELECT current_schema()", "shop"),
        ("SELECT current_schemas(true)", ["pg_catalog", "shop"]),
        ("SELECT pg_encoding_to_char(6)", "UTF8"),
        ("SELECT current_setting('server_version_num')::int", 150000),
        ("SELECT '{1,2}'::int4[]", [1, 2]),
        ("SELECT 'abcdef'::varchar(3)", "abc"),
        ("SELECT ARRAY(SELECT number::int4 FROM numbers(3))", [0, 1, 2]),
        ("SELECT NULL::text", None),
        ("SELECT obj_description('orders'::regclass, 'pg_class')", "what is bought"),
        ("SELECT col_description('orders'::regclass, 2)", "when"),
        ("SELECT pg_get_constraintdef(oid) FROM pg_constraint", "CHECK (price >= 0)"),
        ("SELECT 2 <> ALL(ARRAY[1, 3]) AND 5 > ANY(ARRAY[9, 4])", 1)):
    check(text, ask(text.replace("%s", "%")), [(want,)])
holds("version()", ask("SELECT version()")[0][0].startswith("PostgreSQL 15"))
check("types of oids stay", ask("SELECT oid FROM pg_class WHERE relname = 'orders'"), ask("SELECT 'orders'::regclass"))
check("correlated: count of nothing",
      ask("SELECT a.number, (SELECT count() FROM numbers(5) AS b WHERE b.number < a.number) FROM numbers(2) AS a ORDER BY 1"),
      [(0, 0), (1, 1)])
holds("pg_catalog is not taken for a database of its own", "pg_catalog" not in psql("\\l"))

# --- what pgjdbc asks
TABLES = """SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, c.relname AS TABLE_NAME,
  CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema' WHEN true THEN 'SYSTEM' ELSE
    CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' ELSE NULL END END AS TABLE_TYPE, d.description AS REMARKS
  FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c
  LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass)
  WHERE c.relnamespace = n.oid AND n.nspname LIKE 'shop' AND c.relkind IN ('r', 'v') ORDER BY TABLE_TYPE, TABLE_SCHEM, TABLE_NAME"""
check("getTables", ask(TABLES), [(None, "shop", "orders", "TABLE", "what is bought"), (None, "shop", "cheap", "VIEW", None)])
COLUMNS = """SELECT * FROM (SELECT n.nspname, c.relname, a.attname, a.atttypid, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull)
  AS attnotnull, a.atttypmod, a.attlen, t.typtypmod, row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum,
  nullif(a.attidentity, '') as attidentity, nullif(a.attgenerated, '') as attgenerated, pg_catalog.pg_get_expr(def.adbin, def.adrelid)
  AS adsrc, dsc.description, t.typbasetype, t.typtype
  FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid) JOIN pg_catalog.pg_attribute a
  ON (a.attrelid = c.oid) JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid) LEFT JOIN pg_catalog.pg_attrdef def
  ON (a.attrelid = def.adrelid AND a.attnum = def.adnum) LEFT JOIN pg_catalog.pg_description dsc
  ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid) WHERE c.relkind in ('r', 'p', 'v', 'f', 'm') and a.attnum > 0
  AND NOT a.attisdropped AND n.nspname LIKE 'shop' AND c.relname LIKE 'orders') c WHERE true ORDER BY nspname, c.relname, attnum"""
rows = ask(COLUMNS)
check("getColumns", [(row[2], row[3], row[4], row[11], row[12]) for row in rows] if isinstance(rows, list) else rows,
      [("id", 1700, True, None, None), ("at", 1114, True, "now64(3)", "when"), ("name", 25, True, None, None),
       ("note", 25, False, None, None), ("price", 1700, True, None, None), ("tags", 1009, True, None, None),
       ("level", 25, True, None, None), ("total", 701, True, "toFloat64(price)", None)])
KEYS = """SELECT result.TABLE_CAT, result.TABLE_SCHEM, result.TABLE_NAME, result.COLUMN_NAME, result.KEY_SEQ, result.PK_NAME
  FROM (SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, ct.relname AS TABLE_NAME, a.attname AS COLUMN_NAME,
  (information_schema._pg_expandarray(i.indkey)).n AS KEY_SEQ, ci.relname AS PK_NAME,
  information_schema._pg_expandarray(i.indkey) AS KEYS, a.attnum AS A_ATTNUM FROM pg_catalog.pg_class ct
  JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid) JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid)
  JOIN pg_catalog.pg_index i ON (a.attrelid = i.indrelid) JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
  WHERE true AND ct.relname = 'orders' AND {}) result
  where result.A_ATTNUM = (result.KEYS).x ORDER BY result.table_name, result.pk_name, result.key_seq"""
check("getPrimaryKeys", ask(KEYS.format("i.indisprimary")), [])
check("the same of the sorting key", [row[3:5] for row in ask(KEYS.format("i.indisclustered"))], [("id", 1), ("at", 2)])
check("type info", ask("""SELECT n.nspname = ANY(current_schemas(true)), n.nspname, t.typname FROM pg_catalog.pg_type t
  JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid WHERE t.oid = %s""", 1700), [(1, "pg_catalog", "numeric")])
check("typinput", ask("""SELECT typinput = 'pg_catalog.array_in'::regproc as is_array, typtype, typname, pg_type.oid FROM pg_catalog.pg_type
  LEFT JOIN (select ns.oid as nspoid, ns.nspname, r.r from pg_namespace as ns
  join (select s.r, (current_schemas(false))[s.r] as nspname from generate_series(1, array_upper(current_schemas(false), 1)) as s(r)) as r
  using (nspname)) as sp ON sp.nspoid = typnamespace WHERE typname = 'int4' ORDER BY sp.r, pg_type.oid DESC"""),
      [(0, "b", "int4", 23)])
check("getSchemas", ("shop",) in ask("SELECT nspname AS TABLE_SCHEM FROM pg_catalog.pg_namespace WHERE nspname <> 'pg_toast' AND "
                                     "(nspname !~ '^pg_temp_' OR nspname = (pg_catalog.current_schemas(true))[1]) ORDER BY TABLE_SCHEM"), True)

# --- what SQLAlchemy asks
check("has_table", ask("select relname from pg_class c join pg_namespace n on n.oid=c.relnamespace where "
                       "pg_catalog.pg_table_is_visible(c.oid) and relname=%s", "orders"), [("orders",)])
rows = ask("""SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid)
  FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef) AS DEFAULT, a.attnotnull,
  a.attrelid as table_oid, pgd.description as comment, a.attgenerated as generated, NULL as identity_options
  FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_description pgd ON (pgd.objoid = a.attrelid AND pgd.objsubid = a.attnum)
  WHERE a.attrelid = 'orders'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum""")
check("get_columns", [row[:4] + row[5:6] for row in rows[:3]] if isinstance(rows, list) else rows,
      [("id", "numeric(20,0)", None, True, None),
       ("at", "timestamp(3) without time zone", "now64(3)", True, "when"), ("name", "text", None, True, None)])
check("get_view_definition", "price < 10" in ask("SELECT pg_get_viewdef(c.oid) view_def FROM pg_class c JOIN pg_namespace n ON n.oid = "
                                                 "c.relnamespace WHERE n.nspname = 'shop' AND c.relname = 'cheap' AND c.relkind IN ('v', 'm')")[0][0], True)
check("information_schema", ask("SELECT TABLE_NAME FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY table_name"),
      [("cheap",), ("orders",)])

# --- rights
server.ask("CREATE USER reader IDENTIFIED WITH plaintext_password BY 'r'")
server.ask("GRANT SELECT ON shop.cheap TO reader")
with psycopg2.connect(host="127.0.0.1", port=server.postgres_port, user="reader", password="r", dbname="shop") as other:
    inner = other.cursor()
    inner.execute("SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'shop'")
    check("only what the user may see", inner.fetchall(), [("cheap",)])

connection.close()
server.stop()
shutil.rmtree(work, ignore_errors=True)
sys.exit(finish())
