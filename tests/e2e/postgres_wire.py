#!/usr/bin/env python3
"""PostgreSQL's wire protocol with real peers: psql and python3-psycopg2, and the extended protocol byte by byte.

usage: postgres_wire.py path/to/basalt"""

import datetime
import decimal
import io
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import uuid

try:
    import psycopg2
except ImportError:  # another python3 stands before the system's
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
import psycopg2.extensions

from checks import check, finish
from server import Server

BASALT = os.path.abspath(sys.argv[1])


work = tempfile.mkdtemp(prefix="basalt-pgwire-")
server = Server(BASALT, work, postgres=True)
PORT = server.postgres_port


def connect(**options):
    return psycopg2.connect(host="127.0.0.1", port=PORT, user="default", **options)


connection = connect()
connection.autocommit = True
cursor = connection.cursor()


def ask(text, *parameters):
    cursor.execute(text, parameters or None)
    return cursor.fetchall()


def fails(what, state, call):
    try:
        got = call()
    except psycopg2.Error as error:
        check(what, error.pgcode, state)
        return
    check(what, got, f"error {state}")


# --- psycopg2
check("numbers", ask("SELECT 1, -2::Int64, 18446744073709551615::UInt64, 1.5::Float64"),
      [(1, -2, decimal.Decimal(18446744073709551615), 1.5)])
check("texts", ask("SELECT 'it''s', E'a\\nb', 'back\\slash', ''"), [("it's", "a\nb", "back\\slash", "")])
check("parameters", ask("SELECT %s, %s, %s, %s", "o'clock \\ \n", 5, None, True), [("o'clock \\ \n", 5, None, True)])
check("NULL", ask("SELECT NULL, toNullable(1)"), [(None, 1)])
check("decimals", ask("SELECT toDecimal64('-123.45', 2)"), [(decimal.Decimal("-123.45"),)])
check("dates", ask("SELECT toDate('2026-08-25'), toDateTime('2026-08-25 01:02:03', 'UTC'), toDateTime64('2026-08-25 01:02:03.456', 3, 'UTC')"),
      [(datetime.date(2026, 8, 25), datetime.datetime(2026, 8, 25, 1, 2, 3), datetime.datetime(2026, 8, 25, 1, 2, 3, 456000))])
check("arrays", ask("SELECT [1, 2], ['a', 'b \"c\"'], [NULL, 'x']"), [([1, 2], ["a", 'b "c"'], [None, "x"])])
check("floats", str(ask("SELECT inf, -inf, nan")), "[(inf, -inf, nan)]")
check("a uuid", ask("SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')"), [("61f0c404-5cb3-11e7-907b-a6006ad3dba0",)])
check("booleans", ask("SELECT true, false"), [(True, False)])
check("what has no type there", ask("SELECT map('a', 1), (1, 'x'), toIPv4('1.2.3.4')"), [("{'a':1}", "(1,'x')", "1.2.3.4")])
cursor.execute("SELECT 1 AS one, 'x' AS name")
check("names", [column.name for column in cursor.description], ["one", "name"])
check("many rows", sum(row[0] for row in ask("SELECT number::Int64 FROM numbers(100000)")), 4999950000)
cursor.execute('CREATE TABLE t ("Key" UInt32, s Nullable(String), d Date) ENGINE = MergeTree ORDER BY "Key"')
check("CREATE", cursor.statusmessage, "CREATE TABLE")
cursor.execute("INSERT INTO t VALUES (1, 'a', '2020-01-01'), (2, NULL, '2020-01-02')")
check("INSERT", cursor.statusmessage, "INSERT 0 2")
cursor.execute("INSERT INTO t VALUES (%s, %s, %s)", (3, "c'\\", datetime.date(2020, 1, 3)))
cursor.executemany('INSERT INTO t ("Key") VALUES (%s)', [(10,), (11,)])
check("rows", ask('SELECT * FROM t WHERE "Key" < 10 ORDER BY "Key"'),
      [(1, "a", datetime.date(2020, 1, 1)), (2, None, datetime.date(2020, 1, 2)), (3, "c'\\", datetime.date(2020, 1, 3))])
check("WHERE with parameters", ask('SELECT s FROM t WHERE "Key" = %s AND d >= %s', 3, datetime.date(2020, 1, 1)), [("c'\\",)])
fails("an unknown table", "42P01", lambda: ask("SELECT * FROM nowhere"))
fails("a syntax error", "42601", lambda: ask("SELECT FROM WHERE"))
fails("an unknown column", "42703", lambda: ask("SELECT nothing"))
fails("an error after rows", "XX000", lambda: ask("SELECT throwIf(number = 500000) FROM numbers(1000000)"))
check("and on", ask("SELECT 2"), [(2,)])
with connect() as second:  # not autocommit: BEGIN is sent
    with second.cursor() as inner:
        inner.execute("SELECT 1")
        check("in a transaction", second.get_transaction_status(), psycopg2.extensions.TRANSACTION_STATUS_INTRANS)
        try:
            inner.execute("SELECT * FROM nowhere")
        except psycopg2.Error:
            pass
        check("a failed one", second.get_transaction_status(), psycopg2.extensions.TRANSACTION_STATUS_INERROR)
    second.rollback()
    check("rolled back", second.get_transaction_status(), psycopg2.extensions.TRANSACTION_STATUS_IDLE)
    with second.cursor(name="named") as named:  # DECLARE, FETCH, CLOSE
        named.itersize = 1000
        named.execute("SELECT number::Int64 FROM numbers(10000)")
        check("a cursor of the server", sum(row[0] for row in named), 49995000)
check("settings of PostgreSQL", (ask("SHOW server_version"), ask("SHOW standard_conforming_strings")), ([("15.0",)], [("on",)]))
cursor.execute("SET max_threads = 3")
check("and ours", ask("SELECT getSetting('max_threads')"), [(3,)])
fails("another user", None, lambda: psycopg2.connect(host="127.0.0.1", port=PORT, user="nobody"))
fails("another database", None, lambda: connect(dbname="nowhere"))
check("the database", connect(dbname="system").cursor().execute("SELECT 1"), None)
check("in the log", ask("SELECT interface FROM system.query_log WHERE type = 'QueryFinish' ORDER BY event_time_microseconds DESC LIMIT 1"), [(5,)])

# --- COPY
cursor.execute("CREATE TABLE copied (x UInt32, s Nullable(String), d Date) ENGINE = MergeTree ORDER BY x")
text = "1\tone\t2020-01-01\n2\t\\N\t2020-01-02\n3\ttab\\tand\\\\\t2020-01-03\n"
cursor.copy_expert("COPY copied FROM STDIN", io.StringIO(text))
check("COPY FROM", (cursor.rowcount, ask("SELECT * FROM copied ORDER BY x")),
      (3, [(1, "one", datetime.date(2020, 1, 1)), (2, None, datetime.date(2020, 1, 2)), (3, "tab\tand\\", datetime.date(2020, 1, 3))]))
cursor.copy_expert("COPY copied (x, s) FROM STDIN WITH (FORMAT csv, HEADER true, NULL 'none', DELIMITER ';')",
                   io.StringIO('a;b\n4;"fo""ur;"\n5;none\n'))
check("COPY FROM csv", ask("SELECT x, s FROM copied WHERE x > 3 ORDER BY x"), [(4, 'fo"ur;'), (5, None)])
out = io.StringIO()
cursor.copy_expert("COPY (SELECT * FROM copied WHERE x < 4 ORDER BY x) TO STDOUT", out)
check("COPY TO", (cursor.rowcount, out.getvalue()), (3, text))
out = io.StringIO()
cursor.copy_expert("COPY copied (x) TO STDOUT CSV HEADER", out)
check("COPY TO csv", sorted(out.getvalue().split()), ['"x"', "1", "2", "3", "4", "5"])
fails("COPY of bad rows", "22P02", lambda: cursor.copy_expert("COPY copied FROM STDIN", io.StringIO("1\tone\t2020-01-01\nx\ty\tz\n")))
fails("COPY into nothing", "42P01", lambda: cursor.copy_expert("COPY nowhere FROM STDIN", io.StringIO("1\n" * 1000000)))
fails("COPY of a file", "0A000", lambda: ask("COPY copied FROM '/etc/passwd'"))
check("nothing of it", ask("SELECT count() FROM copied"), [(5,)])
cursor.copy_expert("COPY copied (x) FROM STDIN", io.StringIO("".join(f"{n}\n" for n in range(100, 500100))))
check("many rows by COPY", ask("SELECT count() FROM copied"), [(500005,)])

long_query = "SELECT count() FROM numbers(100000000000) WHERE NOT ignore(number)"


def wait_until(condition, seconds=4):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.03)
    return False


def running():
    return ask("SELECT count() FROM system.processes WHERE query LIKE %s AND query_id != queryID()", long_query[:30] + "%")[0][0]


outcome = []


def run_long(which):
    try:
        which.cursor().execute(long_query)
    except psycopg2.Error as error:
        outcome.append(error.pgcode)


cancelled = connect()
thread = threading.Thread(target=run_long, args=(cancelled,))
thread.start()
check("a long query runs", wait_until(lambda: running() == 1), True)
cancelled.cancel()
thread.join(10)
check("cancel ends it", outcome, ["57014"])
leaver = connect()
thread = threading.Thread(target=run_long, args=(leaver,), daemon=True)
thread.start()
check("one more", wait_until(lambda: running() == 1), True)
socket.socket(fileno=os.dup(leaver.fileno())).shutdown(socket.SHUT_RDWR)
check("a client that leaves ends it", wait_until(lambda: running() == 0, 2), True)


# --- the extended protocol, byte by byte
class Raw:
    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", PORT), timeout=10)
        body = struct.pack(">I", 3 << 16) + b"user\0default\0\0"
        self.socket.sendall(struct.pack(">I", len(body) + 4) + body)
        self.until(b"Z")

    def message(self, letter, body=b""):
        self.socket.sendall(letter + struct.pack(">I", len(body) + 4) + body)

    def exactly(self, size):
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise ConnectionError("closed")
            data += piece
        return data

    def until(self, letter):
        messages = []
        while True:
            head = self.exactly(5)
            messages.append((head[:1], self.exactly(struct.unpack(">I", head[1:])[0] - 4)))
            if head[:1] == letter:
                return messages


def types_of(body):
    at, types = 2, []
    for _ in range(struct.unpack(">H", body[:2])[0]):
        at = body.index(b"\0", at) + 1 + 6
        types.append(struct.unpack(">I", body[at:at + 4])[0])
        at += 12
    return types


raw = Raw()
raw.message(b"P", b"st\0SELECT $1 + 1 AS x, $2 AS y, toUInt64(7) AS z\0" + struct.pack(">HII", 2, 23, 25))
raw.message(b"D", b"Sst\0")
raw.message(b"B", b"po\0st\0" + struct.pack(">HHH", 1, 1, 2) + struct.pack(">Ii", 4, 41) + struct.pack(">I", 3) + b"abc" + struct.pack(">HH", 1, 1))
raw.message(b"D", b"Ppo\0")
raw.message(b"E", b"po\0" + struct.pack(">I", 0))
raw.message(b"S")
answer = raw.until(b"Z")
check("extended, the messages", b"".join(letter for letter, _ in answer), b"1tT2TDCZ")
described = [body for letter, body in answer if letter == b"T"]
check("extended, the same types before and after", [types_of(body) for body in described], [[20, 25, 1700]] * 2)
check("extended, a binary row", dict(answer)[b"D"][2:], struct.pack(">Iq", 8, 42) + struct.pack(">I", 3) + b"abc"
      + struct.pack(">IHhHHH", 10, 1, 0, 0, 0, 7))
raw.message(b"P", b"\0SELECT number FROM numbers(10)\0\0\0")
raw.message(b"B", b"\0\0\0\0\0\0\0\0")
for _ in range(3):
    raw.message(b"E", b"\0" + struct.pack(">I", 4))
raw.message(b"S")
answer = raw.until(b"Z")
check("extended, rows in portions", b"".join(letter for letter, _ in answer), b"12DDDDsDDDDsDDCZ")
raw.message(b"P", b"\0SELECT nothing\0\0\0")
raw.message(b"B", b"\0\0\0\0\0\0\0\0")
raw.message(b"E", b"\0" + struct.pack(">I", 0))
raw.message(b"S")
check("extended, an error skips to Sync", b"".join(letter for letter, _ in raw.until(b"Z")), b"12EZ")
raw.message(b"Q", b"SELECT 1; SELECT 2;\0")
check("several statements", b"".join(letter for letter, _ in raw.until(b"Z")), b"TDCTDCZ")
raw.message(b"Q", b" ; \0")
check("an empty query", b"".join(letter for letter, _ in raw.until(b"Z")), b"IZ")
raw.message(b"?", b"")
check("an unknown message", raw.until(b"E")[-1][0], b"E")
with socket.create_connection(("127.0.0.1", PORT), timeout=10) as peer:
    peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
    check("HTTP to this port", b"FATAL" in peer.recv(1000), True)
generator = random.Random(3)
for _ in range(200):
    with socket.create_connection(("127.0.0.1", PORT), timeout=3) as peer:
        peer.sendall(bytes(generator.randrange(256) for _ in range(generator.randrange(1, 40))))
check("noise leaves the server alive", connect().cursor().execute("SELECT 5"), None)

# --- psql
if shutil.which("psql"):
    def psql(*arguments, text=None):
        done = subprocess.run(["psql", "-X", "-h", "127.0.0.1", "-p", str(PORT), "-U", "default", *arguments], input=text,
                              capture_output=True, text=True, timeout=60)
        return done.stdout, done.returncode

    check("psql", psql("-At", "-c", "SELECT 1, 'a', NULL, [1, 2]"), ('1|a||{1,2}\n', 0))
    check("psql, a script", psql("-At", text="SELECT 1;\nBEGIN;\nSELECT 'x;y';\nCOMMIT;\n"), ("1\nBEGIN\nx;y\nCOMMIT\n", 0))
    check("psql, a table", psql("-c", "SELECT 1 AS x, 'a' AS y")[0], " x | y \n---+---\n 1 | a\n(1 row)\n\n")
    check("psql, an error", psql("-c", "SELECT * FROM nowhere")[1], 1)

connection.close()
check("a clean stop", server.stop(), 0)
shutil.rmtree(work, ignore_errors=True)
sys.exit(finish())
