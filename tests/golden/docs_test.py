#!/usr/bin/env python3
"""Every command of the manual works, every link leads somewhere. Prints TAP.

A block of a page (indented by four, or fenced as sh) that has a line beginning with jali, make,
build/jali or tools/ is run, in order, in a folder with a vault like the demo's. A block is not
run only if the line before says why, <!-- not run: reason -->: its program and its options must be
there; <!-- run smaller: 20000 => 200 --> runs it with less. A page whose fenced blocks belong
to one shell says <!-- run elsewhere: TEST -->.

usage: docs_test.py JALI SOURCE
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import stage
from pages import COMMAND, blocks

jali, source = (os.path.realpath(p) for p in sys.argv[1:3])
folder = tempfile.mkdtemp(prefix="jali-docs-")
os.makedirs(folder + "/bin")
os.symlink(jali, folder + "/bin/jali")
for beside in ("jali-tally", "jali-bench"):
    if os.path.exists(os.path.dirname(jali) + "/" + beside):
        os.symlink(os.path.dirname(jali) + "/" + beside, folder + "/bin/" + beside)
env = dict(os.environ, PATH=folder + "/bin:" + os.environ["PATH"], LC_ALL="C.UTF-8",
           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
server = None
n = 0
pages = [source + "/README.md"] + sorted(glob.glob(source + "/docs/*.md"))
counted = {"run": 0, "marked": 0, "elsewhere": 0}


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""))
    if not good:
        print("\n".join("# " + line for line in why.strip().splitlines()[-15:]))


def sh(script, where, seconds=100):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=where, env=env, text=True,
                          timeout=seconds, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL)


def prepare():
    home = folder + "/demo-home"
    os.makedirs(home)
    done = sh("mkdir demo && jali mock hospital -n 6000 -o demo/hospital.csv --schema demo/schema.json "
              "--truth demo/planted.json && jali init demo/hospital.jali --data demo/hospital.csv "
              "--schema demo/schema.json --epsilon 100 --delta 1e-6 --as curator && "
              "jali ask demo/hospital.jali 'SELECT ward, AVG(cost), COUNT(*) FROM hospital GROUP BY ward' "
              "--epsilon 5 --as analyst --yes && jali cluster demo/hospital.jali --columns "
              "age,bmi,pressure,glucose --clusters 5 --epsilon 5 --as analyst --yes && cp demo/hospital.csv . && "
              f"cp {source}/tools/demo-model demo/risk && ln -s {source}/tools tools && mkdir docs && "
              f"cp -r {source}/docs/flows docs/", home)
    say(done.returncode == 0, "a vault like the demo's", done.stdout)
    return home


def visits(where, text):
    """The page's own SQL, on a table as it supposes one; and a database for a ledger."""
    global server
    server = server or stage.Postgres(source + "/tests/support/pgserver", folder)
    if server.home is None:
        return server.said
    env.update(server.env())
    rights = re.search(r"(?:^    .+\n)*^    CREATE ROLE jali LOGIN;\n(?:^    .+\n)+", text, re.M)
    said = ""
    for base, sql in (("postgres", "CREATE DATABASE hospital"), ("postgres", "CREATE DATABASE budget"),
                      ("hospital", "CREATE SCHEMA clinic; CREATE TABLE clinic.visits AS SELECT i % 500 AS patient, "
                       "20 + i % 60 AS age, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END AS sex, CASE WHEN i % 3 = 0 "
                       "THEN 'surgery' ELSE 'internal' END AS ward, 100.5 + i % 40 AS cost FROM generate_series(1, "
                       "1000) i"), ("hospital", rights.group(0) if rights else "SELECT 1")):
        done = server.sql(sql, base)
        said += "" if done.returncode == 0 or "already exists" in done.stdout else done.stdout
    return said


def put(what, where, text):
    """What a page supposes, put there; the reason why it cannot be, or nothing."""
    if what == "a bike table":
        return stage.bike(jali, where)
    if what == "predict.py":
        return stage.predictor(jali, where)
    if what == "PostgreSQL":
        return visits(where, text)
    if what == "patients.csv":
        shutil.copy(where + "/hospital.csv", where + "/patients.csv")
        return ""
    if what == "machines":
        with open(where + "/machines", "w") as out:
            out.write("localhost slots=4\n")
        return ""
    return "nobody knows how"


def shape(name, lines):
    """No command: but every option in it is one of its verb."""
    script = " ".join(lines)
    verb = script.split()[1]
    helped = sh(f"jali {verb} --help", folder).stdout
    wrong = [o for o in re.findall(r"--[a-z-]+", script) if o not in helped]
    say(not wrong and len(helped) > 100, f"{name}: the options of {verb} are its options", str(wrong))


def exists(name, line):
    """A command that is too long for a test: its program, its target, its options are there."""
    for part in re.split(r"&&|;", line.split("#")[0]):
        words = part.split()
        if not words:
            continue
        if words[0] == "jali" and words[1:]:
            helped = sh(f"jali {words[1]} --help", folder).stdout
            good = len(helped) > 100 and all(o in helped for o in re.findall(r"--[a-z-]+", part))
        elif words[0] == "make" and words[1:]:
            good = re.search(rf"^{words[1]}:", open(source + "/Makefile").read(), re.M) is not None
        elif words[0].startswith(("tools/", "bench/")):
            good = os.access(f"{source}/{words[0]}", os.X_OK)
        else:
            continue
        say(good, f"{name}: {' '.join(words[:4])} is not run, but there", part)


def smaller(lines, how):
    """The block with its large numbers made small: 20000 => 200; and so on."""
    script = "\n".join(lines)
    for change in how.split("; "):
        was, now = change.split(" => ")
        assert was in script, was
        script = script.replace(was, now)
    return script.split("\n")


def run_block(name, lines, where, what, text):
    first = ([x for x in lines if COMMAND.match(x)] or lines)[0][:60]
    try:
        if what == "a visitor":
            came, said = stage.visited("\n".join(lines), where, env)
            say(came, f"{name}: {first}", said)
            return
        if lines[0].startswith("jali-bench") and not os.path.exists(folder + "/bin/jali-bench"):
            say(True, f"{name}: {first} SKIP there is no jali-bench beside the program")
            return
        why = put(what, where, text) if what else ""
        if server is not None and server.missing and what == "PostgreSQL":
            say(True, f"{name}: {first} SKIP there is no PostgreSQL")
            return
        done = sh("\n".join(lines).replace("VAULT", "demo/hospital.jali"), where)
        say(done.returncode == 0 and not why, f"{name}: {first}", why + done.stdout)
    except subprocess.TimeoutExpired:
        say(False, f"{name}: {first}", "took too long")


def run_page(page, home):
    name, text = os.path.relpath(page, source), open(page).read()
    where = folder + "/" + name.replace("/", "-")
    shutil.copytree(home, where, symlinks=True)
    for lines, reason in blocks(text):
        commands = sum(1 for line in lines if COMMAND.match(line))
        how, what = reason or ("run", None)
        if how == "shape":
            shape(name, lines)
        elif how == "not run" or how == "run elsewhere":
            counted["elsewhere" if how == "run elsewhere" else "marked"] += commands
            for line in lines if how == "not run" else []:
                if COMMAND.match(line):
                    exists(name, line)
        elif how == "run smaller":
            counted["run"] += commands
            run_block(name, smaller(lines, what), where, None, text)
        else:
            counted["run"] += commands
            run_block(name, lines, where, what, text)
    shutil.rmtree(where)


def anchors(path):
    """The names that GitHub gives the headings of a page."""
    heads = re.findall(r"^#+ (.+)$", open(path).read(), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"`", "", h.lower())).strip().replace(" ", "-") for h in heads}


def broken_links():
    for page in pages:
        for target in re.findall(r"\]\(([^)\s]+)\)", open(page).read()):
            if target.startswith("http"):
                continue
            path, _, anchor = target.partition("#")
            at = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(at):
                yield f"{os.path.relpath(page, source)}: {target}"
            elif anchor and at.endswith(".md") and anchor not in anchors(at):
                yield f"{os.path.relpath(page, source)}: {target} (no such heading)"


def links():
    bad = list(broken_links())
    say(not bad, "every link and anchor of the manual is there", "\n".join(bad))
    said = re.findall(r'"(docs/\w+\.md)#(\w+)"', open(source + "/src/base/err.c").read())
    say(len(said) == 6 and all(a in anchors(f"{source}/{p}") for p, a in said),
        "every class of error points to an anchor that is there", str(said))
    verbs = re.findall(r"^  ([a-z]+) ", sh("jali --help", folder).stdout.split("\nIdeas")[0], re.M)
    missing = set(verbs) - anchors(source + "/docs/howto.md")
    say(len(verbs) > 20 and not missing, "every verb has its recipe in howto.md", str(missing))
    index = open(source + "/docs/README.md").read()
    lost = [p for p in map(os.path.basename, pages[1:]) if p != "README.md" and f"({p}" not in index]
    say(not lost, "every page is in the index", str(lost))


def own_twin():
    """A test of commands that cannot fail is none."""
    text = "words\n\n    jali nonsense\n\n<!-- not run: a reason -->\n\n    jali other\n\n```sh\njali third\n```\n"
    found = blocks(text)
    say([lines[0] for lines, _ in found] == ["jali nonsense", "jali other", "jali third"]
        and [r is None for _, r in found] == [True, False, True], "blocks are found, and marks are seen", str(found))
    say(sh("jali nonsense", folder).returncode != 0 and sh("jali nonsense | cat", folder).returncode != 0,
        "a command that fails is seen to fail")


try:
    own_twin()
    links()
    home = prepare()
    for page in pages:
        run_page(page, home)
finally:
    if server is not None:
        server.stop()
    shutil.rmtree(folder, ignore_errors=True)
print(f"# docs.commands.run {counted['run']}, marked as not run {counted['marked']}, "
      f"run by other tests {counted['elsewhere']}")
say(counted["run"] > 110 and counted["marked"] <= 14, "nearly all commands are run")
print(f"1..{n}")
