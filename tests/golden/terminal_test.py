#!/usr/bin/env python3
"""The program at a real terminal (a pseudo-terminal): when it asks before spending, how it fits
a width, where colours and progress are. Prints TAP.

usage: terminal_test.py JALI
"""
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata

jali = os.path.realpath(sys.argv[1])
folder = tempfile.mkdtemp(prefix="jali-terminal-")
n = 0


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""))
    if not good:
        print("\n".join("# " + line for line in why.strip().splitlines()[-20:]))


def at_terminal(*words, answer=None, width=80, env=()):
    """What the terminal shows, and the exit code; `answer` is typed when it is asked."""
    child, master = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(LC_ALL="C.UTF-8", TERM="xterm-256color", **dict(env))
        os.execv(jali, ("jali",) + words)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    seen, end = b"", time.time() + 60
    while time.time() < end:
        ready, _, _ = select.select([master], [], [], 1)
        if ready:
            try:
                got = os.read(master, 65536)
            except OSError:
                break
            if not got:
                break
            seen += got
            if answer is not None and b"[y/N]" in seen:
                os.write(master, answer.encode() + b"\n")
                answer = None
    os.close(master)
    return seen.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def plain(*words):
    done = subprocess.run((jali,) + words, cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=dict(os.environ, LC_ALL="C.UTF-8"))
    return done.stdout, done.returncode


def charges():
    return int(re.search(r"charges +(\d+)", plain("budget", "h.jali")[0]).group(1))


def count(column, epsilon, *more, **how):
    return at_terminal("ask", "h.jali", f"SELECT {column}, COUNT(*) FROM hospital GROUP BY {column}",
                       "--epsilon", epsilon, *more, **how)


def cells(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
               if not unicodedata.combining(c))


def asking():
    seen, code = count("ward", "0.3", answer="n")
    say("[y/N]" in seen and code == 2 and charges() == 0,
        "the first time in a vault a person is asked, and no means no", seen)
    say(all(re.search(rf"^(\033\[2m)?{word}\b", seen, re.M) for word in ("before", "this", "after")),
        "before, this and after are shown", seen)
    seen, code = count("ward", "0.3", answer="y")
    say(code == 0 and charges() == 1, "yes means yes", seen)
    seen, code = count("sex", "0.3")
    say("[y/N]" not in seen and code == 0 and charges() == 2,
        "a small amount, later, is spent without a question", seen)
    seen, code = count("smoker", "1.5", answer="n")
    say("[y/N]" in seen and code == 2 and charges() == 2, "a large amount is asked for", seen)
    seen, code = count("smoker", "0.3", "--ask-above", "0", answer="n")
    say("[y/N]" in seen and charges() == 2, "--ask-above 0 asks always", seen)
    seen, code = count("smoker", "1.5", "--ask-above", "1")
    say("[y/N]" not in seen and code == 0 and charges() == 3, "--ask-above 1 never asks twice", seen)
    seen, code = count("living", "0.3", "--as", "ben", answer="n")
    say("[y/N]" in seen and charges() == 3, "somebody else's first time is a first time", seen)
    seen, code = count("ward", "0.3", "--as", "ben")
    say("[y/N]" not in seen and code == 0, "what was released before is told without a question", seen)
    seen, code = count("living", "1.5", "--as", "eve", "--yes")
    say("[y/N]" not in seen and code == 0 and charges() == 4, "--yes is an agreement", seen)
    seen, code = at_terminal("cluster", "h.jali", "--columns", "age,bmi", "--clusters", "2", "--epsilon", "0.3", "--as",
                             "zoe", "--format", "sql", answer="n")
    say("[y/N]" in seen and "before" in seen and "nothing was spent" in seen and charges() == 4,
        "the price of a query is told in words", seen)
    seen, code = count("living", "0.2", "--ask-above", "2")
    say(code == 2 and charges() == 4, "a limit above the whole is refused", seen)
    seen, code = plain("ask", "h.jali", "SELECT COUNT(*) FROM hospital", "--epsilon", "0.1")
    say(code == 2 and "--yes" in seen and charges() == 4, "a script must say --yes", seen)
    seen, code = at_terminal("ask", "ask.jali", "SELECT COUNT(*) FROM hospital", "--epsilon", "2", "--as",
                             "curator", answer="y")
    seen, code = at_terminal("ask", "ask.jali", "SELECT sex, COUNT(*) FROM hospital GROUP BY sex",
                             "--epsilon", "0.1", "--as", "curator", answer="n")
    say("[y/N]" in seen, "the vault's own policy (init --ask-above 0) asks for every amount", seen)
    seen, code = count("admission", "5", "--yes")
    say(code == 3 and "most went to" in seen and re.search(r"20\d\d-\d\d-\d\d", seen) is not None
        and "one question of --epsilon" in seen,
        "a short budget says who used it, when, and what would still fit", seen)
    fits = re.search(r"one question of --epsilon ([0-9.]+)", seen)
    seen, code = count("admission", fits.group(1) if fits else "0", "--yes")
    say(code == 0, "and what it says would fit does fit", seen)


def widths():
    for width in (40, 80, 200):
        seen, code = at_terminal("release", "h.jali", "r1", width=width)
        text = re.sub(r"\033\[[0-9;?]*[a-zA-Z]", "", seen)
        rows = [line for line in text.splitlines() if re.match(r"(surgery|maternity|internal|NULL)", line)]
        wide = [line for line in rows if cells(line) > width]
        say(code == 0 and len(rows) >= 4 and not wide, f"a table fits {width} columns", "\n".join(wide) or seen)
    seen, _ = at_terminal("release", "h.jali", "r1")
    bare, _ = at_terminal("release", "h.jali", "r1", env=[("NO_COLOR", "1")])
    piped, _ = plain("release", "h.jali", "r1")
    ascii_only, _ = at_terminal("release", "h.jali", "r1", "--ascii")
    say("\033[" in seen, "colours at a terminal", seen)
    say("\033[" not in bare and "\033[" not in piped, "none under NO_COLOR, none when piped", bare + piped)
    say(all(ord(c) < 128 for c in ascii_only), "--ascii is ASCII", ascii_only)


def telling():
    seen, code = at_terminal("report", "h.jali")
    piped, _ = plain("report", "h.jali")
    say(code == 0 and "<html" not in seen and "In short" in seen, "a report at a terminal is a story, no markup", seen[:300])
    say("<html" in piped, "in a pipe it is a page", piped[:300])


def everything_fits():
    """Every kind of answer, and the book: no line is wider than the terminal."""
    v, pay = "wide.jali", ("--epsilon", "5", "--yes")
    for words in (("ask", v, "SELECT ward, AVG(cost) FROM hospital GROUP BY ward", *pay),
                  ("why", v, "r1", "cardiology > internal", *pay),
                  ("cluster", v, "--columns", "age,bmi,pressure,glucose", "--clusters", "3", *pay),
                  ("profile", v, "c1", "--columns", "sex", "ward", *pay),
                  ("contrast", v, "plan", "--columns", "x,y", "--centres", "3", *pay)):
        seen, code = plain(*words)
        say(code == 0, f"{words[0]} is asked", seen)
    for words in (("release", v, "w1"), ("release", v, "c1"), ("release", v, "p1"), ("release", v, "k1"),
                  ("contrast", v, "at", "k1", "3", "4"), ("ledger", v, "log"), ("ledger", v, "verify"),
                  ("releases", v), ("budget", v), ("show", v)):
        for width in (80, 120):
            seen, code = at_terminal(*words, width=width, env=[("NO_COLOR", "1")])
            wide = [line for line in seen.splitlines() if cells(line) > width]
            say(code == 0 and not wide, f"{' '.join(words)} fits {width} columns", "\n".join(wide) or seen)
    seen, _ = at_terminal("releases", v)
    say(len(re.findall(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", seen)) == 5, "no date is cut where a sentence could be", seen)
    rows = plain("release", v, "c1", "--format", "csv")[0].splitlines()
    say(len(rows) == 4 and rows[0].startswith("cluster,size,size low,size high,age"), "clusters are a table", "\n".join(rows))


def pointing():
    seen, code = at_terminal("ask", "h.jali", "SELECT wrad, COUNT(*) FROM hospital", "--epsilon", "1", "--yes")
    say(code == 2 and "\n         ^" in seen and "docs/errors.md#usage" in seen,
        "a refusal points at the place and at the manual", seen)


def progress():
    seen, code = at_terminal("init", "big.jali", "--data", "big.csv", "--schema", "s.json", "--epsilon", "1",
                             "--delta", "1e-6", "--as", "curator")
    say(code == 0, "a large import ends well", seen)
    seen, code = at_terminal("mock", "hospital", "-n", "1500000", "-o", "long.csv")
    say(re.search(r"\d+%, \S+ a second, \d+ s left", seen) is not None,
        "long work of a curator tells rate and remaining time", seen[-300:])
    seen, code = at_terminal("ask", "big.jali", "SELECT ward, sex, COUNT(*) FROM hospital GROUP BY ward, sex",
                             "--epsilon", "0.5", "--yes")
    say(code == 0 and "a second" not in seen, "an analyst's question tells no progress", seen)


try:
    made = plain("mock", "hospital", "-n", "3000", "-o", "h.csv", "--schema", "s.json")
    made = plain("mock", "hospital", "-n", "60000", "-o", "big.csv")
    for name, more in (("h.jali", ()), ("ask.jali", ("--ask-above", "0"))):
        made = plain("init", name, "--data", "h.csv", "--schema", "s.json", "--epsilon", "3", "--delta", "1e-6",
                     "--as", "curator", *more)
        say(made[1] == 0, f"{name} is made", made[0])
    made = plain("init", "wide.jali", "--data", "h.csv", "--schema", "s.json", "--epsilon", "100", "--delta", "1e-6")
    asking()
    widths()
    telling()
    everything_fits()
    pointing()
    progress()
finally:
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
