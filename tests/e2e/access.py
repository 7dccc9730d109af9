#!/usr/bin/env python3
"""Users, roles, grants, settings profiles, passwords: over HTTP, the native protocol and PostgreSQL's; what
a restart keeps; who may listen.

usage: access.py path/to/basalt"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from checks import check, finish, holds
from server import Server, free_port

BASALT = sys.argv[1]
FOLDER = tempfile.mkdtemp(prefix="basalt-access-")
server = Server(BASALT, FOLDER, tcp=True, postgres=True)


def ask(sql, user=None, password="", roles=(), in_url=(), **parameters):
    """The answer, or "code NAME" of the error."""
    query = [*parameters.items(), *in_url, *(("role", role) for role in roles)]
    request = urllib.request.Request(server.url + "/?" + urllib.parse.urlencode(query), data=sql.encode())
    if user:
        request.add_header("X-ClickHouse-User", user)
        request.add_header("X-ClickHouse-Key", password)
    try:
        return urllib.request.urlopen(request, timeout=60).read().decode().rstrip("\n")
    except urllib.error.HTTPError as error:
        text = error.read().decode()
        found = re.match(r"Code: (\d+)\..*\(([A-Z_]+)\)\s*$", text, re.S)
        return f"{found[1]} {found[2]}" if found else text


def message(sql, user, password):
    request = urllib.request.Request(server.url + "/", data=sql.encode(), headers={
        "X-ClickHouse-User": user, "X-ClickHouse-Key": password})
    try:
        return urllib.request.urlopen(request, timeout=60).read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def script(*statements):
    for statement in statements:
        check(statement, ask(statement), "")


DENIED = "497 ACCESS_DENIED"
FAILED = "516 AUTHENTICATION_FAILED"

script("CREATE DATABASE shop", "CREATE TABLE shop.orders (id UInt64, name String, secret String) ENGINE = MergeTree ORDER BY id",
       "INSERT INTO shop.orders VALUES (1, 'a', 'x'), (2, 'b', 'y')",
       "CREATE TABLE shop.other (id UInt64) ENGINE = MergeTree ORDER BY id",
       "CREATE VIEW shop.names AS SELECT id, name FROM shop.orders",
       "CREATE TABLE shop.counts (n UInt64) ENGINE = MergeTree ORDER BY n",
       "CREATE MATERIALIZED VIEW shop.counter TO shop.counts AS SELECT id AS n FROM shop.orders")

# --- Passwords of every kind.
KINDS = ["plaintext_password", "sha256_password", "double_sha1_password", "scram_sha256_password", "bcrypt_password"]
for kind in KINDS:
    script(f"CREATE USER u_{kind} IDENTIFIED WITH {kind} BY 'päss'")
    check(f"{kind}: right", ask("SELECT currentUser()", f"u_{kind}", "päss".encode().decode("latin-1")), f"u_{kind}")
    check(f"{kind}: right again", ask("SELECT 1", f"u_{kind}", "päss".encode().decode("latin-1")), "1")
    check(f"{kind}: wrong", ask("SELECT 1", f"u_{kind}", "pass"), FAILED)
    check(f"{kind}: none", ask("SELECT 1", f"u_{kind}"), FAILED)
    check(f"{kind}: shown without it", ask(f"SHOW CREATE USER u_{kind}"), f"CREATE USER u_{kind} IDENTIFIED WITH {kind}")
check("a user who is not there", ask("SELECT 1", "nobody", "x"), FAILED)
check("two ways at once", ask("SELECT 1", "u_sha256_password", "x", in_url=[("user", "default")]), FAILED)
check("the statement's password is hidden", ask(
    "SELECT count() FROM system.query_log WHERE position(query, 'BY ''p') > 0 AND query LIKE 'CREATE USER%'"), "0")
check("a hash that is given", ask("CREATE USER hashed IDENTIFIED WITH sha256_hash BY "
    "'2BB80D537B1DA3E38BD30361AA855686BDE0EACD7162FEF6A25FE97BF527A25B'"), "")  # SHA-256 of "secret"
check("it holds", ask("SELECT 1", "hashed", "secret"), "1")
check("an unknown kind", ask("CREATE USER k IDENTIFIED WITH kerberos"), "48 NOT_IMPLEMENTED")
check("already there", ask("CREATE USER hashed"), "493 ACCESS_ENTITY_ALREADY_EXISTS")
check("IF NOT EXISTS", ask("CREATE USER IF NOT EXISTS hashed"), "")
check("two passwords", ask("ALTER USER hashed ADD IDENTIFIED WITH sha256_password BY 'other'"), "")
check("the one", ask("SELECT 1", "hashed", "secret"), "1")
check("the other", ask("SELECT 2", "hashed", "other"), "2")
check("VALID UNTIL in the past", ask("ALTER USER hashed VALID UNTIL '2020-01-01'"), "")
check("it has ended", ask("SELECT 1", "hashed", "secret"), FAILED)
script("DROP USER hashed")
check("dropped", ask("SELECT 1", "hashed", "secret"), FAILED)
check("unknown user", ask("DROP USER hashed"), "192 UNKNOWN_USER")

# --- Nothing is allowed at first.
script("CREATE USER ann IDENTIFIED BY 'pw'")
check("SELECT without a table", ask("SELECT 1 + 1", "ann", "pw"), "2")
for statement in ["SELECT id FROM shop.orders", "SELECT count() FROM shop.orders", "SELECT * FROM shop.names",
                  "INSERT INTO shop.orders VALUES (3, 'c', 'z')", "CREATE TABLE shop.mine (x UInt8) ENGINE = Memory",
                  "DROP TABLE shop.orders", "TRUNCATE TABLE shop.orders", "ALTER TABLE shop.orders ADD COLUMN y UInt8",
                  "ALTER TABLE shop.orders DELETE WHERE 1", "ALTER TABLE shop.orders UPDATE name = '' WHERE 1",
                  "DELETE FROM shop.orders WHERE 1", "OPTIMIZE TABLE shop.orders", "RENAME TABLE shop.orders TO shop.o2",
                  "EXCHANGE TABLES shop.orders AND shop.other", "DETACH TABLE shop.orders", "DESCRIBE TABLE shop.orders",
                  "SHOW CREATE TABLE shop.orders", "EXISTS TABLE shop.orders", "CHECK TABLE shop.orders",
                  "CREATE DATABASE x", "DROP DATABASE shop", "CREATE USER x", "ALTER USER ann DEFAULT ROLE NONE",
                  "ALTER USER default IDENTIFIED BY 'x'", "GRANT SELECT ON *.* TO ann", "CREATE ROLE x", "SHOW USERS",
                  "SHOW GRANTS FOR default", "SYSTEM STOP MERGES", "SYSTEM FLUSH LOGS", "BACKUP TABLE shop.orders TO File('b')",
                  "SELECT * FROM system.query_log", "SELECT * FROM system.users", "SELECT * FROM system.grants",
                  "SELECT * FROM merge('shop', 'orders')", "CREATE TEMPORARY TABLE t (x UInt8)", "USE shop", "SHOW ACCESS",
                  "SELECT * FROM postgresql('127.0.0.1:1', 'a', 'b', 'c', 'd')", "CREATE FUNCTION f AS x -> x",
                  "INSERT INTO shop.other SELECT id FROM shop.orders", "SELECT 1 WHERE 1 IN (SELECT id FROM shop.orders)",
                  "SELECT (SELECT max(id) FROM shop.orders)", "EXPLAIN SELECT id FROM shop.orders", "KILL MUTATION WHERE 1"]:
    want = "" if statement.startswith("KILL") else DENIED
    check(statement, ask(statement, "ann", "pw"), want)
check("no table is seen", ask("SELECT count() FROM system.tables WHERE database = 'shop'", "ann", "pw"), "0")
check("no database is seen", ask("SHOW DATABASES", "ann", "pw").split(), ["INFORMATION_SCHEMA", "information_schema", "pg_catalog", "system"])
check("no part is seen", ask("SELECT count() FROM system.parts", "ann", "pw"), "0")
check("no column is seen", ask("SELECT count() FROM information_schema.columns WHERE table_schema = 'shop'", "ann", "pw"), "0")
holds("the message names the grant", "it's necessary to have the grant SELECT(id) ON shop.orders" in
      message("SELECT id FROM shop.orders", "ann", "pw"), message("SELECT id FROM shop.orders", "ann", "pw"))

# --- Columns, tables, databases; less below.
script("GRANT SELECT(id, name) ON shop.orders TO ann")
check("granted columns", ask("SELECT id, name FROM shop.orders ORDER BY id", "ann", "pw"), "1\ta\n2\tb")
check("count()", ask("SELECT count() FROM shop.orders", "ann", "pw"), "2")
check("another column", ask("SELECT secret FROM shop.orders", "ann", "pw"), DENIED)
check("all columns", ask("SELECT * FROM shop.orders", "ann", "pw"), DENIED)
check("another column in WHERE", ask("SELECT id FROM shop.orders WHERE secret = 'x'", "ann", "pw"), DENIED)
check("another column in ORDER BY", ask("SELECT id FROM shop.orders ORDER BY secret", "ann", "pw"), DENIED)
check("another column at the end of a sort", ask("SELECT id, secret FROM shop.orders ORDER BY id LIMIT 1", "ann", "pw"), DENIED)
check("a column of a join", ask("SELECT a.id, b.secret FROM shop.orders AS a JOIN shop.orders AS b ON a.id = b.id", "ann", "pw"), DENIED)
check("a column in a subquery", ask("SELECT s FROM (SELECT substring(secret, 1, 1) AS s FROM shop.orders)", "ann", "pw"), DENIED)
check("a column in a CTE", ask("WITH x AS (SELECT secret AS s FROM shop.orders) SELECT max(s) FROM x", "ann", "pw"), DENIED)
check("a column through merge()", ask("SELECT secret FROM merge('shop', 'orders')", "ann", "pw"), DENIED)
check("the type of another column", ask("DESCRIBE (SELECT secret FROM shop.orders)", "ann", "pw"), DENIED)
check("types of granted columns", ask("DESCRIBE (SELECT id FROM shop.orders)", "ann", "pw").split("\t")[:2], ["id", "UInt64"])
check("another column in PREWHERE", ask("SELECT id FROM shop.orders PREWHERE secret = 'x'", "ann", "pw"), DENIED)
check("only these columns are seen", ask("SELECT name FROM system.columns WHERE table = 'orders' ORDER BY name", "ann", "pw"), "id\nname")
check("the table is seen now", ask("SHOW TABLES FROM shop", "ann", "pw"), "orders")
check("a view needs its own grant", ask("SELECT * FROM shop.names", "ann", "pw"), DENIED)
script("GRANT SELECT ON shop.names TO ann")
check("a view with it", ask("SELECT name FROM shop.names ORDER BY id", "ann", "pw"), "a\nb")
script("REVOKE SELECT(name) ON shop.orders FROM ann")
check("a view reads as its reader", ask("SELECT name FROM shop.names", "ann", "pw"), DENIED)
script("GRANT SELECT ON shop.* TO ann", "REVOKE SELECT ON shop.other FROM ann", "REVOKE SELECT(secret) ON shop.orders FROM ann")
check("the database but one table", ask("SELECT * FROM shop.other", "ann", "pw"), DENIED)
check("the database but one column", ask("SELECT secret FROM shop.orders", "ann", "pw"), DENIED)
check("the rest", ask("SELECT name FROM shop.orders WHERE id = 1", "ann", "pw"), "a")
check("SHOW GRANTS", ask("SHOW GRANTS FOR ann").split("\n"), [
    "GRANT SELECT ON shop.* TO ann", "REVOKE SELECT(secret) ON shop.orders FROM ann", "REVOKE SELECT ON shop.other FROM ann"])
check("a materialised view is read as itself", ask("SELECT count() FROM shop.counter", "ann", "pw"), "0")
script("REVOKE ALL ON *.* FROM ann")
check("SHOW GRANTS of nothing", ask("SHOW GRANTS FOR ann"), "")

# --- INSERT and ALTER.
script("GRANT INSERT(id, name) ON shop.orders TO ann")
check("INSERT of granted columns", ask("INSERT INTO shop.orders (id, name) VALUES (3, 'c')", "ann", "pw"), "")
check("INSERT of another column", ask("INSERT INTO shop.orders VALUES (3, 'c', 'z')", "ann", "pw"), DENIED)
check("the view behind it was fed", ask("SELECT n FROM shop.counts"), "3")
script("GRANT ALTER ADD COLUMN, ALTER UPDATE(name) ON shop.orders TO ann")
check("ALTER ADD COLUMN", ask("ALTER TABLE shop.orders ADD COLUMN y UInt8", "ann", "pw"), "")
check("ALTER DROP COLUMN", ask("ALTER TABLE shop.orders DROP COLUMN y", "ann", "pw"), DENIED)
check("UPDATE of another column", ask("ALTER TABLE shop.orders UPDATE secret = '' WHERE 1", "ann", "pw"), DENIED)
script("GRANT CREATE TABLE, DROP TABLE ON shop.* TO ann")
check("CREATE TABLE", ask("CREATE TABLE shop.mine (x UInt8) ENGINE = Memory", "ann", "pw"), "")
check("CREATE TABLE elsewhere", ask("CREATE TABLE default.mine (x UInt8) ENGINE = Memory", "ann", "pw"), DENIED)
check("DROP VIEW comes with DROP TABLE", ask("CREATE VIEW shop.v AS SELECT 1", "ann", "pw"), "")
check("and goes", ask("DROP VIEW shop.v", "ann", "pw"), "")
check("a materialised view over what one may not read", ask(
    "CREATE MATERIALIZED VIEW shop.leak TO shop.mine AS SELECT id AS x FROM shop.other", "ann", "pw"), DENIED)
check("a privilege that is none", ask("GRANT FLY ON *.* TO ann"), "508 UNKNOWN_ACCESS_TYPE")
check("a global privilege on a table", ask("GRANT KILL QUERY ON shop.orders TO ann"), "509 INVALID_GRANT")
check("a role that is not there", ask("GRANT nothing TO ann"), "511 UNKNOWN_ROLE")

# --- Handing on.
script("CREATE USER bob", "GRANT SELECT ON shop.orders TO ann WITH GRANT OPTION")
check("with the option", ask("GRANT SELECT(id) ON shop.orders TO bob", "ann", "pw"), "")
check("more than one has", ask("GRANT SELECT ON shop.other TO bob", "ann", "pw"), DENIED)
check("it holds for bob", ask("SELECT max(id) FROM shop.orders", "bob"), "3")
check("bob cannot hand it on", ask("GRANT SELECT(id) ON shop.orders TO ann", "bob"), DENIED)
script("REVOKE GRANT OPTION FOR SELECT ON shop.orders FROM ann")
check("the option is gone", ask("GRANT SELECT(id) ON shop.orders TO bob", "ann", "pw"), DENIED)
script("ALTER USER bob GRANTEES NONE", "GRANT SELECT ON shop.orders TO bob WITH GRANT OPTION")
check("GRANTEES NONE", ask("GRANT SELECT ON shop.orders TO ann", "bob"), DENIED)

# --- Ways around that were tried.
script("CREATE USER low", "CREATE USER victim", "GRANT SELECT ON shop.* TO victim", "CREATE ROLE prize", "GRANT prize TO victim",
       "CREATE USER maker", "GRANT ALL ON mine.* TO maker", "CREATE DATABASE mine", "CREATE TABLE mine.t (x UInt64) ENGINE = MergeTree ORDER BY x",
       "GRANT CREATE VIEW ON shop.* TO maker", "CREATE TABLE mine.counts (n UInt64) ENGINE = MergeTree ORDER BY n")
for statement in ("GRANT USAGE ON *.* TO default WITH REPLACE OPTION", "GRANT NONE ON *.* TO victim WITH REPLACE OPTION",
                  "GRANT NONE TO victim WITH REPLACE OPTION", "REVOKE ALL FROM victim", "DROP TEMPORARY TABLE shop.orders",
                  "TRUNCATE TEMPORARY TABLE shop.orders", "DETACH TEMPORARY TABLE shop.orders",
                  "SELECT * FROM FILE('ok.txt', 'LineAsString', 'l String')", "INSERT INTO FUNCTION File('w.csv', 'CSV', 'a Int8') SELECT 5",
                  "DESCRIBE FILE('ok.txt', 'LineAsString', 'l String')", "SELECT * FROM POSTGRESQL('127.0.0.1:1', 'a', 'b', 'c', 'd')"):
    check(f"around: {statement}", ask(statement, "low"), DENIED)
check("default still may", ask("SELECT count() FROM system.grants WHERE user_name = 'default'") != "0", True)
check("the victim still may", ask("SELECT count() FROM shop.orders", "victim") != "0", True)
check("and has the role", ask("SELECT role_name FROM system.enabled_roles", "victim"), "prize")
script("GRANT CREATE TEMPORARY TABLE ON *.* TO low")
check("a temporary table of the name", ask("CREATE TEMPORARY TABLE orders (a UInt8)", "low", database="shop", session_id="low1"), "")
for statement in ("CREATE OR REPLACE TABLE orders (h UInt8) ENGINE = MergeTree ORDER BY h", "CREATE OR REPLACE VIEW orders AS SELECT 1 AS x",
                  "SHOW CREATE TABLE orders", "SHOW COLUMNS FROM orders", "RENAME TABLE orders TO moved", "EXCHANGE TABLES orders AND other",
                  "DETACH TABLE orders", "SYSTEM STOP MERGES orders", "CREATE TABLE newtab (a UInt8) ENGINE = Memory"):
    check(f"behind it: {statement}", ask(statement, "low", database="shop", session_id="low1"), DENIED)
check("it itself", ask("SELECT count() FROM orders", "low", database="shop", session_id="low1"), "0")
check("goes", ask("DROP TABLE orders", "low", database="shop", session_id="low1"), "")
check("only it", ask("SELECT count() FROM shop.orders"), ask("SELECT count() FROM shop.orders", "victim"))
check("DROP TEMPORARY of none", ask("DROP TEMPORARY TABLE orders", "low", database="shop"), "60 UNKNOWN_TABLE")
before = ask("SELECT count() FROM shop.counts")
check("a view writes where it was checked", ask("CREATE MATERIALIZED VIEW shop.leak TO counts AS SELECT x AS n FROM mine.t", "maker", database="mine"), "")
check("and nowhere else", ask("INSERT INTO mine.t VALUES (66)", "maker"), "")
check("there", ask("SELECT n FROM mine.counts", "maker"), "66")
check("not here", ask("SELECT count() FROM shop.counts"), before)
script("DROP VIEW shop.leak", "DROP DATABASE mine")
check("a costly bcrypt hash", ask("CREATE USER slow IDENTIFIED WITH bcrypt_hash BY "
      "'$2a$31$abcdefghijklmnopqrstuuPWwI9xAYpDcOPPcHJqUzYrOw8bH0xTO'"), "36 BAD_ARGUMENTS")
check("a password in a text that is none", ask("CREATE USER p8 IDENTIFIED BY 'SEKRET' FOO BAR")[:2], "62")
check("is not logged", ask("SELECT count() FROM system.query_log WHERE query LIKE '%SEK' || 'RET%' AND query LIKE 'CREATE%'"), "0")

# --- Roles.
script("CREATE ROLE reader, writer, staff", "GRANT SELECT ON shop.* TO reader", "GRANT INSERT ON shop.* TO writer",
       "GRANT reader, writer TO staff", "CREATE USER cy", "GRANT staff TO cy", "GRANT reader TO bob")
check("a role through a role", ask("SELECT count() FROM shop.other", "cy"), "0")
check("enabled roles", ask("SELECT role_name FROM system.enabled_roles ORDER BY 1", "cy"), "reader\nstaff\nwriter")
check("current roles", ask("SHOW CURRENT ROLES", "cy"), "staff\t0\t1")
check("SET ROLE NONE", ask("SET ROLE NONE", "cy", session_id="cy1"), "")
check("holds in the session", ask("SELECT count() FROM shop.other", "cy", session_id="cy1"), DENIED)
check("and not elsewhere", ask("SELECT count() FROM shop.other", "cy"), "0")
check("SET ROLE DEFAULT", ask("SET ROLE DEFAULT", "cy", session_id="cy1"), "")
check("again", ask("SELECT count() FROM shop.other", "cy", session_id="cy1"), "0")
check("a role that was not granted", ask("SET ROLE writer", "bob"), "512 SET_NON_GRANTED_ROLE")
check("role in the URL", ask("SELECT role_name FROM system.current_roles", "cy", roles=["staff"]), "staff")
check("a foreign role in the URL", ask("SELECT 1", "cy", roles=["writer"]), "512 SET_NON_GRANTED_ROLE")
script("ALTER USER cy DEFAULT ROLE NONE")
check("no default role", ask("SELECT count() FROM shop.other", "cy"), DENIED)
check("asked for by name", ask("SELECT count() FROM shop.other", "cy", roles=["staff"]), "0")
script("SET DEFAULT ROLE staff TO cy")
check("SET DEFAULT ROLE", ask("SELECT count() FROM shop.other", "cy"), "0")
script("REVOKE reader FROM staff")
check("revoked inside", ask("SELECT count() FROM shop.other", "cy"), DENIED)
script("ALTER ROLE writer RENAME TO scribe")
check("renamed", ask("SELECT role_name FROM system.enabled_roles ORDER BY 1", "cy"), "scribe\nstaff")
script("DROP ROLE scribe")
check("dropped", ask("SELECT role_name FROM system.enabled_roles", "cy"), "staff")
check("ADMIN OPTION is needed", ask("GRANT reader TO cy", "bob"), DENIED)
script("GRANT reader TO bob WITH ADMIN OPTION", "ALTER USER bob GRANTEES ANY")
check("with it", ask("GRANT reader TO cy", "bob"), "")

# --- Settings: values, bounds, readonly.
script("CREATE SETTINGS PROFILE small SETTINGS max_threads = 2 MIN 1 MAX 4, max_memory_usage = 1000000000 CONST",
       "CREATE USER dan SETTINGS PROFILE 'small', max_block_size = 1234",
       "CREATE USER eve SETTINGS readonly = 1", "CREATE USER fay SETTINGS readonly = 2, max_threads = 3 CHANGEABLE_IN_READONLY",
       "GRANT SELECT, INSERT ON shop.orders TO eve, fay")
check("values of the profile", ask("SELECT getSetting('max_threads'), getSetting('max_block_size')", "dan"), "2\t1234")
check("within bounds", ask("SELECT getSetting('max_threads')", "dan", max_threads=4), "4")
check("above", ask("SELECT 1", "dan", max_threads=5), "452 SETTING_CONSTRAINT_VIOLATION")
check("above in the query", ask("SELECT 1 SETTINGS max_threads = 5", "dan"), "452 SETTING_CONSTRAINT_VIOLATION")
check("above in SET", ask("SET max_threads = 5", "dan"), "452 SETTING_CONSTRAINT_VIOLATION")
check("back to a default above", ask("SET max_memory_usage = DEFAULT", "dan"), "452 SETTING_CONSTRAINT_VIOLATION")
check("CONST", ask("SELECT 1", "dan", max_memory_usage=1), "452 SETTING_CONSTRAINT_VIOLATION")
check("readonly reads", ask("SELECT count() FROM shop.orders", "eve"), "3")
check("readonly does not write", ask("INSERT INTO shop.orders (id) VALUES (4)", "eve"), "164 READONLY")
check("readonly sets nothing", ask("SELECT 1", "eve", max_threads=1), "164 READONLY")
check("readonly stays", ask("SET readonly = 0", "eve"), "164 READONLY")
check("readonly = 2 sets", ask("SELECT getSetting('max_threads')", "fay", max_threads=1), "1")
check("but not itself", ask("SELECT 1", "fay", readonly=0), "164 READONLY")
check("and does not write", ask("INSERT INTO shop.orders (id) VALUES (4)", "fay"), "164 READONLY")
check("unknown profile", ask("CREATE USER x SETTINGS PROFILE 'none'"), "180 THERE_IS_NO_PROFILE")
check("a profile given to a user", ask("ALTER SETTINGS PROFILE small TO bob"), "")
check("it holds", ask("SELECT getSetting('max_threads')", "bob"), "2")
check("elements", ask("SELECT setting_name, value, min, max, writability FROM system.settings_profile_elements WHERE profile_name = 'small' ORDER BY index"),
      "max_threads\t2\t1\t4\t\\N\nmax_memory_usage\t1000000000\t\\N\t\\N\tCONST")

# --- Hosts, databases, oneself.
script("CREATE USER far HOST IP '10.0.0.0/8'", "CREATE USER near HOST LOCAL", "CREATE USER like HOST LIKE '127.0.%'",
       "CREATE USER nowhere HOST NONE", "CREATE USER home DEFAULT DATABASE shop", "GRANT SELECT ON shop.orders TO home")
check("from elsewhere only", ask("SELECT 1", "far"), FAILED)
check("from here", ask("SELECT 1", "near"), "1")
check("from addresses like these", ask("SELECT 1", "like"), "1")
check("from nowhere", ask("SELECT 1", "nowhere"), FAILED)
script("ALTER USER far ADD HOST LOCAL")
check("and from here", ask("SELECT 1", "far"), "1")
check("the default database", ask("SELECT currentDatabase(), count() FROM orders", "home"), "shop\t3")
check("one's own password", ask("ALTER USER ann IDENTIFIED BY 'pw2'", "ann", "pw"), "")
check("it is the new one", ask("SELECT 1", "ann", "pw2"), "1")
check("not the old one", ask("SELECT 1", "ann", "pw"), FAILED)
check("one's own password goes not away", ask("ALTER USER ann NOT IDENTIFIED", "ann", "pw2"), DENIED)
check("SHOW GRANTS of oneself", ask("SHOW GRANTS", "near"), "")
check("row policies are not built", ask("CREATE ROW POLICY p ON shop.orders USING 1 TO ann"), "48 NOT_IMPLEMENTED")
check("KILL of others' queries finds none", ask("KILL QUERY WHERE 1", "ann", "pw2"), "")

# --- The other protocols.
def client(user, password, sql):
    done = subprocess.run([BASALT, "client", "--port", str(server.tcp_port), "--user", user, "--password", password, "-q", sql],
                          capture_output=True, text=True, timeout=60)
    return done.stdout.strip() if done.returncode == 0 else done.returncode


script("GRANT SELECT ON shop.orders TO ann")
check("native: right", client("ann", "pw2", "SELECT max(id) FROM shop.orders"), "3")
check("native: wrong", client("ann", "no", "SELECT 1"), 516 % 256)
check("native: denied", client("ann", "pw2", "SELECT * FROM shop.other"), 497 % 256)
check("native: constraint", client("dan", "", "SELECT 1 SETTINGS max_threads = 9"), 452 % 256)
if shutil.which("psql"):
    def psql(user, password, sql, *more):
        done = subprocess.run(["psql", "-XAt", "-h", "127.0.0.1", "-p", str(server.postgres_port), "-U", user, "-d", "default",
                               "-c", sql, *more], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PGPASSWORD": password})
        return done.stdout.strip() if done.returncode == 0 else done.stderr.strip()

    for kind in KINDS:
        check(f"psql: {kind}", psql(f"u_{kind}", "päss", "SELECT currentUser()"), f"u_{kind}")
        holds(f"psql: {kind}, wrong", "Authentication failed" in psql(f"u_{kind}", "no", "SELECT 1"), kind)
    holds("psql: nobody", "Authentication failed" in psql("nobody", "no", "SELECT 1"))
    holds("psql: denied", "Not enough privileges" in psql("ann", "pw2", "SELECT * FROM shop.other"))
    check("psql: without a password", psql("near", "", "SELECT 1"), "1")

# --- Kept.
before = ask("SHOW ACCESS")
check("a clean stop", server.stop(), 0)
server = Server(BASALT, FOLDER, tcp=True, postgres=True)
check("all of it after a restart", ask("SHOW ACCESS"), before)
check("a password after it", ask("SELECT 1", "ann", "pw2"), "1")
check("bcrypt after it", ask("SELECT 1", "u_bcrypt_password", "päss".encode().decode("latin-1")), "1")
check("nobody else reads the file", os.stat(os.path.join(FOLDER, "data/access/access.sql")).st_mode & 0o037, 0)
check("grants after it", ask("SELECT max(id) FROM shop.orders", "ann", "pw2"), "3")
check("ids after it", ask("SELECT count() FROM system.users WHERE id = '00000000-0000-0000-0000-000000000000'"), "0")

# --- Slow for those who guess.
for _ in range(4):
    check("a guess", ask("SELECT 1", "u_sha256_password", "guess"), FAILED)
check("the right one is let in after its wait", ask("SELECT 1", "u_sha256_password", "päss".encode().decode("latin-1")), "1")

# --- User default, the configuration.
script("ALTER USER default IDENTIFIED WITH scram_sha256_password BY 'root'")
check("default without it", ask("SELECT 1"), FAILED)
check("default with it", ask("SELECT 1", "default", "root"), "1")
server.stop()
users = os.path.join(FOLDER, "users.sql")
with open(users, "w") as file:
    file.write("CREATE ROLE ops;\nGRANT SYSTEM ON *.* TO ops;\nCREATE USER op IDENTIFIED BY 'op';\nGRANT ops TO op;\n")
secret = os.path.join(FOLDER, "secret")
with open(secret, "w") as file:
    file.write("fresh\n")
server = Server(BASALT, FOLDER, "--users-file", users, "--default-password-file", secret)
check("the flag's password", ask("SELECT 1", "default", "fresh"), "1")
check("a user of the file", ask("SYSTEM FLUSH LOGS", "op", "op"), "")
check("it cannot be changed", ask("ALTER USER op IDENTIFIED BY 'x'", "default", "fresh"), "495 ACCESS_STORAGE_READONLY")
check("nor dropped", ask("DROP USER op", "default", "fresh"), "495 ACCESS_STORAGE_READONLY")
check("others can", ask("DROP USER far", "default", "fresh"), "")
server.stop()


def refused(*flags):
    done = subprocess.run([BASALT, "server", "--path", tempfile.mkdtemp(prefix="basalt-access-"), "--http-port", str(free_port()),
                           "--tcp-port", "0", "--postgres-port", "0", *flags], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


code, said = refused("--listen", "0.0.0.0")
check("open to all without a password", code, 516 % 256)
holds("and says what to do", "--default-password-file" in said, said)
code, said = refused("--users-file", "/nowhere/users.sql")
holds("a users file that is not there", code != 0 and "/nowhere/users.sql" in said, said)
with open(users, "w") as file:
    file.write("CREATE USER broken IDENTIFIED WITH nothing;\n")
code, said = refused("--users-file", users)
holds("a users file that is wrong", code == 48 and "nothing" in said, said)
with open(os.path.join(FOLDER, "data/access/access.sql"), "a") as file:
    file.write("CREATE USER half")
    file.write("way IDENTIFIED WITH")
done = subprocess.run([BASALT, "server", "--path", os.path.join(FOLDER, "data"), "--http-port", str(free_port()), "--tcp-port", "0",
                       "--postgres-port", "0"], capture_output=True, text=True, timeout=60)
holds("a damaged file stops the start", done.returncode == 515 % 256 and "access.sql" in done.stderr, done.stderr)
sys.exit(finish())
