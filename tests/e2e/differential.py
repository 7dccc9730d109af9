#!/usr/bin/env python3
"""Random conditions over a table of all types and all kinds of skip indexes: with every switch of pruning on, with all of
them off and over a Memory table the same rows must answer. One seed is one table (its key, partitions, granularity and
parts are random) and some hundred conditions; a difference is printed with its seed and the statement.

usage: differential.py path/to/basalt [--seeds 4] [--first 1] [--conditions 150] [--verbose]"""

import argparse
import http.client
import random
import sys
import tempfile
import urllib.parse

from checks import check, finish, holds
from server import Server

ROWS = 600
STEADY = {"max_block_size": "1", "max_threads": "1"}
OFF = {name: "0" for name in (
    "basalt_enable_key_pruning", "basalt_enable_page_statistics", "use_skip_indexes",
    "basalt_predicates_on_encoded_pages", "basalt_lazy_materialization", "basalt_bound_top_scans",
    "basalt_page_cache", "merge_tree_min_rows_for_concurrent_read")}

WORDS = ["", "a", "A", "error", "ERROR", "Error timeout", "timeout", "time out of pod-7", "é", "É accent",
         "pod-7 restarted", "x=1;y=2", "10.0.0.1", "a%b", "a_b", "a\\\\b", "\\0", "abc", "abcd", "abcdefgh", "ab", "straße",
         "日本語 テキスト", "failed to connect to db", "connect failed", "user_id=42", "foo bar baz", "foo  bar", " foo"]
UUIDS = ["00000000-0000-0000-0000-000000000000", "00000000-0000-0001-0000-000000000000",
         "00000000-0000-0000-0000-000000000001", "80000000-0000-0000-0000-000000000000",
         "00000000-0000-0000-8000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
         "61f0c404-5cb3-11e7-907b-a6006ad3dba0"]


def quoted(values):
    return [f"'{value}'" for value in values]


# name -> (type, literals)
SCALARS = {
    "u8": ("UInt8", ["0", "1", "2", "7", "127", "128", "254", "255"]),
    "i8": ("Int8", ["-128", "-1", "0", "1", "5", "127"]),
    "u64": ("UInt64", ["0", "1", "3", "4294967296", "9007199254740993", "9223372036854775807",
                       "9223372036854775808", "18446744073709551615"]),
    "i64": ("Int64", ["-9223372036854775808", "-9007199254740993", "-1", "0", "1", "42", "9223372036854775807"]),
    "i128": ("Int128", ["-170141183460469231731687303715884105728", "-1", "0", "1", "18446744073709551616"]),
    "u256": ("UInt256", ["0", "1", "340282366920938463463374607431768211456"]),
    "f32": ("Float32", ["0", "-0.0", "0.1", "1", "-1.5", "nan", "inf", "-inf", "16777217"]),
    "f64": ("Float64", ["0", "-0.0", "0.1", "1", "-1.5", "nan", "inf", "-inf", "9007199254740993", "1e300"]),
    "b": ("Bool", ["true", "false"]),
    "d9": ("Decimal(9, 2)", ["0", "-1.5", "0.01", "0.1", "9999999.99", "1"]),
    "d38": ("Decimal(38, 10)", ["0", "-1.5", "0.0000000001", "1"]),
    "d": ("Date", quoted(["1970-01-01", "2020-02-29", "2026-12-01", "2149-06-06"])),
    "d32": ("Date32", quoted(["1900-01-01", "1970-01-01", "2020-02-29", "2299-12-31"])),
    "t": ("DateTime('UTC')", quoted(["1970-01-01 00:00:00", "2020-02-29 23:59:59", "2026-12-01 12:00:00"])),
    "t64": ("DateTime64(3, 'UTC')", quoted(["1900-01-01 00:00:00.000", "2020-02-29 23:59:59.999", "2026-12-01 12:00:00.001"])),
    "s": ("String", quoted(WORDS)),
    "fs": ("FixedString(8)", quoted(["", "a", "error", "abcdefgh", "x=1;y=2", "foo bar"])),
    "uuid": ("UUID", quoted(UUIDS)),
    "ip4": ("IPv4", quoted(["0.0.0.0", "10.0.0.1", "127.0.0.1", "255.255.255.255"])),
    "ip6": ("IPv6", quoted(["::", "::1", "::ffff:10.0.0.1", "ffff::"])),
    "e": ("Enum8('z' = -1, 'a' = 1, 'error' = 2)", quoted(["z", "a", "error"])),
    "ls": ("LowCardinality(String)", quoted(WORDS)),
}
COLUMNS = dict(SCALARS)
for name in ("i64", "f64", "s", "d9", "t", "uuid", "ip4", "e", "u8", "fs", "b"):
    COLUMNS["n" + name] = (f"Nullable({SCALARS[name][0]})", SCALARS[name][1] + ["NULL", "NULL"])
COLUMNS["nls"] = ("LowCardinality(Nullable(String))", quoted(WORDS) + ["NULL"] * 4)
ARRAYS = {"a" + name: name for name in ("s", "u64", "i64", "f64", "ls", "ns", "nls", "uuid", "fs", "d", "ni64")}


def array_literals(rng, name):
    values = COLUMNS[name][1]
    return "[" + ", ".join(rng.choice(values) for _ in range(rng.choice([0, 1, 1, 2, 3]))) + "]"


MAPS = {"mss": ("s", "s"), "msu": ("s", "u64"), "mus": ("u64", "s"), "mlsn": ("ls", "ns")}


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def literal(self, name):
        if name in ARRAYS:
            return array_literals(self.rng, ARRAYS[name])
        if name in MAPS:
            key, value = MAPS[name]
            keys = self.rng.sample(COLUMNS[key][1][:6], self.rng.choice([0, 1, 2]))
            return "map(" + ", ".join(f"{k}, {self.rng.choice(COLUMNS[value][1])}" for k in keys) + ")"
        return self.rng.choice(COLUMNS[name][1])

    def type_of(self, name):
        if name in ARRAYS:
            return f"Array({COLUMNS[ARRAYS[name]][0]})"
        if name in MAPS:
            return f"Map({COLUMNS[MAPS[name][0]][0]}, {COLUMNS[MAPS[name][1]][0]})"
        return COLUMNS[name][0]

    def names(self):
        return list(COLUMNS) + list(ARRAYS) + list(MAPS)

    def indexes(self):
        """(name, expression, kind) of all that may exist; CREATE refuses some, which are left out."""
        found = []
        for name in self.names():
            kinds = ["minmax", f"set({self.rng.choice([0, 2, 100])})",
                     f"bloom_filter({self.rng.choice(['0.01', '0.5'])})"]
            if name.lstrip("na") in ("s", "ls", "fs"):
                kinds += ["tokenbf_v1(64, 2, 0)", f"ngrambf_v1({self.rng.choice([1, 2, 3])}, 64, 2, 0)",
                          "text(tokenizer = 'splitByNonAlpha')"]
            found += [(name, kind) for kind in kinds]
        found += [(f"mapKeys({name})", kind) for name in MAPS for kind in ("bloom_filter", "set(0)")]
        found += [(f"mapValues({name})", kind) for name in MAPS for kind in ("bloom_filter",)]
        found += [("lower(s)", "ngrambf_v1(3, 64, 2, 0)"), ("lower(s)", "tokenbf_v1(64, 2, 0)"), ("lower(s)", "set(0)"),
                  ("mapKeys(mss)", "tokenbf_v1(64, 2, 0)"), ("mapValues(mss)", "ngrambf_v1(2, 64, 2, 0)"),
                  ("i64 + 1", "minmax"), ("toDate(t)", "minmax"), ("toString(u64)", "bloom_filter"),
                  ("length(s)", "set(0)"), ("(u8, s)", "minmax"), ("-i8", "minmax"), ("abs(i64)", "set(0)")]
        return [(f"i{number}", *one) for number, one in enumerate(found)]

    def table(self, indexes, engine):
        columns = ["id UInt32"] + [f"{name} {self.type_of(name)}" for name in self.names()]
        if engine == "Memory":
            return f"CREATE TABLE plain ({', '.join(columns)}) ENGINE = Memory"
        columns += [f"INDEX {name} {expression} TYPE {kind} GRANULARITY {self.rng.choice([1, 1, 2, 3])}"
                    for name, expression, kind in indexes]
        keys = self.rng.sample(list(COLUMNS), self.rng.choice([0, 1, 2, 3]))
        keys = [self.rng.choice([key, key, key, f"{key} DESC"]) for key in keys]
        partition = self.rng.choice(["tuple()", "tuple()", "u8", "e", "ls", "b", "toYYYYMM(d)", "id % 3", "nu8", "(b, e)"])
        return (f"CREATE TABLE t ({', '.join(columns)}) ENGINE = MergeTree PARTITION BY {partition} "
                f"ORDER BY ({', '.join(keys)}) SETTINGS allow_nullable_key = 1, allow_experimental_reverse_key = 1, "
                f"index_granularity = {self.rng.choice([4, 8, 16, 64])}, index_granularity_bytes = 0")

    def rows(self, first, count):
        """Few different values in neighbouring rows, so that there is something to prune."""
        rows, near = [], {}
        for number in range(first, first + count):
            if number % 16 == 0:
                near = {name: [self.literal(name) for _ in range(self.rng.choice([1, 2, 3]))] for name in self.names()}
            picked = [self.rng.choice(near.get(name) or [self.literal(name)]) for name in self.names()]
            rows.append(f"({number}, {', '.join(picked)})")
        return rows

    def pattern(self):
        word = self.rng.choice(WORDS).replace("%", "").replace("\\", "")
        cut = word[self.rng.randrange(len(word) + 1):] if word else ""
        return "'" + self.rng.choice([f"%{word}%", f"{word}%", f"%{word}", word, f"%{cut}%", f"{cut}_%", f"%{word}%{cut}%",
                                      "%", "", "_", f"_{cut}", f"{word}\\\\%", f"%{word.upper()}%", f"%{word} %"]) + "'"

    def text_atom(self, x):
        rng, text = self.rng, self.rng.choice(quoted(WORDS))
        return rng.choice([
            lambda: f"{x} {rng.choice(['LIKE', 'NOT LIKE', 'ILIKE', 'NOT ILIKE', 'LIKE'])} {self.pattern()}",
            lambda: f"{rng.choice(['startsWith', 'endsWith'])}({x}, {text})",
            lambda: f"{rng.choice(['hasToken', 'hasTokenCaseInsensitive', 'hasTokenOrNull'])}({x}, "
                    f"'{rng.choice(['error', 'ERROR', 'timeout', 'foo', 'bar', 'pod', '7', 'abc', 'a'])}')",
            lambda: f"position({x}, {text}) {rng.choice(['> 0', '= 0', '!= 0', '= 1', '>= 1'])}",
            lambda: f"{rng.choice(['multiSearchAny', 'multiSearchAnyCaseInsensitive'])}({x}, "
                    f"[{text}, {rng.choice(quoted(WORDS))}])",
            lambda: f"match({x}, '{rng.choice(['err', '^err', 'out$', '(?i)ERROR', 'a|b', 'foo.*baz', '', '[0-9]+', 'pod-7'])}')",
            lambda: f"{rng.choice(['lower', 'upper', 'lowerUTF8'])}({x}) = {rng.choice(['lower', 'upper', ''])}({text})",
            lambda: f"lower({x}) LIKE {self.pattern()}",
            lambda: f"length({x}) {rng.choice(['=', '>', '<'])} {rng.randrange(9)}",
            lambda: f"{rng.choice(['empty', 'notEmpty'])}({x})",
            lambda: f"{x} IN ({text}, {rng.choice(quoted(WORDS))}, '')",
            lambda: f"substring({x}, 1, 3) = 'abc'",
        ])()

    def scalar_atom(self, name):
        rng = self.rng
        value, other = self.literal(name), self.literal(name)
        compare = rng.choice(["=", "!=", "<", "<=", ">", ">=", "=", "IS NOT DISTINCT FROM", "IS DISTINCT FROM"])
        values = ", ".join(self.literal(name) for _ in range(rng.choice([1, 2, 5])))
        base = name.lstrip("n")
        if base in ("s", "ls", "fs") and rng.random() < 0.6:
            return self.text_atom(name)
        choices = [
            lambda: f"{name} {compare} {value}",
            lambda: f"{value} {compare} {name}",
            lambda: f"{name} {rng.choice(['', 'NOT '])}BETWEEN {value} AND {other}",
            lambda: f"{name} {rng.choice(['IN', 'NOT IN', 'IN'])} ({values})",
            lambda: f"{name} IS {rng.choice(['', 'NOT '])}NULL",
            lambda: f"has([{values}], {name})",
            lambda: f"if({name} {compare} {value}, 1, 0)",
            lambda: f"coalesce({name}, {rng.choice(COLUMNS[base][1]) if base in COLUMNS else value}) {compare} {value}",
            lambda: f"greatest({name}, {value}) = {other}",
            lambda: f"nullIf({name}, {value}) IS NULL",
            lambda: f"({name}, id) {rng.choice(['<', '>', '=', '>='])} ({value}, {rng.randrange(ROWS)})",
            lambda: f"({name}, u8) IN (({value}, 1), ({other}, 7))",
            lambda: f"{name} {compare} {name}",
            lambda: f"toString({name}) = toString({value})",
            lambda: f"{name} = (SELECT {name} FROM plain WHERE id = {rng.randrange(ROWS)})",
            lambda: f"{name} IN (SELECT {name} FROM plain WHERE id < {rng.randrange(5)})",
        ]
        if base in ("u8", "i8", "u64", "i64", "i128", "f32", "f64", "d9", "d38"):
            number = rng.choice(["0", "1", "-1", "0.5", "3", "1e10", "255", "-129", "nan", "inf", "9007199254740993", "0.1",
                                 "toDecimal64(0.1, 1)", "toInt256(-1)", "18446744073709551615", "'1'"])
            choices += [
                lambda: f"{name} {compare} {number}",
                lambda: f"{name} IN ({number}, {value})",
                lambda: f"{name}", lambda: f"NOT {name}",
                lambda: f"{name} {rng.choice(['+', '-', '*'])} 1 {compare} {number}",
                lambda: f"-{name} {compare} {number}",
                lambda: f"{rng.choice(['abs', 'toInt8', 'toUInt32', 'toFloat32', 'toInt64', 'sign', 'negate', 'round'])}"
                        f"({name}) {compare} {number}",
                lambda: f"intDiv({name}, 2) {compare} 0", lambda: f"{name} % 3 = 1", lambda: f"{name} / 2 {compare} {number}",
                lambda: f"isNaN(toFloat64({name}))",
            ]
        if base in ("d", "d32", "t", "t64"):
            choices += [
                lambda: f"toYYYYMM({name}) {compare} 202002", lambda: f"toDate({name}) {compare} '2020-02-29'",
                lambda: f"toStartOfMonth({name}) {compare} toDate('2020-02-01')", lambda: f"toYear({name}) {compare} 2020",
                lambda: f"{name} + INTERVAL 1 DAY {compare} toDateTime('2020-03-01 00:00:00', 'UTC')",
                lambda: f"{name} {compare} toDate('2020-02-29')", lambda: f"{name} {compare} toDateTime('2026-12-01 12:00:00', 'UTC')",
                lambda: f"{name} {compare} toDateTime64('2020-02-29 23:59:59.9995', 4, 'UTC')",
                lambda: f"toHour(toDateTime({name}, 'UTC')) {compare} 12", lambda: f"toUnixTimestamp({name}) {compare} 1",
            ]
        return rng.choice(choices)()

    def array_atom(self, name):
        rng, item = self.rng, ARRAYS[name]
        value = rng.choice(COLUMNS[item][1])
        array = self.literal(name)
        choices = [
            lambda: f"has({name}, {value})",
            lambda: f"{rng.choice(['hasAny', 'hasAll', 'hasSubstr'])}({name}, {array})",
            lambda: f"{rng.choice(['hasAny', 'hasAll'])}({array}, {name})",
            lambda: f"indexOf({name}, {value}) {rng.choice(['> 0', '= 0', '= 1', '!= 0', '< 2'])}",
            lambda: f"{name} {rng.choice(['=', '!=', '<', '>'])} {array}",
            lambda: f"{name} IN ({array}, {self.literal(name)})",
            lambda: f"{rng.choice(['empty', 'notEmpty'])}({name})",
            lambda: f"arrayExists(x -> x = {value}, {name})",
            lambda: f"arrayAll(x -> x != {value}, {name})",
            lambda: f"{name}[1] = {value}", lambda: f"{name}[{rng.choice([-1, 2])}] {rng.choice(['=', '!='])} {value}",
            lambda: f"length({name}) = {rng.randrange(3)}",
            lambda: f"countEqual({name}, {value}) {rng.choice(['> 0', '= 0', '= 1'])}",
        ]
        if item.lstrip("n") in ("s", "ls", "fs"):
            choices += [
                lambda: f"arrayExists(x -> {self.text_atom('x')}, {name})",
                lambda: f"hasAnyTokens({name}, ['error', 'foo'])", lambda: f"hasAllTokens({name}, 'foo bar')",
                lambda: self.text_atom(f"arrayStringConcat({name}, ' ')")]
        return rng.choice(choices)()

    def map_atom(self, name):
        rng, (key_name, value_name) = self.rng, MAPS[name]
        key, value = rng.choice(COLUMNS[key_name][1][:6]), rng.choice(COLUMNS[value_name][1])
        compare = rng.choice(["=", "!=", "<", ">=", "="])
        choices = [
            lambda: f"mapContains({name}, {key})", lambda: f"has({name}, {key})", lambda: f"has(mapKeys({name}), {key})",
            lambda: f"has(mapValues({name}), {value})", lambda: f"{name}[{key}] {compare} {value}",
            lambda: f"{name}[{key}] {rng.choice(['IN', 'NOT IN'])} ({value}, {rng.choice(COLUMNS[value_name][1])})",
            lambda: f"empty({name}[{key}])" if value_name == "s" else f"{name}[{key}] = {value}",
            lambda: f"{name} {rng.choice(['=', '!='])} {self.literal(name)}", lambda: f"mapContainsKeyLike({name}, {self.pattern()})",
            lambda: f"mapContainsValue({name}, {value})", lambda: f"hasAny(mapKeys({name}), [{key}])",
            lambda: f"{name}[{key}] LIKE {self.pattern()}", lambda: f"length({name}) = 0",
            lambda: f"{name}[{key}] IS NULL"]
        return rng.choice(choices)()

    def atom(self):
        name = self.rng.choice(self.names())
        if self.rng.random() < 0.2:
            name = self.rng.choice(["s", "ls", "ns", "nls", "as", "ans", "mss"])
        if name in ARRAYS:
            return self.array_atom(name)
        return self.map_atom(name) if name in MAPS else self.scalar_atom(name)

    def condition(self, depth=0):
        rng, kind = self.rng, self.rng.random()
        if depth > 2 or kind < 0.5:
            return self.atom()
        if kind < 0.62:
            return f"NOT ({self.condition(depth + 1)})"
        if kind < 0.78:
            return f"({self.condition(depth + 1)}) AND ({self.condition(depth + 1)})"
        if kind < 0.92:
            return f"({self.condition(depth + 1)}) OR ({self.condition(depth + 1)})"
        inner = self.condition(depth + 1)
        return rng.choice([f"({inner}) IS NULL", f"ifNull({inner}, 1)", f"({inner}) = 0", f"({inner}) != 0",
                           f"xor({inner}, u8 = 1)", f"if({inner}, b, NOT b)", f"({inner}) = ({self.atom()})",
                           f"toBool({inner})"])


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, sql, **settings):
        self.connection.request("POST", "/?" + urllib.parse.urlencode(settings), sql.encode())
        reply = self.connection.getresponse()
        return reply.status == 200, reply.read().decode(errors="replace").strip()


def prepare(client, generator):
    """False when the random table is refused; the indexes that a type does not take are left out."""
    for table in ("t", "plain"):
        client.ask(f"DROP TABLE IF EXISTS {table}")
    indexes = []
    for one in generator.indexes():
        if TAKEN.get(one[1:]) is None:
            state = generator.rng.getstate()
            statement = generator.table([one], "MergeTree")
            generator.rng.setstate(state)
            statement = statement[:statement.index(" PARTITION BY")] + " ORDER BY id"
            TAKEN[one[1:]] = client.ask(statement)[0]
            client.ask("DROP TABLE IF EXISTS t")
        if TAKEN[one[1:]]:
            indexes.append(one)
    chosen = [one for one in indexes if generator.rng.random() < 0.7]
    good, text = client.ask(generator.table(chosen, "MergeTree"))
    if not good:
        return text
    client.ask(generator.table([], "Memory"))
    first = 0
    client.ask("SYSTEM STOP MERGES t")
    while first < ROWS:
        count = min(generator.rng.choice([1, 20, 100, 300]), ROWS - first)
        good, text = client.ask("INSERT INTO plain VALUES " + ", ".join(generator.rows(first, count)))
        if not good:
            return text
        first += count
        if generator.rng.random() < 0.4 or first == ROWS:
            good, text = client.ask("INSERT INTO t SELECT * FROM plain WHERE id NOT IN (SELECT id FROM t) ORDER BY id",
                                    **OFF)
            if not good:
                return text
            if generator.rng.random() < 0.5:  # else rows stay in the live buffer
                client.ask("SELECT count() FROM t WHERE _part != ''")
    client.ask("SYSTEM START MERGES t")
    if generator.rng.random() < 0.5:
        client.ask("OPTIMIZE TABLE t FINAL")
    else:
        client.ask("SELECT count() FROM t WHERE _part != ''")
    return ""


TAKEN = {}


def run(client, seed, conditions, verbose):
    generator = Generator(seed)
    problem = prepare(client, generator)
    check(f"seed {seed}: the table is made", problem[:300], "")
    if problem:
        return 0, 0
    answered = refused = 0
    for _ in range(conditions):
        condition = generator.condition()
        sql = "SELECT id FROM {} " + f"{generator.rng.choice(['WHERE', 'WHERE', 'PREWHERE'])} {condition} ORDER BY id"
        plain = client.ask(sql.format("plain").replace("PREWHERE", "WHERE"), **STEADY)
        off = client.ask(sql.format("t"), **STEADY, **OFF)
        on = client.ask(sql.format("t"), **STEADY)
        many = client.ask(sql.format("t"))
        if not plain[0]:
            refused += 1
            if verbose:
                print(f"refused: {condition}: {plain[1][:160]}")
            continue
        answered += 1
        for how, got in (("switched off", off), ("one row a block", on), ("as it comes", many)):
            if got != plain:
                wrong = sorted(set(plain[1].split()) ^ set(got[1].split()), key=str)[:5] if got[0] else got[1][:300]
                holds(f"seed {seed}, {how}", False, f"{sql.format('t')} -- differ: {wrong}")
                break
        else:
            holds(f"seed {seed}", True)
    return answered, refused


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("basalt")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--conditions", type=int, default=150)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    server = Server(options.basalt, tempfile.mkdtemp(prefix="basalt-differential-"))
    client = Client(server.port)
    answered = refused = 0
    for seed in range(options.first, options.first + options.seeds):
        one = run(client, seed, options.conditions, options.verbose)
        answered, refused = answered + one[0], refused + one[1]
    print(f"{answered} conditions compared, {refused} refused, {sum(TAKEN.values())} kinds of indexes")
    holds("most conditions were compared", answered > refused)
    check("the server stopped", server.stop(), 0)
    return finish()


sys.exit(main())
