#!/bin/sh
# interrupt_test.sh JALI — Ctrl-C at any moment leaves a whole vault or none, and no trace.
set -u
jali=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
n=0
say() {
    n=$((n + 1))
    echo "$1 $n - $2"
}
echo 1..5

"$jali" mock hospital -n 200000 -o h.csv --schema h.json >/dev/null
cut=0 whole=0 traces=0 bad=0
for after in 0.02 0.05 0.1 0.2 0.3 0.5; do
    # A shell gives background jobs a deaf ear for SIGINT; timeout sends it to a job that hears.
    timeout -s INT "$after" "$jali" init v.jali --data h.csv --schema h.json --epsilon 1 \
        --delta 1e-6 >/dev/null 2>&1
    if [ -d v.jali ]; then
        whole=$((whole + 1))
        "$jali" ledger v.jali verify >/dev/null 2>&1 || bad=$((bad + 1))
        rm -rf v.jali
    else
        cut=$((cut + 1))
    fi
    for left in .v.jali.new-*; do [ -e "$left" ] && traces=$((traces + 1)); done
done
if [ $cut -gt 0 ]; then say ok "some imports were cut short ($cut of $((cut + whole)))"; else say "not ok" "no import was cut short: the test tests nothing"; fi
[ $traces = 0 ] && say ok "no hidden folder is left" || say "not ok" "$traces hidden folders are left"
[ $bad = 0 ] && say ok "a vault that is there is whole" || say "not ok" "$bad vaults are broken"

# kill -9 leaves a folder, and the next import of that name takes it away; another's stays.
mkdir .v.jali.new-abc123 .v.jali.new-abc123/columns .w.jali.new-abc123
head -200 h.csv >small.csv
"$jali" init v.jali --data small.csv --schema h.json --epsilon 1 --delta 1e-6 >/dev/null
if [ ! -e .v.jali.new-abc123 ] && [ -e .w.jali.new-abc123 ]; then
    say ok "the next import sweeps what a killed one left, and nothing else"
else
    say "not ok" "the next import sweeps what a killed one left, and nothing else"
fi

# What a living process is making is not swept: it holds the lock.
rm -rf v.jali
mkdir .v.jali.new-live00
python3 -c 'import fcntl,os,time
fd=os.open(".v.jali.new-live00",os.O_RDONLY)
fcntl.flock(fd,fcntl.LOCK_EX)
print("held",flush=True)
time.sleep(20)' >held &
holder=$!
while [ ! -s held ]; do sleep 0.05; done
"$jali" init v.jali --data small.csv --schema h.json --epsilon 1 --delta 1e-6 >/dev/null
[ -e .v.jali.new-live00 ] && say ok "what another process is making is left alone" ||
    say "not ok" "what another process is making is left alone"
kill $holder
