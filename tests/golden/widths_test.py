#!/usr/bin/env python3
"""What every verb shows at a terminal of 40, 60, 80 and 200 columns: no line is wider than it, and
no number is lost on the way. One long word (a hash, a path) is left to the terminal, which can
break it so that it is still copied whole. Prints TAP.

usage: widths_test.py JALI SOURCE
"""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unicodedata

jali, source = (os.path.realpath(p) for p in sys.argv[1:3])
folder = tempfile.mkdtemp(prefix="jali-widths-")
V = "h.jali"
PAY = ("--epsilon", "1", "--yes")
MODEL = ("--model", "command:./risk", "--declared", "public", "--bounds", "0:1", "--columns", "age,bmi")
WIDTHS = (40, 60, 80, 200)
n = 0

# Lines of every verb; what is asked twice is told again and costs nothing.
LINES = {
    "ask": [[V, "SELECT ward, AVG(cost) FROM hospital GROUP BY ward", *PAY],
            [V, "SELECT ward, sex, COUNT(*), AVG(cost) FROM hospital GROUP BY ward, sex", *PAY],
            [V, "SELECT COUNT(*) FROM hospital", *PAY]],
    "cluster": [[V, "--columns", "age,bmi,pressure,glucose", "--clusters", "3", *PAY]],
    "why": [[V, "r1", "cardiology > internal", *PAY]],
    "contrast": [[V, "plan", "--columns", "x,y", "--centres", "3", *PAY], [V, "at", "k1", "3", "4"],
                 [V, "map", "k1"]],
    "profile": [[V, "c1", "--columns", "sex", "ward", *PAY]],
    "model": [[V, "pdp", *MODEL, "--feature", "age", "--resolution", "5", *PAY],
              [V, "pfi", *MODEL, "--label", "smoker=former", *PAY]],
    "release": [[V, r] for r in ("r1", "r2", "c1", "w1", "k1", "p1", "m1")],
    "releases": [[V]], "report": [[V]], "show": [[V]], "budget": [[V]],
    "ledger": [[V, "verify"], [V, "log"]],
    "cost": [["cluster", V, "--columns", "age,bmi", "--epsilon", "1"],
             ["ask", V, "SELECT ward, AVG(age) FROM hospital GROUP BY ward", "--epsilon", "1"]],
    "assign": [[V, "c1", "h.csv", "-o", "made"]],
    "token": [[V, "list"], [V, "add", "--name", "bob"]], "claims": [["noise"], []],
    "init": [["made", "--data", "h.csv", "--schema", "h.json", "--epsilon", "1", "--delta", "0"]],
    "schema": [["check", "h.json"]], "mock": [["hospital", "-n", "3", "-o", "made"]],
    "separators": [[source + "/docs/flows/ale.dot"]], "audit": [["ask.sum", "--runs", "2"]],
    "eval": [["cluster", "p.jali", "columns=age,bmi", "clusters=2", "methods=lloyd", "starts=1", "sample=50",
              "--runs", "1", "--epsilon", "1"]],
}
# These write files for other programs, or wait for visitors.
NO_PAGE = {"draft", "completion", "manual", "serve"}


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""), flush=True)
    if not good:
        print("\n".join("# " + line for line in why.strip().splitlines()[-30:]))


def plain(*words):
    done = subprocess.run((jali,) + words, cwd=folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=dict(os.environ, LC_ALL="C.UTF-8"))
    return done.stdout, done.returncode


def at_terminal(width, *words):
    """What a terminal of that width shows, and the exit code."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    seen = []
    child = subprocess.Popen((jali,) + words, cwd=folder, stdin=slave, stdout=slave, stderr=subprocess.DEVNULL,
                             env=dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm", NO_COLOR="1"))
    os.close(slave)

    def read():
        try:
            while got := os.read(master, 65536):
                seen.append(got)
        except OSError:  # the program has ended
            pass

    reader = threading.Thread(target=read)
    reader.start()
    code = child.wait(timeout=60)
    reader.join()
    os.close(master)
    text = b"".join(seen).decode().replace("\r\n", "\n")
    return re.sub(r"[^\n]*\r|\033\[K", "", text), code  # progress is written over


def cells(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text if not unicodedata.combining(c))


def remove_made():
    for path in (folder + "/made", folder + "/made.jali"):
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)


def trailing(text):
    """Lines that end in blanks; a canvas is one rectangle, and has them."""
    return [] if re.search("[│┤]", text) else [x for x in text.splitlines() if x != x.rstrip()]


def numbers(text):
    """Every number with a decimal point: those of tables, not of bars."""
    return set(re.findall(r"\d+\.\d+", text))


def fits(verb, line):
    told = plain(verb, *line)[0] if verb in ("release", "budget") else ""
    for width in WIDTHS:
        remove_made()
        seen, code = at_terminal(width, verb, *line)
        wide = [f"{cells(x)}: {x}" for x in seen.splitlines() if cells(x) > width and " " in x.strip()]
        lost = numbers(told) - numbers(seen)
        say(code == 0 and seen.strip() and not wide and not lost and not trailing(seen),
            f"{' '.join([verb, *line]).replace(source, '')[:60]} fits {width} columns",
            "\n".join(wide) or f"exit {code}, lost: {sorted(lost)}, blanks at the end: {trailing(seen)[:3]}\n{seen}")


try:
    verbs = re.findall(r"^  (\w+) +\S", plain("--help")[0].split("Ideas")[0], re.M)
    say(set(verbs) == set(LINES) | NO_PAGE, "every verb is here", str(set(verbs) ^ (set(LINES) | NO_PAGE)))
    plain("mock", "hospital", "-n", "2000", "-o", "h.csv", "--schema", "h.json")
    plain("init", V, "--data", "h.csv", "--schema", "h.json", "--epsilon", "90", "--delta", "1e-6")
    plain("init", "p.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "30", "--delta", "1e-6", "--public")
    shutil.copy(source + "/tools/demo-model", folder + "/risk")
    for verb in LINES:
        for line in LINES[verb]:
            fits(verb, line)
finally:
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
