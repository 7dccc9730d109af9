"""Starts `basalt server` for a test: free port, folder of its own, waits until it is ready."""

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, basalt, path, *flags, tcp=False, postgres=False, port=None):
        self.port = port or free_port()
        self.tcp_port = free_port() if tcp else 0
        self.postgres_port = free_port() if postgres else 0
        self.url = f"http://127.0.0.1:{self.port}"
        self.log_path = os.path.join(path, "server.log")
        with open(self.log_path, "ab") as log:
            offset = log.tell()
            self.process = subprocess.Popen(
                [basalt, "server", "--path", os.path.join(path, "data"), "--http-port", str(self.port),
                 "--tcp-port", str(self.tcp_port), "--postgres-port", str(self.postgres_port), *flags],
                stdout=log, stderr=subprocess.STDOUT)
        for _ in range(600):
            with open(self.log_path, "rb") as log:
                log.seek(offset)
                if b"is ready: " in log.read():
                    return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        with open(self.log_path, errors="replace") as log:
            raise SystemExit(f"the server did not start: {log.read()[-2000:]}")

    def ask(self, sql):
        """The answer, or the text of the error."""
        request = urllib.request.Request(self.url + "/", data=sql.encode())
        try:
            return urllib.request.urlopen(request, timeout=120).read().decode().strip()
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)
