#!/bin/sh
# libjali.so exports what jali.h and its parts declare, and nothing else. usage: exports_test.sh LIB FOLDER
set -eu
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
cat "$2"/jali.h "$2"/jali/*.h | tr '\n' ' ' | grep -oE 'JALI_API [^;]*' | grep -oE '\bjali_[a-z_]+\(' | tr -d '(' | sort -u >"$tmp/declared"
nm -D --defined-only "$1" | awk '$3 !~ /^_/ {print $3}' | sort -u >"$tmp/exported"
echo 1..2
[ -s "$tmp/declared" ] && echo "ok 1 - jali.h declares something" || echo "not ok 1 - jali.h declares nothing"
if diff "$tmp/declared" "$tmp/exported" >"$tmp/diff"; then
    echo "ok 2 - what is declared is exported and nothing else"
else
    echo "not ok 2 - what is declared is exported and nothing else"
    sed 's/^/# /' "$tmp/diff"
fi
