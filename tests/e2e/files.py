#!/usr/bin/env python3
"""Files as tables: basalt local on files and standard input, INTO OUTFILE, FROM INFILE, file() on a server, which
must not leave its folder. Expected answers are ClickHouse's.

usage: files.py path/to/basalt"""

import gzip
import os
import subprocess
import sys
import tempfile

from checks import check, finish, holds
from server import Server

BASALT = os.path.abspath(sys.argv[1])
work = tempfile.mkdtemp(prefix="basalt-files-")


def put(name, text):
    path = os.path.join(work, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with (gzip.open(path, "wt") if name.endswith(".gz") else open(path, "w")) as file:
        file.write(text)
    return path


def local(*arguments, data=None):
    done = subprocess.run([BASALT, "local", *arguments], input=data, stdin=None if data else subprocess.DEVNULL,
                          capture_output=True, text=not isinstance(data, bytes), timeout=120, cwd=work)
    return done.stdout if done.returncode == 0 else f"{done.returncode}: {done.stderr}"


def ask(sql):
    return local("-q", sql)


def fails(what, answer, code):
    holds(what, f"Code: {code}." in answer, answer)


put("n.csv", "a,b,c\n1,x,2020-01-01\n2,y,2021-01-01\n")
put("p.csv", '1,x,1.5\n2,"y z",\n')
put("p.csv.gz", '1,x,1.5\n2,"y z",\n')
put("rows.json", '{"a":1}\n{"a":2}\n')
put("sub/one.tsv", "1\t10\n")
put("sub/two.tsv", "2\t20\n")
put("sub/deep/er/three.tsv", "3\t30\n")
put("part1.csv", "1\n")
put("part2.csv", "2\n")
put("empty.csv", "")

check("names of columns in the file", ask("SELECT b, c FROM 'n.csv' WHERE a = 2"), "y\t2021-01-01\n")
check("no names", ask("SELECT * FROM 'p.csv'"), "1\tx\t1.5\n2\ty z\t\\N\n")
check("DESCRIBE", [line.split("\t")[:2] for line in ask("DESCRIBE 'p.csv'").splitlines()],
      [["c1", "Nullable(Int64)"], ["c2", "Nullable(String)"], ["c3", "Nullable(Float64)"]])
check("gzip", ask("SELECT c1 FROM 'p.csv.gz'"), "1\n2\n")
check("rows in a file named .json", ask("SELECT sum(a) FROM 'rows.json'"), "3\n")
check("a structure", ask("SELECT * FROM file('p.csv', 'CSV', 'x UInt8, y String, z Nullable(Float32)') WHERE x = 1"),
      "1\tx\t1.5\n")
check("a format by name", ask("SELECT b FROM file('n.csv', CSVWithNames, 'b String, a UInt8')"), "x\ny\n")
size = os.path.getsize(os.path.join(work, "p.csv.gz"))
check("virtual columns", ask("SELECT _path, _file, _size, _time > now() - 1000, toTypeName(_path), toTypeName(_size), "
                             "toTypeName(_time) FROM 'p.csv.gz' LIMIT 1"),
      f"{work}/p.csv.gz\tp.csv.gz\t{size}\t1\tLowCardinality(String)\tNullable(UInt64)\tNullable(DateTime)\n")
check("virtual columns are none of *", ask("SELECT * FROM 'part1.csv'"), "1\n")
for pattern, files in (("sub/*.tsv", ["one", "two"]), ("sub/{one,two,none}.tsv", ["one", "two"]), ("sub/?ne.tsv", ["one"]),
                       ("sub/**/*.tsv", ["one", "three", "two"]), ("{sub,none}/t*.tsv", ["two"]), ("sub", ["one", "two"])):
    check(f"pattern {pattern}", ask(f"SELECT _file FROM file('{pattern}', TSV) ORDER BY _file").split(),
          [name + ".tsv" for name in files])
check("numbers in a pattern", ask("SELECT sum(c1) FROM 'part{1..3}.csv'"), "3\n")
check("a join of files", ask("SELECT n.b, p.c3 FROM 'n.csv' AS n JOIN 'p.csv' AS p ON n.a = p.c1 ORDER BY 1"), "x\t1.5\ny\t\\N\n")
check("a table goes before a file", ask("CREATE TABLE `n.csv` (z UInt8) ENGINE = Memory; SELECT count() FROM 'n.csv'"), "0\n")

fails("no such file", ask("SELECT * FROM 'none.csv'"), 60)
fails("no such file, by file()", ask("SELECT * FROM file('none.csv')"), 400)
fails("no such file, with a structure", ask("SELECT * FROM file('none.csv', CSV, 'a UInt8')"), 107)
check("no match, with a structure", ask("SELECT * FROM file('none*.csv', CSV, 'a UInt8')"), "")
fails("no match", ask("SELECT * FROM file('none*.csv')"), 636)
fails("an empty file", ask("SELECT * FROM file('empty.csv')"), 636)
fails("an unknown extension", ask("SELECT * FROM file('a.qqq')"), 715)
fails("an unknown format", ask("SELECT * FROM file('n.csv', Nope)"), 73)
fails("Parquet", ask("SELECT * FROM file('x.parquet')"), 48)
fails("an unknown compression", ask("SELECT * FROM file('n.csv', CSV, 'a String', 'zip')"), 48)
fails("no arguments", ask("SELECT * FROM file()"), 42)
fails("no gzip", ask("SELECT * FROM file('n.csv', CSV, 'a String', 'gzip')"), 271)
answer = ask("SELECT * FROM file('n.csv', CSV, 'x UInt8, y String, z Date')")
fails("a bad row", answer, 27)
holds("it names the file", f"(in file/uri {work}/n.csv)" in answer, answer)

check("INSERT INTO FUNCTION", ask("INSERT INTO FUNCTION file('o/new.csv') SELECT number AS a, toString(number) FROM "
                                  "numbers(3); SELECT * FROM 'o/new.csv'"), "0\t0\n1\t1\n2\t2\n")
check("rows are appended", ask("INSERT INTO FUNCTION file('o/new.csv') SELECT 3, '3'; SELECT count() FROM 'o/new.csv'"), "4\n")
check("or replace it", ask("SET engine_file_truncate_on_insert = 1; INSERT INTO FUNCTION file('o/new.csv') SELECT 7; SELECT * FROM "
                           "'o/new.csv'"), "7\n")
check("names stand once", ask("INSERT INTO FUNCTION file('o/h.csv', CSVWithNames) SELECT 1 AS a; INSERT INTO FUNCTION "
                              "file('o/h.csv', CSVWithNames) SELECT 2 AS a; SELECT * FROM file('o/h.csv', LineAsString)"),
      '"a"\n1\n2\n')
check("VALUES into a file", ask("INSERT INTO FUNCTION file('o/v.csv', CSV, 'a UInt8, b String DEFAULT \\'d\\'') (a) VALUES (1), (2); "
                                "SELECT count() FROM 'o/v.csv'"), "2\n")
check("no more JSON behind JSON", ask("INSERT INTO FUNCTION file('o/x.json') SELECT 1 AS a"), "")
fails("no more JSON behind JSON", ask("INSERT INTO FUNCTION file('o/x.json') SELECT 1 AS a"), 641)
for compression in "gz", "zst", "lz4", "br":
    check(f"compressed by {compression}",
          ask(f"INSERT INTO FUNCTION file('o/c.tsv.{compression}') SELECT number FROM numbers(100000); INSERT INTO FUNCTION "
              f"file('o/c.tsv.{compression}') SELECT 1; SELECT count(), sum(c1) FROM 'o/c.tsv.{compression}'"),
          "100001\t4999950001\n" if compression != "br" else "100000\t4999950000\n")
fails("an INSERT that fails", ask("INSERT INTO FUNCTION file('o/bad.csv') SELECT throwIf(number = 5) FROM numbers(10)"), 395)
check("leaves no file", sorted(name for name in os.listdir(os.path.join(work, "o")) if "bad" in name), [])
before = open(os.path.join(work, "o/v.csv")).read()
fails("an INSERT that fails", ask("INSERT INTO FUNCTION file('o/v.csv') SELECT throwIf(number = 99999) FROM numbers(100000)"), 395)
check("leaves the file as it was", open(os.path.join(work, "o/v.csv")).read(), before)
check("many types through Native",
      ask("INSERT INTO FUNCTION file('o/t.native') SELECT 1::UInt256 AS a, toDecimal128(1.5, 3) AS b, map('k', [1, NULL]) AS c, "
          "toUUID('5fe80fdc-e12d-4d9e-bd33-f5c87763f6bb') AS d, 'x'::LowCardinality(Nullable(String)) AS e; "
          "SELECT *, toTypeName(e) FROM 'o/t.native'"),
      "1\t1.5\t{'k':[1,NULL]}\t5fe80fdc-e12d-4d9e-bd33-f5c87763f6bb\tx\tLowCardinality(Nullable(String))\n")

check("states of aggregation that buffers cut",
      ask("INSERT INTO FUNCTION file('o/s.bin', RowBinary) SELECT uniqExactState(number), sumState(number) FROM numbers(100000) GROUP BY "
          "number % 50; SELECT count(), uniqExactMerge(a), sumMerge(b) FROM file('o/s.bin', RowBinary, 'a AggregateFunction(uniqExact, "
          "UInt64), b AggregateFunction(sum, UInt64)')"), "50\t100000\t4999950000\n")
check("INTO OUTFILE", ask("SELECT 1 AS a, 'x' AS b INTO OUTFILE 'o/out.csv.gz'; SELECT * FROM 'o/out.csv.gz'"), "1\tx\n")
fails("it exists", ask("SELECT 1 INTO OUTFILE 'o/out.csv.gz'"), 504)
check("APPEND AND STDOUT", ask("SELECT 2 AS a, 'y' AS b INTO OUTFILE 'o/out.csv.gz' APPEND AND STDOUT; SELECT count() FROM "
                               "'o/out.csv.gz'"), '2,"y"\n2\n')
check("TRUNCATE", ask("SELECT 3 INTO OUTFILE 'o/out.csv.gz' TRUNCATE; SELECT * FROM 'o/out.csv.gz'"), "3\n")
check("a format", ask("SELECT 3 AS x INTO OUTFILE 'o/out.unknown' FORMAT JSONEachRow; SELECT * FROM file('o/out.unknown', JSONEachRow)"),
      "3\n")
fails("a query that fails", ask("SELECT throwIf(1) INTO OUTFILE 'o/not.csv'"), 395)
check("makes no file", os.path.exists(os.path.join(work, "o/not.csv")), False)
check("FROM INFILE",
      ask("CREATE TABLE t (a Int64, b Nullable(String), c Nullable(Float64)) ENGINE = Memory; INSERT INTO t FROM INFILE 'p.csv.gz'; "
          "INSERT INTO t (c, a) FROM INFILE 'sub/one.tsv' FORMAT TSV; SELECT * FROM t ORDER BY a, c"),
      "1\tx\t1.5\n2\ty z\t\\N\n10\t\\N\t1\n")
fails("FROM INFILE without one", ask("CREATE TABLE t (a Int64) ENGINE = Memory; INSERT INTO t FROM INFILE 'none.csv'"), 107)

check("standard input as a table", local("-S", "a UInt8, b String", "--input-format", "CSV", "-q", "SELECT a + 1, b FROM table",
                                         data="1,x\n2,y\n"), "2\tx\n3\ty\n")
check("guessed", local("--input-format", "JSONEachRow", "-q", "SELECT sum(a) FROM table", data='{"a":1}{"a":2}'), "3\n")
check("TSV unless told", local("-q", "SELECT sum(c1) FROM table", data="1\tx\n2\ty\n"), "3\n")
check("another name", local("-N", "rows", "-S", "a UInt8", "-q", "SELECT sum(a) FROM rows", data="1\n2\n"), "3\n")
check("--file", local("-F", "p.csv", "-q", "SELECT c2 FROM table"), "x\ny z\n")
check("file('-')", local("-q", "SELECT a FROM file('-', JSONEachRow)", data='{"a":5}'), "5\n")
check("packed standard input", local("-q", "SELECT sum(c1) FROM file('-', CSV, auto, gzip)",
                                     data=gzip.compress(b"1\n2\n")), b"3\n")
check("--output-format", local("--output-format", "JSONEachRow", "-q", "SELECT c1 FROM 'part1.csv'"), '{"c1":1}\n')

server = Server(BASALT, work, tcp=True)
folder = os.path.join(work, "data", "user_files")
check("the folder of a server's files", os.path.isdir(folder), True)
put("data/user_files/in.csv", "5\n6\n")
put("data/user_files/d/more.csv", "7\n")
secret = put("secret.csv", "1\n")
os.symlink(secret, os.path.join(folder, "link.csv"))
os.symlink(work, os.path.join(folder, "up"))
check("a file of a server", server.ask("SELECT sum(c1) FROM file('in.csv')"), "11")
check("by its full path", server.ask(f"SELECT sum(c1) FROM file('{folder}/in.csv')"), "11")
check("files of a server", server.ask("SELECT sum(c1) FROM file('{in,d/more}.csv')"), "18")
check("a server writes", server.ask("INSERT INTO FUNCTION file('new/w.csv') SELECT 8") + server.ask("SELECT * FROM file('new/w.csv')"), "8")
for path in (secret, "../../secret.csv", f"{folder}/../../secret.csv", "link.csv", "up/secret.csv", "*.csv", "up/*.csv", "/etc/passwd",
             "/etc/pass*", "..", "/", f"{folder}x/a.csv", "d/../../../secret.csv", "{in,link}.csv"):
    fails(f"a server does not read {path}", server.ask(f"SELECT * FROM file('{path}', CSV, 'a String')"), 291)
    fails(f"nor look at {path}", server.ask(f"DESCRIBE file('{path}', CSV)"), 291)
for path in (os.path.join(work, "w.csv"), "../w.csv", "up/w.csv", "link.csv", "/etc/basalt.csv"):
    fails(f"a server does not write {path}", server.ask(f"INSERT INTO FUNCTION file('{path}', CSV, 'a UInt8') VALUES (1)"), 291)
check("nothing was written", (open(secret).read(), os.path.exists(os.path.join(work, "w.csv"))), ("1\n", False))
fails("a server has no standard input", server.ask("SELECT * FROM file('-', CSV, 'a UInt8')"), 107)
fails("a path is no table of a server", server.ask("SELECT * FROM 'in.csv'"), 60)
fails("a server does not write INTO OUTFILE", server.ask("SELECT 1 INTO OUTFILE 'x.csv'"), 358)


def client(*arguments, data=None):
    done = subprocess.run([BASALT, "client", "--port", str(server.tcp_port), *arguments], input=data, capture_output=True,
                          text=True, timeout=120, cwd=work)
    return done.stdout if done.returncode == 0 else f"{done.returncode}: {done.stderr}"


check("the client's INTO OUTFILE", client("-q", "SELECT number, 'x' FROM numbers(3) INTO OUTFILE 'o/client.csv.zst'") +
      ask("SELECT count() FROM 'o/client.csv.zst'"), "3\n")
fails("it exists", client("-q", "SELECT 1 INTO OUTFILE 'o/client.csv.zst'"), 504)
check("the client's FROM INFILE", client("-q", "CREATE TABLE t (a Int64, b String DEFAULT 'd') ENGINE = Memory; INSERT INTO t FROM INFILE "
                                               "'o/client.csv.zst'; INSERT INTO t (a) FROM INFILE 'part1.csv'; SELECT * FROM t ORDER BY a, b"),
      "0\tx\n1\td\n1\tx\n2\tx\n")
check("the client's rows into a server's file",
      client("-q", "INSERT INTO FUNCTION file('c.csv', CSV, 'a UInt8') FORMAT CSV", data="1\n2\n") +
      client("-q", "SELECT sum(c1) FROM file('c.csv')"), "3\n")
check("a clean stop", server.stop(), 0)
sys.exit(finish())
