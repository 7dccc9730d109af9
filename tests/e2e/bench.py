#!/usr/bin/env python3
"""basalt bench k8s-logs on a small table: every figure is there, the report's files are written.

usage: bench.py path/to/basalt"""

import json
import os
import subprocess
import sys
import tempfile

from checks import holds, finish

BASALT = os.path.abspath(sys.argv[1])


work = tempfile.mkdtemp(prefix="basalt-bench-")
report = os.path.join(work, "report")
done = subprocess.run([BASALT, "bench", "k8s-logs", "--rows", "100000", "--path", os.path.join(work, "data"),
                       "--report", report], capture_output=True, text=True, timeout=300)
holds("exit code", done.returncode == 0, done.stderr[-500:])
for word in ("Q1", "Q2", "Q3", "Q4", "Q5 bloom", "codec LZ4", "codec ZSTD(3)", "trace_id", "Cost at"):
    holds(f"{word} is printed", word in done.stdout, done.stdout[-500:])
samples = [json.loads(line) for line in open(os.path.join(report, "samples.jsonl"))]
holds("samples", sum("seconds" in s for s in samples) >= 40, str(len(samples)))
holds("every sample took some time", all(s.get("seconds", 1) > 0 for s in samples))
html = open(os.path.join(report, "report.html")).read()
holds("plots", html.count("<svg") == 3, str(html.count("<svg")))
holds("bytes of columns are measured", "trace_id" in html and html.count("bytes a row") == 3)
holds("statements", "quantiles(0.5, 0.99)" in open(os.path.join(report, "queries.sql")).read())
sys.exit(finish())
