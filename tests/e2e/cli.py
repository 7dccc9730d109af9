#!/usr/bin/env python3
"""basalt local and basalt client from the command line: queries, scripts, formats, parameters, data on
standard input, exit codes, names of links.

usage: cli.py path/to/basalt"""

import os
import subprocess
import sys
import tempfile

from checks import check, finish
from server import Server, free_port

BASALT = os.path.abspath(sys.argv[1])


def run(*arguments, data=None, program=BASALT):
    done = subprocess.run([program, *arguments], input=data, capture_output=True, text=True, timeout=120)
    return done.stdout, done.stderr, done.returncode


work = tempfile.mkdtemp(prefix="basalt-cli-")
out, err, code = run("local", "-q", "SELECT 1")
check("local", (out, code), ("1\n", 0))
check("local twice", run("local", "-q", "SELECT 1; SELECT 2")[0], "1\n2\n")
check("two -q", run("local", "-q", "SELECT 1", "-q", "SELECT 2")[0], "1\n2\n")
check("--format", run("local", "--format", "JSONEachRow", "-q", "SELECT 1 AS x")[0], '{"x":1}\n')
check("--param_x", run("local", "--param_x", "7", "-q", "SELECT {x:UInt8}")[0], "7\n")
check("--param_x=", run("local", "--param_x=8", "-q", "SELECT {x:UInt8}")[0], "8\n")
check("a setting", run("local", "--max_threads=3", "-q", "SELECT getSetting('max_threads')")[0], "3\n")
check("standard input", run("local", data="SELECT 5; SELECT 6;")[0], "5\n6\n")
script = os.path.join(work, "script.sql")
with open(script, "w") as file:
    file.write("CREATE TABLE t (x UInt8, s String) ENGINE = Memory;\n"
               "INSERT INTO t VALUES (1, 'a;b'), (2, 'c');\n-- a comment; with a semicolon\n"
               "SELECT count(), max(s) FROM t;\n")
check("--queries-file", run("local", "--queries-file", script)[0], "2\tc\n")
out, err, code = run("local", "-q", "SELECT nothing")
check("an error's exit code", code, 47)
check("an error's text", err.startswith("Code: 47. DB::Exception: "), True)
check("an error stops a script", run("local", "-q", "SELECT nothing; SELECT 1")[0], "")
check("--ignore-error", run("local", "--ignore-error", "-q", "SELECT nothing; SELECT 1")[0], "1\n")
data = os.path.join(work, "data")
run("local", "--path", data, "-q", "CREATE TABLE kept (x UInt8) ENGINE = MergeTree ORDER BY x; INSERT INTO kept VALUES (3)")
check("--path keeps tables", run("local", "--path", data, "-q", "SELECT x FROM kept")[0], "3\n")
check("version", run("--version")[0].startswith("basalt "), True)
check("an unknown program", run("nosuch")[2], 1)


def linked(name):
    path = os.path.join(work, name)
    os.symlink(BASALT, path)
    return path


check("a link named clickhouse-local", run("-q", "SELECT 9", program=linked("clickhouse-local"))[0], "9\n")
check("a link named chl", run("-q", "SELECT 9", program=linked("chl"))[0], "9\n")
clickhouse = linked("clickhouse")
check("a link named clickhouse", run("local", "-q", "SELECT 9", program=clickhouse)[0], "9\n")
check("clickhouse without a program is local", run("-q", "SELECT 9", program=clickhouse)[0], "9\n")
check("clickhouse reads statements", run(data="SELECT 8", program=clickhouse)[0], "8\n")
check("clickhouse --version", run("--version", program=clickhouse)[0].startswith("basalt "), True)
check("local --version", run("local", "-V")[0].startswith("basalt "), True)
check("clickhouse with an unknown program", run("nosuch", program=clickhouse)[2], 1)

server = Server(BASALT, work)
port = str(server.port)


def client(*arguments, data=None):
    return run("client", "--port", port, *arguments, data=data)


check("client", client("-q", "SELECT 1"), ("1\n", "", 0))
check("client's script", client("-q", "CREATE TABLE t (x UInt8, s String) ENGINE = Memory; SELECT 2")[0], "2\n")
check("rows on standard input", client("-q", "INSERT INTO t FORMAT CSV", data="1,one\n2,two\n"), ("", "", 0))
check("they are there", client("-q", "SELECT * FROM t ORDER BY x")[0], "1\tone\n2\ttwo\n")
check("client's format", client("--format", "Vertical", "-q", "SELECT 1 AS x")[0],
      "Row 1:\n──────\nx: 1\n")
out, err, code = client("-q", "SELECT nothing")
check("client's exit code", code, 47)
check("client's error", err.startswith("Code: 47. DB::Exception: "), True)
out, err, code = client("--time", "-q", "SELECT 1")
check("--time", (out, err.replace(".", "").strip().isdigit()), ("1\n", True))
check("--query_id", client("--query_id", "named", "-q", "SELECT 1")[0] + client(
    "-q", "SELECT count() FROM system.query_log WHERE query_id = 'named' AND type = 'QueryFinish'")[0], "1\n1\n")
check("a large result", len(client("-q", "SELECT number FROM numbers(1000000)")[0].split("\n")), 1000001)
out, err, code = client("-q", "SELECT number, throwIf(number = 5000000) FROM numbers(10000000)")
check("an error after rows", (code, "Code: 395" in err), (395 % 256, True))
for name in "clickhouse-client", "chc":
    check(f"a link named {name}", run("--port", port, "-q", "SELECT 9", program=linked(name))[0], "9\n")
check("clickhouse client", run("client", "--port", port, "-q", "SELECT 9", program=clickhouse)[0], "9\n")
check("a link named clickhouse-benchmark", run("--help", program=linked("clickhouse-benchmark"))[0].startswith(
    "Runs queries and says how fast"), True)
http_port = str(free_port())
process = subprocess.Popen(
    [linked("clickhouse-server"), "--tcp-port=0", "--postgres-port=0", "--", "--path=" + os.path.join(work, "linked"),
     "--http_port=" + http_port], stdout=subprocess.PIPE, text=True)
check("a link named clickhouse-server", f":{http_port}," in process.stdout.readline(), True)
process.terminate()
check("it stops", process.wait(60), 0)
check("a clean stop", server.stop(), 0)
out, err, code = client("-q", "SELECT 1")
check("no server", code != 0, True)
sys.exit(finish())
