#!/usr/bin/env python3
"""Runs tests/sql/*.test against a server with ClickHouse's HTTP interface.

A test file is a list of blocks divided by empty lines:

    statement                 nothing is compared, it must succeed
    CREATE TABLE t (x UInt8) ENGINE = Memory

    query [sort]              the answer in TSV must equal the lines after ----
    SELECT 1, 'a'             (sort: lines are compared in sorted order, as they also are when a
                              table is read without ORDER BY: its rows come from several threads)
    ----
    1	a

    error 47                  it must fail with this code
    SELECT nothing

Lines that begin with # are comments. Every file gets a database and a session of its own.
--record URL fills the expected answers in from that server (real ClickHouse); answers are never
written from the server under test.

usage: run_sql.py URL [--settings a=1,b=2] [--match REGEX] [--part I/N] [--record]"""

import argparse
import http.client
import pathlib
import re
import sys
import urllib.parse
import zlib

ROOT = pathlib.Path(__file__).resolve().parent / "sql"


class Server:
    def __init__(self, url, settings):
        self.where = urllib.parse.urlsplit(url)
        self.settings = settings
        self.connection = None

    def ask(self, sql, database, session):
        parameters = dict(self.settings)
        parameters.update(database=database, session_id=session, default_format="TSV")
        for attempt in (1, 2):
            try:
                if not self.connection:
                    self.connection = http.client.HTTPConnection(
                        self.where.hostname, self.where.port, timeout=120)
                self.connection.request(
                    "POST", "/?" + urllib.parse.urlencode(parameters), sql.encode())
                reply = self.connection.getresponse()
                body = reply.read().decode(errors="replace")
                break
            except (http.client.HTTPException, OSError):
                self.connection = None
                if attempt == 2:
                    raise
        code = reply.headers.get("X-ClickHouse-Exception-Code")
        if code is None and reply.status != 200:
            found = re.match(r"Code: (\d+)", body)
            code = found.group(1) if found else "-1"
        return (int(code) if code else 0), body


def parse(text):
    """Blocks as (first line number, head words, sql, expected or None)."""
    blocks, lines, start = [], [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        if line.startswith("#"):
            continue
        if line:
            if not lines:
                start = number
            lines.append(line)
        elif lines:
            head = lines[0].split()
            body = lines[1:]
            expected = None
            if "----" in body:
                cut = body.index("----")
                body, expected = body[:cut], body[cut + 1:]
            blocks.append((start, head, "\n".join(body), expected))
            lines = []
    return blocks


def any_order(sql):
    """Reads a table (numbers(…) and subqueries keep their order) and asks for no order."""
    return (re.search(r"\bFROM\s+[\w.`]+(?![\w.`(])", sql, re.I) and
            not re.search(r"\bORDER\s+BY\b", sql, re.I))


def run_block(server, block, database, session):
    """None when fine, else what went wrong."""
    _, head, sql, expected = block
    code, body = server.ask(sql, database, session)
    if head[0] == "error":
        want = int(head[1])
        return None if code == want else f"expected error {want}, got {code}: {body[:300]}"
    if code:
        return f"failed: {body[:500]}"
    if head[0] == "statement":
        return None
    if head[0] != "query":
        return f"unknown block '{head[0]}'"
    if expected is None:
        return "a query block without ---- compares nothing"
    got = [line if line else "<empty>" for line in body.split("\n")[:-1]]
    if "sort" in head or any_order(sql):
        got, expected = sorted(got), sorted(expected)
    if got == expected:
        return None
    return "expected\n    " + "\n    ".join(expected) + "\n  got\n    " + "\n    ".join(got)


def record(path, server, database, session):
    out = []
    for _, head, sql, _ in parse(path.read_text()):
        code, body = server.ask(sql, database, session)
        if head[0] == "error" or (head[0] == "query" and code):
            if not code:
                raise SystemExit(f"{path.name}: no error from the oracle: {sql}")
            out.append(f"error {code}\n{sql}\n")
        elif head[0] == "statement":
            if code:
                raise SystemExit(f"{path.name}: {body[:300]}")
            out.append(f"statement\n{sql}\n")
        else:
            lines = [line if line else "<empty>" for line in body.split("\n")[:-1]]
            if "sort" in head:
                lines.sort()
            out.append("\n".join([" ".join(head), sql, "----", *lines, ""]))
    comments = [l for l in path.read_text().split("\n") if l.startswith("#")]
    path.write_text("\n".join(comments + ([""] if comments else []) + out))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("url")
    options.add_argument("--settings", default="")
    options.add_argument("--match", default=".")
    options.add_argument("--part", default="1/1")
    options.add_argument("--record", action="store_true")
    options = options.parse_args()
    settings = dict(pair.split("=", 1) for pair in options.settings.split(",") if pair)
    server = Server(options.url, settings)
    part, parts = map(int, options.part.split("/"))
    passed = failed = 0
    for path in sorted(ROOT.glob("**/*.test")):
        name = str(path.relative_to(ROOT))
        if not re.search(options.match, name):
            continue
        if zlib.crc32(name.encode()) % parts != part - 1:
            continue
        database = "test_" + re.sub(r"\W", "_", name)
        session = f"{database}_session"
        for sql in (f"DROP DATABASE IF EXISTS {database}", f"CREATE DATABASE {database}"):
            code, body = server.ask(sql, "default", "main")
            if code:
                raise SystemExit(f"{sql}: {body}")
        if options.record:
            record(path, server, database, session)
        else:
            for block in parse(path.read_text()):
                problem = run_block(server, block, database, session)
                if problem is None:
                    passed += 1
                else:
                    failed += 1
                    print(f"FAILED tests/sql/{name}:{block[0]}: {block[2][:200]}\n  {problem}")
        server.ask(f"DROP DATABASE IF EXISTS {database}", "default", "main")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or (passed == 0 and not options.record) else 0


if __name__ == "__main__":
    sys.exit(main())
