#!/usr/bin/env python3
"""What --help says of --format, and what each verb takes: the same list, for every verb there is,
in its help, its completion and its refusals. Prints TAP.

usage: formats_test.py JALI SOURCE
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

jali, source = (os.path.realpath(p) for p in sys.argv[1:3])
folder = tempfile.mkdtemp(prefix="jali-formats-")
V = "h.jali"
PAY = ("--epsilon", "1", "--yes")
MODEL = ("--model", "command:./risk", "--declared", "public", "--bounds", "0:1", "--columns", "age,bmi")
NAMES = ("table", "json", "ndjson", "csv", "md", "html", "svg", "vega", "sql", "blocks", "yaml", "")
n = 0

# One command line of every verb; what is asked twice is told again and costs nothing.
LINES = {
    "ask": [V, "SELECT ward, AVG(cost) FROM hospital GROUP BY ward", *PAY],
    "cluster": [V, "--columns", "age,bmi", "--clusters", "2", *PAY],
    "why": [V, "r1", "cardiology > internal", *PAY],
    "contrast": [V, "plan", "--columns", "x,y", "--centres", "2", *PAY],
    "profile": [V, "c1", "--columns", "sex", *PAY],
    "model": [V, "pdp", *MODEL, "--feature", "age", "--resolution", "3", *PAY],
    "release": [V, "c1"], "releases": [V], "report": [V], "show": [V], "budget": [V], "ledger": [V, "verify"],
    "cost": ["cluster", V, "--columns", "age,bmi", "--epsilon", "1"],
    "assign": [V, "c1", "h.csv", "-o", "made"], "token": [V, "list"], "claims": ["noise"],
    "init": ["made", "--data", "h.csv", "--schema", "h.json", "--epsilon", "1", "--delta", "0"],
    "schema": ["check", "h.json"], "mock": ["hospital", "-n", "3", "-o", "made"],
    "separators": [source + "/docs/flows/ale.dot"], "audit": ["ask.sum", "--runs", "2"],
    "eval": ["cluster", "p.jali", "columns=age,bmi", "clusters=2", "methods=lloyd", "starts=1", "sample=50",
             "--runs", "1", "--epsilon", "1"],
    "draft": ["h.csv"], "completion": ["bash"], "manual": ["man"], "serve": ["no.jali"],
}


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""))
    if not good:
        print("\n".join("# " + line for line in why.strip().splitlines()[-10:]))


def run(*words):
    return subprocess.run([jali, *words], cwd=folder, text=True, capture_output=True, timeout=60,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, LC_ALL="C.UTF-8"))


def remove_made():
    for path in (folder + "/made", folder + "/made.jali"):
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)


def charges():
    return int(re.search(r'"charges": (\d+)', run("ledger", V, "verify", "--format", "json").stdout).group(1))


def named(verb):
    """The formats in a verb's help; none: it has no --format."""
    found = re.search(r"^  --format (\S+)", run(verb, "--help").stdout, re.M)
    return set(found.group(1).split("|")) if found else set()


def check(verb):
    says, takes, odd = named(verb), set(), []
    for name in NAMES:
        done = run(verb, *LINES[verb], "--format", name)
        remove_made()
        if done.returncode == 0 and done.stdout:
            takes.add(name)
        elif done.returncode != 2 or "format" not in done.stderr.splitlines()[0]:
            odd.append(f"{name!r}: exit {done.returncode} {done.stdout[:80]} {done.stderr}")
    say(takes == says and not odd, f"{verb} --help names what {verb} takes: {' '.join(sorted(takes))}",
        f"named {sorted(says)}, taken {sorted(takes)}\n" + "\n".join(odd))
    words = (verb,) if verb != "cost" else (verb, "ask")
    offered = set(run("--complete", *words, "--format", "").stdout.split()) if takes else set()
    say(offered == takes, f"and what is completed after {verb} --format", str(offered))


try:
    verbs = re.findall(r"^  (\w+) +\S", run("--help").stdout.split("Ideas")[0], re.M)
    say(sorted(verbs) == sorted(LINES), "every verb is here", str(set(verbs) ^ set(LINES)))
    run("mock", "hospital", "-n", "2000", "-o", "h.csv", "--schema", "h.json")
    run("init", V, "--data", "h.csv", "--schema", "h.json", "--epsilon", "30", "--delta", "1e-6")
    run("init", "p.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "30", "--delta", "1e-6", "--public")
    shutil.copy(source + "/tools/demo-model", folder + "/risk")
    os.mkdir(folder + "/man")
    for words in (("ask", *LINES["ask"]), ("cluster", *LINES["cluster"]), ("token", V, "add", "--name", "ana")):
        run(*words)
    for verb in verbs:
        check(verb)
    idea = run("help", "formats").stdout
    say(all(re.search(rf"\b{name}\b", idea) for name in named("release")), "jali help formats names all of them", idea)
    spent = charges()
    done = run("ask", V, "SELECT COUNT(*) FROM hospital", *PAY, "--format", "sql")
    say(done.returncode == 2 and charges() == spent, "a format that a verb has not is refused before it is paid", done.stderr)
finally:
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
