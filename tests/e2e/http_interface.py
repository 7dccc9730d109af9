#!/usr/bin/env python3
"""The HTTP interface as clients use it: parameters, sessions, settings, compression, headers, error
codes and statuses, bad requests, a client that leaves.

usage: http_interface.py path/to/basalt"""

import gzip
import http.client
import json
import socket
import sys
import tempfile
import time
import urllib.parse

from checks import check, finish
from server import Server

BASALT = sys.argv[1]


server = Server(BASALT, tempfile.mkdtemp(prefix="basalt-http-"))
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


check("ping", text(method="GET", where="/ping"), "Ok.\n")
check("replicas_status", text(method="GET", where="/replicas_status"), "Ok.\n")
check("query in the body", text("SELECT 1"), "1\n")
check("query in the URL", text(method="GET", query="SELECT 2"), "2\n")
check("query in both", text("number FROM numbers(2)", query="SELECT"), "0\n1\n")
check("default_format", text("SELECT 1 AS x", default_format="JSONEachRow"), '{"x":1}\n')
check("FORMAT in the query wins", text("SELECT 1 AS x FORMAT CSV", default_format="JSONEachRow"), "1\n")
check("a parameter", text("SELECT {x:UInt32} + 1, {s:String}", param_x="41", param_s="a'b"), "42\ta\\'b\n")
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

reply, body = ask("SELECT number, throwIf(number = 3000000) FROM numbers(10000000) SETTINGS max_block_size = 1000")
check("an error after rows is visible", b"Code: 395" in body, True)

connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
for i in range(3):
    connection.request("POST", "/", f"SELECT {i}")
    check("keep-alive", connection.getresponse().read().decode(), f"{i}\n")
connection.close()

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
