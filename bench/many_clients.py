#!/usr/bin/env python3
"""Many clients that each insert a small batch once a second (basalt bench clients), first in peace,
then while the server is killed and started again and again. Says how long acknowledgements took, how
many live parts a partition had at most, and how much memory the server held; fails when a row that
was acknowledged is not there exactly once, or when a bound is passed.

usage: many_clients.py path/to/basalt [--clients 200] [--rows 512] [--seconds 600]
       [--kill-every 20] [--settings a=1,b=2] [--max-p99-ms 250] [--max-parts 50] [--max-rss-mib 1024]
       [--only peace|kills]"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "e2e"))
from server import Server, free_port  # noqa: E402


class Watched(Server):
    def rss_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def ask(self, sql):
        request = urllib.request.Request(self.url + "/", data=sql.encode())
        return urllib.request.urlopen(request, timeout=60).read().decode().strip()


class Run:
    def __init__(self, options, kills):
        self.options = options
        self.kills = kills
        self.path = tempfile.mkdtemp(prefix="basalt-clients-")
        self.port = free_port()
        self.server = Watched(options.basalt, self.path, port=self.port)
        self.most_parts = 0
        self.rss = []
        self.restarts_s = []
        self.done = threading.Event()

    def watch(self):
        while not self.done.wait(0.5):
            try:
                self.rss.append(self.server.rss_mib())
                parts = self.server.ask("SELECT max(n) FROM (SELECT count() AS n FROM system.parts "
                                        "WHERE active AND table = 'many_clients' "
                                        "GROUP BY partition_id)")
                self.most_parts = max(self.most_parts, int(parts))
            except (urllib.error.URLError, OSError, ValueError, IndexError):
                pass  # it was killed just now

    def kill_again_and_again(self):
        began = time.monotonic()
        while (time.monotonic() - began < self.options.seconds - self.options.kill_every / 2 and
               not self.done.wait(self.options.kill_every)):
            self.server.kill()
            start = time.monotonic()
            self.server = Watched(self.options.basalt, self.path, port=self.port)
            self.restarts_s.append(time.monotonic() - start)

    def run(self):
        o = self.options
        watcher = threading.Thread(target=self.watch)
        watcher.start()
        command = [o.basalt, "bench", "clients", "--url", self.server.url, "--clients", str(o.clients),
                   "--rows", str(o.rows), "--seconds", str(o.seconds), "--settings", o.settings]
        if self.kills:
            command.append("--resend")
        client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if self.kills:
            self.kill_again_and_again()
        out = client.communicate()[0]
        self.done.set()
        watcher.join()
        figures = json.loads(out) if out.strip() else {}
        figures["exit"] = client.returncode
        figures["most_parts"] = self.most_parts
        figures["rss_mib_most"] = round(max(self.rss, default=0))
        tenth = max(len(self.rss) // 10, 1)
        figures["rss_mib_by_tenths"] = [round(max(self.rss[at:at + tenth]))
                                        for at in range(0, len(self.rss), tenth)]
        if self.kills:
            figures["kills"] = len(self.restarts_s)
            figures["restart_s_most"] = round(max(self.restarts_s, default=0), 2)
        else:
            figures["server_cpu_s"] = self.server.cpu_s()
        figures["stop_status"] = self.server.stop()
        shutil.rmtree(self.path, ignore_errors=True)
        return figures


def problems(figures, options, kills):
    found = []
    if figures["exit"] != 0 or not figures.get("exactly_once"):
        found.append("rows are wrong or a client failed")
    if figures["stop_status"] != 0:
        found.append("the server did not stop cleanly")
    if figures["most_parts"] > options.max_parts:
        found.append(f"{figures['most_parts']} live parts in a partition")
    if figures["rss_mib_most"] > options.max_rss_mib:
        found.append(f"{figures['rss_mib_most']} MiB of memory")
    if not kills and figures.get("p99_ms", 0) > options.max_p99_ms:
        found.append(f"p99 of {figures['p99_ms']} ms")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("basalt")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--rows", type=int, default=512)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--kill-every", type=float, default=20)
    parser.add_argument("--settings", default="")
    parser.add_argument("--max-p99-ms", type=float, default=250)
    parser.add_argument("--max-parts", type=int, default=50)
    parser.add_argument("--max-rss-mib", type=float, default=1024)
    parser.add_argument("--only", choices=["peace", "kills"])
    options = parser.parse_args()
    good = True
    for name, kills in (("peace", False), ("kills", True)):
        if options.only not in (None, name):
            continue
        figures = Run(options, kills).run()
        print(name, json.dumps(figures), flush=True)
        for problem in problems(figures, options, kills):
            good = False
            print(f"{name}: {problem}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
