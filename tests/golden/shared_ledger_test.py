#!/usr/bin/env python3
"""A ledger in a real PostgreSQL, spent from by two copies of a vault: by the program, by many
programs at once, and by two servers at once. Prints TAP.

usage: shared_ledger_test.py JALI PGSERVER
"""
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import pgservers

jali, script = (os.path.realpath(p) for p in sys.argv[1:3])
folder = tempfile.mkdtemp(prefix="jali-shared-")
os.chdir(folder)
# The ledger refuses a server that may forget.
server = pgservers.Server(script, folder + "/server", "fsync = on", "full_page_writes = on")
n = 0


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""), flush=True)
    if not good:
        print("\n".join("# " + line for line in str(why).strip().splitlines()[-12:]))


def do(*words):
    return pgservers.run(jali, *words)


def question(i):
    return f"SELECT COUNT(*) FROM hospital WHERE age > {i}"


def ask(vault, i, epsilon="0.1"):
    return do("ask", vault, question(i), "--epsilon", epsilon, "--yes", "--format", "json")


def init(vault, epsilon):
    return do("init", vault, "--data", "h.csv", "--schema", "h.json", "--epsilon", epsilon, "--delta", 0,
              "--ledger", server.place)


def copy(a, b):
    """As one would carry the folder to another machine."""
    shutil.copytree(a, b)


def charges(vault):
    """What was charged, by the book."""
    return do("ledger", vault, "log", "--format", "json").stdout.count('"charge"')


def verified(vault):
    got = do("ledger", vault, "verify")
    return got.returncode == 0, got.stdout


# ---- one at a time ------------------------------------------------------------------------------

def one_budget():
    got = do("init", "x.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", 1, "--delta", 0,
             "--ledger", "postgresql://u:hunter2@/db")
    say(got.returncode == 2 and "hunter2" not in got.stdout and not os.path.exists("x.jali"),
        "a password is refused, and not repeated", got.stdout)
    got = init("a.jali", "0.8")
    say(got.returncode == 0 and os.path.exists("a.jali/ledger.postgresql") and
        not os.path.exists("a.jali/ledger.sqlite"), "init makes the ledger on the server", got.stdout)
    copy("a.jali", "b.jali")
    first = ask("a.jali", 30)
    again = ask("b.jali", 30)
    say(first.returncode == again.returncode == 0 and
        json.loads(first.stdout)["rows"] == json.loads(again.stdout)["rows"] and charges("a.jali") == 1,
        "what one copy released the other has, for nothing", first.stdout + again.stdout)
    say(do("budget", "a.jali").stdout == do("budget", "b.jali").stdout and
        "r1" in do("releases", "b.jali").stdout, "one budget and one list of releases, told by both")
    got = ask("b.jali", 31, "0.9")
    say(got.returncode == 3 and charges("b.jali") == 1, "over the cap: refused, and not in the book", got.stdout)


# ---- programs that race --------------------------------------------------------------------------

def race():
    """0.7 are left: of twelve that want 0.1 each, through two copies, seven get it."""
    going = [subprocess.Popen([jali, "ask", "ab"[i % 2] + ".jali", question(40 + i), "--epsilon", "0.1", "--yes"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for i in range(12)]
    said = [p.communicate(timeout=200)[1] for p in going]
    codes = sorted(p.returncode for p in going)
    say(codes == [0] * 7 + [3] * 5, "twelve programs race for seven places", f"{codes} {said}")
    say(charges("a.jali") == 8, "and the book has eight charges", charges("a.jali"))
    for vault in ("a.jali", "b.jali"):
        good, words = verified(vault)
        say(good, f"the ledger holds, says {vault}", words)


def outage():
    server.do("halt")
    got = ask("a.jali", 30)
    say(got.returncode == 6 and pgservers.one_sentence(got.stdout), "a server that is away: one sentence", got.stdout)
    server.do("restart")
    good, words = verified("b.jali")
    say(good and charges("b.jali") == 8, "and it is all there when it is back", words)


# ---- two servers ---------------------------------------------------------------------------------

class Serve:
    def __init__(self, vault):
        self.process = subprocess.Popen([jali, "serve", vault, "--listen", "127.0.0.1:0", "--log",
                                         vault + ".log"], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().strip().rsplit(":", 1)[1])

    def ask(self, method, path, token, body=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        c.request(method, "/api/v1/" + path, None if body is None else json.dumps(body),
                  {"Authorization": "Bearer " + token})
        reply = c.getresponse()
        return reply.status, json.loads(reply.read())

    def spend(self, token, i):
        """The last word of the server on question i: 200 paid, 402 no budget."""
        status, quote = self.ask("POST", "quotes", token, {"verb": "ask", "sql": question(i), "epsilon": "0.1"})
        if status != 200:
            return status
        return self.ask("POST", "releases", token, {"quote": quote["quote"]})[0]


def token(vault, name, role):
    return do("token", vault, "add", "--name", name, "--role", role).stdout.strip().splitlines()[-1]


def serve():
    """A cap of 1, two servers, eight analysts who all want 0.1 three times: ten questions fit."""
    say(init("c.jali", "1").returncode == 0, "another ledger on the same server")
    tokens = [token("c.jali", f"ana{k}", "analyst") for k in range(8)]
    curator = token("c.jali", "carla", "curator")
    copy("c.jali", "d.jali")
    servers = [Serve("c.jali"), Serve("d.jali")]
    codes = []

    def analyst(k):
        codes.extend(servers[k % 2].spend(tokens[k], 20 + 3 * k + i) for i in range(3))

    try:
        threads = [threading.Thread(target=analyst, args=(k,)) for k in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        say(sorted(codes) == [200] * 10 + [402] * 14, "two servers, eight analysts: ten are paid, the rest refused",
            sorted(codes))
        budgets = [s.ask("GET", "budget", curator)[1] for s in servers]
        say(budgets[0]["spent"] == budgets[1]["spent"], "both tell the same budget", budgets)
        held = [s.ask("GET", "ledger/verify", curator) for s in servers]
        say(all(status == 200 and doc["intact"] for status, doc in held), "both say that the ledger holds", held)
    finally:
        for s in servers:
            s.process.send_signal(signal.SIGTERM)
        stopped = [s.process.wait(timeout=60) for s in servers]
    say(stopped == [0, 0], "both stop when they are told to", stopped)
    good, words = verified("d.jali")
    say(good and charges("d.jali") == 10, "the book has ten charges, and holds", words)


try:
    assert do("mock", "hospital", "-n", 500, "-o", "h.csv", "--schema", "h.json").returncode == 0
    for part in (one_budget, race, outage, serve):
        part()
finally:
    server.do("stop")
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
