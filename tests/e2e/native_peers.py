#!/usr/bin/env python3
"""All types to the bit between Basalt and its peers over the native protocol: ClickHouse 26.7 (npm chdb) writing and
reading through remote(), Debian's python3-clickhouse-driver compressed and streamed, clickhouse-client 18.16 at a
terminal and with rows in several formats.

PEER_MODULES names the folder of chdb (default: build/peer, where it is installed if it is missing).

usage: native_peers.py path/to/basalt"""

import datetime
import decimal
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

try:
    import clickhouse_driver
except ImportError:  # another python3 stands before the system's
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
from clickhouse_driver import Client

from checks import check, finish, holds
from server import Server, free_port

BASALT = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
work = tempfile.mkdtemp(prefix="basalt-peers-")
server = Server(BASALT, work, tcp=True)
PORT = server.tcp_port


def post(url, sql):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, data=sql.encode()), timeout=20).read()
    except urllib.error.HTTPError as error:
        return b"ERROR " + error.read()
    except OSError as error:
        return b"ERROR " + str(error).encode()


def ours(sql, **settings):
    return post(server.url + "/?" + "&".join(f"{k}={v}" for k, v in settings.items()), sql)


# --- ClickHouse 26.7 through remote()
# Types, and values as SQL that is cast to them.
TYPES = [
    ("UInt8", ["0", "255"]), ("UInt16", ["65535"]), ("UInt32", ["4294967295"]), ("UInt64", ["18446744073709551615", "0"]),
    ("UInt128", ["'340282366920938463463374607431768211455'"]),
    ("UInt256", ["'115792089237316195423570985008687907853269984665640564039457584007913129639935'"]),
    ("Int8", ["-128"]), ("Int16", ["-32768"]), ("Int32", ["-2147483648"]), ("Int64", ["-9223372036854775808"]),
    ("Int128", ["'-170141183460469231731687303715884105728'", "-1"]),
    ("Int256", ["'-57896044618658097711785492504343953926634992332820282019728792003956564819968'", "-1"]),
    ("Float32", ["nan", "-inf", "1.17549e-38", "-0.0"]), ("Float64", ["nan", "inf", "2.2250738585072014e-308", "0.1"]),
    ("Bool", ["true", "false"]),
    ("Decimal32(4)", ["'-99999.9999'"]), ("Decimal64(10)", ["'-12345678.0123456789'"]),
    ("Decimal128(20)", ["'123456789012345678.01234567890123456789'"]),
    ("Decimal256(40)", ["'-123456789012345678901234567890.0123456789012345678901234567890123456789'"]),
    ("String", ["''", "'a\\0b\\xff\\xfe'", "'\u00fc'"]), ("FixedString(4)", ["'ab'", "'abcd'"]),
    ("Date", ["'2149-06-06'", "'1970-01-01'"]), ("Date32", ["'1900-01-01'", "'2299-12-31'"]),
    ("DateTime", ["'2020-06-01 01:02:03'"]), ("DateTime('Asia/Tokyo')", ["'2020-06-01 01:02:03'"]),
    ("DateTime64(0)", ["'2020-06-01 01:02:03'"]), ("DateTime64(3, 'Europe/Berlin')", ["'1950-03-04 05:06:07.089'"]),
    ("DateTime64(9, 'America/New_York')", ["'2020-06-01 01:02:03.123456789'"]),
    ("Time", ["'12:34:56'", "'-1:02:03'"]), ("Time64(6)", ["'12:34:56.789012'"]),
    ("UUID", ["'61f0c404-5cb3-11e7-907b-a6006ad3dba0'"]), ("IPv4", ["'1.2.3.4'"]), ("IPv6", ["'2001:db8::1'", "'::ffff:1.2.3.4'"]),
    ("Enum8('a' = -128, 'b' = 127)", ["'a'", "'b'"]), ("Enum16('x' = -32768, 'y\\'z' = 32767)", ["'x'", "'y\\'z'"]),
    ("Nullable(UInt8)", ["NULL", "7"]), ("Nullable(String)", ["NULL", "''"]), ("Nullable(Decimal256(5))", ["NULL", "1.5"]),
    ("Nullable(UUID)", ["NULL"]), ("Nullable(DateTime64(3))", ["NULL", "'2020-01-01 00:00:00.001'"]),
    ("Nullable(FixedString(3))", ["NULL", "'abc'"]), ("Nullable(IPv6)", ["NULL", "'::1'"]), ("Nullable(Enum8('a' = 1))", ["NULL", "'a'"]),
    ("LowCardinality(String)", ["'a'", "'b'", "'a'", "''"]), ("LowCardinality(Nullable(String))", ["NULL", "'a'", "''", "NULL"]),
    ("LowCardinality(FixedString(2))", ["'ab'"]), ("LowCardinality(Nullable(UInt64))", ["NULL", "5", "5"]),
    ("LowCardinality(Date)", ["'2020-01-01'"]), ("LowCardinality(Float64)", ["1.5"]),
    ("Array(UInt8)", ["[]", "[1,2]"]), ("Array(Array(Nullable(String)))", ["[[],[NULL,'a']]", "[]"]),
    ("Array(LowCardinality(Nullable(String)))", ["[NULL,'x','x']", "[]"]), ("Array(Array(LowCardinality(String)))", ["[['a'],['b','a']]"]),
    ("Array(Decimal128(3))", ["[1.5]"]), ("Array(DateTime64(3, 'UTC'))", ["['2020-01-01 00:00:00.5']"]),
    ("Tuple(UInt8, String)", ["(1,'a')"]), ("Tuple(a UInt8, b Array(Nullable(Int32)))", ["(1,[NULL,2])"]),
    ("Tuple(a LowCardinality(String), b Nullable(String))", ["('x',NULL)"]),
    ("Tuple(a Tuple(b UInt8, c Array(Tuple(UInt8, String))))", ["tuple((1,[(2,'x')]))"]),
    ("Array(Tuple(k String, v Nullable(Float64)))", ["[('a',NULL),('b',1.5)]", "[]"]),
    ("Map(String, UInt64)", ["map('a',1)", "map()"]), ("Map(LowCardinality(String), Array(Nullable(UInt8)))", ["map('a',[1,NULL])"]),
    ("Map(UInt64, Map(String, Tuple(UInt8, UUID)))", ["map(1,map('x',(1,'61f0c404-5cb3-11e7-907b-a6006ad3dba0')))"]),
    ("Array(Map(String, LowCardinality(Nullable(String))))", ["[map('a',NULL),map('b','c')]"]),
    ("Nested(a UInt8, b String)", ["[(1,'x'),(2,'y')]", "[]"]), ("IntervalDay", ["toIntervalDay(3)"]),
    ("SimpleAggregateFunction(sum, UInt64)", ["5"]), ("SimpleAggregateFunction(max, Nullable(String))", ["'x'"]),
    ("SimpleAggregateFunction(groupArrayArray, Array(String))", ["['a']"]), ("Nullable(Nothing)", ["NULL"]),
]
# States that are exchanged: function, arguments, their types.
STATES = [
    ("sum", "number", "UInt64"), ("sum", "toNullable(number)", "Nullable(UInt64)"), ("sum", "toDecimal64(number, 2)", "Decimal(18, 2)"),
    ("sumKahan", "toFloat64(number)", "Float64"), ("sumCount", "number", "UInt64"),
    ("sumIf", "number, toUInt8(number > 3)", "UInt64, UInt8"), ("count", "", ""), ("avg", "number", "UInt64"),
    ("avg", "toFloat64(number)", "Float64"), ("min", "toString(number)", "String"), ("max", "number", "UInt64"), ("max", "toDate(number)", "Date"),
    ("any", "number", "UInt64"), ("anyLast", "toString(number)", "String"),
    ("groupArray", "number", "UInt64"), ("groupUniqArray", "number", "UInt64"), ("groupBitmap", "number", "UInt64"),
    ("groupBitXor", "number", "UInt64"), ("groupBitAnd", "number", "UInt64"), ("groupBitOr", "number", "UInt64"), ("varSamp", "toFloat64(number)", "Float64"), ("varPop", "toFloat64(number)", "Float64"),
    ("stddevPop", "toFloat64(number)", "Float64"), ("stddevSamp", "toFloat64(number)", "Float64"),
    ("corr", "toFloat64(number), toFloat64(number * 2)", "Float64, Float64"),
    ("uniq", "number", "UInt64"), ("uniqExact", "number", "UInt64"),
]
REFUSED = [("argMax", "number, number", "UInt64, UInt64"), ("uniqCombined", "number", "UInt64"), ("quantile", "number", "UInt64"),
           ("groupArray", "toString(number)", "String"), ("uniqExact", "toString(number)", "String"), ("topK", "number", "UInt64"),
           ("covarPop", "toFloat64(number), toFloat64(number)", "Float64, Float64"), ("first_value", "number", "UInt64")]

modules = pathlib.Path(os.environ.get("PEER_MODULES", ROOT / "build" / "peer"))


def with_clickhouse():
    if not (modules / "node_modules" / "chdb").is_dir():
        subprocess.run(["npm", "install", "--silent", "--prefix", str(modules), "chdb@3.4.0"], check=True)
    peer_port = free_port()
    peer = subprocess.Popen(["node", str(ROOT / "tools" / "peer" / "clickhouse_http.mjs"), "--port", str(peer_port), "--path",
                             os.path.join(work, "peer")], env={**os.environ, "PEER_MODULES": str(modules)}, stdout=subprocess.DEVNULL)


    def clickhouse(sql, **settings):
        return post(f"http://127.0.0.1:{peer_port}/?" + "&".join(f"{k}={v}" for k, v in settings.items()), sql)


    for _ in range(300):
        if clickhouse("SELECT 1") == b"1\n":
            break
        time.sleep(0.1)
    check("ClickHouse is there", clickhouse("SELECT substring(version(), 1, 5)"), b"26.7.\n")
    lenient = {"allow_suspicious_low_cardinality_types": 1, "flatten_nested": 0}
    REMOTE = f"remote('127.0.0.1:{PORT}', 'default', 'typed')"
    for name, values in TYPES:
        rows = " UNION ALL ".join(f"SELECT {i}::UInt32 AS i, CAST({value} AS {name}) AS v" for i, value in enumerate(values))
        source = f"(SELECT * FROM ({rows}))"
        want = clickhouse(f"SELECT v FROM {source} ORDER BY i FORMAT RowBinary", **lenient)
        holds(f"{name}: ClickHouse makes it", not want.startswith(b"ERROR"), want[:300])
        ours("DROP TABLE IF EXISTS typed")
        check(f"{name}: a table", ours(f"CREATE TABLE typed (i UInt32, v {name}) ENGINE = MergeTree ORDER BY i", **lenient), b"")
        check(f"{name}: ClickHouse writes", clickhouse(f"INSERT INTO FUNCTION {REMOTE} SELECT * FROM {source}", **lenient), b"")
        check(f"{name}: it is here", ours("SELECT v FROM typed ORDER BY i FORMAT RowBinary"), want)
        check(f"{name}: ClickHouse reads", clickhouse(f"SELECT v FROM {REMOTE} ORDER BY i FORMAT RowBinary", **lenient), want)
        check(f"{name}: of the same type", clickhouse(f"SELECT DISTINCT toTypeName(v) FROM {REMOTE}", **lenient),
              clickhouse(f"SELECT DISTINCT toTypeName(v) FROM {source}", **lenient))
        if name == "Nullable(Nothing)":
            continue
        # Many rows: several blocks, dictionaries, columns that are sparse.
        many = f"SELECT toUInt32(number * {len(values)} + i) AS i, v FROM numbers(20000) AS n CROSS JOIN {source} AS s"
        ours("TRUNCATE TABLE typed")
        check(f"{name}: ClickHouse writes many", clickhouse(f"INSERT INTO FUNCTION {REMOTE} {many}", **lenient), b"")
        digest = "SELECT count(), sum(cityHash64(i, toString(v))) FROM "
        check(f"{name}: many are the same", clickhouse(digest + REMOTE, **lenient), clickhouse(digest + f"({many})", **lenient))

    for function, arguments, types in STATES:
        state = f"AggregateFunction({function}{', ' + types if types else ''})"
        for count in (0, 10, 1000):
            source = f"SELECT toUInt32(number % 3) AS i, {function}State({arguments}) AS v FROM numbers({count}) GROUP BY i"
            if count == 0:
                source = f"SELECT toUInt32(0) AS i, {function}State({arguments}) AS v FROM numbers(0)"
            ends = "arraySort(finalizeAggregation(v))" if function == "groupUniqArray" else "toString(finalizeAggregation(v))"
            want = clickhouse(f"SELECT {ends} FROM ({source}) ORDER BY i")
            ours("DROP TABLE IF EXISTS typed")
            check(f"{state}: a table", ours(f"CREATE TABLE typed (i UInt32, v {state}) ENGINE = MergeTree ORDER BY i"), b"")
            check(f"{state}, {count}: ClickHouse writes", clickhouse(f"INSERT INTO FUNCTION {REMOTE} {source}"), b"")
            check(f"{state}, {count}: it is here", ours(f"SELECT {ends} FROM typed ORDER BY i"), want)
            check(f"{state}, {count}: ClickHouse reads", clickhouse(f"SELECT {ends} FROM (SELECT i, v FROM {REMOTE}) ORDER BY i"), want)
            ours(f"TRUNCATE TABLE typed")
            check(f"{state}, {count}: made here", ours(f"INSERT INTO typed {source}"), b"")
            check(f"{state}, {count}: ClickHouse reads what was made here", clickhouse(f"SELECT {ends} FROM (SELECT i, v FROM {REMOTE}) ORDER BY i"), want)
    for function, arguments, types in REFUSED:
        state = f"AggregateFunction({function}, {types})"
        ours("DROP TABLE IF EXISTS typed")
        check(f"{state}: a table", ours(f"CREATE TABLE typed (i UInt32, v {state}) ENGINE = MergeTree ORDER BY i"), b"")
        source = f"SELECT toUInt32(0) AS i, {function}State({arguments}) AS v FROM numbers(10)"
        for what, sql in (("written", f"INSERT INTO FUNCTION {REMOTE} {source}"), ("read", f"SELECT v FROM {REMOTE} FORMAT RowBinary")):
            answer = clickhouse(sql)
            holds(f"{state} is not {what}", b"Code: 48." in answer, answer[:400])
        check(f"{state}: it is used here", ours(f"INSERT INTO typed SELECT 0, initializeAggregation('{function}State', {arguments}) FROM numbers(1)") +
              ours("SELECT count() FROM typed"), b"1\n") if function != "first_value" else None
    peer.terminate()
    peer.wait(30)


if shutil.which("node"):
    with_clickhouse()
else:
    print("without node there is no ClickHouse 26.7 to talk to")

# --- python3-clickhouse-driver: compressed, streamed
methods = [False]
for method, module in (("lz4", "lz4"), ("lz4hc", "lz4"), ("zstd", "zstd")):
    try:
        __import__(module)
        __import__("clickhouse_cityhash")
        methods.append(method)
    except ImportError:
        pass
for method in methods:
    client = Client("127.0.0.1", port=PORT, compression=method)
    name = f"driver, {method or 'plain'}"
    client.execute("DROP TABLE IF EXISTS streamed")
    client.execute("CREATE TABLE streamed (n UInt64, s LowCardinality(Nullable(String)), m Map(String, Array(Nullable(Int32))), d Decimal(38, 5), "
                   "u UUID, t DateTime64(3, 'UTC')) ENGINE = MergeTree ORDER BY n")
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)

    def row(n):
        return (n, None if n % 3 == 0 else f"s{n % 7}", {"a": [n % 100, None], "b": []}, decimal.Decimal(n) / 8, uuid.UUID(int=n << 70),
                start + datetime.timedelta(milliseconds=n))

    check(f"{name}: a generator", client.execute("INSERT INTO streamed VALUES", (row(n) for n in range(30000)),
                                                 settings={"insert_block_size": 4000}), 30000)
    wrong = 0
    for n, got in enumerate(client.execute_iter("SELECT * FROM streamed ORDER BY n", settings={"max_block_size": 3000})):
        wrong += got != row(n)
    check(f"{name}: a stream of all rows", (n, wrong), (29999, 0))
    blocks = list(client.execute_iter("SELECT n FROM streamed ORDER BY n", settings={"max_block_size": 3000}, chunk_size=1000))
    check(f"{name}: by chunks", (len(blocks), sum(len(block) for block in blocks)), (30, 30000))
    progress = client.execute_with_progress("SELECT sum(number) FROM numbers(3000000)")
    steps = list(progress)
    check(f"{name}: progress", (progress.get_result(), steps[-1][0] >= 3000000), ([(4499998500000,)], True))
    client.disconnect()

# --- clickhouse-client 18.16
OLD = shutil.which("clickhouse-client")
if OLD:
    def old(*arguments, data=None):
        done = subprocess.run([OLD, "--host", "127.0.0.1", "--port", str(PORT), *arguments], input=data, capture_output=True, timeout=120)
        return done.stdout, done.returncode

    want = "1\tone\t1.5\n2\ttw'o\t\\N\n"
    rows = {"TSV": want, "CSV": '1,"one",1.5\n2,"tw\'o",\\N\n',
            "JSONEachRow": '{"x":1,"s":"one","f":1.5}\n{"x":2,"s":"tw\'o","f":null}\n',
            "Values": "(1, 'one', 1.5), (2, 'tw\\'o', NULL)", "TabSeparatedWithNames": "x\ts\tf\n" + want}
    for format_name, data in rows.items():
        ours("DROP TABLE IF EXISTS from_old")
        ours("CREATE TABLE from_old (x UInt8, s String, f Nullable(Float64)) ENGINE = MergeTree ORDER BY x")
        check(f"18.16, rows as {format_name}", old("-q", f"INSERT INTO from_old FORMAT {format_name}", data=data.encode()), (b"", 0))
        check(f"18.16, {format_name} is here", ours("SELECT * FROM from_old ORDER BY x").decode(), want.replace("'", "\\'"))
    native = old("-q", "SELECT * FROM from_old ORDER BY x FORMAT Native")[0]
    ours("TRUNCATE TABLE from_old")
    check("18.16, rows as Native", old("-q", "INSERT INTO from_old FORMAT Native", data=native), (b"", 0))
    check("18.16, Native is here", ours("SELECT * FROM from_old ORDER BY x").decode(), want.replace("'", "\\'"))

    # At a terminal.
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(OLD, [OLD, "--host", "127.0.0.1", "--port", str(PORT)], {**os.environ, "HOME": work, "TERM": "xterm"})
    seen = b""

    def wait_for(what, seconds=60):
        global seen
        end = time.monotonic() + seconds
        plain = ""
        while time.monotonic() < end:
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode(errors="replace"))
            if what in plain:
                break
            if select.select([fd], [], [], 0.2)[0]:
                try:
                    seen += os.read(fd, 65536)
                except OSError:
                    break
        holds(f"18.16 at a terminal: {what!r}", what in plain, plain[-1500:])
        seen = b""

    wait_for(":) ")
    for typed, shown in (("SELECT 40 + 2 AS answer", "1 rows in set"), ("SELECT nothing", "Code: 47"),
                         ("INSERT INTO from_old VALUES (3, 'three', 3)", "1 rows in set"), ("SELECT count() FROM from_old", "3 \u2502"),
                         ("SET max_threads = 3", "0 rows in set"), ("SELECT getSetting('max_threads')", "3 \u2502"),
                         ("USE system", "0 rows in set"), ("SELECT currentDatabase()", "system")):
        os.write(fd, typed.encode() + b"\r")
        wait_for(shown)
    os.write(fd, b"SELECT sum(sipHash64(number)) FROM numbers(100000000000)\r")
    wait_for("rows/s.")
    os.write(fd, b"\x03")
    wait_for("Query was cancelled.")
    os.write(fd, b"exit\r")
    wait_for("Bye.")
    os.close(fd)
    os.waitpid(pid, 0)

check("a clean stop", server.stop(), 0)
sys.exit(finish())
