#!/usr/bin/env python3
"""make demo's tour, from its first command to its report, on each table it knows. Prints TAP.

usage: demo_test.py JALI SOURCE
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

jali, source = (os.path.realpath(p) for p in sys.argv[1:3])
folder = tempfile.mkdtemp(prefix="jali-demo-")
n = 0


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""))
    if not good:
        print("\n".join("# " + line for line in why.strip().splitlines()[-25:]))


def tour(**more):
    env = dict(os.environ, JALI=jali, DEMO=folder + "/demo", LC_ALL="C.UTF-8", **more)
    env.pop("SERVE", None)
    done = subprocess.run([source + "/tools/demo"], env=env, text=True, timeout=200, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout, done.returncode


def chapters(text, name):
    for verb in ("ask", "why", "cluster", "profile", "contrast", "model", "budget", "ledger"):
        say(re.search(rf"^\$ jali {verb} ", text, re.M) is not None, f"{name}: the tour has {verb}", text)
    page = folder + "/demo/report.html"
    say(os.path.exists(page) and page in text, f"{name}: the report is written, and its path is told", text[-600:])
    say("The ledger holds" in text, f"{name}: the ledger holds", text[-900:])


def hospital():
    text, code = tour()
    say(code == 0, "the hospital's tour ends well", text)
    chapters(text, "hospital")
    say("diagnosis = 'infarction' adds 9,000 to cost: place 1 of the table" in text,
        "the planted reason is the first line of the why table", text)
    say(text.count(": found as cluster") == 5, "each planted group is found", text)
    say(text.count(": found, cluster") == 5, "and told apart by what was planted", text)
    say(text.count("the nearest centre is 0.") == 3, "each planted town has a centre near it", text)
    took = re.search(r"\((\d+) s for the whole tour\)", text)
    print(f"# demo.seconds {took.group(1) if took else '?'}")


def adult():
    """A table in the shape of Adult; the real one is not part of jali."""
    dice = random.Random(20261117)
    path = folder + "/adult.data"
    with open(path, "w") as out:
        for _ in range(3000):
            married = dice.random() < 0.5
            rich = dice.random() < (0.45 if married else 0.05)
            out.write(", ".join(map(str, (
                dice.randint(17, 90), dice.choice(("Private", "State-gov", "?")), 77516,
                dice.choice(("Bachelors", "HS-grad", "Masters")), dice.randint(1, 16),
                "Married-civ-spouse" if married else "Never-married", dice.choice(("Sales", "Exec-managerial")),
                dice.choice(("Husband", "Own-child")), "White", dice.choice(("Male", "Female")), 0, 0,
                dice.randint(1, 99), "United-States", ">50K" if rich else "<=50K"))) + "\n")
    text, code = tour(DATA="adult", FILE=path)
    say(code == 0, "the tour of a copy of Adult ends well", text)
    chapters(text, "adult")
    text, code = tour(DATA="adult", FILE="")
    say(code == 2 and "FILE=PATH/adult.data" in text, "without a copy it says what to write", text)


def randhie():
    text, code = tour(DATA="randhie")
    global n
    if code == 6:
        n += 1
        print(f"ok {n} - the tour of the RAND data # SKIP {text.strip().splitlines()[-1]}")
        return
    say(code == 0 and "20,190 rows of 7 columns" in text, "the tour of the RAND data ends well", text)
    chapters(text, "randhie")


try:
    hospital()
    adult()
    randhie()
    text, code = tour(DATA="nowhere")
    say(code == 2 and "take hospital, randhie or adult" in text, "an unknown table is refused in a sentence", text)
finally:
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
