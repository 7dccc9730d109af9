#!/usr/bin/env python3
"""npm's @clickhouse/client as a peer: streams of several formats in and out, exec, errors in the middle.

usage: clickhouse_js_formats.py path/to/basalt"""

import os
import pathlib
import subprocess
import sys
import tempfile

from npm_peer import node_with
from server import Server

node, modules = node_with("@clickhouse/client@1.23.1")
server = Server(sys.argv[1], tempfile.mkdtemp(prefix="basalt-js-"))
script = pathlib.Path(__file__).resolve().parent / "peers" / "clickhouse_js_formats.mjs"
done = subprocess.run([node, str(script), server.url], env={**os.environ, "PEER_MODULES": modules}, timeout=600)
sys.exit(1 if server.stop() else done.returncode)
