#!/usr/bin/env python3
"""What stands around an answer over HTTP: late errors, buffering, progress, compression both ways,
HTTP/1.0, HEAD.

usage: http_replies.py path/to/basalt"""

import gzip
import http.client
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.parse
import zlib

from checks import check, finish, holds
from server import Server

server = Server(sys.argv[1], tempfile.mkdtemp(prefix="basalt-http-"))
port = server.port


def raw(request):
    """All bytes that the server sends until it closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(request)
        got = bytearray()
        while piece := connection.recv(1 << 16):
            got += piece
    return bytes(got)


def post(sql, headers="", version="1.1", **parameters):
    """Head lines and the bytes behind the head, undecoded."""
    body = sql.encode() if isinstance(sql, str) else sql
    target = "/?" + urllib.parse.urlencode(parameters)
    got = raw(f"POST {target} HTTP/{version}\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
              f"{headers}\r\n".encode() + body)
    head, _, rest = got.partition(b"\r\n\r\n")
    return head.decode().split("\r\n"), rest


def values(head, name):
    return [line.split(": ", 1)[1] for line in head if line.lower().startswith(name.lower() + ": ")]


def dechunk(data):
    """The body, and whether it came to its end."""
    pieces, at = [], 0
    while at < len(data):
        line_end = data.index(b"\r\n", at)
        n = int(data[at:line_end], 16)
        if n == 0:
            return b"".join(pieces), True
        at = line_end + 2
        pieces.append(data[at:at + n])
        at += n + 2
    return b"".join(pieces), False


LATE = "SELECT number, throwIf(number = 3000000, 'too late') FROM numbers(10000000) SETTINGS max_block_size = 1000"


def check_block(what, tag, body):
    found = re.search(rb"\r\n__exception__\r\n([a-z]{16})\r\n(.*\n)(\d+) ([a-z]{16})\r\n__exception__\r\n$", body, re.S)
    holds(f"{what}: the block", found, body[-400:])
    if found:
        check(f"{what}: its tags", (found[1].decode(), found[4].decode()), (tag, tag))
        check(f"{what}: its length", int(found[3]), len(found[2]))
        holds(f"{what}: its text", found[2].startswith(b"Code: 395. DB::Exception: too late"), found[2])


# An error after the head was sent.
head, rest = post(LATE)
check("late error: the status", head[0], "HTTP/1.1 200 OK")
tag = values(head, "X-ClickHouse-Exception-Tag")[0]
body, ended = dechunk(rest)
check("late error: the last chunk is missing", ended, False)
check_block("late error", tag, body)
holds("late error: rows stand before it", body.startswith(b"0\t0\n1\t0\n"))
head, rest = post(LATE + " FORMAT JSON")
check_block("late error in JSON", values(head, "X-ClickHouse-Exception-Tag")[0], dechunk(rest)[0])
check("late error in JSON: nothing of it inside", dechunk(rest)[0].count(b"Code: 395"), 1)
head, rest = post(LATE, "Accept-Encoding: gzip\r\n")
check("late error, gzip: the encoding", values(head, "Content-Encoding"), ["gzip"])
check_block("late error, gzip", values(head, "X-ClickHouse-Exception-Tag")[0],
            zlib.decompressobj(31).decompress(dechunk(rest)[0]))
head, rest = post(LATE, version="1.0")
check("late error, HTTP/1.0: no chunks", values(head, "Transfer-Encoding"), [])
check_block("late error, HTTP/1.0", values(head, "X-ClickHouse-Exception-Tag")[0], rest)
head, rest = post("SELECT throwIf(number = 3000000, repeat('long', 10000)) FROM numbers(10000000)")
block = dechunk(rest)[0]
block = block[block.index(b"\r\n__exception__"):]
holds("a long text is cut", 16000 < len(block) <= 16384, len(block))

# An error before it, by buffering.
for name, parameters in (("wait_end_of_query", {"wait_end_of_query": "1"}),
                         ("http_wait_end_of_query", {"http_wait_end_of_query": "1"}),
                         ("buffer_size", {"buffer_size": "100000000"}),
                         ("http_response_buffer_size", {"http_response_buffer_size": "100000000"})):
    head, rest = post(LATE, **parameters)
    check(f"{name}: the status", head[0], "HTTP/1.1 500 Internal Server Error")
    check(f"{name}: the code", values(head, "X-ClickHouse-Exception-Code"), ["395"])
    holds(f"{name}: only the error", rest.startswith(b"Code: 395. DB::Exception: too late"), rest[:100])
head, rest = post(LATE, buffer_size="2000000")
check("a small buffer_size", head[0], "HTTP/1.1 200 OK")
head, rest = post("SELECT 1", buffer_size="some")
check("a bad buffer_size", values(head, "X-ClickHouse-Exception-Code"), ["72"])
rows = "SELECT number, repeat('x', 40) FROM numbers(1000000)"
head, rest = post(rows, wait_end_of_query="1")
expected = "".join(f"{i}\t{'x' * 40}\n" for i in range(1000000)).encode()
check("a large answer held back: its length", values(head, "Content-Length"), [str(len(expected))])
holds("a large answer held back: its bytes", rest == expected)
check("a large answer held back: the summary is final",
      json.loads(values(head, "X-ClickHouse-Summary")[0])["result_rows"], "1000000")
head, rest = post(rows)
holds("the same in chunks", dechunk(rest) == (expected, True))
head, rest = post(rows, buffer_size="30000000")
holds("the same half held back", dechunk(rest) == (expected, True))
head, rest = post(LATE, "Accept-Encoding: gzip\r\n", wait_end_of_query="1")
check("an early error is not compressed", (values(head, "Content-Encoding"), rest[:9]), ([], b"Code: 395"))

# Progress in the head.
head, rest = post("SELECT sum(sleepEachRow(0.05)) FROM numbers(16) SETTINGS max_block_size = 1",
                  send_progress_in_http_headers="1", http_headers_progress_interval_ms="50", max_threads="1")
lines = [json.loads(line) for line in values(head, "X-ClickHouse-Progress")]
holds("progress lines", len(lines) > 1, head)
reads = [int(line["read_rows"]) for line in lines]
check("progress grows", reads, sorted(reads))
for field in ("read_rows", "read_bytes", "total_rows_to_read", "elapsed_ns", "memory_usage"):
    holds(f"progress: {field}", all(field in line for line in lines), lines)
check("progress: the answer", rest, b"0\n")
check("progress: then the summary", json.loads(values(head, "X-ClickHouse-Summary")[0])["read_rows"], "16")
check("progress: the other headers", [len(values(head, name)) for name in (
    "X-ClickHouse-Query-Id", "X-ClickHouse-Format", "X-ClickHouse-Timezone", "Content-Type", "Content-Length")],
    [1, 1, 1, 1, 1])
head, rest = post("SELECT sleepEachRow(0.05), throwIf(number = 9, 'in the end') FROM numbers(16) SETTINGS max_block_size = 1",
                  send_progress_in_http_headers="1", http_headers_progress_interval_ms="50")
check("progress, then an error: the code", values(head, "X-ClickHouse-Exception-Code"), ["395"])
check("progress, then an error: the text", rest[:37], b"Code: 395. DB::Exception: in the end.")
head, rest = post("SELECT sleep(0.1)")
check("no progress unless asked for", values(head, "X-ClickHouse-Progress"), [])

# Headers of every answer.
head, rest = post("SELECT 1")
for name in ("X-ClickHouse-Query-Id", "X-ClickHouse-Format", "X-ClickHouse-Timezone", "X-ClickHouse-Summary",
             "X-ClickHouse-Server-Display-Name", "X-ClickHouse-Exception-Tag"):
    check(f"header {name}", len(values(head, name)), 1)
summary = json.loads(values(head, "X-ClickHouse-Summary")[0])
check("fields of the summary", list(summary), ["read_rows", "read_bytes", "written_rows", "written_bytes",
                                               "total_rows_to_read", "result_rows", "result_bytes", "elapsed_ns",
                                               "memory_usage"])
holds("elapsed_ns", int(summary["elapsed_ns"]) > 0, summary)
post("CREATE TABLE w (a UInt64, s String) ENGINE = MergeTree ORDER BY a")
head, rest = post("INSERT INTO w SELECT number, '' FROM numbers(7)")
check("written rows", json.loads(values(head, "X-ClickHouse-Summary")[0])["written_rows"], "7")
head, rest = post("SELECT 1", version="1.0")
check("HTTP/1.0", (head[0], values(head, "Connection"), rest), ("HTTP/1.1 200 OK", ["close"], b"1\n"))
got = raw(b"HEAD /?query=SELECT+1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
holds("HEAD has no body", got.endswith(b"\r\n\r\n") and b"Content-Length: 2\r\n" in got, got)
got = raw(b"POST /?query=SELECT+1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
holds("POST without a length", got.startswith(b"HTTP/1.1 411 ") and b"Code: 381." in got, got)

# CORS.
check("no CORS unless asked for", values(post("SELECT 1", "Origin: http://a.example\r\n")[0],
                                         "Access-Control-Allow-Origin"), [])
check("CORS", values(post("SELECT 1", "Origin: http://a.example\r\n", add_http_cors_header="1")[0],
                     "Access-Control-Allow-Origin"), ["*"])
check("CORS of an error", values(post("SELECT", "Origin: http://a.example\r\n", add_http_cors_header="1")[0],
                                 "Access-Control-Allow-Origin"), ["*"])
check("no Origin, no CORS", values(post("SELECT 1", add_http_cors_header="1")[0],
                                   "Access-Control-Allow-Origin"), [])

# Compression both ways: what comes compressed by the server is sent back to it as it is.
data = "SELECT number AS a, toString(number) AS s FROM numbers(100000) FORMAT TSV"
plain = dechunk(post(data)[1])[0]
holds("the plain rows", plain.startswith(b"0\t0\n1\t1\n") and plain.count(b"\n") == 100000)
for encoding in ("gzip", "br", "deflate", "zstd", "lz4"):
    head, rest = post(data, f"Accept-Encoding: {encoding}\r\n", wait_end_of_query="1")
    check(f"{encoding}: the encoding", values(head, "Content-Encoding"), [encoding])
    holds(f"{encoding}: smaller", len(rest) < len(plain), len(rest))
    if encoding in ("gzip", "deflate"):
        holds(f"{encoding}: decoded", zlib.decompress(rest, 47) == plain)
    if encoding == "zstd" and shutil.which("zstd"):
        holds("zstd: decoded", subprocess.run(["zstd", "-dc"], input=rest, stdout=subprocess.PIPE).stdout == plain)
    post("TRUNCATE TABLE w")
    head, answer = post(rest, f"Content-Encoding: {encoding}\r\n", query="INSERT INTO w FORMAT TSV")
    check(f"{encoding}: sent back", (head[0], answer), ("HTTP/1.1 200 OK", b""))
    check(f"{encoding}: what arrived", post("SELECT count(), sum(a), sum(toUInt64(s)) FROM w")[1],
          b"100000\t4999950000\t4999950000\n")
    head, answer = post(rest[:len(rest) // 2], f"Content-Encoding: {encoding}\r\n", query="INSERT INTO w FORMAT TSV")
    holds(f"{encoding}: half of it is an error", values(head, "X-ClickHouse-Exception-Code"), head)
    head, answer = post(b"this is not compressed", f"Content-Encoding: {encoding}\r\n", query="INSERT INTO w FORMAT TSV")
    holds(f"{encoding}: other bytes are an error", values(head, "X-ClickHouse-Exception-Code"), head)
head, rest = post(data, "Accept-Encoding: gzip\r\n", enable_http_compression="0")
check("compression turned off", values(head, "Content-Encoding"), [])
check("a query that is compressed", post(gzip.compress(b"SELECT 'packed'"), "Content-Encoding: gzip\r\n")[1], b"packed\n")
check("an unknown encoding", values(post("SELECT 1", "Content-Encoding: snappy2\r\n")[0],
                                    "X-ClickHouse-Exception-Code"), ["48"])
head, frames = post(data, compress="1", wait_end_of_query="1")
post("TRUNCATE TABLE w")
post(frames, decompress="1", query="INSERT INTO w FORMAT TSV")
check("own frames sent back", post("SELECT count(), sum(a) FROM w")[1], b"100000\t4999950000\n")
head, rest = post(gzip.compress(frames), "Content-Encoding: gzip\r\n", decompress="1", query="INSERT INTO w FORMAT TSV")
check("own frames inside gzip", post("SELECT count() FROM w")[1], b"200000\n")

if shutil.which("curl"):
    def curl(*arguments):
        return subprocess.run(["curl", "-sS", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
    url = f"http://127.0.0.1:{port}"
    check("curl", curl(f"{url}/", "-d", "SELECT 'by curl'"), "by curl\n")
    check("curl, compressed", curl("--compressed", f"{url}/?query=SELECT+number+FROM+numbers(3)"), "0\n1\n2\n")
    holds("curl sees a late error", "curl: (18)" in curl(f"{url}/", "-d", LATE))
    holds("curl --fail", "500" in curl("--fail", f"{url}/", "-d", "SELECT throwIf(1)"))
else:
    holds("curl is there", False)

check("a clean stop", server.stop(), 0)
sys.exit(finish())
