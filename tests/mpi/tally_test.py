#!/usr/bin/env python3
"""mpirun jali-tally gives what jali gives, byte by byte, for 1, 2, 3 and 4 ranks.

Real MPI on this machine, real vaults. Both programs are linked with the seeded dice of
tests/support, so that equal tallies give equal answers and one row more or less gives others
(the twin below). Usage: tally_test.py JALI JALI_TALLY MPIRUN
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

JALI, TALLY = (os.path.realpath(p) for p in sys.argv[1:3])
MPIRUN = sys.argv[3]  # a link that knows by its name what it is
done = failed = 0


def check(good, what, why=""):
    global done, failed
    done += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {done} - {what}", flush=True)
    if not good:
        print("\n".join("# " + line for line in why.splitlines()[-12:]), flush=True)


def run(*words, cwd="."):
    p = subprocess.run(words, capture_output=True, text=True, cwd=cwd, timeout=100, check=False)
    return p.returncode, p.stdout, p.stderr


def ranks(n):
    return [MPIRUN, "--allow-run-as-root", "--oversubscribe", "-np", str(n)]


def fresh(vault):
    shutil.rmtree("x.jali", ignore_errors=True)
    shutil.copytree(vault, "x.jali")


def jali(vault, *words):
    fresh(vault)
    return run(JALI, *words, "--yes", "--format", "json")


def tally(vault, n, *words):
    fresh(vault)
    return run(*ranks(n), TALLY, *words, "--yes", "--format", "json")


def spent(vault):
    return json.loads(run(JALI, "budget", vault, "--format", "json")[1])["spent"]


QUESTION = "SELECT ward, AVG(cost) FROM hospital GROUP BY ward"
CLUSTER = ["cluster", "x.jali", "--columns", "age,bmi,pressure", "--epsilon", "2"]
VERBS = {
    "ask": ["ask", "x.jali", "SELECT ward, sex, SUM(cost), COUNT(*) FROM hospital WHERE "
            "age > 30 AND ward <> 'surgery' GROUP BY ward, sex", "--epsilon", "1"],
    "why": ["why", "x.jali", "r1", "cardiology > surgery", "--epsilon", "1"],
    "why of three conditions": ["why", "x.jali", "r1", "cardiology > surgery", "--epsilon", "1",
                                "--length", "3"],
    "profile": ["profile", "x.jali", '{"rules": ["age < 40", "sex = \'female\'"]}', "--epsilon",
                "1"],
    "contrast": ["contrast", "x.jali", "plan", "--columns", "x,y", "--centres", "5", "--epsilon",
                 "1"],
    "contrast in four columns": ["contrast", "x.jali", "plan", "--columns", "x,y,age,bmi",
                                 "--centres", "3", "--epsilon", "2"],
    "cluster": CLUSTER,
    "cluster by dpm": CLUSTER + ["--method", "dpm"],
    "cluster by lsh": CLUSTER + ["--method", "lsh", "--clusters", "3"],
    "cluster by lloyd": CLUSTER + ["--method", "lloyd", "--clusters", "3"],
    "cluster by cover": CLUSTER + ["--method", "cover", "--clusters", "3"],
    "cluster by grid": CLUSTER + ["--method", "grid", "--clusters", "3"],
    "cluster by modes": CLUSTER + ["--method", "modes", "--clusters", "3"],
}
EVERY = ["ask", "why", "profile", "contrast", "cluster"]  # by 1 to 4 ranks; others by 3


def make(vault, data, *words):
    code, _, err = run(JALI, "init", vault, "--data", data, "--schema", "h.json", "--epsilon",
                       "100", "--delta", "1e-6", *words)
    assert code == 0, err
    assert run(JALI, "ask", vault, QUESTION, "--epsilon", "1", "--yes")[0] == 0


def verbs_are_equal():
    for name, words in VERBS.items():
        code, one, err = jali("one.jali", *words)
        check(code == 0 and one != "", f"{name}: answers in one piece", err)
        check(jali("four.jali", *words)[1] == one, f"{name}: four shards, one process")
        for n in [1, 2, 3, 4] if name in EVERY else [3]:
            check(tally("four.jali", n, *words)[1] == one, f"{name}: {n} ranks")


def one_row_is_noticed():
    """The twin: a rank that lacks one row. It is an import of its own, or it would not open."""
    words = VERBS["ask"]
    one = jali("one.jali", *words)[1]
    check(tally("less.jali", 4, *words)[1] != one, "one row less is noticed")


def machines_have_their_own():
    """Rank 1 on a machine of its own: its shard, no other, no ledger, no key."""
    want = jali("two.jali", *VERBS["ask"])[1]
    for i in range(2):
        shutil.rmtree(f"machine{i}", ignore_errors=True)
        shutil.copytree("two.jali", f"machine{i}/x.jali")
        shutil.rmtree(f"machine{i}/x.jali/columns/shard-000{1 - i}")
    for name in os.listdir("machine1/x.jali"):
        if name not in ("schema.json", "policy.json", "columns"):
            os.remove("machine1/x.jali/" + name)
    words = [TALLY, *VERBS["ask"], "--yes", "--format", "json"]
    here = ["-np", "1", "-wdir", os.path.abspath("machine0"), *words]
    there = ["-np", "1", "-wdir", os.path.abspath("machine1"), *words]
    code, out, err = run(*ranks(1)[:3], *here, ":", *there)
    check(code == 0 and out == want, "two machines, each with its shard", err)
    check(sorted(os.listdir("machine1/x.jali")) == ["columns", "policy.json", "schema.json"],
          "the other machine has no ledger afterwards")
    code, _, err = run(JALI, *words[1:], cwd="machine0")
    check(code == 6 and "shard-0001 is not here" in err, "one process needs all shards", err)
    shutil.rmtree("machine1/x.jali/columns/shard-0001")
    before = spent("machine0/x.jali")
    words[2:4] = ["x.jali", "SELECT COUNT(*) FROM hospital"]
    code, out, err = run(*ranks(1)[:3], *here[:4], *words, ":", *there[:4], *words)
    check(code == 6 and out == "" and "rank 1: " in err and "is not here" in err,
          "a lost shard is one sentence", err)
    check(spent("machine0/x.jali") == before, "and nothing is spent")


def refusals():
    def refused(code, words, what, n=2, vault="two.jali"):
        fresh(vault)
        before = spent("x.jali")
        got, out, err = run(*ranks(n), TALLY, *words)
        lines = [l for l in err.splitlines() if l.startswith(("jali: ", "jali-tally: "))]
        check(got == code and out == "" and len(lines) == 1 and what in lines[0],
              what, f"{got} {err}")
        check(spent("x.jali") == before, f"{what}: nothing spent")
    ask = [*VERBS["ask"], "--yes"]
    refused(2, ask, "2 shards, which 3 processes cannot share", n=3)
    refused(2, ask, "is in one piece", vault="one.jali")
    refused(2, ["budget", "x.jali"], "other verbs are jali's")
    refused(2, ["ask", "x.jali", "SELECT nothing FROM hospital", "--epsilon", "1", "--yes"],
            "nothing")
    path = "two.jali/columns/shard-0001/0012.u16"
    with open(path, "r+b") as f:
        byte = f.read(1)
        f.seek(0)
        f.write(bytes([byte[0] ^ 1]))
    refused(6, ask, "does not match its checksum")


def main():
    make("one.jali", "h.csv", "--public")
    make("two.jali", "h.csv", "--public", "--shards", "2")
    make("four.jali", "h.csv", "--public", "--shards", "4")
    make("less.jali", "less.csv", "--public", "--shards", "4")
    verbs_are_equal()
    one_row_is_noticed()
    machines_have_their_own()
    refusals()
    print(f"1..{done}")


with tempfile.TemporaryDirectory() as home:
    os.chdir(home)
    assert run(JALI, "mock", "hospital", "-n", "2000", "-o", "h.csv", "--schema", "h.json")[0] == 0
    with open("h.csv", encoding="utf-8") as whole, open("less.csv", "w", encoding="utf-8") as less:
        rows = whole.readlines()
        at = next(i for i, r in enumerate(rows) if ",cardiology," in r and int(r.split(",")[1]) > 40)
        less.writelines(rows[:at] + rows[at + 1:])
    main()
    os.chdir("/")
sys.exit(failed > 0)
