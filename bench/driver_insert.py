#!/usr/bin/env python3
"""Rows a second inserted by python3-clickhouse-driver (native protocol, columns, with and without LZ4) and as JSONEachRow over
HTTP, into a table of a log's shape. The same JSON lines go to a rival with ClickHouse's HTTP interface when one is given. What was
inserted is counted and summed.

usage: driver_insert.py path/to/basalt [--rows 10000000] [--rival http://127.0.0.1:18123]
(run by /usr/bin/python3, which has Debian's driver)"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "e2e"))
from server import Server  # noqa: E402

BATCH = 200_000
TABLE = ("(ts DateTime, namespace String, level LowCardinality(String), ms UInt32, message String) "
         "ENGINE = MergeTree ORDER BY (namespace, ts)")
NAMESPACES = ["payment", "order", "user", "search", "catalog"]
LEVELS = ["INFO", "INFO", "INFO", "DEBUG", "ERROR"]
WANT = "SELECT count(), sum(ms), uniqExact(namespace), sum(length(message)) FROM {}"


def columns(first, rows):
    """One batch as columns."""
    numbers = range(first, first + rows)
    return [[1_767_225_600 + n // 100 for n in numbers], [NAMESPACES[n % 5] for n in numbers], [LEVELS[n % 5] for n in numbers],
            [n % 1000 for n in numbers], [f"GET /api/v1/orders completed status=200 in {n % 1000}ms id={n}" for n in numbers]]


def json_lines(first, rows):
    made = columns(first, rows)
    return "".join('{"ts":%d,"namespace":"%s","level":"%s","ms":%d,"message":"%s"}\n' % row for row in zip(*made)).encode()


def ask(url, sql, body=b""):
    request = urllib.request.Request(url + "/?query=" + urllib.request.quote(sql), data=body)
    return urllib.request.urlopen(request, timeout=600).read().decode().strip()


def by_driver(server, table, rows, compression):
    from clickhouse_driver import Client
    client = Client("127.0.0.1", port=server.tcp_port, compression=compression)
    client.execute(f"CREATE TABLE {table} {TABLE}")
    spent = 0
    for first in range(0, rows, BATCH):
        batch = columns(first, min(BATCH, rows - first))
        begin = time.monotonic()
        client.execute(f"INSERT INTO {table} VALUES", batch, columnar=True)
        spent += time.monotonic() - begin
    return spent


def by_json(url, table, rows):
    ask(url, f"DROP TABLE IF EXISTS {table}")
    ask(url, f"CREATE TABLE {table} {TABLE}")
    spent = 0
    for first in range(0, rows, BATCH):
        batch = json_lines(first, min(BATCH, rows - first))
        begin = time.monotonic()
        ask(url, f"INSERT INTO {table} FORMAT JSONEachRow", batch)
        spent += time.monotonic() - begin
    return spent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("basalt")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rival")
    options = parser.parse_args()
    server = Server(options.basalt, tempfile.mkdtemp(prefix="basalt-driver-"), tcp=True)
    rows = options.rows
    answers = set()

    def report(what, spent, url, table):
        answers.add(ask(url, WANT.format(table)))
        print(f"{what}: {rows} rows in {spent:.1f} s, {rows / spent:.0f} rows/s", flush=True)

    report("clickhouse-driver", by_driver(server, "plain", rows, False), server.url, "plain")
    try:
        import lz4  # noqa: F401
        import clickhouse_cityhash  # noqa: F401
        report("clickhouse-driver, LZ4", by_driver(server, "packed", rows, "lz4"), server.url, "packed")
    except ImportError as problem:
        print(f"clickhouse-driver, LZ4: not measured, {problem}")
    report("JSONEachRow", by_json(server.url, "json", rows), server.url, "json")
    if options.rival:
        report("JSONEachRow, the rival", by_json(options.rival, "driver_insert_json", rows), options.rival, "driver_insert_json")
        ask(options.rival, "DROP TABLE driver_insert_json")
    server.stop()
    print(f"answers: {answers}")
    if len(answers) != 1 or next(iter(answers)).split("\t")[0] != str(rows):
        sys.exit("FAILED: the tables differ")


main()
