#!/usr/bin/env python3
"""system.query_log: one QueryStart and one end of every query, what it read, what it says of errors before
and after the start; SYSTEM STOP MERGES and START MERGES.

usage: query_log.py path/to/basalt"""

import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from checks import check, finish
from server import Server

BASALT = sys.argv[1]


server = Server(BASALT, tempfile.mkdtemp(prefix="basalt-query-log-"))


def ask(sql, **parameters):
    url = server.url + "/?" + urllib.parse.urlencode(parameters)
    try:
        return urllib.request.urlopen(urllib.request.Request(url, data=sql.encode()), timeout=120).read().decode().strip()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def log(columns, query_id):
    return ask(f"SELECT {columns} FROM system.query_log WHERE query_id = '{query_id}' ORDER BY type").split("\n")


ask("CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a", query_id="create")
ask("INSERT INTO t SELECT number, toString(number) FROM numbers(1000)", query_id="insert")
ask("SELECT count(), max(b) FROM t WHERE a > 10 AND b != 'x'", query_id="select")
ask("SELECT count(),  max(b) FROM t WHERE a > 77 AND b != 'yy'", query_id="other")
ask("SELECT max(a) FROM t", query_id="different")
ask("SELECT nothing FROM t", query_id="before")
ask("SELECT throwIf(a = 500) FROM t FORMAT Null", query_id="while")
ask("SELECT a FROM t WHERE", query_id="syntax")
ask("SELECT count() FROM t AS x JOIN t AS y ON x.a = y.a", query_id="join")
ask("CREATE TABLE rows_of (a UInt64, b String) ENGINE = Memory")
ask("INSERT INTO rows_of VALUES (1, 'secret'), (2, 'rows')", query_id="values")

check("a select's rows", log("type, query_kind, read_rows, result_rows", "select"),
      ["QueryStart\tSelect\t0\t0", "QueryFinish\tSelect\t1000\t1"])
check("what it read", log("databases, tables, arraySort(columns)", "select")[-1],
      "['default']\t['default.t']\t['default.t.a','default.t.b']")
check("a table read twice is named once", log("tables", "join")[-1], "['default.t']")
check("rows are no part of an INSERT's text", log("query", "values")[-1], "INSERT INTO rows_of VALUES")
check("an insert", log("type, query_kind, written_rows, result_rows, tables", "insert")[-1],
      "QueryFinish\tInsert\t1000\t1000\t['default.t']")
check("DDL", log("type, query_kind", "create"), ["QueryStart\tCreate", "QueryFinish\tCreate"])
check("an unknown column has not started", log("type, exception_code", "before"), ["ExceptionBeforeStart\t47"])
check("a syntax error has not started", log("type, exception_code", "syntax"), ["ExceptionBeforeStart\t62"])
check("an error amid rows", log("type, exception_code", "while"),
      ["QueryStart\t0", "ExceptionWhileProcessing\t395"])
hashes = [log("normalized_query_hash", name)[-1] for name in ("select", "other", "different")]
check("literals and blanks do not change the hash", (hashes[0] == hashes[1], hashes[0] != hashes[2]), (True, True))
check("host, address, port", log("hostname = hostName() AND hostname != '', toString(address), port > 0", "select")[-1],
      "1\t::ffff:127.0.0.1\t1")
check("events", log("ProfileEvents['SelectedRows'], ProfileEvents['SelectQuery'], has(mapKeys(ProfileEvents), 'InsertQuery')",
                    "select")[-1], "1000\t1\t0")
check("settings", (ask("SELECT 1", query_id="setting", max_threads="3"), log("Settings['max_threads']", "setting")[-1])[1], "3")
check("it can be switched off", (ask("SELECT 1", query_id="silent", log_queries="0"), log("type", "silent"))[1], [""])

ask("SYSTEM STOP MERGES t")
check("OPTIMIZE says that merges are stopped", ask("OPTIMIZE TABLE t FINAL").startswith("Code: 236."), True)
ask("ALTER TABLE t UPDATE b = 'new' WHERE 1 SETTINGS mutations_sync = 0")
check("mutations wait", ask("SELECT is_done FROM system.mutations WHERE table = 't'"), "0")
ask("SYSTEM START MERGES t")
ask("ALTER TABLE t UPDATE b = concat(b, '!') WHERE a = 0 SETTINGS mutations_sync = 1")
check("and go on", ask("SELECT countIf(b = 'new'), countIf(b = 'new!') FROM t"), "999\t1")
check("a clean stop", server.stop(), 0)
sys.exit(finish())
