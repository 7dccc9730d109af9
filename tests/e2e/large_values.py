#!/usr/bin/env python3
"""INSERT … VALUES much longer than the buffer it is read through: whatever stands at the end of a buffer (a text, an
array, an expression) is read with what follows it, and what never ends is an error.

usage: large_values.py path/to/basalt"""

import sys
import tempfile

from checks import check, finish, holds
from server import Server

BASALT = sys.argv[1]
ROWS = 40000

server = Server(BASALT, tempfile.mkdtemp(prefix="basalt-large-values-"))
server.ask("CREATE TABLE t (id UInt64, s String, u UUID, a Array(UInt64), m Map(String, String), d Decimal(18, 2), "
           "e Enum8('a' = 1, 'b' = 2), n Nullable(String)) ENGINE = Memory")
WANTED = "SELECT count(), sum(id), uniqExact(s), uniqExact(u), sum(arraySum(a)), groupUniqArray(m['k']), sum(d), countIf(e = 'b'), count(n) FROM t"
SHAPES = {
    "literals": "({0}, 'text\\'{0}, (', '61f0c404-5cb3-11e7-907b-{0:012}', [{0}, 2], {{'k':'v)'}}, 1.25, 'b', NULL)",
    "expressions": "({0} + 0, concat('text''', toString({0}), ', ('), toUUID('61f0c404-5cb3-11e7-907b-{0:012}'), "
                   "[{0}, 1 + 1], map('k', 'v' || ')'), 1 + 0.25, 'b', nullIf('x', 'x'))",
}
for what, shape in SHAPES.items():
    rows = ROWS if what == "literals" else ROWS // 10
    for shift in range(3):
        server.ask("TRUNCATE TABLE t")
        insert = "INSERT INTO t VALUES " + " " * shift + ",\n".join(shape.format(number) for number in range(rows))
        holds(f"{what} are much longer than a buffer", len(insert) > 500_000, len(insert))
        check(f"{what}, {shift} spaces before", server.ask(insert)[:300], "")
        check(f"{what} are all there", server.ask(WANTED),
              f"{rows}\t{rows * (rows - 1) // 2}\t{rows}\t{rows}\t{rows * (rows - 1) // 2 + 2 * rows}\t['v)']\t"
              f"{rows * 1.25:g}\t{rows}\t0")
for what, tail in (("a text", "(1, 'abc"), ("an array", "(1, 'a', '61f0c404-5cb3-11e7-907b-000000000001', [1, 2"),
                   ("an expression", "(1, concat('a', 'b'")):
    server.ask("TRUNCATE TABLE t")
    insert = "INSERT INTO t VALUES " + ", ".join([SHAPES["literals"].format(number) for number in range(2000)] + [tail])
    holds(f"{what} that never ends is a syntax error", server.ask(insert).startswith("Code: 62."))
    check(f"no row of an INSERT with {what} that never ends is stored", server.ask("SELECT count() FROM t"), "0")
check("the server stopped", server.stop(), 0)
sys.exit(finish())
