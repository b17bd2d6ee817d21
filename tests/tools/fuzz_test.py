#!/usr/bin/env python3
"""A fuzzer that finds something fails the run, leaves what it found, and says how to play it again. Prints TAP.

usage: fuzz_test.py SOURCE BUILD
"""
import os
import re
import subprocess
import sys

source, build = (os.path.realpath(p) for p in sys.argv[1:3])
number = 0


def say(good, name, why=""):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    if not good:
        print("\n".join("# " + line for line in why.strip().splitlines()[-15:]))


def fuzz(name, seconds):
    done = subprocess.run([source + "/tools/run-fuzz", build, str(seconds), name], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


code, said = fuzz("planted", 30)
told = re.search(r"it failed on (\S+); again: (\S+) (\S+)", said)
say(code == 1 and "not ok  fuzz planted" in said, "a planted crash fails the run", said)
say(told is not None and os.path.getsize(os.path.join(source, told.group(1))) >= 3,
    "what it failed on is left, and named", said)
again = subprocess.run(list(told.groups()[1:]), cwd=source, capture_output=True, text=True) if told else None
say(again is not None and again.returncode != 0 and "deadly signal" in again.stderr,
    "the command that is told plays it again", again.stderr if again else said)
code, said = fuzz("predicate", 1)
say(code == 0 and "1 fuzzers found nothing" in said, "a fuzzer that finds nothing passes", said)
print(f"1..{number}")
