#!/usr/bin/env python3
"""Real logs in Basalt: bytes of the default encoding against ZSTD(3), gzip and zstd of the whole file, times of
LIKE, and proof that both tables and the raw text answer the same and that every line comes back byte for byte.

usage: bench/real_logs.py URL [FOLDER]     FOLDER of *.log files, default build/corpus (tools/corpus/make.sh)

Every file becomes tables real_<name> and real_<name>_zstd (a line number and the line). The needles are cut from
random lines of the file; their counts are compared with a count over the file itself. Exit 1 on any difference, and
when a rule about sizes is missed: all files together at most 0.6 of zstd -3, each below gzip -6, all but one below
zstd -19. gzip and zstd are run as programs; --quick leaves zstd -19 and LIKE out."""

import glob
import os
import random
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request

quick = "--quick" in sys.argv
arguments = [argument for argument in sys.argv[1:] if argument != "--quick"]
url = arguments[0]
folder = arguments[1] if len(arguments) > 1 else "build/corpus"
MOST_OF_ZSTD_3 = 0.6


def size_by(*program):
    with subprocess.Popen(program, stdout=subprocess.PIPE) as running:
        return sum(len(piece) for piece in iter(lambda: running.stdout.read(1 << 20), b""))


def differs(table, raw):
    """Whether what comes back is not the file, byte for byte."""
    query = urllib.parse.urlencode({"query": f"SELECT line FROM {table} ORDER BY n FORMAT LineAsString"})
    at = 0
    with urllib.request.urlopen(url + "/?" + query) as reply:
        while piece := reply.read(1 << 20):
            if raw[at:at + len(piece)] != piece and raw[at:] + b"\n" != piece:
                return True
            at += len(piece)
    return at < len(raw)


def ask(sql, body=None):
    address = url + "/?" + urllib.parse.urlencode({"query": sql}) if body is not None else url + "/"
    data = body if body is not None else sql.encode()
    with urllib.request.urlopen(urllib.request.Request(address, data=data)) as reply:
        return reply.read().decode().strip()


def timed(sql):
    started = time.perf_counter()
    answer = ask(sql)
    return answer, (time.perf_counter() - started) * 1e3


def load(table, codec, raw):
    ask(f"DROP TABLE IF EXISTS {table}")
    ask(f"CREATE TABLE {table} (n UInt64 DEFAULT rowNumberInAllBlocks(), line String{codec}) ENGINE = MergeTree ORDER BY n")
    started = time.perf_counter()
    ask(f"INSERT INTO {table} (line) FORMAT LineAsString", raw)
    seconds = time.perf_counter() - started
    ask(f"OPTIMIZE TABLE {table} FINAL")
    size = int(ask("SELECT sum(column_data_compressed_bytes) FROM system.parts_columns WHERE active AND "
                   f"table = '{table}' AND column = 'line'"))
    return size, seconds


def needles(lines, seed):
    """Pieces of random lines without quotes, backslashes and LIKE's own signs."""
    pick, found = random.Random(seed), []
    while len(found) < 20:
        line = pick.choice(lines)
        length = pick.choice([4, 8, 12, 20, 40])
        start = pick.randrange(max(1, len(line) - length))
        piece = line[start:start + length]
        if len(piece) > 2 and piece.isascii() and not set(piece) & set("'\\%_{"):
            found.append(piece)
    return found


problems, rows, likes = 0, [], []
for path in sorted(glob.glob(os.path.join(folder, "*.log"))):
    name = "real_" + os.path.splitext(os.path.basename(path))[0]
    raw = open(path, "rb").read()
    lines = raw.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    size, seconds = load(name, "", raw)
    size_zstd, seconds_zstd = load(name + "_zstd", " CODEC(ZSTD(3))", raw)
    proof = "SELECT count(), sum(length(line)), sum(cityHash64(line)) FROM "
    if ask(proof + name) != ask(proof + name + "_zstd"):
        problems += 1
        print(f"{name}: the two tables differ")
    if differs(name, raw):
        problems += 1
        print(f"{name}: what comes back is not the file")
    times, times_zstd = [], []
    for needle in [] if quick else needles(lines, name):
        where = f" WHERE line LIKE '%{needle}%'"
        mine, took = timed(f"SELECT count() FROM {name}{where}")
        other, took_zstd = timed(f"SELECT count() FROM {name}_zstd{where}")
        times.append(took)
        times_zstd.append(took_zstd)
        expected = sum(needle in line for line in lines)
        if not int(mine) == int(other) == expected:
            problems += 1
            print(f"{name}: LIKE '%{needle}%' gives {mine} and {other}, the file has {expected}")
    gzip, zstd3 = size_by("gzip", "-6", "-c", path), size_by("zstd", "-3", "-q", "-c", path)
    zstd19 = 0 if quick else size_by("zstd", "-19", "-q", "-c", path)
    rows.append((name[5:], len(lines), len(raw), size, size_zstd, gzip, zstd3, zstd19))
    likes.append((name[5:], seconds, seconds_zstd, statistics.median(times or [0]), statistics.median(times_zstd or [0])))
    ask(f"DROP TABLE {name}")
    ask(f"DROP TABLE {name}_zstd")

total = tuple(sum(row[i] for row in rows) for i in range(1, 8))
print("| log | lines | raw bytes | Basalt | ZSTD(3) column | gzip -6 | zstd -3 | zstd -19 | of zstd -3 |")
print("|---|---|---|---|---|---|---|---|---|")
for name, *numbers in rows + [("all", *total)]:
    print(f"| {name} | " + " | ".join(f"{number:,}" for number in numbers) + f" | {numbers[2] / numbers[5]:.3f} |")
print("\n| log | load s | ZSTD(3) load s | LIKE ms | ZSTD(3) LIKE ms |\n|---|---|---|---|---|")
for name, *numbers in likes:
    print(f"| {name} | " + " | ".join(f"{number:.2f}" for number in numbers) + " |")
rules = [(f"all together at most {MOST_OF_ZSTD_3} of zstd -3", total[2] <= MOST_OF_ZSTD_3 * total[5]),
         ("every file below gzip -6", all(row[3] < row[5] for row in rows))]
if not quick:
    rules.append(("all but one below zstd -19", sum(row[3] >= row[7] for row in rows) <= 1))
for rule, holds in rules:
    problems += not holds
    print(f"{'holds ' if holds else 'MISSED'}: {rule}")
sys.exit(1 if problems else 0)
