#!/usr/bin/env python3
"""How many instructions does a verb run on neighbouring vaults? Exact counts, by valgrind's callgrind.

usage: instructions.py JALI_GOLDEN [VERB...]       (build/tests/golden/jali-golden: its dice can be seeded)

A clock on a shared machine is blunt; instructions are counted one by one, whoever else is running. Each verb runs
with the same seed on three vaults: with a person, with another person in that place (as many rows), and without. Told
are the instructions of the rooms that hold data (engine, table, tally, score, mech, dice), those of the whole
program, and how far the whole differs between two runs on one vault. The rooms may differ by no more than LEEWAY
from neighbour to neighbour, but for the verbs of FOLLOWS, whose work follows what they release. A vault of 400 rows more
must be seen. Exit code 1 if not.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

from latency import load_silence

ROOMS = re.compile(r"/src/(engine|table|tally|score|mech|dice)/")
PAIR = "a row in an empty group"
OTHER = "a,u,10,10"  # a row like others, in place of the only one of its group
LEEWAY = 3000
FOLLOWS = ("contrast", "cluster cover")  # a released tree, released directions


def read_counts(path):
    """Instructions of the rooms that hold data, and of all; what a call costs inside is counted where it runs."""
    names, inside, rooms, whole, call = {}, False, 0, 0, False
    for line in open(path):
        named = re.match(r"(c?)f[lie]=\((\d+)\)(?: (.*))?", line)
        if named:
            called, number, name = named.groups()
            place = names.setdefault(number, bool(ROOMS.search(name or "")))
            inside = inside if called else place
        elif line.startswith("calls="):
            call = True
        elif line[0] in "+-*0123456789":
            cost = 0 if call else int(line.split()[1])
            call = False
            whole += cost
            rooms += cost if inside else 0
    return rooms, whole


def count(silence, folder, side, words, seed):
    place = silence.copy(folder, side)
    out = os.path.join(folder, "counts")
    done = subprocess.run(["setarch", "-R", "valgrind", "--tool=callgrind", "--callgrind-out-file=" + out,
                           silence.JALI, *words, "--yes", "--format", "json", "--as", "auditor"], cwd=place,
                          capture_output=True, text=True, env=dict(os.environ, JALI_TEST_SEED=str(seed)))
    if done.returncode != 0:
        sys.exit(f"instructions: {' '.join(words)} ended with {done.returncode}: {done.stderr[-500:]}")
    shutil.rmtree(place)
    return read_counts(out)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("jali")
    p.add_argument("verbs", nargs="*")
    a = p.parse_intermixed_args()
    silence = load_silence(os.path.abspath(a.jali))
    verbs = {v: w for v, w in silence.VERBS.items()
             if not v.startswith("a refusal") and (v in a.verbs if a.verbs else "command:" not in " ".join(w))}
    print(f"{'verb':18} {'rooms':>12} {'other person':>12} {'without':>9} {'whole':>12} {'other person':>12} "
          f"{'without':>9} {'the same':>9}")
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        schema, header, rows, person = silence.PAIRS[PAIR]
        silence.make_pair(folder, schema, header, rows, person)
        silence.make_vault(folder, "other", header, rows + [OTHER])
        silence.make_vault(folder, "more", header, rows + person + 400 * [OTHER])
        for verb, words in verbs.items():
            one, same = (count(silence, folder, "with", words, 1) for _ in range(2))
            other, without = (count(silence, folder, side, words, 1) for side in ("other", "without"))
            if verb not in FOLLOWS:
                worst = max(worst, abs(other[0] - one[0]), abs(without[0] - one[0]))
            print(f"{verb:18} {one[0]:12} {other[0] - one[0]:+12} {without[0] - one[0]:+9} {one[1]:12} "
                  f"{other[1] - one[1]:+12} {without[1] - one[1]:+9} {same[1] - one[1]:+9}", flush=True)
        ask = silence.VERBS["ask"]
        twin = count(silence, folder, "more", ask, 1)[0] - count(silence, folder, "with", ask, 1)[0]
    print(f"instructions.worst {worst}\ninstructions.leeway {LEEWAY}\ninstructions.twin {twin}")
    sys.exit(worst > LEEWAY or twin <= LEEWAY)


if __name__ == "__main__":
    main()
