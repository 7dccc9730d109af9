# enough FILE: has the log the lines and bytes asked for?
enough() {
    [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$CORPUS_LINES" ] && [ "$(stat -c %s "$1")" -ge "$CORPUS_BYTES" ]
}
