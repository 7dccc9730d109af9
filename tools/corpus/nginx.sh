#!/usr/bin/env bash
# nginx's access log (combined, with request times and upstream fields) under a mixed load.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/enough.sh"
out=$1 work=$2 port=$((20000 + RANDOM % 20000))
mkdir -p "$work/site/assets" "$work/site/docs"
for i in $(seq 40); do head -c $((i * 331)) /dev/urandom | base64 >"$work/site/assets/app-$i.js"; done
for i in $(seq 20); do printf '<h1>%s</h1>' "$i" >"$work/site/docs/$i.html"; done
cat >"$work/nginx.conf" <<C
worker_processes 1;
daemon off;
pid $work/nginx.pid;
error_log $work/error.log warn;
events { worker_connections 512; }
http {
    log_format timed '\$remote_addr - \$remote_user [\$time_local] "\$request" \$status \$body_bytes_sent '
                     '"\$http_referer" "\$http_user_agent" rt=\$request_time id=\$request_id';
    access_log $work/access.log timed buffer=64k;
    client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fcgi;
    uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
    keepalive_requests 100000;
    server {
        listen 127.0.0.1:$port;
        root $work/site;
        location /api/ { return 200 '{"ok":true}'; }
        location /private/ { return 403; }
        location /old/ { return 301 /docs/1.html; }
        location /down/ { return 503; }
    }
}
C
nginx -c "$work/nginx.conf" -e "$work/error.log" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT # it may have ended already
sleep 1
while ! enough "$work/access.log"; do node "$here/http_load.mjs" "$port" 60000; sleep 0.2; done
kill $server
wait $server || true # the status says only that a signal ended it
cp "$work/access.log" "$out"
