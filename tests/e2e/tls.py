#!/usr/bin/env python3
"""TLS on the three protocols: certificates that are checked, of clients too, replaced while the server runs; what
comes to the wrong port.

usage: tls.py path/to/basalt"""

import http.client
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import warnings

from checks import check, finish, holds
from server import Server, free_port

BASALT = sys.argv[1]
FOLDER = tempfile.mkdtemp(prefix="basalt-tls-")


def path(name):
    return os.path.join(FOLDER, name)


def openssl(*arguments, text=None):
    subprocess.run(["openssl", *arguments], check=True, input=text, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def authority(name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout", path(name + ".key"),
            "-out", path(name + ".pem"), "-subj", "/CN=" + name)


def certificate(name, issuer, subject, names):
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path(name + ".key"), "-out",
            path(name + ".csr"), "-subj", subject)
    with open(path("names.cnf"), "w") as file:
        file.write("subjectAltName=" + names + "\n")
    openssl("x509", "-req", "-in", path(name + ".csr"), "-CA", path(issuer + ".pem"), "-CAkey", path(issuer + ".key"), "-CAcreateserial",
            "-days", "2", "-out", path(name + ".pem"), "-extfile", path("names.cnf"))


authority("root")
authority("stranger")
certificate("server", "root", "/CN=server-1", "DNS:localhost,IP:127.0.0.1")
certificate("robot", "root", "/CN=robot", "URI:spiffe://logs/agent")
certificate("impostor", "stranger", "/CN=robot", "DNS:robot")
HTTPS, SECURE = free_port(), free_port()
server = Server(BASALT, FOLDER, "--tls-certificate", path("server.pem"), "--tls-key", path("server.key"), "--tls-client-ca", path("root.pem"),
                "--https-port", str(HTTPS), "--tcp-port-secure", str(SECURE), tcp=True, postgres=True)
with open(server.log_path) as log:
    holds("the ready line names the ports", f"https port {HTTPS}, secure tcp port {SECURE}" in log.read())


def context(ca="root", mine=None):
    made = ssl.create_default_context(cafile=path(ca + ".pem"))
    if mine:
        made.load_cert_chain(path(mine + ".pem"), path(mine + ".key"))
    return made


def https(sql, ca="root", mine=None, user=None, host="localhost"):
    connection = http.client.HTTPSConnection(host, HTTPS, context=context(ca, mine), timeout=60)
    connection.request("POST", "/", sql, {"X-ClickHouse-User": user} if user else {})
    answer = connection.getresponse().read().decode()
    connection.close()
    return answer


def failure(call):
    try:
        return f"no error: {call()}"
    except (ssl.SSLError, OSError, http.client.HTTPException) as error:
        return type(error).__name__ + " " + str(error)


def client(*arguments, port=SECURE, sql="SELECT 1", text=None):
    done = subprocess.run([BASALT, "client", "--port", str(port), *arguments, "-q", sql], capture_output=True, text=True, timeout=120, input=text)
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip()


# --- HTTPS
check("https", https("SELECT 1"), "1\n")
check("by address", https("SELECT 2", host="127.0.0.1"), "2\n")
holds("an authority that is not the server's", "CERTIFICATE_VERIFY_FAILED" in failure(lambda: https("SELECT 1", ca="stranger")))
big = https("SELECT number, repeat('x', 100) FROM numbers(300000)")
check("a large answer", (big.count("\n"), len(big)), (300000, sum(len(str(n)) for n in range(300000)) + 102 * 300000))
rows = "".join(f"{n}\t{'y' * 50}\n" for n in range(200000))
check("a table", https("CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n"), "")
check("a large insert", https("INSERT INTO t FORMAT TSV\n" + rows), "")
check("it is there", https("SELECT count(), sum(n), uniq(s) FROM t"), f"200000\t{sum(range(200000))}\t1\n")
warnings.simplefilter("ignore", DeprecationWarning)
old = context()
old.maximum_version = ssl.TLSVersion.TLSv1_1
old.set_ciphers("ALL:@SECLEVEL=0")
holds("TLS 1.1 is too old", "SSLError" in failure(lambda: old.wrap_socket(socket.create_connection(("127.0.0.1", HTTPS)), server_hostname="localhost")))
if shutil.which("curl"):
    done = subprocess.run(["curl", "-s", "--cacert", path("root.pem"), f"https://localhost:{HTTPS}/", "--data-binary", "SELECT 3"],
                          capture_output=True, text=True, timeout=60)
    check("curl", done.stdout, "3\n")

# --- Wrong ports
connection = http.client.HTTPConnection("127.0.0.1", HTTPS, timeout=30)
connection.request("GET", "/ping")
reply = connection.getresponse()
check("HTTP to the https port", (reply.status, b"TLS" in reply.read()), (400, True))
with socket.create_connection(("127.0.0.1", SECURE), timeout=30) as raw:
    raw.sendall(b"\x00\x11garbage garbage garbage")
    raw.settimeout(30)
    data = b""
    try:
        while piece := raw.recv(4096):
            data += piece
    except ConnectionResetError:
        pass
holds("garbage to the secure port ends", len(data) < 100, data)
holds("TLS to the plain HTTP port", "SSLError" in failure(lambda: context().wrap_socket(
    socket.create_connection(("127.0.0.1", server.port), timeout=30), server_hostname="localhost")))
silent = socket.create_connection(("127.0.0.1", HTTPS))
check("a silent client holds nobody up", https("SELECT 4"), "4\n")
silent.close()

# --- The native protocol
CA = ("--secure", "--tls-ca", path("root.pem"))
check("native", client("--host", "localhost", *CA, sql="SELECT 5"), "5")
check("native, by address", client(*CA, sql="SELECT sum(n) FROM t"), str(sum(range(200000))))
check("native, rows in", client(*CA, sql="INSERT INTO t FORMAT TSV", text=rows), "")
check("native, rows out", client(*CA, sql="SELECT count() FROM t"), "400000")
check("native, compressed", client(*CA, "--compression", "1", sql="SELECT count() FROM (SELECT n, s FROM t)"), "400000")
holds("native, another authority", "certificate verify failed" in client("--secure", "--tls-ca", path("stranger.pem")),
      client("--secure", "--tls-ca", path("stranger.pem")))
check("native, whoever answers", client("--secure", "--accept-invalid-certificate", sql="SELECT 6"), "6")
holds("native without TLS at the secure port", "1" != client("--protocol", "native"))
check("http client", client(*CA, "--protocol", "http", port=HTTPS, sql="SELECT 7"), "7")
holds("http client, another authority", "certificate verify failed" in client(
    "--secure", "--tls-ca", path("stranger.pem"), "--protocol", "http", port=HTTPS))
if os.path.exists("/usr/lib/python3/dist-packages/clickhouse_driver"):
    script = (f"from clickhouse_driver import Client; c = Client('localhost', port={SECURE}, secure=True, ca_certs={path('root.pem')!r}); "
              "print(c.execute('SELECT sum(n) FROM t'), len(c.execute('SELECT n, s FROM t')))")
    done = subprocess.run(["/usr/bin/python3", "-c", script], capture_output=True, text=True, timeout=120)
    check("clickhouse-driver", done.stdout.strip() or done.stderr, f"[({2 * sum(range(200000))},)] 400000")

# --- PostgreSQL's protocol
if shutil.which("psql"):
    def psql(mode, *more, user="default"):
        done = subprocess.run(["psql", "-XAt", f"host=localhost port={server.postgres_port} user={user} dbname=default sslmode={mode} " + " ".join(more),
                               "-c", "SELECT 8"], capture_output=True, text=True, timeout=60)
        return done.stdout.strip() if done.returncode == 0 else done.stderr.strip()

    check("psql, require", psql("require"), "8")
    check("psql, verify-full", psql("verify-full", "sslrootcert=" + path("root.pem")), "8")
    holds("psql, another authority", "certificate verify failed" in psql("verify-full", "sslrootcert=" + path("stranger.pem")))
    check("psql, without", psql("disable"), "8")
    with socket.create_connection(("127.0.0.1", server.postgres_port), timeout=30) as raw:
        # A query behind the request for encryption must not be taken for the client's.
        raw.sendall(b"\x00\x00\x00\x08\x04\xd2\x16\x2f" + b"\x00\x00\x00\x1f\x00\x03\x00\x00user\x00default\x00\x00")
        raw.settimeout(30)
        answer = raw.recv(4096)
        holds("psql, bytes put in before TLS", answer[:1] in (b"E", b""), answer)

# --- Certificates of clients
check("users by certificate", https("CREATE USER robot IDENTIFIED WITH ssl_certificate CN 'robot'"), "")
check("and by another name", https("CREATE USER agent IDENTIFIED WITH ssl_certificate SAN 'URI:spiffe://logs/agent'"), "")
check("with it", https("SELECT currentUser()", mine="robot", user="robot"), "robot\n")
check("by the other name", https("SELECT currentUser()", mine="robot", user="agent"), "agent\n")
holds("without it", "AUTHENTICATION_FAILED" in https("SELECT 1", user="robot"))
holds("of another authority", "Error" in failure(lambda: https("SELECT 1", mine="impostor", user="robot")))
check("native with it", client(*CA, "--user", "robot", "--tls-certificate", path("robot.pem"), "--tls-key", path("robot.key"), sql="SELECT currentUser()"), "robot")
holds("native without it", "AUTHENTICATION_FAILED" in client(*CA, "--user", "robot"))
if shutil.which("psql"):
    os.chmod(path("robot.key"), 0o600)
    check("psql with it", psql("require", "sslcert=" + path("robot.pem"), "sslkey=" + path("robot.key"), user="robot"), "8")

# --- A new certificate
certificate("next", "root", "/CN=server-2", "DNS:localhost,IP:127.0.0.1")


def subject():
    with context().wrap_socket(socket.create_connection(("127.0.0.1", HTTPS)), server_hostname="localhost") as wrapped:
        return dict(pair[0] for pair in wrapped.getpeercert()["subject"])["commonName"]


check("the old one", subject(), "server-1")
shutil.copy(path("next.key"), path("server.key"))  # for a moment they do not fit each other
time.sleep(1.2)
check("still the old one", subject(), "server-1")
shutil.copy(path("next.pem"), path("server.pem"))
for _ in range(100):
    if subject() == "server-2":
        break
    time.sleep(0.1)
check("the new one, without a restart", subject(), "server-2")
check("a clean stop", server.stop(), 0)


def refused(*flags):
    done = subprocess.run([BASALT, "server", "--path", path("other"), "--http-port", "0", "--tcp-port", "0", "--postgres-port", "0", *flags],
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


check("a port without a certificate", refused("--https-port", "1234")[0], 36)
code, said = refused("--tls-certificate", path("server.pem"), "--tls-key", path("robot.key"))
holds("a key of another certificate", code == 36 and "robot.key" in said, said)
code, said = refused("--tls-certificate", path("nothing.pem"), "--tls-key", path("server.key"))
holds("a certificate that is not there", code == 36 and "nothing.pem" in said, said)
sys.exit(finish())
