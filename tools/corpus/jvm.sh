#!/usr/bin/env bash
# A JVM's unified log (garbage collector, class loading, compiler, safepoints) while a small program allocates,
# starts threads and throws.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/enough.sh"
out=$1 work=$2
: >"$work/all.log"
round=0
while ! enough "$work/all.log"; do
    round=$((round + 1))
    java -Xmx$((64 + 32 * (round % 4)))m -XX:+Use$([ $((round % 2)) = 0 ] && echo G1 || echo Parallel)GC \
        "-Xlog:gc*=debug,class+load=info,class+init=info,safepoint*=debug,jit+compilation=debug,exceptions=info:file=$work/one.log:time,uptime,pid,tid,level,tags:filecount=0" \
        "$here/Churn.java" "$round" >/dev/null 2>&1
    cat "$work/one.log" >>"$work/all.log"
done
cp "$work/all.log" "$out"
