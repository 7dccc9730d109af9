#!/usr/bin/env bash
# PostgreSQL's log with every statement and its duration, under pgbench and a few scripts of our own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/enough.sh"
out=$1 work=$2 port=$((20000 + RANDOM % 20000))
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
as=()
if [ "$(id -u)" -eq 0 ]; then
    chown postgres "$work"
    as=(runuser -u postgres --)
fi
"${as[@]}" "$bin/initdb" -D "$work/data" -A trust --no-sync >/dev/null
cat >>"$work/data/postgresql.conf" <<C
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = '$work'
fsync = off
log_min_duration_statement = 0
log_connections = on
log_disconnections = on
log_lock_waits = on
log_checkpoints = on
log_autovacuum_min_duration = 0
log_line_prefix = '%m [%p] %q%u@%d/%a '
C
"${as[@]}" "$bin/postgres" -D "$work/data" >"$work/server.log" 2>&1 &
trap '"${as[@]}" "$bin/pg_ctl" -D "$work/data" -m immediate stop >/dev/null 2>&1 || true' EXIT # it may have ended already
for _ in $(seq 100); do "$bin/pg_isready" -q -h "$work" -p "$port" && break; sleep 0.1; done
url=(-h "$work" -p "$port" -U postgres)
"$bin/pgbench" "${url[@]}" -i -s 2 -q postgres >/dev/null 2>&1
cat >"$work/orders.sql" <<'C'
\set id random(1, 200000)
\set amount random(1, 99999)
SELECT a.aid, a.abalance, b.bbalance FROM pgbench_accounts a JOIN pgbench_branches b USING (bid) WHERE a.aid = :id AND a.abalance > -:amount LIMIT 10;
SELECT count(*) FROM pgbench_history WHERE delta BETWEEN -:amount AND :amount;
SELECT nothing FROM missing_table_of_:id;
C
cat >"$work/wide.sql" <<'C'
\set id random(1, 200000)
SELECT md5(:id::text) AS token, repeat('x', (:id % 40)::int) AS pad, now() - interval '1 hour' AS since, ARRAY[:id, :id + 1, :id * 2] AS ids WHERE :id <> 0;
C
while ! enough "$work/server.log"; do
    "$bin/pgbench" "${url[@]}" -n -c 4 -j 1 -t 2500 postgres >/dev/null
    "$bin/pgbench" "${url[@]}" -n -c 2 -t 1500 -f "$work/wide.sql" -M prepared postgres >/dev/null
    # Its last statement is meant to fail, which ends pgbench with an error.
    for _ in 1 2 3 4 5 6; do "$bin/pgbench" "${url[@]}" -n -t 1 -f "$work/orders.sql" postgres >/dev/null 2>&1 || true; done
done
cp "$work/server.log" "$out"
