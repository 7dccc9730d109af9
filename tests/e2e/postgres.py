#!/usr/bin/env python3
"""basalt pg with a real PostgreSQL: make, start, ask, crash, configure, back up, restore to a time,
destroy; and what it says when something is wrong.

usage: postgres.py path/to/basalt"""

import json
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

from checks import holds, finish
from server import Server, free_port

BASALT = os.path.abspath(sys.argv[1])


work = tempfile.mkdtemp(prefix="basalt-pg-")
os.chmod(work, 0o755)
home = os.path.join(work, "home")


def pg(*arguments, data=None, timeout=120):
    done = subprocess.run([BASALT, "pg", "--home", home, *arguments], input=data, capture_output=True,
                          text=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def sql(name, statement):
    code, out, err = pg("psql", name, "--", "-XAtc", statement)
    return out.strip() if code == 0 else "ERROR " + err.strip()


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False


def server_pid(name):
    with open(os.path.join(home, name, "data", "postmaster.pid")) as file:
        return int(file.readline())


def status(name):
    return json.loads(pg("status", name, "--json")[1])


def is_back():
    # The first attempts fail while processes of the dead server still hold its shared memory.
    found = status("shop")
    return found["state"] == "running" and int(found.get("restarts", 0)) >= 1


def life():
    port = free_port()
    code, out, err = pg("create", "shop", "--port", str(port), "--memory", "1GB")
    holds("create", code == 0 and "is made" in out, out + err)
    holds("a name that is taken", pg("create", "shop")[0] == 36)
    code, out, err = pg("create", "other", "--port", str(port))
    holds("a port of another instance", code == 36 and "belongs to instance 'shop'" in err, err)
    holds("it is not running yet", pg("status", "shop")[0] == 3)
    code, out, err = pg("start", "shop")
    holds("start", code == 0 and "runs" in out, out + err)
    code, out, err = pg("start", "shop")
    holds("start twice", code == 36 and "runs already" in err, err)
    holds("psql", sql("shop", "SELECT current_database() || current_user") == "shoppostgres")
    holds("checksums", sql("shop", "SHOW data_checksums") == "on")
    report = status("shop")
    holds("status", report["state"] == "running" and report["restarts"] == "0", report)
    user = pwd.getpwuid(os.stat(f"/proc/{server_pid('shop')}").st_uid).pw_name
    holds("unit", f"User={user}\n" in pg("unit", "shop")[1], pg("unit", "shop"))
    holds("list", re.search(rf"shop +running +15\.\d+ +{port} ", pg("list")[1]))
    for path, mode in {"data": 0o700, "password": 0o600, "tls/server.key": 0o600, "backups": 0o700}.items():
        found = stat.S_IMODE(os.stat(os.path.join(home, "shop", path)).st_mode)
        holds(f"mode of {path}", found == mode, oct(found))
    if os.geteuid() == 0:
        holds("does not run as root", os.stat(f"/proc/{server_pid('shop')}").st_uid != 0)
    uri = pg("status", "shop", "--uri")[1].strip()
    psql = ["psql", "-XAt"]
    done = subprocess.run([*psql, uri, "-c", "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"],
                          capture_output=True, text=True)
    holds("TLS with the server's name checked", done.stdout.strip() == "t|TLSv1.3", done.stdout + done.stderr)
    done = subprocess.run([*psql, re.sub(r":[^:@/]+@", ":wrong@", uri), "-c", "SELECT 1"], capture_output=True,
                          text=True)
    holds("a wrong password", "password authentication failed" in done.stderr, done.stderr)
    done = subprocess.run([*psql, uri.replace("verify-full", "disable"), "-c", "SELECT 1"], capture_output=True,
                          text=True)
    holds("no connection without TLS", "no encryption" in done.stderr, done.stderr)
    holds("loopback only", sql("shop", "SHOW listen_addresses") == "127.0.0.1")
    holds("statements are counted", sql("shop", "SELECT count(*) > 0 FROM pg_stat_statements") == "t")


def crashes():
    # The default syncs every file before a recovery, one by one.
    pg("config", "set", "shop", "recovery_init_sync_method", "syncfs")
    sql("shop", "CREATE TABLE kept AS SELECT generate_series(1, 1000) AS x")
    first = server_pid("shop")
    os.kill(first, signal.SIGKILL)
    holds("it comes back after kill -9", wait_for(lambda: is_back()), status("shop"))
    holds("as another process", server_pid("shop") != first, status("shop"))
    holds("the crash is told", re.match("(signal 9|exit code 1) at ", status("shop")["last_crash"]), status("shop"))
    holds("with its rows", sql("shop", "SELECT count(*) FROM kept") == "1000", sql("shop", "SELECT count(*) FROM kept"))
    # The supervisor dies: the server goes on, and is taken over.
    with open(os.path.join(home, "shop", "state")) as file:
        supervisor = int(re.search(r"supervisor_pid = '(\d+)'", file.read()).group(1))
    os.kill(supervisor, signal.SIGKILL)
    holds("unsupervised is told", wait_for(lambda: status("shop")["state"] == "running, unsupervised"), status("shop"))
    before = server_pid("shop")
    taken = pg("start", "shop")
    holds("taken over", taken[0] == 0 and server_pid("shop") == before, (taken, pg("logs", "shop")[1]))
    os.kill(before, signal.SIGKILL)
    holds("and restarted by the new one",
          wait_for(lambda: is_back() and server_pid("shop") != before), status("shop"))


def configuration():
    holds("derived from --memory", pg("config", "get", "shop", "shared_buffers")[1] == "256MB\n")
    out = pg("config", "explain", "shop", "shared_buffers")[1]
    holds("explain", "a quarter of memory" in out and "default  128MB" in out and "memory: 1.0 GiB" in out, out)
    holds("explain all", pg("config", "explain", "shop")[1].count("why ") > 30)
    holds("explain what is not derived", "deadlock" in pg("config", "explain", "shop", "deadlock_timeout")[1])
    code, out, err = pg("config", "set", "shop", "work_mem", "7MB")
    holds("set", code == 0 and out == "work_mem is 7MB now.\n", out + err)
    holds("in use", sql("shop", "SHOW work_mem") == "7MB")
    holds("whose it is", "set by the user" in pg("config", "explain", "shop", "work_mem")[1])
    out = pg("config", "set", "shop", "max_connections", "55")[1]
    holds("a setting that needs a restart is told", "restart" in out, out)
    holds("restart", pg("restart", "shop")[0] == 0)
    holds("then it is used", sql("shop", "SHOW max_connections") == "55")
    holds("unset", pg("config", "unset", "shop", "work_mem")[0] == 0 and sql("shop", "SHOW work_mem") != "7MB")
    for setting, value, words in (("fsync", "off", "power cut"), ("full_page_writes", "0", "power cut"),
                                  ("port", "1", "--port"), ("work_mem", "lots", "invalid value"),
                                  ("no_such_setting", "1", "no_such_setting")):
        code, out, err = pg("config", "set", "shop", setting, value)
        holds(f"{setting} = {value} is refused", code == 36 and words in err, out + err)
    holds("nothing of it stays", pg("restart", "shop")[0] == 0 and sql("shop", "SHOW fsync") == "on")


def backups():
    code, out, err = pg("backup", "shop")
    holds("backup", code == 0 and "every file checked" in out, out + err)
    sql("shop", "INSERT INTO kept SELECT generate_series(1001, 1500)")
    position = sql("shop", "SELECT pg_current_wal_insert_lsn()")
    time.sleep(0.3)
    moment = sql("shop", "SELECT now()")
    time.sleep(0.3)
    sql("shop", "DROP TABLE kept")
    holds("the table is gone", sql("shop", "SELECT count(*) FROM kept").startswith("ERROR"))
    code, out, err = pg("restore", "shop", "--as", "before", "--to", moment, "--memory", "512MB")
    holds("restore to a time", code == 0 and "Restored: the last commit" in out, out + err)
    holds("brings it back", sql("before", "SELECT count(*) FROM kept") == "1500",
          sql("before", "SELECT count(*) FROM kept"))
    holds("the source is untouched", sql("shop", "SELECT count(*) FROM kept").startswith("ERROR"))
    holds("it is a server of its own", sql("before", "CREATE TABLE own (x int)") == "CREATE TABLE"
          and sql("before", "SELECT pg_is_in_recovery()") == "f")
    holds("it forgets the restore", not os.path.exists(os.path.join(home, "before", "data", "restore.conf")))
    holds("it is supervised", status("before")["state"] == "running")
    pg("destroy", "before", "--yes")
    code, out, err = pg("restore", "shop", "--as", "there", "--to", position)
    holds("restore to a position", code == 0, out + err)
    with open(os.path.join(home, "there", "instance.conf"), "a") as file:
        file.write("backup_every_hours = '24'\n")
    pg("restart", "there")
    holds("a backup that is due is made", wait_for(lambda: status("there")["backups"].startswith("1,")),
          pg("logs", "there", "--which", "supervisor")[1])
    pg("destroy", "there", "--yes")
    code, out, err = pg("restore", "shop", "--as", "early", "--to", "2001-01-01 00:00:00")
    holds("a time before every backup", code == 599 % 256 and "No backup had finished" in err, err)
    holds("a time to come", "yet to come" in pg("restore", "shop", "--as", "late", "--to", "2999-01-01 00:00:00")[2])
    holds("no time at all", "neither" in pg("restore", "shop", "--as", "late", "--to", "soon")[2])
    code, out, err = pg("backup", "shop", "--keep", "1", "--every", "24")
    holds("retention", code == 0 and "Removed the old backup" in out and "segments that no backup needs" in out, out)
    holds("a rule for backups", status("shop")["backups"].endswith("every 24 h"), status("shop"))
    code, out, err = pg("backups", "shop", "--verify")
    holds("backups are whole", code == 0 and "MISSING" not in out and "newest 1 backups" in out, out + err)
    wal = os.path.join(home, "shop", "wal")
    newest = sorted(name for name in os.listdir(wal) if len(name) == 28)[-1]
    with open(os.path.join(wal, newest), "r+b") as file:
        file.seek(20)
        piece = file.read(64)
        file.seek(20)
        file.write(bytes(byte ^ 0x5A for byte in piece))
    code, out, err = pg("backups", "shop", "--verify")
    holds("damage is named", code == 601 % 256 and f"DAMAGED {newest}" in out, out)
    code, out, err = pg("restore", "shop", "--as", "hurt", "--timeout", "60")
    holds("and stops a restore", code != 0 and "did not start" in err, out + err)
    pg("destroy", "hurt", "--yes")


def owned():
    pg("stop", "shop")
    os.makedirs(os.path.join(work, "basalt"))
    server = Server(BASALT, os.path.join(work, "basalt"), "--pg", "shop", "--pg-home", home)
    holds("a server starts its instances", status("shop")["state"] == "running")
    holds("and stops them", server.stop() == 0 and status("shop")["state"] == "stopped")
    pg("start", "shop")
    server = Server(BASALT, os.path.join(work, "basalt"), "--pg", "shop", "--pg-home", home)
    holds("but not those of others", server.stop() == 0 and status("shop")["state"] == "running")


def faults():
    code, out, err = pg("start", "nosuch")
    holds("an unknown name", code == 36 and "there are: shop" in err, err)
    holds("a bad name", pg("create", "Bad Name")[0] == 36)
    holds("an unknown version", "--pg-bin" in pg("create", "new", "--version", "17")[2])
    holds("a folder without programs", "holds no program" in pg("create", "new", "--pg-bin", work)[2])
    holds("an unknown user", "no user" in pg("create", "new", "--os-user", "nosuchuser")[2])
    holds("destroy asks", pg("destroy", "shop", data="")[0] == 36)
    if os.geteuid() == 0:
        closed = os.path.join(work, "closed")
        os.makedirs(os.path.join(closed, "in"))
        os.chmod(closed, 0o700)
        code, out, err = pg("create", "new", "--path", os.path.join(closed, "in", "new"))
        holds("a folder its user cannot reach is named", f"may not enter the folder {closed}." in err, err)
        holds("and nothing is left", not os.path.exists(os.path.join(closed, "in", "new")))
    full = os.path.join(work, "busy")
    os.makedirs(full)
    open(os.path.join(full, "file"), "w").close()
    holds("a folder that is not empty", "not empty" in pg("create", "new", "--path", full)[2])
    holds("none of them is listed", pg("list")[1].count("\n") == 2, pg("list")[1])


def end():
    holds("stop", pg("stop", "shop")[0] == 0)
    holds("stopped", status("shop")["state"] == "stopped")
    holds("stop twice", "did not run" in pg("stop", "shop")[1])
    holds("no process is left", not os.path.exists(os.path.join(home, "shop", "data", "postmaster.pid")))
    holds("logs", "database system is shut down" in pg("logs", "shop")[1])
    holds("a stopped server's settings", pg("config", "get", "shop", "max_connections")[1] == "55\n")
    holds("destroy", pg("destroy", "shop", "--yes")[0] == 0)
    holds("nothing is left", not os.path.exists(os.path.join(home, "shop")))
    holds("nor listed", pg("list")[1].count("\n") == 1)


try:
    started = time.monotonic()
    for part in (life, crashes, configuration, backups, owned, faults, end):
        part()
        print(f"{part.__name__}: {time.monotonic() - started:.1f} s", flush=True)
finally:
    for name in os.listdir(os.path.join(home, "instances")) if os.path.isdir(os.path.join(home, "instances")) else ():
        pg("destroy", name, "--yes")
    shutil.rmtree(work, ignore_errors=True)
sys.exit(finish())
