#!/bin/sh
# ask.sh — from nothing to an answer and a report, in the shell.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A generated hospital; with your own data write the schema by `jali draft` and edit it.
jali mock hospital -n 5000 -o visits.csv --schema visits.json >/dev/null
jali init visits.jali --data visits.csv --schema visits.json --epsilon 2 --delta 1e-6 >/dev/null

question="SELECT ward, AVG(cost) FROM hospital GROUP BY ward"
jali cost ask visits.jali "$question" --epsilon 1           # free: what would it cost?
jali ask visits.jali "$question" --epsilon 1 --yes --as eve # paid, drawn, stored
jali release visits.jali r1 --format csv                    # free, for a program

# Programs read JSON; numbers are decimals in strings, each with its interval.
jali release visits.jali r1 --format json |
    python3 -c 'import json, sys
for row in json.load(sys.stdin)["rows"]:
    print(row["ward"], row["AVG(cost)"]["low"], row["AVG(cost)"]["high"])'

jali report visits.jali -o report.html
jali ledger visits.jali verify
