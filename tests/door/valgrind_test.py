#!/usr/bin/env python3
"""The main verbs under valgrind: no memory that is not ours or not written yet, none lost.

usage: valgrind_test.py JALI FOLDER        (FOLDER holds valgrind.supp and leaky.c)

ASan sees what it compiled; valgrind sees the libraries' side as well. A program that loses memory
and reads beyond its end on purpose is run first and must be refused.
"""
import os
import shutil
import subprocess
import sys
import tempfile

jali, here = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
WATCH = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite",
         "--errors-for-leak-kinds=definite", "--suppressions=" + os.path.join(here, "valgrind.supp")]
ASK = "SELECT ward, AVG(cost), COUNT(*) FROM hospital GROUP BY ward"
PAY = ["--epsilon", "1", "--yes"]
AXES = ["--columns", "age,bmi", "--clusters", "2"]
VERBS = [
    ("init", ["init", "again.jali", "--data", "h.csv", "--schema", "s.json", "--epsilon", "1", "--delta", "1e-6"]),
    ("show", ["show", "h.jali"]),
    ("ask", ["ask", "h.jali", ASK, *PAY]),
    ("a wrong question", ["ask", "h.jali", "SELECT wrad FROM hospital", *PAY]),
    ("why", ["why", "h.jali", "r1", "cardiology > internal", "--of", "AVG(cost)", *PAY]),
    ("cluster", ["cluster", "h.jali", *AXES, *PAY]),
    ("cluster dpm", ["cluster", "h.jali", "--columns", "age,bmi", "--method", "dpm", *PAY]),
    ("profile", ["profile", "h.jali", "c1", "--columns", "sex,smoker,living", *PAY]),
    ("contrast plan", ["contrast", "h.jali", "plan", "--columns", "x,y", "--centres", "2", *PAY]),
    ("contrast at", ["contrast", "h.jali", "at", "k1", "37", "37"]),
    ("model", ["model", "h.jali", "pdp", "--model", "./half.so", "--declared", "public",
               "--bounds", "0:1", "--columns", "age,bmi", "--feature", "age", "--resolution", "3", *PAY]),
    ("budget", ["budget", "h.jali"]),
    ("ledger verify", ["ledger", "h.jali", "verify"]),
    ("report", ["report", "h.jali", "-o", "r.html"]),
]
REFUSED = {"a wrong question": 2}


HALF = """#include <stddef.h>
int jali_predict(const double *x, size_t n, size_t w, double *out)
{
    (void)x, (void)w;
    for (size_t i = 0; i < n; i++) out[i] = 0.5;
    return 0;
}
"""


def watched(words, folder):
    return subprocess.run([*WATCH, *words], cwd=folder, capture_output=True, text=True)


def tell(i, ok, name, done):
    print(f"{'ok' if ok else 'not ok'} {i} - {name}")
    if not ok:
        print("\n".join("# " + line for line in (f"exit {done.returncode}\n" + done.stderr).splitlines()[-40:]))
    return ok


def main():
    if not shutil.which("valgrind"):
        print("1..1\nok 1 - # SKIP valgrind is not there (make judges installs it)")
        return 0
    print(f"1..{len(VERBS) + 2}")
    with tempfile.TemporaryDirectory() as folder:
        fine = True
        for i, flaw in enumerate(["lose", "read"]):
            subprocess.run(["cc", "-g", "-O0", "-DFLAW_" + flaw, "-o", "leaky", os.path.join(here, "leaky.c")],
                           cwd=folder, check=True)
            done = watched(["./leaky"], folder)
            fine &= tell(i + 1, done.returncode == 99, f"a program that would {flaw} wrongly is refused", done)
        # A command's cage is made of calls that valgrind does not know.
        with open(os.path.join(folder, "half.c"), "w") as f:
            f.write(HALF)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "half.so", "half.c"], cwd=folder, check=True)
        subprocess.run([jali, "mock", "hospital", "-n", "300", "-o", "h.csv", "--schema", "s.json"], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([jali, "init", "h.jali", "--data", "h.csv", "--schema", "s.json", "--epsilon", "20",
                        "--delta", "1e-6"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for i, (name, words) in enumerate(VERBS):
            done = watched([jali, *words], folder)
            fine &= tell(i + 3, done.returncode == REFUSED.get(name, 0), name, done)
    return 0 if fine else 1


sys.exit(main())
