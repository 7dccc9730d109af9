#!/usr/bin/env bash
# tools/corpus/make.sh [FOLDER] [KIND…]: real application logs for measuring and testing encodings. Runs each
# program under varied load until its log has at least 200,000 lines and 32 MiB. FOLDER defaults to build/corpus.
# Kinds: nginx postgresql jvm sshd node_json (default: all). Packages: tools/corpus/packages.txt.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../build/corpus}
[ $# -gt 0 ] && shift
kinds=("$@")
[ ${#kinds[@]} -gt 0 ] || kinds=(nginx postgresql jvm sshd node_json)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
export CORPUS_LINES=200000 CORPUS_BYTES=$((32 << 20))
for kind in "${kinds[@]}"; do
    started=$SECONDS
    work=$(mktemp -d)
    chmod 755 "$work"
    "$here/$kind.sh" "$folder/$kind.log" "$work"
    rm -rf "$work"
    lines=$(wc -l <"$folder/$kind.log")
    bytes=$(stat -c %s "$folder/$kind.log")
    echo "$kind: $lines lines, $((bytes >> 20)) MiB, $((SECONDS - started)) s"
    if [ "$lines" -lt $CORPUS_LINES ] || [ "$bytes" -lt $CORPUS_BYTES ]; then
        echo "$kind: fewer than $CORPUS_LINES lines or $CORPUS_BYTES bytes" >&2
        exit 1
    fi
done
