#!/usr/bin/env python3
"""The HTTP interface as clients use it: parameters, sessions, settings, compression, headers, error
codes and statuses, bad requests, a client that leaves.

usage: http_interface.py path/to/basalt"""

import gzip
import http.client
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zlib

from checks import check, finish
from server import Server

BASALT = sys.argv[1]


server = Server(BASALT, tempfile.mkdtemp(prefix="basalt-http-"),
                "--http-handler", "GET /sum/{upto}/of/{what} query SELECT sum(number), {what:String} FROM numbers({upto:UInt64} + 1)",
                "--http-handler", "POST,PUT /put query INSERT INTO put FORMAT TSV",
                "--http-handler", "* /status static 202 text/plain It lives here",
                "--http-handler", "GET /old redirect /play",
                "--http-handler", "POST /ask dynamic question")
port = server.port


def ask(body=None, method="POST", where="/", headers=None, **parameters):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    target = where + ("?" + urllib.parse.urlencode(parameters) if parameters else "")
    connection.request(method, target, body, headers or {})
    reply = connection.getresponse()
    try:
        data = reply.read()
    except http.client.IncompleteRead as broken:  # an error after the first rows breaks the body off
        data = broken.partial
    connection.close()
    return reply, data


def text(*arguments, **parameters):
    return ask(*arguments, **parameters)[1].decode()


text("CREATE TABLE put (n UInt8) ENGINE = Memory")
check("ping", text(method="GET", where="/ping"), "Ok.\n")
check("replicas_status", text(method="GET", where="/replicas_status"), "Ok.\n")
check("query in the body", text("SELECT 1"), "1\n")
check("query in the URL", text(method="GET", query="SELECT 2"), "2\n")
check("query in both", text("number FROM numbers(2)", query="SELECT"), "0\n1\n")
check("default_format", text("SELECT 1 AS x", default_format="JSONEachRow"), '{"x":1}\n')
check("FORMAT in the query wins", text("SELECT 1 AS x FORMAT CSV", default_format="JSONEachRow"), "1\n")
check("a parameter", text("SELECT {x:UInt32} + 1, {s:String}", param_x="41", param_s="a'b"), "42\ta\\'b\n")
check("escapes in a parameter", text("SELECT {s:String}, length({s:String})", param_s="it\\'s\\t\\\\ odd\\n"),
      "it\\'s\\t\\\\ odd\\n\t11\n")
check("a map as a parameter", text("SELECT {m:Map(String, UInt8)}['b'], {m:Map(String, UInt8)}, {n:Map(UInt8, Array(String))}",
      param_m="{'a':1,'b':2}", param_n="{5:['x','y']}"), "2\t{'a':1,'b':2}\t{5:['x','y']}\n")
check("an empty map", text("SELECT {m:Map(String, UInt8)}, toTypeName({m:Map(String, UInt8)})", param_m="{}"), "{}\tMap(String, UInt8)\n")
check("NULL as a parameter", text("SELECT {s:Nullable(String)} IS NULL", param_s="\\N"), "1\n")
check("a bare line end in a parameter", text("SELECT length({s:String})", param_s="a\nb"), "3\n")
check("a setting", text("SELECT getSetting('max_threads')", max_threads="3"), "3\n")
check("GET only reads", ask(method="GET", query="CREATE TABLE g (x UInt8) ENGINE = Memory")[0].headers.get(
    "X-ClickHouse-Exception-Code"), "164")

reply, body = ask("SELECT sum(number) FROM numbers(1000)")
summary = json.loads(reply.headers["X-ClickHouse-Summary"])
check("status", reply.status, 200)
check("summary read_rows", summary["read_rows"], "1000")
check("summary result_rows", summary["result_rows"], "1")
check("format header", reply.headers["X-ClickHouse-Format"], "TabSeparated")
check("timezone header", reply.headers["X-ClickHouse-Timezone"], "UTC")
check("content type", reply.headers["Content-Type"], "text/tab-separated-values; charset=UTF-8")
check("query id is kept", ask("SELECT 1", query_id="mine-1")[0].headers["X-ClickHouse-Query-Id"], "mine-1")

for sql, code, status in (("SELECT nothing", "47", 404), ("SELECT 1 +", "62", 400),
                          ("SELECT * FROM no_such", "60", 404), ("SELECT f_no_such(1)", "46", 404),
                          ("SELECT 1 FORMAT NoSuch", "73", 404), ("SELECT CAST(1 AS NoType)", "50", 404),
                          ("SELECT 1 SETTINGS no_such_setting = 1", "115", 404),
                          ("SELECT throwIf(1)", "395", 500)):
    reply, body = ask(sql)
    check(f"error code of {sql}", reply.headers.get("X-ClickHouse-Exception-Code"), code)
    check(f"status of {sql}", reply.status, status)
    check(f"text of {sql}", body.startswith(f"Code: {code}. DB::Exception: ".encode()), True)
check("an unknown setting in the URL", ask("SELECT 1", no_such_setting="1")[0].headers.get(
    "X-ClickHouse-Exception-Code"), "115")
check("an unknown database", ask("SELECT 1", database="no_such")[0].headers.get(
    "X-ClickHouse-Exception-Code"), "81")

check("USE in a session", text("CREATE DATABASE d1"), "")
text("USE d1", session_id="s1")
check("the session's database", text("SELECT currentDatabase()", session_id="s1"), "d1\n")
check("another session's database", text("SELECT currentDatabase()", session_id="s2"), "default\n")
text("SET max_threads = 7", session_id="s1")
check("SET in a session", text("SELECT getSetting('max_threads')", session_id="s1"), "7\n")
text("CREATE TEMPORARY TABLE t1 (x UInt8)", session_id="s1")
text("INSERT INTO t1 VALUES (5)", session_id="s1")
check("a temporary table", text("SELECT x FROM t1", session_id="s1"), "5\n")
check("is not seen by others", ask("SELECT x FROM t1", session_id="s2")[0].status, 404)
check("session_check", ask("SELECT 1", session_id="fresh", session_check="1")[0].headers.get(
    "X-ClickHouse-Exception-Code"), "372")

text("CREATE TABLE t (a UInt32, b String, c Array(Int8) DEFAULT [1, 2]) ENGINE = MergeTree ORDER BY a")
check("INSERT with VALUES", text("INSERT INTO t (a, b) VALUES (1, 'one'), (2, 'two')"), "")
check("INSERT with data in the body", text("3\tthree\n", query="INSERT INTO t (a, b) FORMAT TSV"), "")
check("INSERT of JSON lines", text('{"a":4,"b":"four","c":[9]}\n{"a":5}', query="INSERT INTO t FORMAT JSONEachRow"), "")
check("gzip in", ask(gzip.compress(b"6,six\n"), headers={"Content-Encoding": "gzip"},
                     query="INSERT INTO t (a, b) FORMAT CSV")[1], b"")
check("all rows", text("SELECT * FROM t ORDER BY a"),
      "1\tone\t[1,2]\n2\ttwo\t[1,2]\n3\tthree\t[1,2]\n4\tfour\t[9]\n5\t\t[1,2]\n6\tsix\t[1,2]\n")
reply, body = ask("7\tseven\nx\teight\n", query="INSERT INTO t (a, b) FORMAT TSV")
check("a malformed row fails", reply.status != 200, True)
check("it names the row", b"at row 1" in body or b"row 2" in body or b"Row 2" in body, True)
check("nothing of it is stored", text("SELECT count() FROM t"), "6\n")

reply, body = ask("SELECT repeat('x', 100) FROM numbers(1000)", headers={"Accept-Encoding": "gzip"},
                  enable_http_compression="1")
check("gzip out", (reply.headers["Content-Encoding"], len(gzip.decompress(body))), ("gzip", 101000))
frames = ask("SELECT number FROM numbers(10)", compress="1")[1]
check("compressed frames both ways", ask(frames, query="INSERT INTO t (a) FORMAT TSV", decompress="1")[1], b"")
check("the rows of the frames", text("SELECT count() FROM t"), "16\n")
raw = socket.create_connection(("127.0.0.1", port), timeout=10)
raw.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            b"7\r\nSELECT \r\n3\r\n4,5\r\n0\r\n\r\n")
check("a chunked body in one packet", raw.makefile("rb").read().endswith(b"\r\n\r\n4\t5\n"), True)
raw.close()
check("wait_end_of_query", text("SELECT sum(number) FROM numbers(10)", wait_end_of_query="1"), "45\n")

for packed in (False, True):
    reply, body = ask("SELECT number, throwIf(number = 3000000, 'boom') FROM numbers(10000000) SETTINGS max_block_size = 1000",
                      headers={"Accept-Encoding": "gzip"} if packed else {}, enable_http_compression="1")
    if packed:
        body = zlib.decompressobj(31).decompress(body)
    tag = reply.headers["X-ClickHouse-Exception-Tag"]
    message = "Code: 395. DB::Exception: boom. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)"
    check("an error after rows is visible", body.endswith(
        f"\r\n__exception__\r\n{tag}\r\n{message}\n{len(message) + 1} {tag}\r\n__exception__\r\n".encode()), True)
reply, body = ask("SELECT number, throwIf(number = 3000000, 'boom') FROM numbers(10000000)", wait_end_of_query="1")
check("not when the end is waited for", (reply.status, reply.headers["X-ClickHouse-Exception-Code"]), (500, "395"))

connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
for i in range(3):
    connection.request("POST", "/", f"SELECT {i}")
    check("keep-alive", connection.getresponse().read().decode(), f"{i}\n")
connection.close()

reply, body = ask("SELECT sleep(0.3), number FROM numbers(3) SETTINGS max_block_size = 1", send_progress_in_http_headers="1")
progress = [json.loads(value) for name, value in reply.getheaders() if name == "X-ClickHouse-Progress"]
check("progress headers", (len(progress) > 2, sorted(progress[0])[:2], body), (True, ["elapsed_ns", "memory_usage"], b"0\t0\n0\t1\n0\t2\n"))
check("they only grow", [p["read_rows"] for p in progress], sorted(p["read_rows"] for p in progress))
reply, body = ask("SELECT sleep(0.3), throwIf(1)", send_progress_in_http_headers="1")
check("an error behind progress", (reply.headers["X-ClickHouse-Exception-Code"], b"Code: 395" in body), ("395", True))

# --- Forms: fields are parameters, files are tables.
def form(*parts):
    body = b""
    for name, filename, content in parts:
        head = f'--B\r\nContent-Disposition: form-data; name="{name}"' + (f'; filename="{filename}"' if filename else "")
        body += head.encode() + b"\r\n\r\n" + content + b"\r\n"
    return body + b"--B--\r\n"


FORM = {"Content-Type": "multipart/form-data; boundary=B"}
check("a file as a table", text(form(("t", "t.csv", b"1,x\n2,y\n")), headers=FORM, query="SELECT a, b FROM t ORDER BY a DESC",
      t_structure="a UInt8, b String", t_format="CSV"), "2\ty\n1\tx\n")
check("columns without names", text(form(("t", "t", b"1\tx\n")), headers=FORM, query="SELECT _2, _1 FROM t",
      t_types="UInt8,Enum8('x' = 1, 'y' = 2)"), "x\t1\n")
check("fields", text(form(("query", None, b"SELECT {x:UInt8} + 1"), ("param_x", None, b"41")), headers=FORM), "42\n")
check("two files and a field", text(form(("query", None, b"SELECT count() FROM a JOIN b USING (n)"), ("a", "a", b"1\n2\n3\n"), ("b", "b", b"2\n3\n4\n")),
      headers=FORM, a_structure="n UInt8", b_structure="n UInt8"), "2\n")
check("an empty file", text(form(("t", "t", b"")), headers=FORM, query="SELECT count() FROM t", t_structure="n UInt8"), "0\n")
big = b"".join(b"%d\tsome text to make it long --B and \\r\\n--C\n" % n for n in range(200000))
check("a large file", text(form(("t", "t", big)), headers=FORM, query="SELECT count(), sum(n), uniq(s) FROM t", t_structure="n UInt32, s String"),
      f"200000\t{sum(range(200000))}\t1\n")
text(form(("gone", "gone", b"1\n")), headers=FORM, query="SELECT 1", gone_structure="n UInt8")
check("it goes with its query", ask("SELECT * FROM gone")[0].status, 404)
for what, body in (("no end", b"--B\r\nContent-Disposition: form-data; name=\"t\"; filename=\"t\"\r\n\r\n1\n"), ("no name", b"--B\r\n\r\n1\r\n--B--\r\n"),
                   ("nothing", b""), ("no boundary", b"hello")):
    check(f"a broken form: {what}", ask(body, headers=FORM, query="SELECT 1", t_structure="n UInt8")[0].status in (400, 500), True)
check("a file without a structure", ask(form(("t", "t", b"1\n")), headers=FORM, query="SELECT 1")[0].headers["X-ClickHouse-Exception-Code"], "36")

# --- Browsers
reply, body = ask(method="OPTIONS", headers={"Origin": "http://elsewhere"})
check("OPTIONS", (reply.status, reply.headers["Access-Control-Allow-Origin"], body), (204, "*", b""))
check("CORS when asked for", ask("SELECT 1", headers={"Origin": "http://elsewhere"}, add_http_cors_header="1")[0].headers["Access-Control-Allow-Origin"], "*")
check("and not otherwise", ask("SELECT 1", headers={"Origin": "http://elsewhere"})[0].headers["Access-Control-Allow-Origin"], None)

# --- Addresses with a meaning of their own
check("a query by path", text(method="GET", where="/sum/4/of/it's"), "10\tit\\'s\n")
check("with a format", text(method="GET", where="/sum/4/of/x", default_format="CSV"), "10,\"x\"\n")
check("not for other methods", ask("x", where="/sum/4/of/x")[0].status, 404)
check("an insert by path", text("7\n8\n", where="/put"), "")
check("it is there", text("SELECT sum(n) FROM put"), "15\n")
check("a text", (lambda r: (r[0].status, r[0].headers["Content-Type"], r[1]))(ask(method="GET", where="/status")), (202, "text/plain", b"It lives here"))
check("a redirection", (lambda r: (r[0].status, r[0].headers["Location"]))(ask(method="GET", where="/old")), (302, "/play"))
check("a query by parameter", text("", where="/ask", question="SELECT 6 * 7"), "42\n")
check("other paths", ask(method="GET", where="/nothing")[0].status, 404)
check("a wrong rule stops the start", subprocess.run([BASALT, "server", "--path", tempfile.mkdtemp(), "--http-port", "0", "--tcp-port", "0",
      "--postgres-port", "0", "--http-handler", "GET here query SELECT 1"], capture_output=True).returncode, 36)

raw = socket.create_connection(("127.0.0.1", port), timeout=10)
raw.sendall(b"this is not HTTP\r\n\r\n")
check("not HTTP", raw.recv(4096).startswith(b"HTTP/1.1 400"), True)
raw.close()

raw = socket.create_connection(("127.0.0.1", port), timeout=10)
sql = b"SELECT sum(sipHash64(number)) FROM numbers(100000000000)"
raw.sendall(b"POST /?query_id=left HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(sql) + sql)
for _ in range(100):
    if text("SELECT count() FROM system.processes WHERE query_id = 'left'") == "1\n":
        break
    time.sleep(0.05)
check("the long query runs", text("SELECT count() FROM system.processes WHERE query_id = 'left'"), "1\n")
raw.close()
for _ in range(100):
    if text("SELECT count() FROM system.processes WHERE query_id = 'left'") == "0\n":
        break
    time.sleep(0.05)
check("it ends when its client leaves",
      text("SELECT count() FROM system.processes WHERE query_id = 'left'"), "0\n")
check("and is in the query log", text(
    "SELECT type, exception_code FROM system.query_log WHERE query_id = 'left' AND type != 'QueryStart'"),
    "ExceptionWhileProcessing\t394\n")

check("the server still answers", text("SELECT 'alive'"), "alive\n")
check("a clean stop", server.stop(), 0)
sys.exit(finish())
