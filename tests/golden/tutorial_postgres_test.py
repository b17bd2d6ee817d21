#!/usr/bin/env python3
"""The tutorial over a table that stays in PostgreSQL: its commands as they stand, but for one
word of `jali init`. Prints TAP.

usage: tutorial_postgres_test.py JALI SOURCE PGSERVER
"""
import json
import os
import shutil
import sys
import tempfile

from pages import COMMAND, blocks
from pgservers import Server, run

jali, source, script = (os.path.realpath(p) for p in sys.argv[1:4])
folder = tempfile.mkdtemp(prefix="jali-tutorial-")
os.makedirs(folder + "/bin")
os.symlink(jali, folder + "/bin/jali")
os.symlink(source + "/tools", folder + "/tools")
env = dict(os.environ, PATH=folder + "/bin:" + os.environ["PATH"], LC_ALL="C.UTF-8")
FILE = "--data visits.csv"
server = Server(script, folder + "/server")
n = changed = 0


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""), flush=True)
    if not good:
        print("\n".join("# " + line for line in why.strip().splitlines()[-15:]))


def sh(script):
    return run("bash", "-euo", "pipefail", "-c", script, cwd=folder, env=env, seconds=200)


def over_the_database(text):
    """The table goes to the server, the file away, and the vault is made over the server."""
    global changed
    if FILE not in text:
        return text
    changed += 1
    server.load("visits", json.load(open(folder + "/visits.json"))["fields"], folder + "/visits.csv")
    os.remove(folder + "/visits.csv")
    return text.replace(FILE, f"--postgres '{server.place}' --table visits")


try:
    ran = 0
    for lines, reason in blocks(open(source + "/docs/tutorial.md").read()):
        commands = [line for line in lines if COMMAND.match(line)]
        if reason is not None:
            continue
        got = sh(over_the_database("\n".join(lines)))
        ran += len(commands)
        say(got.returncode == 0, commands[0][:70], got.stdout)
    say(changed == 1 and ran > 20, f"all commands of the tutorial, one of them changed: {ran}")
    say(not os.path.exists(folder + "/visits.jali/columns"), "and no row was copied")
    got = sh("jali ledger visits.jali log --format json")
    say(got.stdout.count('"charge"') >= 5, "what was asked was paid for", got.stdout)
finally:
    server.do("stop")
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
