#!/usr/bin/env python3
"""A short slice of bench/many_clients.py: clients insert small batches in peace, then while the server
is killed every few seconds. Each acknowledged row is there exactly once and parts stay few.

usage: many_clients.py path/to/basalt"""

import pathlib
import subprocess
import sys

from checks import finish, holds

bench = pathlib.Path(__file__).resolve().parent.parent.parent / "bench" / "many_clients.py"
for run, seconds in (("peace", 8), ("kills", 14)):
    done = subprocess.run(
        [sys.executable, str(bench), sys.argv[1], "--only", run, "--clients", "60", "--rows", "128", "--seconds",
         str(seconds), "--kill-every", "4", "--max-p99-ms", "1e9"], capture_output=True, text=True, timeout=600)
    holds(f"60 clients, {run}", done.returncode == 0, done.stdout + done.stderr)
sys.exit(finish())
