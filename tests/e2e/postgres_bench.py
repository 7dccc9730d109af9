#!/usr/bin/env python3
"""basalt pg bench on tiny data: every figure is there, the report's files are written, and the machine is as
it was before.

usage: postgres_bench.py path/to/basalt"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

from checks import holds, finish

BASALT = os.path.abspath(sys.argv[1])


work = tempfile.mkdtemp(prefix="basalt-pg-bench-")
os.chmod(work, 0o755)
place, report = os.path.join(work, "place"), os.path.join(work, "report")


def bench(*arguments, path=place, memory="192MB"):
    return subprocess.run([BASALT, "pg", "bench", "--path", path, "--memory", memory, "--scale", "3", "--fit-scale",
                           "1", "--clients", "4", "--time", "1", "--fit-time", "1", "--warm-time", "1", *arguments],
                          capture_output=True, text=True, timeout=300)


try:
    done = bench("--arms", "tuned,capped", "--iops", "300", "--runs", "1", "--report", report)
    holds("exit code", done.returncode == 0, done.stderr[-800:])
    refused = "left out: arm 'capped'" in done.stdout
    arms = ["tuned"] if refused else ["tuned", "capped"]
    for test in ("read-write", "read-only", "in-memory"):
        for arm in arms:
            holds(f"{test} {arm}", f"{test:<11} {arm:<8}" in done.stdout, done.stdout)
    with open(os.path.join(report, "samples.jsonl")) as file:
        samples = [json.loads(line) for line in file]
    holds("samples", len(samples) == 3 * len(arms), len(samples))
    holds("all of them are figures", all(s["tps"] > 0 and s["p99_ms"] >= s["p50_ms"] > 0 and s["failed"] == 0
                                         for s in samples), samples)
    with open(os.path.join(report, "report.html")) as file:
        html = file.read()
    holds("plots", html.count("<svg") == 3, html.count("<svg"))
    with open(os.path.join(report, "commands.txt")) as file:
        commands = file.read()
    holds("commands", "pgbench -i -q -s 3 bench" in commands and "-M prepared" in commands, commands)
    with open(os.path.join(report, "settings-tuned.conf")) as file:
        settings = file.read()
    holds("settings", "shared_buffers = '48MB'" in settings and "fsync = 'on'" in settings, settings)
    holds("its folder is gone", not os.path.exists(place))
    with open("/proc/mounts") as file:
        holds("nothing stays mounted", work not in file.read())
    if not refused:
        with open("/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device") as file:
            holds("no limit stays", " 300" not in file.read())
    for done, code, words in ((bench("--arms", "tuned", memory="64MB"), 36, "at least"),
                              (bench("--arms", "fast"), 36, "no arm 'fast'"),
                              (bench("--arms", "tuned", "--tests", "none"), 36, "no test 'none'"),
                              (bench("--arms", "tuned", path=report), 84, "exists")):
        holds(f"refused: {words}", done.returncode == code and words in done.stderr, done.stderr)
    holds("a report is not removed", os.path.exists(os.path.join(report, "report.html")))
finally:
    shutil.rmtree(work, ignore_errors=True)
sys.exit(finish())
