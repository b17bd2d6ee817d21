#!/usr/bin/env python3
"""Every case of `jali audit`, with few runs: none gives away more than it is charged.

usage: program_test.py JALI

`make audit` has the runs that give power; here each case is seen to run, to be charged and to hold.
That a broken program is refused is shown by `make mutants` and by the twins of audit/bounds.
"""
import json
import subprocess
import sys

done = subprocess.run([sys.argv[1], "audit", "--runs", "20", "--format", "json"], capture_output=True, text=True)
rows = json.loads(done.stdout)["rows"] if done.stdout else []
print(f"1..{len(rows) + 1}")
for i, row in enumerate(rows):
    holds = row["holds"] and float(row["charged"]) > 0
    print(f"{'ok' if holds else 'not ok'} {i + 1} - {row['case']}: {row['tries']}")
whole = done.returncode == 0 and len(rows) > 80
print(f"{'ok' if whole else 'not ok'} {len(rows) + 1} - all of them, and the exit code says so")
print("\n".join("# " + line for line in done.stderr.splitlines()[-10:]))
sys.exit(0 if whole else 1)
