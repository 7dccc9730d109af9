#!/usr/bin/env python3
"""The architecture is tools/rooms.txt: every #include of a file in src/ and programs/ must name the
file's own room or a room on its line. Also: each line's rooms stand above it, and no file of ours
is longer than is readable. Prints one line per breach; exit status 1 when there is any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_LINES = 900
GENERATED_TABLES = {"src/base/error_names.cpp", "src/base/settings_table.cpp", "src/base/error_codes.h"}


def read_rooms():
    rooms = {}
    for line in (ROOT / "tools/rooms.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        room, _, allowed = line.partition(":")
        allowed = allowed.split()
        for other in allowed:
            if other not in rooms:
                print(f"tools/rooms.txt: {room} names {other}, which does not stand above it")
                sys.exit(1)
        rooms[room] = set(allowed) | {room}
    return rooms


def main():
    rooms = read_rooms()
    breaches = []
    files = 0
    include = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
    for path in sorted([*ROOT.glob("src/**/*"), *ROOT.glob("programs/**/*")]):
        if path.suffix not in (".h", ".cpp", ".inc"):
            continue
        files += 1
        name = str(path.relative_to(ROOT))
        room = name.split("/")[1] if name.startswith("src/") else "programs"
        if room not in rooms:
            breaches.append(f"{name}: there is no room {room} in tools/rooms.txt")
            continue
        lines = path.read_text().splitlines()
        if len(lines) > MAX_LINES and name not in GENERATED_TABLES:
            breaches.append(f"{name}: {len(lines)} lines, more than {MAX_LINES}")
        for number, line in enumerate(lines, 1):
            found = include.match(line)
            if not found:
                continue
            target = found.group(1).split("/")[0]
            if target not in rooms[room]:
                breaches.append(f"{name}:{number}: {room} may not include {found.group(1)}")
    for breach in breaches:
        print(breach)
    if files < 50:
        print(f"only {files} files were looked at: is this the right folder?")
        return 1
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
