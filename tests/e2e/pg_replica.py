"""A PostgreSQL made by `basalt pg` and a Basalt that follows it, for tests of replication."""

import os
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from server import Server, free_port


class Pair:
    def __init__(self, basalt, work, memory="512MB"):
        self.basalt = basalt
        self.home = os.path.join(work, "home")
        self.data = os.path.join(work, "basalt")
        os.makedirs(self.data, exist_ok=True)
        self.pg_port = free_port()
        self.server = None
        self.pg("create", "shop", "--port", str(self.pg_port), "--memory", memory, check=True)
        # The default syncs every file before a recovery, one by one.
        self.pg("config", "set", "shop", "recovery_init_sync_method", "syncfs")
        self.pg("start", "shop", check=True)
        self.uri = self.pg("status", "shop", "--uri", check=True).strip()

    def pg(self, *arguments, check=False, timeout=300):
        done = subprocess.run([self.basalt, "pg", "--home", self.home, *arguments], capture_output=True,
                              text=True, timeout=timeout)
        if check and done.returncode:
            raise SystemExit(f"basalt pg {arguments}: {done.stdout}{done.stderr}")
        return done.stdout if done.returncode == 0 else f"ERROR {done.returncode} {done.stderr}"

    def start(self):
        self.server = Server(self.basalt, self.data)
        return self

    def link(self, *flags):
        return self.pg("link", "shop", "--url", self.server.url, *flags)

    def sql(self, statement):
        """Rows as psql prints them: fields with | between them."""
        done = subprocess.run(["psql", "-XAtq", "-P", "null=\\N", "-v", "ON_ERROR_STOP=1", self.uri, "-c", statement],
                              capture_output=True, text=True)
        return done.stdout.rstrip("\n") if done.returncode == 0 else "ERROR " + done.stderr.strip()

    def lsn(self):
        return self.sql("SELECT pg_current_wal_insert_lsn()")

    def ask(self, query, lsn=None, timeout=90):
        settings = {"postgres_min_lsn": lsn} if lsn else {}
        url = self.server.url + "/?" + urllib.parse.urlencode(settings)
        try:
            with urllib.request.urlopen(url, query.encode(), timeout=timeout) as reply:
                return reply.read().decode().rstrip("\n")
        except urllib.error.HTTPError as error:
            return "ERROR " + error.read().decode().strip()

    def state(self, table="", column="state"):
        return self.ask(f"SELECT {column} FROM system.postgres_replication WHERE database = 'shop' AND table = '{table}' "
                        "FORMAT TSVRaw")

    def wait_state(self, state, table="", seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.state(table) == state:
                return True
            time.sleep(0.1)
        return False

    def same(self, table, columns, order, where="1 = 1"):
        """Whether both sides have the same rows at one position; the first difference if not."""
        expected = self.sql(f"SELECT {columns} FROM {table} WHERE {where} ORDER BY {order}")
        lsn = self.lsn()
        got = self.ask(f"SELECT {columns} FROM shop.{table} WHERE {where} ORDER BY {order} "
                       "FORMAT TSVRaw", lsn).replace("\t", "|")
        if got == expected:
            return ""
        if got.startswith("ERROR"):
            return got
        expected, got = expected.split("\n"), got.split("\n")
        for i, (a, b) in enumerate(zip(expected, got)):
            if a != b:
                return f"row {i}: PostgreSQL has {a!r}, Basalt {b!r}"
        return f"PostgreSQL has {len(expected)} rows, Basalt {len(got)}: " \
               f"{(expected[len(got):] or got[len(expected):])[0]!r}"

    def close(self):
        if self.server and self.server.process.poll() is None:
            self.server.stop()
        self.pg("stop", "shop", "--immediate")
