#!/usr/bin/env python3
"""basalt client at a terminal (a pty): editing, history, completion, shortcuts, progress, Ctrl-C, pager; and where
its options come from: config files, environment, connection strings.

usage: client_shell.py path/to/basalt"""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
import struct
import fcntl

from checks import check, finish, holds
from server import Server

BASALT = os.path.abspath(sys.argv[1])
work = tempfile.mkdtemp(prefix="basalt-shell-")
server = Server(BASALT, work, tcp=True)
port = str(server.tcp_port)
SLOW = "SELECT sum(sipHash64(number)) FROM numbers(100000000000)"
PROMPT = ":) "


class Shell:
    def __init__(self, *flags, program=("client", "--port", port), **environment):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(work)
            os.execve(BASALT, [BASALT, *program, *flags],
                      {**os.environ, "HOME": work, "TERM": "xterm", **environment})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
        self.seen = b""
        self.wait(PROMPT)

    def wait(self, what, then="", seconds=30):
        """Reads until the text came, and the other one behind it; what was read, without colours."""
        end = time.monotonic() + seconds
        while not (what in self.plain() and then in self.plain().split(what, 1)[1]) and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    break
        text = self.plain()
        holds(f"{what!r} came", what in text and then in text.split(what, 1)[1], text[-2000:])
        self.raw, self.seen = self.seen, b""
        return text

    def has_come(self, what, seconds):
        end = time.monotonic() + seconds
        while what not in self.plain() and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                self.seen += os.read(self.fd, 65536)
        return what in self.plain()

    def plain(self):
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.seen.decode(errors="replace"))

    def type(self, text):
        os.write(self.fd, text.encode())

    def ask(self, text, what):
        self.type(text)
        return self.wait(what)

    def run(self, text, what):
        """A statement: its answer, then the prompt."""
        self.type(text)
        return self.wait(what, PROMPT)

    def end(self):
        """The exit code, once the program has ended by itself."""
        for _ in range(300):
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    os.read(self.fd, 65536)
                except OSError:
                    time.sleep(0.1)  # the other end is closed
        os.kill(self.pid, signal.SIGKILL)
        return None


shell = Shell()
shell.run("SELECT 40 + 2 AS answer\r", "1 row in set")
shell.ask("SELECT [1,\r", ":-] ")
shell.run("2] AS items\r", "[1,2]")
shell.ask("\x1b[A", "2] AS items")
holds("keywords are coloured", b"\x1b[1mSELECT" in shell.raw, shell.raw)
shell.run("\x03", "^C")
shell.run("SELECT 1 AS a, 'x' AS b\\G\r", "b: x")
shell.run("SELECT 'wr\x7f\x7fok\x01\x05' AS word\r", "\u2502 ok")
shell.run("ELECT 'home'\x01S\r", "\u2502 home")
shell.run("SELECT length('\u00e4\u6f22') AS bytes, 77 AS x\r", "77 \u2502")
shell.ask("toStartOfFif\t", "toStartOfFifteenMinutes")
shell.type("\x15")
shell.ask("\x1b[200~SELECT\n  78 AS pasted\x1b[201~", "pasted")
shell.run("\r", "78 \u2502")
shell.ask("\x12answ", "40 + 2")
shell.type("\x05")
shell.run("\r", "42 \u2502")
server.ask("CREATE DATABASE shop")
server.ask("CREATE TABLE shop.goods (id UInt8, label String) ENGINE = Memory")
shell.run("\\l\r", "shop")
shell.run("\\c shop\r", "Elapsed")
shell.run("\\dt\r", "goods")
shell.run("\\d goods\r", "label")
shell.run("\\nosuch\r", "There is no \\nosuch")
shell.run("\\?\r", "\\c DATABASE")
shell.run("SELECT nothing\r", "Code: 47.")
shell.run("SET max_threads = 3\r", "Elapsed")
shell.ask(SLOW + "\r", "rows/s.")
shell.run("\x03", "Code: 394.")
shell.run("SELECT concat('in ', currentDatabase(), ' with ', getSetting('max_threads')::String)\r", "in shop with 3")
shell.run("SELECT throwIf(1)\r", "Code: 395.")
shell.ask("exit\r", "Bye.")
check("exit ends it", shell.end(), 0)
history = open(os.path.join(work, ".basalt-client-history")).read()
holds("the history keeps lines together", "SELECT [1,\\n2] AS items\n" in history, history)

shell = Shell("-m")
shell.ask("\x1b[A", "throwIf")
shell.type("\x15")
shell.ask("SELECT 5\r", ":-] ")
shell.run("+ 6;\r", "11")
shell.type("\x04")
check("Ctrl-D ends it", shell.end(), 0)

shell = Shell("--pager", "tr a-z A-Z")
shell.run("SELECT 'paged'\r", "PAGED")
shell.type("\\q\r")
check("\\q ends it", shell.end(), 0)

shell = Shell(TERM="dumb")
shell.run("SELECT 'pl' || 'ain'\n", "plain")
shell.type("quit\n")
check("a plain terminal", shell.end(), 0)

shell = Shell("--progress", "off")
shell.type(SLOW + "\r")
while "sipHash64" not in server.ask("SELECT query FROM system.processes WHERE query NOT LIKE '%processes%'"):
    time.sleep(0.1)
server.process.send_signal(signal.SIGSTOP)  # a server that does not answer
shell.type("\x03")
time.sleep(0.5)
shell.type("\x03")
check("Ctrl-C once more ends the program", shell.end(), 130)
server.process.send_signal(signal.SIGCONT)


shell = Shell(program=("local",))
shell.run("SELECT 40 + 2 AS answer\r", "1 row in set")
shell.run("CREATE TABLE here (x UInt8) ENGINE = Memory\r", "Elapsed")
shell.run("\\dt\r", "here")
shell.run("SELECT 7 AS seven\\G\r", "seven: 7")
shell.run("SELECT nothing\r", "Code: 47.")
shell.type(SLOW + "\r")
for _ in range(20):  # it may not run yet
    time.sleep(1)
    shell.type("\x03")
    if shell.has_come("Code: 394.", 3):
        break
shell.wait("Code: 394.", PROMPT)
shell.ask("\\q\r", "Bye.")
check("the prompt of local ends", shell.end(), 0)


def client(*flags, environment=None, data=None):
    done = subprocess.run([BASALT, "client", *flags], input=data, capture_output=True, text=True, timeout=120, cwd=work,
                          env={**os.environ, "HOME": work, **(environment or {})})
    return done.stdout.strip() if done.returncode == 0 else f"{done.returncode}: {done.stderr}"


def put(name, text):
    path = os.path.join(work, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


WHERE = "SELECT currentDatabase() || ' ' || toString(getSetting('max_threads'))"
xml = put("one.xml", f"<!-- ours --><config><host>127.0.0.1</host><port>{port}</port><database>shop</database>"
                     "<max_threads>5</max_threads><openSSL><client><verificationMode>none</verificationMode></client></openSSL>"
                     f"<connections_credentials><connection><name>other</name><hostname>127.0.0.1</hostname><port>{port}</port>"
                     "<database>system</database></connection><connection><name>third</name><database>nosuch</database></connection>"
                     "</connections_credentials></config>")
yaml = put("one.yaml", f"# ours\nhost: '127.0.0.1'\nport: {port} # of the server\ndatabase: shop\nmax_threads: 5\nopenSSL:\n  client:\n"
                       f"    verificationMode: none\nconnections_credentials:\n  connection:\n    - name: other\n      database: system\n"
                       "    - name: third\n      database: nosuch\n")
for file in xml, yaml:
    check(f"a config file {file}", client("--config-file", file, "-q", WHERE), "shop 5")
    check(f"flags go over it {file}", client("--config-file", file, "--max_threads", "2", "-d", "default", "-q", WHERE), "default 2")
    check(f"a named connection {file}", client(f"--config-file={file}", "--connection", "other", "-q", WHERE), "system 5")
    holds(f"an unknown connection {file}", client("--config-file", file, "--connection", "x", "-q", WHERE).startswith("36:"))
holds("a config file that is not there", client("--config-file", "none.xml", "-q", "SELECT 1").startswith("107:"))
holds("a broken config file", client("--config-file", put("bad.xml", "<config><host>x</config>"), "-q", "SELECT 1").startswith("36:"))
os.rename(put("clickhouse-client.xml", open(xml).read()), os.path.join(work, "clickhouse-client.xml"))
check("one in the current folder", client("-q", WHERE), "shop 5")
os.remove(os.path.join(work, "clickhouse-client.xml"))
put(".clickhouse-client/config.yaml", open(yaml).read())
check("one in the home", client("-q", WHERE), "shop 5")
os.remove(os.path.join(work, ".clickhouse-client/config.yaml"))
check("the environment", client("-q", WHERE.split(" ||")[0], environment={
    "CLICKHOUSE_HOST": "127.0.0.1", "CLICKHOUSE_PORT": port, "CLICKHOUSE_DATABASE": "shop", "CLICKHOUSE_USER": "default"}), "shop")
url = f"clickhouse://default@127.0.0.1:{port}"
check("a connection string", client(f"{url}/shop?max_threads=7", "-q", WHERE), "shop 7")
check("a connection string of little", client("clickhouse:", "-q", "SELECT currentDatabase()", environment={"CLICKHOUSE_PORT": port}),
      "default")
check("its parts are percent-decoded", client(f"{url}/sh%6Fp", "-q", "SELECT currentDatabase()"), "shop")
for bad in (f"{url}/?nosuch=1", f"{url},127.0.0.2:1/", "clickhouse://h:notaport/", f"{url}/%zz"):
    holds(f"refused: {bad}", client(bad, "-q", "SELECT 1").split(":")[0] in ("36", "48"), client(bad, "-q", "SELECT 1"))
holds("not together with --port", client(url, "--port", port, "-q", "SELECT 1").startswith("36:"))
for flag, shown in (("--progress", True), ("--progress=off", False), ("--no-progress", False)):
    done = subprocess.run([BASALT, "client", "--port", port, flag, "-q", "SELECT sleepEachRow(0.3), number FROM numbers(5) FORMAT Null "
                           "SETTINGS max_block_size = 1"], capture_output=True, text=True, timeout=60)
    check(f"{flag}: rows of progress on standard error", ("rows/s." in done.stderr, done.stdout), (shown, ""))
check("a clean stop", server.stop(), 0)
sys.exit(finish())
