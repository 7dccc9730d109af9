#!/usr/bin/env python3
"""A short slice of bench/many_connections.py: connections of three protocols held open, some busy, some slow readers.

usage: many_connections.py path/to/basalt"""

import pathlib
import subprocess
import sys

from checks import finish, holds

bench = pathlib.Path(__file__).resolve().parent.parent.parent / "bench" / "many_connections.py"
done = subprocess.run([sys.executable, str(bench), sys.argv[1], "--connections", "200", "--busy", "40", "--slow", "4", "--seconds", "6",
                       "--max-growth-mib", "1e9"], capture_output=True, text=True, timeout=600)
holds("200 connections", done.returncode == 0, done.stdout + done.stderr)
sys.exit(finish())
