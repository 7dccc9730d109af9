#!/usr/bin/env bash
# sshd's log at DEBUG3 in syslog's layout while clients scan, fail and get in.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/enough.sh"
out=$1 work=$2 port=$((20000 + RANDOM % 20000))
ssh-keygen -q -t ed25519 -N '' -f "$work/host"
ssh-keygen -q -t ed25519 -N '' -f "$work/user"
ssh-keygen -q -t ed25519 -N '' -f "$work/stranger"
cp "$work/user.pub" "$work/authorized"
mkdir -p /run/sshd
cat >"$work/config" <<C
Port $port
ListenAddress 127.0.0.1
HostKey $work/host
PidFile $work/pid
AuthorizedKeysFile $work/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
MaxStartups 100
LogLevel DEBUG3
C
/usr/sbin/sshd -f "$work/config" -E "$work/sshd.raw" -D &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT # it may have ended already
sleep 0.5
: >"$work/syslog"
stamp() { # what rsyslog puts before each line
    awk -v host="node-$((RANDOM % 5))" -v start="$(date +%s)" '{ split(strftime("%b %e %H:%M:%S", start + int(NR / 40)), t, "\n");
        printf "%s %s sshd[%d]: %s\n", t[1], host, 1000 + int(NR / 55) % 30000, $0 }'
}
options=(-p "$port" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=QUIET -o BatchMode=yes)
client() { # serial number, kind, a number
    case $2 in
    0) ssh "${options[@]}" -i "$work/stranger" "$(printf 'admin\noracle\ntest%d\ngit\n' "$1" | shuf -n 1)@127.0.0.1" true ;;
    1) ssh "${options[@]}" -i "$work/user" "$(id -un)@127.0.0.1" "true $3" ;;
    2) ssh-keyscan -p "$port" 127.0.0.1 ;;
    3) printf 'GET / HTTP/1.0\r\n\r\n' | timeout 0.2 bash -c "cat >/dev/tcp/127.0.0.1/$port" ;;
    esac || true # most of them are meant to be refused
}
while ! enough "$work/syslog"; do
    : >"$work/sshd.raw"
    for i in $(seq 60); do
        client "$i" $((RANDOM % 4)) $RANDOM >/dev/null 2>&1 </dev/null &
        [ $((i % 12)) -ne 0 ] || wait $(jobs -p | grep -v "^$server$") || true
    done
    stamp <"$work/sshd.raw" | tr -d '\r' >>"$work/syslog"
done
cp "$work/syslog" "$out"
