#!/usr/bin/env python3
"""Runs what we tell people to run: the examples of every --help on a vault like the demo's, and
the programs in examples/. Prints TAP.

usage: examples_test.py JALI SOURCE LIBRARY
"""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

jali, source, library = (os.path.realpath(p) for p in sys.argv[1:4])
# Its example waits for visitors; audit's own test runs it.
NOT_RUN = {"serve": "it waits for visitors", "audit": "its own test runs it"}

folder = tempfile.mkdtemp(prefix="jali-examples-")
os.makedirs(folder + "/.bin")
os.symlink(jali, folder + "/.bin/jali")
env = dict(os.environ, PATH=folder + "/.bin:" + os.environ["PATH"], LC_ALL="C.UTF-8")
n = 0


def sh(command, seconds=120):
    return subprocess.run(["sh", "-c", command], cwd=folder, env=env, text=True, timeout=seconds,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""))
    if not good:
        print("\n".join("# " + line for line in why.strip().splitlines()[-12:]))


def skip(name, why):
    global n
    n += 1
    print(f"ok {n} - {name} # SKIP {why}")


def verbs():
    return re.findall(r"^  ([a-z]+) ", sh("jali --help").stdout.split("\nIdeas")[0], re.M)


def examples(verb):
    text = sh(f"jali {verb} --help").stdout
    found = text.split("\nexample:\n")[1:] or text.split("\nexamples:\n")[1:]
    return [line.strip() for line in found[0].splitlines() if line.strip()] if found else []


def setup():
    made = sh("mkdir demo && jali mock hospital -n 4000 -o demo/hospital.csv --schema demo/schema.json "
              "--truth demo/planted.json && cp demo/hospital.csv people.csv && cp demo/schema.json people.json "
              "&& jali init demo/hospital.jali --data demo/hospital.csv --schema demo/schema.json "
              "--epsilon 100 --delta 1e-6 --as curator && jali mock points -n 4000 -o demo/places.csv "
              "--schema demo/places.json && jali init demo/places.jali --data demo/places.csv "
              "--schema demo/places.json --epsilon 100 --delta 1e-6 --as curator "
              f"&& cp {source}/tools/demo-model demo/risk && mkdir docs && cp -r {source}/docs/flows docs/")
    say(made.returncode == 0, "vaults like the demo's", made.stdout)


def helps():
    """What spends comes first: later examples look at its releases."""
    lines = {verb: examples(verb) for verb in verbs()}
    order = sorted(lines, key=lambda v: not any("--yes" in x for x in lines[v]))
    for verb in order:
        for line in lines[verb]:
            if verb in NOT_RUN:
                skip(line, NOT_RUN[verb])
                continue
            if "--postgres" in line:
                skip(line, "the tests of engine/postgres run it on a server of their own")
                continue
            # draft does not write over an edited schema, and the others need the edited one.
            done = sh(f"rm -f people.json && {line}; e=$?; cp demo/schema.json people.json; exit $e"
                      if verb == "draft" else line)
            say(done.returncode == 0, line, done.stdout)


def programs():
    done = sh(source + "/examples/ask.sh")
    say(done.returncode == 0 and "The ledger holds" in done.stdout, "examples/ask.sh", done.stdout)
    where = os.path.dirname(library)
    if b"__asan_init" in open(library, "rb").read():
        for name in ("ask.c", "ask.py"):
            skip(f"examples/{name}", "the library is built with a sanitizer, which wants to be loaded first")
        return
    done = sh(f"cc -Wall -Wextra -Werror -std=c17 -I{source}/include {source}/examples/ask.c -o ask "
              f"{library} && LD_LIBRARY_PATH={where} ./ask demo/hospital.jali")
    say(done.returncode == 0 and "COUNT(*)" in done.stdout, "examples/ask.c", done.stdout)
    done = sh(f"LD_LIBRARY_PATH={where} python3 {source}/examples/ask.py {library} demo/hospital.jali")
    say(done.returncode == 0 and "cardiology" in done.stdout, "examples/ask.py", done.stdout)
    for name in ("ask.sh", "ask.c", "ask.py"):
        lines = len(open(f"{source}/examples/{name}").read().splitlines())
        say(lines < 40, f"examples/{name} has under 40 lines", str(lines))


def manual():
    done = sh("mkdir -p man && jali manual man && ls man/man1 | wc -l")
    say(done.returncode == 0 and int(done.stdout) == len(verbs()) + 1, "a man page for each verb", done.stdout)
    if shutil.which("groff") is None:
        skip("groff reads every page without a warning", "there is no groff")
        return
    done = sh("for p in man/man*/*; do groff -man -Tutf8 -ww -z $p; done")
    say(done.returncode == 0 and done.stdout == "", "groff reads every page without a warning", done.stdout)


def complete(words, want):
    done = sh("jali --complete " + words)
    say(want in done.stdout.split("\n"), f"jali {words} is completed by {want}", done.stdout)


def completions():
    complete("rele", "release")
    complete("help inter", "intervals")
    complete("release de", "demo/")
    complete("release demo/", "demo/hospital.jali")
    complete("release demo/hospital.jali ''", "r1")
    complete("report demo/hospital.jali r1 ''", "r1")
    complete("ask demo/hospital.jali --fo", "--format")
    complete("cost ask demo/hospital.jali --ep", "--epsilon")
    complete("ask demo/hospital.jali x --format js", "json")
    complete("ledger demo/hospital.jali ve", "verify")
    for typed, want in (("contrast demo/hospital.jali m", "map"), ("contrast demo/hospital.jali at ''", "r1"),
                        ("mock hos", "hospital"), ("model demo/hospital.jali re", "remove"), ("schema ch", "check"),
                        ("token demo/hospital.jali rev", "revoke"), ("budget demo/hospital.jali qu", "quota"),
                        ("eval con", "contrast"), ("eval why de", "demo/"), ("cost wh", "why")):
        complete(typed, want)
    done = sh("jali --complete cost ''")
    say("ask" in done.stdout.split() and "budget" not in done.stdout.split(), "cost stands before what spends only", done.stdout)
    complete("init x.jali --schema ''", ":files")
    complete("cluster demo/hospital.jali --columns pr", "pressure")
    complete("cluster demo/hospital.jali --columns age,bm", "age,bmi")
    complete("model demo/hospital.jali pdp --feature glu", "glucose")
    complete("why demo/hospital.jali r1 card", "cardiology")
    for shell, check in (("bash", "bash -n"), ("zsh", "zsh -n"), ("fish", "fish -n")):
        if shutil.which(shell) is None:
            skip(f"{shell} reads its script", f"there is no {shell}")
            continue
        done = sh(f"jali completion {shell} > c.{shell} && {check} c.{shell}")
        say(done.returncode == 0, f"{shell} reads its script", done.stdout)
    for shell in ("bash", "zsh", "fish"):
        for typed, want in TYPED:
            typed_in(shell, typed, want)


# What somebody types before Tab, and what then stands there.
TYPED = [("jali rele", "jali release"), ("jali release demo/hosp", "jali release demo/hospital.jali"),
         ("jali init x.jali --schema demo/sch", "--schema demo/schema.json"),
         ("jali cluster demo/hospital.jali --columns pres", "--columns pressure"),
         ("jali cluster demo/hospital.jali --columns age,bm", "--columns age,bmi"),
         ("jali why demo/hospital.jali r1 cardi", "r1 cardiology"),
         ("jali why demo/hospital.jali r", "r1")]
START = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"], "fish": ["fish", "--no-config", "-i"]}
LOAD = {"bash": 'eval "$(jali completion bash)"',
        "zsh": 'autoload -Uz compinit; compinit -D; eval "$(jali completion zsh)"', "fish": "jali completion fish | source"}


def typed_in(shell, typed, want):
    """A real shell at a pseudo-terminal, and a Tab. fish tells its own completions (complete -C)."""
    if shutil.which(shell) is None:
        skip(f"{shell}: {typed}", f"there is no {shell}")
        return
    if shell == "fish":
        done = sh(f"fish --no-config -c '{LOAD[shell]}; complete -C \"{typed}\"'").stdout
        seen = "".join(f"{typed.rsplit(' ', 1)[0]} {line.split(chr(9))[0]}\n" for line in done.splitlines())
    else:
        seen = at_tab(START[shell], LOAD[shell], typed, want)
    say(want in seen, f"{shell}: {typed} and Tab", seen)


def at_tab(start, load, typed, want):
    child, master = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(env, TERM="dumb", PS1="ready> ", HOME=folder)
        os.execvp(start[0], start)
    seen, end, sent = "", time.time() + 20, 0
    script = [load + "; echo load''ed\n", typed + "\t\t"]  # the second lists them if there are several
    waits = ["", "loaded"]
    while time.time() < end and not (sent == 2 and want in seen.rsplit("loaded", 1)[-1].replace("\a", "")):
        if sent < 2 and waits[sent] in seen:
            os.write(master, script[sent].encode())
            sent += 1
        if select.select([master], [], [], 0.2)[0]:
            try:
                seen += os.read(master, 65536).decode(errors="replace")
            except OSError:
                break
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(master)
    return seen.rsplit("loaded", 1)[-1].replace("\a", "")


try:
    setup()
    helps()
    programs()
    manual()
    completions()
finally:
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
