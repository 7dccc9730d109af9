#!/usr/bin/env python3
"""basalt benchmark: queries from a flag and from standard input, counts, limits, comparison of two servers,
errors, JSON; links named after ClickHouse's programs.

usage: benchmark.py path/to/basalt"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from checks import check, finish, holds
from server import Server, free_port

BASALT = os.path.abspath(sys.argv[1])
LEVELS = ["0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "95", "99", "99.9", "99.99"]
work = tempfile.mkdtemp(prefix="basalt-benchmark-")
server = Server(BASALT, work, tcp=True)
port = str(server.tcp_port)


def run(*arguments, data=None, ports=(port,)):
    ports = [flag for one in ports for flag in ("--port", one)]
    done = subprocess.run([BASALT, "benchmark", *ports, *arguments], input=data, capture_output=True, text=True,
                          timeout=120)
    return done.stdout, done.stderr, done.returncode


def executed(query):
    server.ask("SYSTEM FLUSH LOGS")
    return int(server.ask("SELECT count() FROM system.query_log WHERE type = 'QueryFinish' AND query = "
                          f"'{query}'"))


out, err, code = run("-i", "20", "-c", "3", "-d", "0", "-q", "SELECT sum(number) FROM numbers(1000)")
check("iterations: exit code and standard output", (out, code), ("", 0))
check("iterations: each is run", executed("SELECT sum(number) FROM numbers(1000)"), 20)
holds("what was loaded", "Loaded 1 queries.\n" in err, err)
holds("what was run", "Queries executed: 20.\n" in err, err)
line = re.search(rf"^127.0.0.1:{port}, queries: 20, QPS: (\S+), RPS: (\S+), MiB/s: (\S+), result RPS: (\S+), "
                 r"result MiB/s: (\S+)\.$", err, re.M)
holds("the line of figures", line, err)
if line:
    qps, rps, mib, result_rps, _ = map(float, line.groups())
    holds("rows per second are 1000 times the queries", abs(rps / qps - 1000) < 1, line.groups())
    holds("result rows per second are the queries", abs(result_rps / qps - 1) < 0.01, line.groups())
    holds("bytes are 8 a row", abs(mib * 1048576 / rps - 8) < 0.5, line.groups())
check("percentiles", re.findall(r"^(\S+)%\t\t\d+\.\d{3} sec\.\t$", err, re.M), LEVELS)

out, err, code = run("-i", "9", "-d", "0", data="SELECT 11\nSELECT 12;\n\nSELECT 13\n")
check("standard input: one query a line", [executed(f"SELECT 1{i}{';' if i == 2 else ''}") for i in (1, 2, 3)], [3, 3, 3])
holds("three are loaded", "Loaded 3 queries." in err, err)
out, err, code = run("-i", "60", "-r", "-d", "0", data="SELECT 21\nSELECT 22\n")
counts = [executed("SELECT 21"), executed("SELECT 22")]
holds("--randomize runs both", sum(counts) == 60 and min(counts) > 0, counts)
check("no queries", run("-i", "1", data="\n")[2], 36)

path = os.path.join(work, "report.json")
out, err, code = run("-i", "5", "-d", "0", "--json", path, "-q", "SELECT 31")
report = json.load(open(path))[f"127.0.0.1:{port}"]
check("--json: percentiles", list(report["query_time_percentiles"]), LEVELS)
check("--json: statistics", sorted(report["statistics"]),
      ["MiBPS", "MiBPS_result", "QPS", "RPS", "RPS_result", "num_errors", "num_queries"])
check("--json: queries", report["statistics"]["num_queries"], 5)

out, err, code = run("-i", "5", "-d", "0", "-q", "SELECT nothing")
check("an error ends it", code, 47)
holds("and is shown", "Code: 47. DB::Exception" in err and "SELECT nothing" in err, err)
out, err, code = run("-i", "4", "-d", "0", "--continue_on_errors", data="SELECT nothing\nSELECT 41\n")
holds("--continue_on_errors", code == 0 and "queries: 2, errors: 2, QPS" in err, err)
out, err, code = run("-i", "9", "-d", "0", "--max-consecutive-errors", "3", "-q", "SELECT nothing")
holds("--max-consecutive-errors", code == 47 and "errors: 3" in err, err)

out, err, code = run("-t", "0.3", "-d", "0.1", "-q", "SELECT 51")
holds("--timelimit and --delay", code == 0 and err.count("Queries executed") > 1, err)
out, err, code = run("-i", "1", "-d", "0", "--max_threads", "3", "-q", "SELECT throwIf(getSetting('max_threads') != 3)")
check("a setting", code, 0)
server.ask("CREATE DATABASE other")
server.ask("CREATE TABLE other.t (x UInt8) ENGINE = Memory")
check("--database", run("-i", "1", "-d", "0", "--database", "other", "-q", "SELECT * FROM t")[2], 0)
holds("--reconnect", run("-i", "3", "-d", "0", "--reconnect", "1", "-q", "SELECT 61")[2] == 0)
holds("--precise", re.search(r"^50%\t\t\d+\.\d{6} sec\.\t$",
                             run("-i", "3", "-d", "0", "--precise", "-q", "SELECT 62")[1], re.M))
check("a server that is not there", run("-i", "1", "-q", "SELECT 1", ports=(str(free_port()),))[2], 210)

folder = os.path.join(work, "second")
os.mkdir(folder)
second = Server(BASALT, folder, tcp=True)
both = (port, str(second.tcp_port))
# Each server is told its own thing by a table of the same name: one answers at once, the other is slow.
server.ask("CREATE VIEW speed AS SELECT 1")
second.ask("CREATE VIEW speed AS SELECT sleep(0.02)")
out, err, code = run("-i", "60", "-d", "0", "-q", "SELECT * FROM speed", ports=both)
check("two servers: percentiles of both", len(re.findall(r"^\S+%\t\t\S+ sec\.\t\S+ sec\.\t$", err, re.M)), len(LEVELS))
holds("the slower one is named", f"With 99.5% confidence 127.0.0.1:{both[1]} is slower" in err, err)
queries = re.findall(r", queries: (\d+), QPS", err)
check("two servers share the queries", sum(map(int, queries)), 60)
out, err, code = run("-i", "10", "-d", "0", "--roundrobin", "-q", "SELECT 71", ports=both)
check("--roundrobin: one line", re.findall(r"^(.*), queries: 10, QPS", err, re.M),
      [f"127.0.0.1:{both[0]}, 127.0.0.1:{both[1]}"])
check("--roundrobin: in turn", executed("SELECT 71"), 5)
second.stop()

process = subprocess.Popen([BASALT, "benchmark", "--port", port, "-d", "0", "-q", "SELECT sleep(0.01)"],
                           stderr=subprocess.PIPE, text=True)
while executed("SELECT sleep(0.01)") < 3:
    time.sleep(0.05)
process.send_signal(signal.SIGINT)
err = process.communicate(timeout=60)[1]
holds("Ctrl-C ends it with a report", process.returncode == 0 and "99.99%" in err, (process.returncode, err))
check("a clean stop", server.stop(), 0)
sys.exit(finish())
