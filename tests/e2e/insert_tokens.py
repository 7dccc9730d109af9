#!/usr/bin/env python3
"""insert_deduplication_token and deduplication by content: over every format and protocol, small and
large inserts, several partitions, views, two attempts at once, merges, clean restarts and kill -9.

usage: insert_tokens.py path/to/basalt"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from checks import check, finish, holds
from server import Server

BASALT = os.path.abspath(sys.argv[1])
work = tempfile.mkdtemp(prefix="basalt-tokens-")


class Node(Server):
    def __init__(self):
        super().__init__(BASALT, work, tcp=True, postgres=True)

    def ask(self, sql, data=None, **settings):
        url = self.url + "/?" + urllib.parse.urlencode(
            {**settings, **({"query": sql} if data is not None else {})})
        body = data if data is not None else sql.encode()
        try:
            return urllib.request.urlopen(url, data=body, timeout=120).read().decode().strip()
        except urllib.error.HTTPError as error:
            return "error " + error.headers.get("X-ClickHouse-Exception-Code", "?")

    def client(self, sql, *flags):
        done = subprocess.run([BASALT, "client", "--port", str(self.tcp_port), *flags, "-q", sql],
                              capture_output=True, text=True, timeout=120)
        return done.stdout.strip() or done.stderr.strip()


node = Node()
COLUMNS = "(id UInt64, text String, day Date)"


def table(name, more=""):
    node.ask(f"CREATE TABLE {name} {COLUMNS} ENGINE = MergeTree PARTITION BY day ORDER BY id {more}")


def count(name):
    return node.ask(f"SELECT count() FROM {name}")


def twice(what, name, insert, rows):
    """insert(token) of `rows` rows: the second of two with a token is none, another token counts."""
    before = int(count(name))
    for token, want in (("a", rows), ("a", rows), ("b", 2 * rows)):
        answer = insert(what + token)
        check(f"{what}: token {token}", (answer, int(count(name)) - before), ("", want))


# --- formats and protocols
table("t")
VALUES = "INSERT INTO t VALUES (1, 'one', '2026-08-25'), (2, 'two', '2026-08-26')"
JSON = b'{"id":1,"text":"one","day":"2026-08-25"}\n{"id":2,"text":"two","day":"2026-08-26"}\n'
twice("VALUES", "t", lambda token: node.ask(VALUES, insert_deduplication_token=token), 2)
twice("JSONEachRow", "t",
      lambda token: node.ask("INSERT INTO t FORMAT JSONEachRow", JSON, insert_deduplication_token=token), 2)
twice("SETTINGS in the query", "t",
      lambda token: node.ask(f"INSERT INTO t SETTINGS insert_deduplication_token = '{token}' VALUES (3, '', '2026-08-25')"), 1)
twice("INSERT SELECT", "t",
      lambda token: node.ask("INSERT INTO t SELECT number, '', toDate('2026-08-25') + number % 3 FROM numbers(100)",
                             insert_deduplication_token=token), 100)
for wait in (0, 1):
    def settled(token):
        answer = node.ask("INSERT INTO t FORMAT JSONEachRow", JSON, insert_deduplication_token=token,
                          async_insert=1, wait_for_async_insert=wait)
        node.ask("SYSTEM FLUSH ASYNC INSERT QUEUE")
        return answer
    twice(f"async_insert, wait {wait}", "t", settled, 2)
twice("native", "t",
      lambda token: node.client("INSERT INTO t VALUES (4, 'four', '2026-08-25')", f"--insert_deduplication_token={token}"), 1)
if shutil.which("psql"):
    def psql(statement):
        def run(token):
            done = subprocess.run(
                ["psql", "-qAt", f"postgresql://default@127.0.0.1:{node.postgres_port}/default", "-c",
                 f"SET insert_deduplication_token = '{token}'", "-c", statement], input="5\tfive\t2026-08-25\n",
                capture_output=True, text=True, timeout=60)
            return done.stdout.strip() or done.stderr.strip()
        return run
    twice("the wire of PostgreSQL", "t", psql("INSERT INTO t VALUES (5, 'five', '2026-08-25')"), 1)
    twice("COPY", "t", psql("COPY t FROM STDIN"), 1)
twice("large", "t",
      lambda token: node.ask("INSERT INTO t FORMAT TSV", b"".join(
          b"%d\tlarge\t2026-08-2%d\n" % (i, i % 5) for i in range(400000)), insert_deduplication_token=token), 400000)
check("no token, no deduplication", [node.ask(VALUES), node.ask(VALUES)], ["", ""])
before = int(count("t"))
for _ in range(2):
    node.ask(VALUES, insert_deduplication_token="VALUESa", insert_deduplicate=0)
check("insert_deduplicate = 0 asks for none", int(count("t")) - before, 4)

# --- an insert that failed or brought no rows leaves its token free
before = int(count("t"))
for rows in (0, 2, 2):
    node.ask(f"INSERT INTO t SELECT number, '', '2026-08-25' FROM numbers({rows})", insert_deduplication_token="empty")
    node.ask("INSERT INTO t FORMAT JSONEachRow", JSON if rows else b"", insert_deduplication_token="empty data")
check("inserts without rows leave their tokens free", int(count("t")) - before, 4)
bad = node.ask("INSERT INTO t FORMAT JSONEachRow", JSON + b'{"id":"x"}', insert_deduplication_token="failed")
check("a bad row fails", bad.startswith("error"), True)
before = int(count("t"))
node.ask("INSERT INTO t FORMAT JSONEachRow", JSON, insert_deduplication_token="failed")
check("the next attempt is taken", int(count("t")) - before, 2)

# --- a client that leaves in the middle
before = int(count("t"))
for head in (b"Content-Length: 1000000", b"Transfer-Encoding: chunked"):
    with socket.create_connection(("127.0.0.1", node.port)) as half:
        query = urllib.parse.quote("INSERT INTO t FORMAT JSONEachRow")
        half.sendall(f"POST /?query={query}&insert_deduplication_token=half HTTP/1.1\r\nHost: x\r\n".encode() + head +
                     b"\r\n\r\n" + (b"%x\r\n" % (2 * len(JSON)) if b"chunked" in head else b"") + JSON)
        time.sleep(0.2)
        started = time.monotonic()
        answer = node.ask("INSERT INTO t FORMAT JSONEachRow", JSON, insert_deduplication_token="half" + str(len(head)))
        holds("the next attempt does not wait for it", time.monotonic() - started < 5)
    time.sleep(0.3)
check("half an insert is none", int(count("t")) - before, 4)

# --- views
table("source")
node.ask("CREATE TABLE totals (day Date, n UInt64) ENGINE = MergeTree ORDER BY day")
node.ask("CREATE MATERIALIZED VIEW v TO totals AS SELECT day, count() AS n FROM source GROUP BY day")
node.ask(f"CREATE TABLE pass_on {COLUMNS} ENGINE = Null")
node.ask("CREATE MATERIALIZED VIEW w TO totals AS SELECT day, count() AS n FROM pass_on GROUP BY day")
for name in ("source", "pass_on"):
    for _ in range(2):
        node.ask(f"INSERT INTO {name} FORMAT JSONEachRow", JSON, insert_deduplication_token="view")
check("views are fed once", (count("source"), node.ask("SELECT sum(n) FROM totals")), ("2", "4"))

# --- many attempts at once
table("race")
threads = [threading.Thread(target=lambda: node.ask(
    "INSERT INTO race SELECT number, toString(sleepEachRow(0.02)), toDate('2026-08-25') FROM numbers(10)",
    insert_deduplication_token="race")) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
check("eight at once are one", count("race"), "10")

# --- by content
table("content", "SETTINGS non_replicated_deduplication_window = 2")
first, second, third = (b'{"id":%d,"text":"x","day":"2026-08-25"}' % i for i in range(3))
for data, want in ((first, 1), (first, 1), (second, 2), (first, 2), (third, 3), (first, 4), (first, 4)):
    node.ask("INSERT INTO content FORMAT JSONEachRow", data)
    check("by content, two are remembered", int(count("content")), want)
node.ask("INSERT INTO content FORMAT JSONEachRow", first, insert_deduplicate=0)
check("by content, not when told so", int(count("content")), 5)

# --- partitions that are emptied
table("days")
DAY = b'{"id":1,"day":"2026-08-25"}', b'{"id":1,"day":"2026-08-25"}{"id":1,"day":"2026-08-26"}'
for i in (0, 1):
    node.ask("INSERT INTO days FORMAT JSONEachRow", DAY[i], insert_deduplication_token=f"day{i}")
node.ask("ALTER TABLE days DROP PARTITION '2026-08-25'")
for i in (0, 1):
    node.ask("INSERT INTO days FORMAT JSONEachRow", DAY[i], insert_deduplication_token=f"day{i}")
check("a token whose rows were all dropped is free again", count("days"), "2")
node.ask("ALTER TABLE days DETACH PARTITION '2026-08-26'")
node.ask("INSERT INTO days FORMAT JSONEachRow", DAY[1], insert_deduplication_token="day1")
check("one whose rows were detached is not", count("days"), "1")
node.ask("TRUNCATE TABLE days")
for i in (0, 1):
    node.ask("INSERT INTO days FORMAT JSONEachRow", DAY[i], insert_deduplication_token=f"day{i}")
check("TRUNCATE frees all", count("days"), "3")

# --- restarts
node.ask("OPTIMIZE TABLE t FINAL")
before = count("t")
for how in ("merge", "stop", "kill"):
    if how == "stop":
        check("a clean stop", node.stop(), 0)
        node = Node()
    elif how == "kill":
        node.kill()
        node = Node()
    node.ask(VALUES, insert_deduplication_token="VALUESa")
    node.ask("INSERT INTO t FORMAT JSONEachRow", JSON, insert_deduplication_token="JSONEachRowb")
    node.ask("INSERT INTO days FORMAT JSONEachRow", DAY[0], insert_deduplication_token="day0")
    check(f"known after {how}", (count("t"), count("days")), (before, "3"))
check("the last stop", node.stop(), 0)
shutil.rmtree(work)
sys.exit(finish())
