#!/usr/bin/env bash
# JSON lines of a node HTTP server that logs each request and what its handlers do.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/enough.sh"
out=$1 work=$2 port=$((20000 + RANDOM % 20000))
node "$here/json_server.mjs" "$port" >"$work/server.log" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT # it may have ended already
sleep 0.5
while ! enough "$work/server.log"; do node "$here/http_load.mjs" "$port" 40000; sleep 0.2; done
cp "$work/server.log" "$out"
