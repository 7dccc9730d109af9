#!/usr/bin/env python3
"""Clients of the HTTP port that are slow, too large, of another protocol or gone; and that none of them
holds others.

usage: http_hostile.py path/to/basalt"""

import socket
import struct
import sys
import tempfile
import time
import urllib.parse

from checks import check, finish, holds
from server import Server

server = Server(sys.argv[1], tempfile.mkdtemp(prefix="basalt-http-"), "--http_headers_read_timeout=1")
port = server.port


def connect():
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def rest_of(connection):
    got = bytearray()
    while piece := connection.recv(1 << 16):
        got += piece
    return bytes(got)


def status(request):
    with connect() as connection:
        connection.sendall(request)
        return rest_of(connection).split(b"\r\n")[0].decode()


# Another protocol: the first bytes of a hello of the native protocol, of TLS, of PostgreSQL.
for name, hello in (("native", b"\x00\x11ClickHouse client\x18\x02\xb4\xa9\x03\x00\x07default\x00"),
                    ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
                    ("PostgreSQL", struct.pack("!iHH", 8, 1234, 5679))):
    with connect() as connection:
        connection.sendall(hello)
        got = rest_of(connection)
    holds(f"{name} to the HTTP port", got.startswith(b"HTTP/1.1 400 ") and b"this port speaks HTTP" in got, got)

# Too large.
long_text = "x" * (900 << 10)
query = urllib.parse.quote(f"SELECT length('{long_text}')")
check("a long query in the URL", status(f"GET /?max_query_size=2000000&query={query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()), "HTTP/1.1 200 OK")
check("a URL that is too long", status(b"GET /?query=" + b"x" * (5 << 20) + b" HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 414 URI Too Long")
check("a URL a little too long", status(b"GET /?query=" + b"x" * (1 << 20) + b" HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 414 URI Too Long")
check("a header that is too long", status(b"GET /ping HTTP/1.1\r\nHost: x\r\nX-Y: " + b"z" * (200 << 10) + b"\r\n\r\n"),
      "HTTP/1.1 431 Request Header Fields Too Large")
check("too many headers", status(b"GET /ping HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(1500)) + b"\r\n"),
      "HTTP/1.1 431 Request Header Fields Too Large")
check("endless headers", status(b"GET /ping HTTP/1.1\r\n" + b"".join(b"X-%d: " % i + b"z" * 1000 + b"\r\n" for i in range(5000)) + b"\r\n"),
      "HTTP/1.1 431 Request Header Fields Too Large")
check("900 headers", status(b"GET /ping HTTP/1.1\r\nConnection: close\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(900)) + b"\r\n"),
      "HTTP/1.1 200 OK")
check("two lengths", status(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\nTransfer-Encoding: chunked\r\n\r\nSELECT 1")[:12],
      "HTTP/1.1 400")

# Slow: a byte now and then does not keep the head open.
with connect() as connection:
    head = b"GET /ping HTTP/1.1\r\nHost: x\r\nX-Slow: " + b"z" * 1000
    got = b""
    connection.settimeout(0.2)
    for i in range(len(head)):
        try:
            connection.sendall(head[i:i + 1])
            got = connection.recv(4096)
        except TimeoutError:
            continue
        except OSError:
            break
        break
    holds("a slow head ends", got.startswith(b"HTTP/1.1 408 "), (i, got))

# Gone or not reading: others are served meanwhile.
silent = [connect() for _ in range(50)]
large = "SELECT repeat('x', 1000) FROM numbers(1000000)"
readers = []
for _ in range(4):
    connection = connect()
    connection.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(large)}\r\n\r\n{large}".encode())
    readers.append(connection)
half = connect()
half.sendall(b"POST /?query=INSERT+INTO+nowhere+FORMAT+TSV HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc")
check("others are served", server.ask("SELECT count() FROM numbers(1000)"), "1000")
first = readers[0].recv(1 << 16)
holds("a reader that waited gets its rows", first.startswith(b"HTTP/1.1 200 OK"), first[:100])
for connection in (*silent, *readers, half):
    connection.close()
for _ in range(600):
    left = server.ask("SELECT count() - 1 FROM system.processes")
    if left == "0":
        break
    time.sleep(0.05)
check("queries of those who left have ended", left, "0")

# An INSERT whose client leaves stores nothing.
server.ask("CREATE TABLE t (x UInt64) ENGINE = MergeTree ORDER BY x")
with connect() as connection:
    connection.sendall(b"POST /?query=INSERT+INTO+t+FORMAT+TSV&query_id=left HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n"
                       + b"1\n" * 1000000)
    for _ in range(600):
        if server.ask("SELECT count() FROM system.processes WHERE query_id = 'left'") == "1":
            break
        time.sleep(0.05)
for _ in range(600):
    if server.ask("SELECT count() FROM system.processes WHERE query_id = 'left'") == "0":
        break
    time.sleep(0.05)
check("an INSERT that breaks off", server.ask("SELECT count() FROM t"), "0")

# A large upload: an error early in it is told, not cut off; a good one is streamed.
with connect() as connection:
    connection.sendall(b"POST /?query=INSERT+INTO+t+FORMAT+TSV HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 80000000\r\n\r\n")
    try:
        connection.sendall(b"no number\n" * 8000000)
    except OSError:
        pass
    got = rest_of(connection)
holds("an early error of a large upload", b"X-ClickHouse-Exception-Code: 27\r\n" in got, got[:300])


def resident_bytes():
    with open(f"/proc/{server.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


server.ask("CREATE TABLE n (x UInt64) ENGINE = Null")
before, most = resident_bytes(), 0
piece = b"".join(b"%d\n" % (10 ** 18 + i) for i in range(50000))
pieces = 300
with connect() as connection:
    connection.sendall(b"POST /?query=INSERT+INTO+n+FORMAT+TSV HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % (len(piece) * pieces))
    for _ in range(pieces):
        connection.sendall(piece)
        most = max(most, resident_bytes())
    got = rest_of(connection)
holds("a large upload", b'"written_rows":"15000000"' in got, got[:600])
holds("it is streamed: memory", most - before < len(piece) * pieces // 2, (before, most, len(piece) * pieces))

check("the server still answers", server.ask("SELECT 'alive'"), "alive")
check("a clean stop", server.stop(), 0)
sys.exit(finish())
