#!/usr/bin/env python3
"""Many connections held open over HTTP, the native protocol and PostgreSQL's, some of which ask without a pause, while
slow readers take a large result a little at a time. Answers are checked; says how long they took and how much memory the
server held, and fails on an error, a wrong answer, or memory that grows.

usage: many_connections.py path/to/basalt [--connections 1000] [--busy 200] [--slow 10] [--seconds 300]
       [--max-rss-mib 2048] [--max-growth-mib 200]"""

import argparse
import asyncio
import pathlib
import random
import struct
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "e2e"))
from server import Server  # noqa: E402

ROWS = 1_000_000
MAKE = f"""CREATE TABLE logs (ts DateTime, pod LowCardinality(String), level LowCardinality(String), ms UInt32, message String)
ENGINE = MergeTree ORDER BY ts AS SELECT toDateTime('2026-01-01 00:00:00', 'UTC') + intDiv(number, 100), concat('pod-', toString(number % 50)),
['info', 'warn', 'error'][1 + number % 3], number % 1000, concat('request ', toString(number), ' took ', toString(number % 1000), ' ms')
FROM numbers({ROWS})"""
# Questions with answers that follow from how the rows are made.
QUESTIONS = [
    ("SELECT 1", "1"),
    ("SELECT count() FROM logs WHERE pod = 'pod-7'", str(ROWS // 50)),
    ("SELECT max(ms) FROM logs WHERE ts >= toDateTime('2026-01-01 01:00:00', 'UTC')", "999"),
    ("SELECT countIf(level = 'warn') FROM logs", str((ROWS + 1) // 3)),
    ("SELECT count() FROM logs WHERE message LIKE '%took 42 ms'", str(ROWS // 1000)),
    ("SELECT uniqExact(pod) FROM logs", "50"),
]
MANY_BYTES = "SELECT number, repeat('x', 200) FROM numbers(1000000)"


class Http:
    async def open(self, server):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", server.port)
        return self

    def send(self, sql):
        body = sql.encode()
        self.writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    async def ask(self, sql):
        self.send(sql)
        head = await self.reader.readuntil(b"\r\n\r\n")
        body = b""
        if b"chunked" in head.lower():
            while size := int(await self.reader.readline(), 16):
                body += await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
        else:
            length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")][0]
            body = await self.reader.readexactly(int(length.split(b":")[1]))
        return body.decode().strip()


class Postgres:
    async def open(self, server):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", server.postgres_port)
        body = b"\x00\x03\x00\x00user\x00default\x00\x00"
        self.writer.write(struct.pack(">i", len(body) + 4) + body)
        await self.answer()
        return self

    async def answer(self):
        value = ""
        while True:
            letter, size = struct.unpack(">ci", await self.reader.readexactly(5))
            body = await self.reader.readexactly(size - 4)
            if letter == b"E":
                raise RuntimeError(body.replace(b"\x00", b" ").decode())
            if letter == b"D":
                value = body[6:].decode()
            if letter == b"Z":
                return value

    async def ask(self, sql):
        body = sql.encode() + b"\x00"
        self.writer.write(b"Q" + struct.pack(">i", len(body) + 4) + body)
        return await self.answer()


class Native:
    async def open(self, server):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", server.tcp_port)

        def text(value):
            return bytes([len(value)]) + value.encode()

        # Hello of revision 54405: no addendum follows.
        self.writer.write(b"\x00" + text("many") + b"\x01\x00" + b"\x85\xa9\x03" + text("default") + text("default") + text(""))
        await self.reader.readexactly(1)
        await asyncio.sleep(0)
        return self

    async def ask(self, sql):
        """Only whether the connection lives."""
        self.writer.write(b"\x04")
        while (await self.reader.readexactly(1)) != b"\x04":
            pass
        return None


async def main(options):
    folder = tempfile.mkdtemp(prefix="basalt-connections-")
    server = Server(options.basalt, folder, "--max-connections", str(options.connections + 100), tcp=True, postgres=True)
    error = server.ask(MAKE)
    if error:
        raise SystemExit(error)

    def rss_mib():
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    kinds = [Http, Http, Http, Native, Postgres]
    connections = []
    for at in range(options.connections):
        connections.append(await kinds[at % len(kinds)]().open(server))
    end = time.monotonic() + options.seconds
    failures, waits, asked_idle, slow_bytes, samples = [], [], 0, 0, []

    async def ask(connection, question):
        sql, want = question
        begin = time.monotonic()
        try:
            got = await asyncio.wait_for(connection.ask(sql), 120)
        except Exception as problem:  # noqa: BLE001: whatever happens to a client is what is looked for
            failures.append(f"{type(connection).__name__}: {sql}: {type(problem).__name__} {problem}")
            return False
        if got is not None and got != want:
            failures.append(f"{sql}: {got!r} instead of {want!r}")
        waits.append(time.monotonic() - begin)
        return True

    async def busy(connection, dice):
        while time.monotonic() < end and await ask(connection, dice.choice(QUESTIONS)):
            pass

    async def idle(connection, dice):
        """Asks now and then, so that it is seen to live: over HTTP within the time that the server keeps it."""
        nonlocal asked_idle
        pause = 20 if isinstance(connection, Http) else options.seconds
        await asyncio.sleep(dice.random() * min(pause, options.seconds))
        while await ask(connection, QUESTIONS[0]):
            if time.monotonic() + pause > end:
                asked_idle += 1
                return
            await asyncio.sleep(pause)

    async def slow():
        nonlocal slow_bytes
        connection = await Http().open(server)
        connection.send(MANY_BYTES)
        while time.monotonic() < end:
            slow_bytes += len(await connection.reader.read(4096))
            await asyncio.sleep(0.2)
        connection.writer.close()

    async def watch():
        while time.monotonic() < end:
            samples.append(rss_mib())
            await asyncio.sleep(0.5)

    able = [connection for connection in connections if not isinstance(connection, Native)]
    working = able[:options.busy]
    rest = [connection for connection in connections if connection not in working]
    await asyncio.gather(watch(), *(slow() for _ in range(options.slow)),
                         *(busy(connection, random.Random(at)) for at, connection in enumerate(working)),
                         *(idle(connection, random.Random(-at)) for at, connection in enumerate(rest)))
    for connection in connections:
        connection.writer.close()
    if server.stop():
        failures.append("the server did not end well")
    waits.sort()
    tenth = max(1, len(samples) // 10)
    by_tenths = [round(max(samples[at:at + tenth])) for at in range(0, len(samples), tenth)]
    growth = by_tenths[-1] - by_tenths[len(by_tenths) // 2]
    print(f"{options.connections} connections, {len(working)} of them busy, {options.slow} slow readers, {options.seconds} s: {len(waits)} answers "
          f"({len(waits) / options.seconds:.0f}/s), p50 {1000 * waits[len(waits) // 2]:.0f} ms, p99 {1000 * waits[len(waits) * 99 // 100]:.0f} ms, "
          f"{asked_idle} of {len(rest)} idle ones asked, slow readers took {slow_bytes >> 10} KiB")
    print(f"memory by tenths of the time, MiB: {by_tenths}")
    if max(samples) > options.max_rss_mib:
        failures.append(f"memory of {max(samples):.0f} MiB")
    if growth > options.max_growth_mib:
        failures.append(f"memory grew by {growth} MiB in the second half")
    if asked_idle != len(rest) and not failures:
        failures.append("not every idle connection asked")
    for failure in failures[:20]:
        print("FAILED", failure)
    print(f"{1 if not failures else 0} passed, {len(failures)} failed")
    return 1 if failures else 0


parser = argparse.ArgumentParser()
parser.add_argument("basalt")
parser.add_argument("--connections", type=int, default=1000)
parser.add_argument("--busy", type=int, default=200)
parser.add_argument("--slow", type=int, default=10)
parser.add_argument("--seconds", type=int, default=300)
parser.add_argument("--max-rss-mib", type=float, default=2048)
parser.add_argument("--max-growth-mib", type=float, default=200)
sys.exit(asyncio.run(main(parser.parse_args())))
