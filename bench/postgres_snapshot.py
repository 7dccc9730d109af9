#!/usr/bin/env python3
"""How fast a table of PostgreSQL is copied into Basalt while it is written to, and that both sides then
have the same rows. Beside it: what one psql needs to read the same rows, without a writer.

usage: postgres_snapshot.py path/to/basalt [--rows N] [--writers N]"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "e2e"))
from pg_replica import Pair  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("basalt", type=os.path.abspath)
parser.add_argument("--rows", type=int, default=10_000_000)
parser.add_argument("--writers", type=int, default=2)
options = parser.parse_args()
PGBENCH = "/usr/lib/postgresql/15/bin/pgbench"
SCRIPT = """\\set id random(1, {rows})
UPDATE copied SET n = n + 1 WHERE id = :id;
INSERT INTO copied SELECT max(id) + 1, 0, now(), 'new' FROM copied ON CONFLICT DO NOTHING;
DELETE FROM copied WHERE id = :id + 1;
"""


def main():
    work = tempfile.mkdtemp(prefix="basalt-snapshot-")
    os.chmod(work, 0o755)
    pair = None
    try:
        pair = Pair(options.basalt, work, memory="1GB").start()
        pair.sql("CREATE TABLE copied (id bigint PRIMARY KEY, n int, at timestamptz, t text)")
        answer = pair.sql("INSERT INTO copied SELECT i, i % 1000, '2026-01-01'::timestamptz + i * interval '1 second', "
                          f"'row ' || md5(i::text) FROM generate_series(1, {options.rows}) i")
        if answer:
            raise SystemExit(answer)
        pair.sql("VACUUM ANALYZE copied")
        pair.sql("CHECKPOINT")
        size = pair.sql("SELECT pg_size_pretty(pg_table_size('copied'))")
        began = time.monotonic()
        with open("/dev/null", "w") as nowhere:
            subprocess.run(["psql", "-Xq", pair.uri, "-c", "COPY copied TO STDOUT"], stdout=nowhere, check=True)
        alone = time.monotonic() - began
        script = os.path.join(work, "writes.sql")
        with open(script, "w") as out:
            out.write(SCRIPT.format(rows=options.rows))
        writer = subprocess.Popen([PGBENCH, "-n", "-f", script, "-c", str(options.writers), "-T", "3600", pair.uri],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(2)
        commits = "SELECT sum(n_tup_upd) FROM pg_stat_user_tables WHERE relname = 'copied'"
        before, began = int(pair.sql(commits)), time.monotonic()
        out = pair.link()
        seconds = time.monotonic() - began
        written = int(pair.sql(commits)) - before
        time.sleep(2)
        writer.terminate()
        writer.wait()
        time.sleep(0.5)
        query = "SELECT count(*), sum(id), sum(n) FROM {}copied"
        expected = pair.sql(query.format(""))
        got = pair.ask(query.format("shop."), pair.lsn()).replace("\t", "|")
        print(out.strip())
        print(f"{options.rows} rows, {size}: copied in {seconds:.1f} s, {options.rows / seconds:,.0f} rows/s, with "
              f"{options.writers} writers at {written / seconds:,.0f} updates/s meanwhile; psql alone without writers "
              f"{alone:.1f} s, {options.rows / alone:,.0f} rows/s")
        print("both sides are the same:", got == expected, got)
        return 0 if got == expected else 1
    finally:
        if pair:
            pair.close()
        shutil.rmtree(work, ignore_errors=True)


raise SystemExit(main())
