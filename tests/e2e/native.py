#!/usr/bin/env python3
"""The native protocol with real peers: python3-clickhouse-driver and clickhouse-client 18.16. All types both
ways, compressed and not, streams, inserts, errors, cancel, settings, parameters, external tables, many
connections, peers that speak nonsense.

usage: native.py path/to/basalt"""

import datetime
import decimal
import ipaddress
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
    import clickhouse_driver
except ImportError:  # another python3 stands before the system's
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
from clickhouse_driver import Client, errors

from checks import check, finish
from server import Server

BASALT = os.path.abspath(sys.argv[1])


def fails(what, code, call):
    try:
        got = call()
    except errors.ServerException as error:
        check(what, error.code, code)
        return
    except Exception as error:  # what the driver itself thinks
        check(what, repr(error), f"server error {code}")
        return
    check(what, got, f"error {code}")


work = tempfile.mkdtemp(prefix="basalt-native-")
server = Server(BASALT, work, tcp=True)
PORT = server.tcp_port


def connect(**options):
    return Client("127.0.0.1", port=PORT, **options)


client = connect()

# --- SELECT
check("a number", client.execute("SELECT 1"), [(1,)])
check("names and types", client.execute("SELECT 1 AS x, 'a' AS s", with_column_types=True),
      ([(1, "a")], [("x", "UInt8"), ("s", "String")]))
check("no rows", client.execute("SELECT number FROM numbers(0)", with_column_types=True),
      ([], [("number", "UInt64")]))
check("many rows", sum(row[0] for row in client.execute("SELECT number FROM numbers(300000)")), 44999850000)
check("a stream", sum(row[0] for row in client.execute_iter(
    "SELECT number FROM numbers(1000000)", settings={"max_block_size": 10000})), 499999500000)
check("settings", client.execute("SELECT getSetting('max_threads')", settings={"max_threads": 3}), [(3,)])
check("settings are of one query", client.execute("SELECT changed FROM system.settings WHERE name = 'max_threads'"),
      [(0,)])
fails("an unknown setting that is important", 115,
      lambda: connect(settings_is_important=True, settings={"nonsense": 1}).execute("SELECT 1"))
check("one that is not", connect(settings={"nonsense": 1}).execute("SELECT 1"), [(1,)])
totals = client.execute("SELECT number % 2 AS k, count() FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k")
check("totals", totals, [(0, 5), (1, 5), (0, 10)])
check("extremes", client.execute("SELECT number FROM numbers(5)", settings={"extremes": 1}),
      [(0,), (1,), (2,), (3,), (4,), (0,), (4,)])
client.execute("SELECT number FROM numbers(1000) LIMIT 10")
check("profile info", (client.last_query.profile_info.rows, client.last_query.profile_info.applied_limit), (10, True))
client.execute("SELECT sum(number) FROM numbers(5000000)")
check("progress", client.last_query.progress.rows >= 5000000, True)
check("a query id", connect().execute("SELECT queryID()", query_id="of mine"), [("of mine",)])
check("the client's name in the log", client.execute(
    "SELECT interface, query_kind FROM system.query_log WHERE query_id = 'of mine' AND type = 'QueryFinish'"),
    [(1, "Select")])
check("the database of the connection", connect(database="system").execute("SELECT currentDatabase()"), [("system",)])
fails("a database that is not there", 81, lambda: connect(database="nowhere").execute("SELECT 1"))
fails("a user that is not there", 516, lambda: connect(user="nobody").execute("SELECT 1"))
client.execute("SET max_block_size = 123")
check("SET stays", client.execute("SELECT getSetting('max_block_size')"), [(123,)])
client.execute("SET max_block_size = DEFAULT")
client.execute("CREATE TEMPORARY TABLE of_session (x UInt8)")
client.execute("INSERT INTO of_session VALUES", [(1,), (2,)])
check("temporary tables", client.execute("SELECT sum(x) FROM of_session"), [(3,)])
fails("of another connection", 60, lambda: connect().execute("SELECT * FROM of_session"))
check("external tables", client.execute(
    "SELECT s, count() FROM numbers(10) AS n JOIN ext ON n.number = ext.x GROUP BY s ORDER BY s",
    external_tables=[{"name": "ext", "structure": [("x", "UInt64"), ("s", "String")],
                      "data": [{"x": 1, "s": "a"}, {"x": 2, "s": "b"}, {"x": 3, "s": "a"}]}]),
      [("a", 2), ("b", 1)])
fails("they are of one query", 60, lambda: client.execute("SELECT * FROM ext"))

# --- types
decimal.getcontext().prec = 80
utc = datetime.timezone.utc
samples = [
    ("UInt8", [0, 255]), ("UInt16", [0, 65535]), ("UInt32", [0, 2**32 - 1]), ("UInt64", [0, 2**64 - 1]),
    ("UInt128", [0, 2**128 - 1, 12345678901234567890123]), ("UInt256", [0, 2**256 - 1, 10**60]),
    ("Int8", [-128, 127]), ("Int16", [-32768, 32767]), ("Int32", [-2**31, 2**31 - 1]),
    ("Int64", [-2**63, 2**63 - 1]), ("Int128", [-2**127, 2**127 - 1, -1]), ("Int256", [-2**255, 2**255 - 1, -1]),
    ("Float32", [0.0, 1.5, -2.25, float("inf")]), ("Float64", [0.0, 1e300, -0.1]),
    ("Bool", [True, False]),
    ("Decimal(9, 2)", [decimal.Decimal("-1234567.89"), decimal.Decimal("0")]),
    ("Decimal(18, 6)", [decimal.Decimal("123456789012.345678")]),
    ("Decimal(38, 10)", [decimal.Decimal("-1234567890123456789012345678.0123456789")]),
    ("Decimal(76, 20)", [decimal.Decimal("1234567890123456789012345678901234567890.01234567890123456789")]),
    ("String", ["", "text", "\u00fcml\u00e4ut \U0001f600", "with \\ and 'quotes'\n\t"]),
    ("FixedString(5)", ["abcde", "ab"]),
    ("Date", [datetime.date(1970, 1, 1), datetime.date(2149, 6, 6)]),
    ("Date32", [datetime.date(1925, 1, 1), datetime.date(2283, 11, 11)]),
    ("DateTime('UTC')", [datetime.datetime(1970, 1, 1, tzinfo=utc), datetime.datetime(2106, 2, 7, 6, 28, 15, tzinfo=utc)]),
    ("DateTime64(6, 'UTC')", [datetime.datetime(2026, 8, 25, 1, 2, 3, 456789, tzinfo=utc)]),
    ("UUID", [uuid.UUID(int=0), uuid.UUID("61f0c404-5cb3-11e7-907b-a6006ad3dba0")]),
    ("IPv4", [ipaddress.IPv4Address("0.0.0.0"), ipaddress.IPv4Address("192.168.255.1")]),
    ("IPv6", [ipaddress.IPv6Address("::"), ipaddress.IPv6Address("2001:db8::1")]),
    ("Enum8('a' = -1, 'b' = 2)", ["a", "b"]), ("Enum16('a' = -1000, 'b' = 2000)", ["a", "b"]),
    ("Nullable(UInt8)", [None, 7]), ("Nullable(String)", [None, "", "x"]),
    ("Nullable(DateTime('UTC'))", [None, datetime.datetime(2020, 1, 1, tzinfo=utc)]),
    ("Nullable(Decimal(9, 2))", [None, decimal.Decimal("1.50")]),
    ("LowCardinality(String)", ["a", "b", "a", ""]), ("LowCardinality(Nullable(String))", [None, "a", "", "a"]),
    ("LowCardinality(UInt32)", [1, 2, 1]), ("LowCardinality(FixedString(2))", ["ab", "cd"]),
    ("Array(UInt8)", [[], [1, 2, 3]]), ("Array(Array(String))", [[], [[]], [["a"], ["b", "c"]]]),
    ("Array(Nullable(Int32))", [[None, 1], []]), ("Array(LowCardinality(String))", [["a", "b", "a"], []]),
    ("Array(LowCardinality(Nullable(String)))", [[None, "b"], []]),
    ("Tuple(UInt8, String)", [(1, "a"), (2, "")]),
    # The driver does not write LowCardinality inside of tuples as ClickHouse does.
    ("Tuple(Array(UInt8), Nullable(String))", [([1], "a"), ([], None)]),
    ("Array(Tuple(UInt8, Nullable(String)))", [[(1, None), (2, "x")], []]),
    ("Map(String, UInt64)", [{}, {"a": 1, "b": 2}]),
    ("Map(LowCardinality(String), Array(UInt8))", [{}, {"a": [1, 2]}]),
]
for name, values in samples:
    if "-v" in sys.argv: print(name, flush=True)
    for rows in (values, [values[i % len(values)] for i in range(3000)]):
        client.execute("DROP TABLE IF EXISTS typed")
        try:
            client.execute(f"CREATE TABLE typed (i UInt32, v {name}) ENGINE = MergeTree ORDER BY i",
                           settings={"allow_suspicious_low_cardinality_types": 1})
            client.execute("INSERT INTO typed VALUES", [(i, v) for i, v in enumerate(rows)])
            got = [row[0] for row in client.execute("SELECT v FROM typed ORDER BY i")]
        except Exception as error:
            check(f"{name}", repr(error), "no error")
            client.disconnect()
            continue
        want = rows
        if name == "FixedString(5)":  # the driver drops the zeros at the end
            want = [v.rstrip("\0") for v in rows]
        check(f"{name}, {len(rows)} rows", got == want, True)
        if got != want:
            print(f"  got {got[:5]!r} of {want[:5]!r}")
client.execute("CREATE TABLE nested (n Nested(a UInt8, b String)) ENGINE = Memory")
client.execute("INSERT INTO nested (n.a, n.b) VALUES", [([1, 2], ["x", "y"]), ([], [])])
check("Nested", client.execute("SELECT * FROM nested"), [([1, 2], ["x", "y"]), ([], [])])
check("Nothing", client.execute("SELECT [], NULL"), [([], None)])
check("constants and dictionaries", client.execute(
    "SELECT 'c', toLowCardinality(toString(number % 2)), number FROM numbers(3)"),
    [("c", "0", 0), ("c", "1", 1), ("c", "0", 2)])

# --- INSERT
client.execute("CREATE TABLE target (a UInt32, b String DEFAULT 'none', c UInt32 DEFAULT a * 2) ENGINE = MergeTree ORDER BY a")
check("rows inserted", client.execute("INSERT INTO target (a) VALUES", [(1,), (2,)]), 2)
check("defaults", client.execute("SELECT * FROM target ORDER BY a"), [(1, "none", 2), (2, "none", 4)])
check("text in the query", client.execute("INSERT INTO target VALUES (3, 'x', 9)"), [])
check("is there", client.execute("SELECT b, c FROM target WHERE a = 3"), [("x", 9)])
check("INSERT SELECT", client.execute("INSERT INTO target (a) SELECT number + 10 FROM numbers(5)"), [])
check("no rows", client.execute("INSERT INTO target VALUES", []), 0)
check("blocks", client.execute("INSERT INTO target (a) VALUES", ((i,) for i in range(100, 20100)),
                               settings={"insert_block_size": 1000}), 20000)
check("all there", client.execute("SELECT count(), sum(a) FROM target WHERE a >= 100"), [(20000, 201990000)])
fails("into a table that is not there", 60, lambda: client.execute("INSERT INTO nowhere VALUES", [(1,)]))
client.execute("CREATE TABLE checked (x UInt8, CONSTRAINT small CHECK x < 10) ENGINE = Memory")
fails("a constraint", 469, lambda: client.execute("INSERT INTO checked VALUES", [(1,), (50,)]))
check("the connection goes on", client.execute("SELECT count() FROM checked"), [(0,)])
written = client.execute("SELECT written_rows FROM system.query_log WHERE type = 'QueryFinish' AND query_kind = 'Insert' "
                         "AND query LIKE 'INSERT INTO target (a) VALUES%' ORDER BY written_rows DESC LIMIT 1")
check("written rows in the log", written, [(20000,)])

# --- errors
fails("a syntax error", 62, lambda: client.execute("SELECT FROM WHERE"))
fails("an unknown table", 60, lambda: client.execute("SELECT * FROM nowhere"))
fails("after rows", 395, lambda: client.execute(
    "SELECT throwIf(number = 500000) FROM numbers(1000000)", settings={"max_block_size": 1000}))
check("and on", client.execute("SELECT 2"), [(2,)])


# --- Cancel and clients that leave
def running(query_id):
    return connect().execute("SELECT count() FROM system.processes WHERE query_id = %(id)s", {"id": query_id})[0][0]


def ends_within(query_id, seconds):
    end = time.time() + seconds
    while time.time() < end:
        if not running(query_id):
            return True
        time.sleep(0.05)
    return False


def wait_for(query_id):
    for _ in range(200):
        if running(query_id):
            return True
        time.sleep(0.02)
    return False


def quietly(call):
    try:
        call()
    except Exception:
        pass


long_query = "SELECT count() FROM numbers(100000000000) WHERE NOT ignore(number)"
canceller = connect()
progress = canceller.execute_with_progress(long_query, query_id="to cancel")
check("it runs", wait_for("to cancel"), True)
canceller.cancel()
check("Cancel ends it", ends_within("to cancel", 2), True)
check("the connection goes on after Cancel", canceller.execute("SELECT 3"), [(3,)])
leaver = connect()
threading.Thread(target=lambda: quietly(lambda: leaver.execute(long_query, query_id="left alone")), daemon=True).start()


check("it runs as well", wait_for("left alone"), True)
leaver.connection.socket.shutdown(socket.SHUT_RDWR)
check("a client that leaves ends it", ends_within("left alone", 2), True)
leaver = connect()
threading.Thread(target=lambda: quietly(lambda: leaver.execute(
    "INSERT INTO target (a) SELECT number FROM numbers(100000000000) WHERE cityHash64(number) = 0", query_id="left insert")),
    daemon=True).start()
check("an INSERT SELECT runs", wait_for("left insert"), True)
leaver.connection.socket.shutdown(socket.SHUT_RDWR)
check("and ends when its client leaves", ends_within("left insert", 2), True)

# A client that sends half of its rows and waits.
waiting = connect()


def half_the_rows():
    def rows():
        for i in range(100):
            yield (i,)
        check("an INSERT waits for rows", wait_for("half"), True)
        check("KILL of it", connect().execute("KILL QUERY WHERE query_id = 'half' SYNC") != [], True)
        check("ends it", ends_within("half", 3), True)
        yield (100,)
    waiting.execute("INSERT INTO target (a) VALUES", rows(), query_id="half", settings={"insert_block_size": 10})


fails("and its client is told", 394, half_the_rows)
check("nothing of it stays", client.execute("SELECT count() FROM target WHERE a < 10"), [(3,)])

# --- many connections
results = []


def work_on(number):
    mine = connect()
    for i in range(5):
        results.append(mine.execute(f"SELECT {number} * 10 + {i}, sum(number) FROM numbers(1000)")[0])
    mine.disconnect()


threads = [threading.Thread(target=work_on, args=(n,)) for n in range(50)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
check("fifty connections", sorted(results), [(n, 499500) for n in sorted(10 * n + i for n in range(50) for i in range(5))])
idle = [socket.create_connection(("127.0.0.1", PORT)) for _ in range(300)]
check("silent connections hold nothing", connect().execute("SELECT 4"), [(4,)])
for one in idle:
    one.close()


# --- nonsense
def send(data, wait=3):
    with socket.create_connection(("127.0.0.1", PORT), timeout=wait) as peer:
        peer.sendall(data)
        answer = b""
        try:
            while piece := peer.recv(65536):
                answer += piece
        except (socket.timeout, ConnectionError):
            pass
        return answer


def text(value):
    data = value.encode()
    return bytes([len(data)]) + data


def varint(n):
    out = b""
    while n >= 128:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


hello = b"\0" + text("test") + varint(1) + varint(1) + varint(54453) + text("") + text("default") + text("")
check("HTTP to this port", send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.0 400"), True)
check("TLS to this port", send(b"\x16\x03\x01\x02\x00"), b"")
check("a client too old", b"too old" in send(b"\0" + text("t") + b"\1\1" + varint(50000) + text("") + text("") + text("")), True)
check("an unknown packet", b"Unknown packet" in send(hello + varint(77)), True)
check("a long name", b"DB::Exception" in send(b"\0" + varint(1 << 40) + b"x" * 100), True)
generator = random.Random(7)
for _ in range(200):
    noise = bytes(generator.randrange(256) for _ in range(generator.randrange(1, 60)))
    with socket.create_connection(("127.0.0.1", PORT), timeout=3) as peer:
        quietly(lambda: peer.sendall((hello if generator.randrange(2) else b"") + noise))
check("noise leaves the server alive", connect().execute("SELECT 5"), [(5,)])
with socket.create_connection(("127.0.0.1", PORT)) as peer:  # a reset in the middle of a result
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.sendall(hello)
    time.sleep(0.2)
check("and a reset too", connect().execute("SELECT 6"), [(6,)])

# --- clickhouse-client 18.16
OLD = shutil.which("clickhouse-client")


def old(*arguments, data=None):
    done = subprocess.run([OLD, "--host", "127.0.0.1", "--port", str(PORT), *arguments], input=data,
                          capture_output=True, text=True, timeout=120)
    return done.stdout, done.returncode


if OLD:
    for flags in ([], ["--compression", "1"], ["--compression", "1", "--network_compression_method", "zstd"]):
        name = " ".join(flags) or "plain"
        check(f"18.16 {name}", old(*flags, "-q", "SELECT 1, 'a', [1, 2], NULL"), ("1\ta\t[1,2]\t\\N\n", 0))
        check(f"18.16 {name}, a large result", len(old(*flags, "-q", "SELECT number, toString(number) FROM numbers(200000)")[0]),
              sum(2 * len(str(n)) + 2 for n in range(200000)))
        client.execute("DROP TABLE IF EXISTS from_old")
        client.execute("CREATE TABLE from_old (x UInt32, s String, l LowCardinality(String), n Nullable(Float64), "
                       "a Array(String), t DateTime, d Decimal(9, 2), e Enum8('p' = 1, 'q' = 2), z String DEFAULT 'zed') "
                       "ENGINE = MergeTree ORDER BY x")
        line = "1,\"one\",\"lc\",1.5,\"['a','b']\",\"2020-01-02 03:04:05\",1.25,\"p\",\"z1\"\n2,\"two\",\"lc\",\\N,\"[]\",\"2020-01-02 03:04:06\",-1.25,\"q\",\"z2\"\n"
        check(f"18.16 {name}, INSERT of CSV", old(*flags, "-q", "INSERT INTO from_old FORMAT CSV", data=line), ("", 0))
        check(f"18.16 {name}, read again", old(*flags, "-q", "SELECT * FROM from_old ORDER BY x FORMAT CSV"), (line, 0))
        check(f"18.16 {name}, VALUES", old(*flags, "-q", "INSERT INTO from_old (x, s) VALUES (3, 'three'), (4, concat('fo', 'ur'))"), ("", 0))
        check(f"18.16 {name}, defaults", old(*flags, "-q", "SELECT s, z FROM from_old WHERE x > 2 ORDER BY x"),
              ("three\tzed\nfour\tzed\n", 0))
    check("18.16, an error's code", old("-q", "SELECT * FROM nowhere")[1], 60)
    check("18.16, settings", old("--max_threads", "3", "--max_block_size", "1000", "--totals_mode", "before_having",
                                 "-q", "SELECT getSetting('max_threads'), getSetting('totals_mode')"), ("3\tbefore_having\n", 0))
    check("18.16, external tables", old("--external", "--file", "-", "--name", "ext", "--types", "UInt8,String",
                                        "-q", "SELECT sum(_1), max(_2) FROM ext", data="1\ta\n2\tb\n"), ("3\tb\n", 0))
    check("18.16, totals", old("-q", "SELECT number % 2 AS k, count() FROM numbers(4) GROUP BY k WITH TOTALS ORDER BY k"),
          ("0\t2\n1\t2\n\n0\t4\n", 0))
    check("18.16, several queries", old("--multiquery", "-q", "SELECT 1; SELECT 2;"), ("1\n2\n", 0))
    many = "".join(f"{n}\tline {n}\n" for n in range(100000))
    client.execute("CREATE TABLE lines (n UInt32, s String) ENGINE = MergeTree ORDER BY n")
    check("18.16, many rows", old("-q", "INSERT INTO lines FORMAT TabSeparated", data=many), ("", 0))
    check("all of them", client.execute("SELECT count(), sum(n), sum(length(s)) FROM lines"),
          [(100000, 4999950000, sum(len(f"line {n}") for n in range(100000)))])


# --- basalt client
def ours(*arguments, data=None, port=PORT):
    done = subprocess.run([BASALT, "client", "--port", str(port), *arguments], input=data, capture_output=True,
                          text=True, timeout=120)
    return done.stdout, done.returncode


for flags in ([], ["--compression", "1"]):
    name = " ".join(flags) or "plain"
    check(f"client {name}", ours(*flags, "-q", "SELECT 1, 'a', [1, 2], NULL"), ("1\ta\t[1,2]\t\\N\n", 0))
    check(f"client {name}, many rows", len(ours(*flags, "-q", "SELECT number FROM numbers(500000)")[0]),
          sum(len(str(n)) + 1 for n in range(500000)))
    ours(*flags, "-q", "DROP TABLE IF EXISTS mine; CREATE TABLE mine (x UInt32, s String DEFAULT concat('d\\t', toString(x)), "
                       "n Nullable(UInt8)) ENGINE = MergeTree ORDER BY x")
    check(f"client {name}, VALUES", ours(*flags, "-q", "INSERT INTO mine VALUES (1, 'a;b', NULL), (1 + 1, lower('B'), 3);"), ("", 0))
    check(f"client {name}, CSV", ours(*flags, "-q", "INSERT INTO mine FORMAT CSV", data="3,three,1\n4,four,\\N\n"), ("", 0))
    check(f"client {name}, defaults", ours(*flags, "-q", "INSERT INTO mine FORMAT JSONEachRow", data='{"x": 5}\n{"x": 6, "s": "six"}\n'),
          ("", 0))
    check(f"client {name}, all rows", ours(*flags, "-q", "SELECT * FROM mine ORDER BY x"),
          ("1\ta;b\t\\N\n2\tb\t3\n3\tthree\t1\n4\tfour\t\\N\n5\td\\t5\t\\N\n6\tsix\t\\N\n", 0))
    check(f"client {name}, a bad row", ours(*flags, "-q", "INSERT INTO mine FORMAT CSV", data="7,x,1\nno number,y,2\n")[1], 27)
    check(f"client {name}, nothing of it", ours(*flags, "-q", "SELECT count() FROM mine"), ("6\n", 0))
check("client, the session", ours("-q", "CREATE TEMPORARY TABLE tt (x UInt8); INSERT INTO tt VALUES (1), (2); SELECT sum(x) FROM tt; "
                                        "USE system; SELECT currentDatabase()"), ("3\nsystem\n", 0))
check("client, SET for formats", ours("-q", "SET output_format_json_quote_64bit_integers = 1; SELECT toUInt64(1) AS x FORMAT JSONEachRow"),
      ('{"x":"1"}\n', 0))
check("client, SETTINGS for formats", ours("-q", "SELECT toUInt64(1) AS x FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 1"),
      ('{"x":"1"}\n', 0))
check("client, totals", ours("-q", "SELECT number % 2 AS k, count() FROM numbers(4) GROUP BY k WITH TOTALS ORDER BY k"),
      ("0\t2\n1\t2\n\n0\t4\n", 0))
check("client, parameters", ours("--param_x", "it is", "--param_n=5", "-q", "SELECT {x:String}, {n:UInt8}"), ("it is\t5\n", 0))
check("client, settings", ours("--max_threads=3", "-q", "SELECT getSetting('max_threads')"), ("3\n", 0))
check("client, an error's code", ours("-q", "SELECT * FROM nowhere")[1], 60)
check("client, an error after rows", ours("-q", "SELECT throwIf(number = 500000) FROM numbers(1000000)")[1], 395 % 256)
check("client, native is what it uses", ours("-q", "SELECT interface FROM system.processes WHERE query_id = queryID()"), ("1\n", 0))
check("client, HTTP where HTTP is spoken", ours("-q", "SELECT interface FROM system.processes WHERE query_id = queryID()",
                                                port=server.port), ("2\n", 0))
check("client, HTTP on request", ours("--protocol", "http", "-q", "SELECT 1", port=server.port), ("1\n", 0))
check("client, native insisted on", ours("--protocol", "native", "-q", "SELECT 1", port=server.port)[1], 217)
check("client, nobody there", ours("-q", "SELECT 1", port=1)[1] != 0, True)
interrupted = subprocess.Popen([BASALT, "client", "--port", str(PORT), "--query_id", "interrupted", "-q", long_query],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
check("client, a long query", wait_for("interrupted"), True)
interrupted.send_signal(2)
check("client, Ctrl-C ends the query", ends_within("interrupted", 2), True)
check("client, and says so", "Query was cancelled" in interrupted.communicate(timeout=20)[1], True)
check("client, its exit code", interrupted.returncode, 394 % 256)
check("client, progress", "rows/s" in subprocess.run(
    [BASALT, "client", "--port", str(PORT), "--progress", "-q",
     "SELECT count() FROM numbers(100000000000) WHERE NOT ignore(number)", "--max_execution_time", "2"],
    capture_output=True, text=True, timeout=60).stderr, True)
client.disconnect()
check("a clean stop", server.stop(), 0)
shutil.rmtree(work, ignore_errors=True)
sys.exit(finish())
