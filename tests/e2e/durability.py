#!/usr/bin/env python3
"""Acknowledged rows survive kill -9: 200 small inserts are acknowledged beside a running load, then
the server is killed. After the restart the 200 are there, the unfinished load shows no row, no half
part is visible and its leftovers are gone. Several rounds on the same data folder.

usage: durability.py path/to/basalt"""

import pathlib
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from checks import holds, finish
from server import Server

BASALT = sys.argv[1]
ROUNDS = 3


class Node(Server):
    def ask(self, sql, timeout=120):
        request = urllib.request.Request(self.url + "/", data=sql.encode())
        return urllib.request.urlopen(request, timeout=timeout).read().decode()


def leftovers(path):
    return [str(p) for p in pathlib.Path(path, "data").rglob("tmp_*")]


def load(server, table):
    try:
        server.ask(f"INSERT INTO {table} SELECT number, toString(number), toDate('2026-08-25') + "
                   f"number % 3 FROM numbers(2000000000)", timeout=600)
    except (urllib.error.URLError, OSError):
        pass


def main():
    path = tempfile.mkdtemp(prefix="basalt-durability-")
    server = Node(BASALT, path)
    columns = "(id UInt64, text String, day Date) ENGINE = MergeTree PARTITION BY day ORDER BY id"
    server.ask(f"CREATE TABLE small {columns}")
    server.ask(f"CREATE TABLE large {columns}")
    acknowledged = 0
    for turn in range(ROUNDS):
        loader = threading.Thread(target=load, args=(server, "large"), daemon=True)
        loader.start()
        time.sleep(0.3)
        for i in range(200):
            value = turn * 200 + i
            if i % 2:
                server.ask(f"INSERT INTO small VALUES ({value}, 'row {value}', '2026-08-25')")
            else:
                server.ask("INSERT INTO small FORMAT JSONEachRow "
                           f'{{"id":{value},"text":"row {value}","day":"2026-08-26"}}')
            acknowledged += 1
        time.sleep(0.2 * turn)
        holds("the load still runs when the server is killed", loader.is_alive())
        server.kill()
        loader.join(30)

        server = Node(BASALT, path)
        answer = server.ask("SELECT count(), uniqExact(id), sum(id), countIf(text = concat('row ', "
                            "toString(id))) FROM small").split()
        want = [acknowledged, acknowledged, sum(range(acknowledged)), acknowledged]
        holds("acknowledged rows are there", [int(x) for x in answer] == want,
              f"{answer}, expected {want}")
        holds("the unfinished load shows no row",
              server.ask("SELECT count() FROM large").strip() == "0")
        holds("no part of the unfinished load is visible",
              server.ask("SELECT count() FROM system.parts WHERE table = 'large' AND active")
              .strip() == "0")
        for _ in range(100):
            if not leftovers(path):
                break
            time.sleep(0.1)
        holds("leftovers are gone", not leftovers(path), str(leftovers(path)[:5]))
    holds("a clean stop ends with status 0", server.stop() == 0)
    server = Node(BASALT, path)
    holds("rows are there after a clean stop",
          server.ask("SELECT count() FROM small").strip() == str(acknowledged))
    server.stop()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
