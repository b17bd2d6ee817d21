#!/usr/bin/env python3
"""Wrong inputs over all verbs: each is refused in one sentence, with the exit code of its class,
and nothing is spent. And Ctrl-C at random moments of the verbs that spend: the vault stays whole.
Prints TAP.

usage: wrong_test.py JALI SOURCE
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

jali, source = (os.path.realpath(p) for p in sys.argv[1:3])
folder = tempfile.mkdtemp(prefix="jali-wrong-")
V = "h.jali"
COUNT = "SELECT COUNT(*) FROM hospital"
PAY = ("--epsilon", "0.1", "--yes")
ROUNDS = 5  # of Ctrl-C, for every verb
n = 0

# Exit code, and the command line.
WRONG = [
    (2, ["bugdet", V]), (2, ["help", "nothing"]), (2, ["show"]), (2, ["show", V, "more"]), (6, ["show", "no.jali"]),
    (6, ["show", "."]), (2, ["show", V, "--format", "yaml"]), (2, ["show", V, "--formt", "json"]),
    (2, ["show", V, "--ascii=yes"]), (2, ["show", V, "--format"]), (2, ["ask", V]), (2, ["ask", V, COUNT]),
    (2, ["ask", V, COUNT, "--epsilon", "0", "--yes"]), (2, ["ask", V, COUNT, "--epsilon", "-1", "--yes"]),
    (2, ["ask", V, COUNT, "--epsilon", "much", "--yes"]), (2, ["ask", V, COUNT, "--epsilon", "1", "--rho", "1", "--yes"]),
    (2, ["ask", V, COUNT, "--epsilon", "1"]), (3, ["ask", V, COUNT, "--epsilon", "99", "--yes"]),
    (2, ["ask", V, COUNT, *PAY, "--confidence", "2"]), (2, ["ask", V, COUNT, *PAY, "--epsilon", "1"]),
    (2, ["ask", V, "SELECT wrad, COUNT(*) FROM hospital GROUP BY wrad", *PAY]),
    (2, ["ask", V, "SELECT MEDIAN(cost) FROM hospital", *PAY]), (2, ["ask", V, "SELECT", *PAY]), (2, ["ask", V, "", *PAY]),
    (2, ["ask", V, "DROP TABLE hospital", *PAY]), (2, ["ask", V, COUNT + "; " + COUNT, *PAY]),
    (2, ["ask", V, "SELECT COUNT(*) FROM nowhere", *PAY]), (2, ["ask", V, "SELECT COUNT(*) FROM hospital WHERE age <", *PAY]),
    (2, ["ask", V, "SELECT COUNT(*) FROM hospital WHERE sex = 5", *PAY]), (2, ["ask", V, "SELECT * FROM hospital", *PAY]),
    (2, ["ask", V, "SELECT COUNT(*) FROM hospital h JOIN hospital g ON h.age = g.age", *PAY]),
    (2, ["why", V, "r9", "a > b", *PAY]), (2, ["why", V, "r1", "cardiology", *PAY]), (2, ["why", V, "r1", "cardiolgy > internal", *PAY]),
    (2, ["why", V, "r1", "cardiology > internal", *PAY, "--top", "0"]),
    (2, ["why", V, "r1", "cardiology > internal", *PAY, "--columns", "nothing"]),
    (2, ["cluster", V, *PAY]), (2, ["cluster", V, "--columns", "agee", *PAY]), (2, ["cluster", V, "--columns", "age", "--method", "magic", *PAY]),
    (2, ["cluster", V, "--columns", "age", "--clusters", "0", *PAY]), (2, ["profile", V, "c9", *PAY]),
    (2, ["profile", V, '{"rules": ["age <"]}', *PAY]), (2, ["contrast", V, "plan", "--columns", "x,y", *PAY]),
    (2, ["contrast", V, "at", "k9", "1", "2"]), (2, ["contrast", V, "dance"]), (2, ["model", V, "pdp", *PAY]),
    (2, ["release", V, "r9"]), (2, ["release", V, "zzz"]), (2, ["report", V, "r9"]), (2, ["budget", V, "eat"]),
    (2, ["budget", V, "quota", "--share", "7"]), (2, ["budget", V, "raise"]), (2, ["budget", V, "raise", "--epsilon", "0.1"]),
    (2, ["ledger", V, "shout"]), (2, ["ledger", V, "log", "--from", "x"]), (2, ["token", V, "add"]),
    (2, ["token", V, "revoke", "t9"]), (2, ["serve", V, "--listen", "nowhere"]), (2, ["mock", "castle"]),
    (2, ["mock", "hospital", "-n", "many"]), (2, ["completion", "tcsh"]), (6, ["draft", "no.csv"]), (6, ["schema", "check", "no.json"]),
    (4, ["schema", "check", "bad.json"]), (2, ["init", "new.jali"]),
    (4, ["init", "new.jali", "--data", "h.csv", "--schema", "bad.json", "--epsilon", "1", "--delta", "0"]),
    (2, ["init", "new.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "0", "--delta", "0"]),
    (2, ["init", "new.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "1", "--delta", "2"]),
    (6, ["init", "new.jali", "--data", "no.csv", "--schema", "h.json", "--epsilon", "1", "--delta", "0"]),
    (2, ["init", "new.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "1", "--delta", "0", "--ask-above", "3"]),
    (6, ["manual", "no/folder"]), (2, ["eval", "ask", V]), (2, ["audit", "nothing"]), (6, ["separators", "no.dot"]), (2, ["claims", "nois"]),
    (6, ["assign", V, "c1", "no.csv"]),
]


# What the sentence must offer, so that the next try is right.
MENDS = [
    (["aks", V, COUNT], 'did you mean "jali ask"'), (["ask", V, COUNT, "--epsilon", "1,5", "--yes"], "write 1.5"),
    (["ask", V, COUNT, "--epsilom", "1", "--yes"], "did you mean --epsilon"),
    (["ask", V, "SELECT AVG(cots) FROM hospital", *PAY], 'did you mean "cost"'),
    (["ask", V, "SELECT COUNT(*) FROM hospital WHERE ward = 'cardiolgy'", *PAY], 'did you mean "cardiology"'),
    (["ask", "h.csv", COUNT, *PAY], "is a file, not a vault"), (["budget", "no.jali"], "jali init makes one"),
    (["why", V, "r1", "cardiolgy > internal", *PAY], 'did you mean "cardiology"'),
    (["release", V, "r99"], "jali releases lists them"), (["cluster", V, "--columns", "agee", *PAY], 'did you mean "age"'),
    (["cluster", V, "--columns", "age", "--method", "refind", *PAY], 'did you mean "refined"'),
    (["cluster", V, "--columns", "age", "--clusters", "two", *PAY], "whole number"),
    (["contrast", V, "mapp", "k1"], 'did you mean "map"'), (["ledger", V, "verfy"], 'did you mean "verify"'),
    (["schema", "chek", "h.json"], "knows check"), (["mock", "hospitl"], 'did you mean "hospital"'),
    (["model", V, "pdq", *PAY], "did you mean pdp"), (["assign", V, "c1", "h.csv", "-o", "no/x.csv"], "is its folder there"),
    (["report", V, "r1", "-o", "no/r.html"], "is its folder there"),
]

# The heading of docs/errors.md for each exit code, which docs_test.py looks for.
ANCHORS = {2: "usage", 3: "budget", 4: "data", 5: "ledger", 6: "engine", 7: "internal"}


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""))
    if not good:
        print("\n".join("# " + line for line in why.strip().splitlines()[-10:]))


def run(words, seconds=60):
    return subprocess.run([jali, *words], cwd=folder, text=True, capture_output=True, timeout=seconds,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, LC_ALL="C.UTF-8"))


def rows():
    return run(["ledger", V, "log", "--format", "csv"]).stdout.count("\n")


def wrong():
    before = rows()
    for code, words in WRONG:
        done = run(words)
        lines = done.stderr.splitlines()
        sentence = bool(lines) and lines[0].startswith("jali: ") and len(lines[0]) > 25
        caret = len(lines) == 2 or (len(lines) == 4 and lines[2].strip() == "^")
        see = re.fullmatch(r"see: jali .*, (docs/errors\.md)#(\w+)", lines[-1]) if lines else None
        say(done.returncode == code and sentence and caret and see is not None and see[2] == ANCHORS[code]
            and done.stdout == "",
            f"{' '.join(words)[:70]}: exit {code}", f"exit {done.returncode}\n{done.stdout[-300:]}{done.stderr}")
    say(rows() == before and not os.path.exists(folder + "/new.jali"), "nothing was spent, nothing was made")


def mends():
    before = rows()
    for words, offer in MENDS:
        done = run(words)
        say(done.returncode in ANCHORS and offer in done.stderr.splitlines()[0],
            f"{' '.join(words)[:60]} says: {offer}", done.stderr)
    say(rows() == before, "and none of them spent anything")


def interrupted():
    """Ctrl-C after a random time; the seed is fixed, the machine's speed is not."""
    dice, cut, bad = random.Random(20261117), 0, []
    verbs = [["ask", V, "SELECT ward, sex, AVG(cost) FROM hospital GROUP BY ward, sex"],
             ["why", V, "r1", "cardiology > internal"], ["cluster", V, "--columns", "age,bmi", "--clusters", "3"],
             ["profile", V, "c1", "--columns", "sex", "ward"],
             ["contrast", V, "plan", "--columns", "x,y", "--centres", "2"],
             ["model", V, "pdp", "--model", "command:./risk", "--declared", "public", "--bounds", "0:1", "--columns",
              "age,bmi", "--feature", "age", "--resolution", "5"],
             ["report", V, "-o", "r.html"], ["budget", V, "quota", "ana", "--share", "0.5"],
             ["assign", V, "c1", "h.csv", "-o", "labels.csv"], ["contrast", V, "map", "k1", "--grid", "30"],
             ["release", V, "c1"], ["ledger", V, "verify"], ["token", V, "add", "--name", "ana", "--role", "analyst"],
             ["model", V, "add", "m", "--model", "command:./risk", "--declared", "public", "--bounds", "0:1",
              "--columns", "age,bmi"]]
    free = ("report", "budget", "assign", "release", "ledger", "token")
    for i in range(ROUNDS * len(verbs)):
        words = list(verbs[i % len(verbs)])
        if words[0] not in free and words[2] not in ("map", "add"):
            words += ["--epsilon", f"0.{100 + i}", "--yes"]
        child = subprocess.Popen([jali, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 stdin=subprocess.DEVNULL)
        time.sleep(dice.random() * 0.12)
        child.send_signal(signal.SIGINT)
        cut += child.wait() != 0
        done = run(["ledger", V, "verify"])
        if done.returncode != 0:
            bad.append(" ".join(words) + ": " + done.stdout + done.stderr)
    say(cut > 5, f"some commands were cut short ({cut} of {ROUNDS * len(verbs)})")
    say(not bad, "the ledger holds after every one", "\n".join(bad))
    done = run(["ask", V, "SELECT living, COUNT(*) FROM hospital GROUP BY living", *PAY])
    say(done.returncode == 0, "and the vault answers as before", done.stderr)
    left = [x for x in os.listdir(folder) if x.startswith(".") or x.endswith(".tmp")]
    say(not left, "no half-written file is left", str(left))


try:
    run(["mock", "hospital", "-n", "20000", "-o", "h.csv", "--schema", "h.json"])
    made = run(["init", V, "--data", "h.csv", "--schema", "h.json", "--epsilon", "30", "--delta", "1e-6"])
    say(made.returncode == 0, "a vault", made.stderr)
    run(["ask", V, "SELECT ward, AVG(cost) FROM hospital GROUP BY ward", "--epsilon", "1", "--yes"])
    run(["cluster", V, "--columns", "age,bmi", "--clusters", "3", "--epsilon", "1", "--yes"])
    run(["contrast", V, "plan", "--columns", "x,y", "--centres", "2", "--epsilon", "1", "--yes"])
    shutil.copy(source + "/tools/demo-model", folder + "/risk")
    with open(folder + "/bad.json", "w") as out:
        out.write('{"name": "x", "fields": [{"name": "a", "type": "colour"}]}')
    wrong()
    mends()
    interrupted()
finally:
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
