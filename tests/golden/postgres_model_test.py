#!/usr/bin/env python3
"""Models over a table that stays in a real PostgreSQL: every kind says bit by bit what it says of an
import, through a cursor; and what can happen while one is open. Prints TAP.

usage: postgres_model_test.py JALI PGSERVER
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from pgservers import Server, one_sentence, run

jali, script = (os.path.realpath(p) for p in sys.argv[1:3])
folder = tempfile.mkdtemp(prefix="jali-postgres-model-")
server = Server(script, folder + "/server", "log_statement = 'all'", "log_line_prefix = '%a|%p '")
n = 0


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""), flush=True)
    if not good:
        print("\n".join("# " + line for line in str(why).strip().splitlines()[-12:]))


def do(*words):
    return run(jali, *words, cwd=folder)


def init(vault, *source, schema="rows.json"):
    got = do("init", vault, *source, "--schema", schema, "--epsilon", 1000, "--delta", "1e-6")
    assert got.returncode == 0, got.stdout


def far(table="hospital", more=""):
    return "--postgres", f"{server.place} {more}", "--table", table


def model(vault, kind, *words, command="awk -F, -f model.awk", epsilon=20):
    return do("model", vault, kind, "--model", "command:" + command, "--declared", "public", "--bounds",
              "0:1", "--columns", "age,pressure,stay", *words, "--epsilon", epsilon, "--yes", "--format",
              "json")


def charges(vault):
    return do("ledger", vault, "log", "--format", "json").stdout.count('"charge"')


def body(got):
    """The answer but for when it was given."""
    return re.sub(r'"[0-9-]+T[0-9:.]+Z"', '""', got.stdout)


KINDS = [["pdp", "--feature", "age"], ["ale", "--feature", "age"], ["pfi", "--label", "glucose"],
         ["plot", "--feature", "age", "--explainer", "ale", "--blocks", "7"],
         ["plot", "--feature", "age", "--explainer", "command:python3 mean.py", "--blocks", "5"],
         ["rank", "--label", "glucose", "--explainer", "pfi", "--blocks", "6"],
         ["interaction", "--blocks", "4"]]
SOME = [KINDS[0], KINDS[2], KINDS[5]]  # rows in no order, in an order, in blocks


def kinds():
    """The seeded dice fall alike, and the key of the order is the same: so is what is released."""
    init("near", "--data", "h.csv")
    init("far", *far())
    shutil.copy(folder + "/near/person.key", folder + "/far/person.key")
    for words in KINDS:
        here, there = model("near", *words), model("far", *words)
        say(there.returncode == 0 and body(here) == body(there),
            f"{words[0]}: bit by bit that of an import" + (", by a command" if "mean.py" in str(words) else ""),
            here.stdout[-400:] + there.stdout[-400:])
    for vault, key in (("again", open(folder + "/near/person.key", "rb").read()), ("other", bytes(32))):
        init(vault, *far())
        with open(f"{folder}/{vault}/person.key", "rb+") as file:
            file.write(key)
    again, other = model("again", *KINDS[2]), model("other", *KINDS[2])
    say(other.returncode == 0 and body(again) != body(other), "another key is another order",
        other.stdout[-400:])


def persons():
    init("people", *far(), schema="people.json")
    for words in SOME:
        got = model("people", *words)
        say(got.returncode == 0, f"{words[0]}, where a person has several rows", got.stdout)


def least():
    server.sql("CREATE ROLE reader LOGIN; CREATE VIEW seen AS SELECT * FROM hospital; "
               "GRANT SELECT ON seen TO reader")
    init("least", *far("seen", "user=reader"))
    got = [model("least", *words) for words in SOME]
    say(all(g.returncode == 0 for g in got), "a role with SELECT on one view is enough",
        "".join(g.stdout for g in got if g.returncode != 0))


def empty():
    server.sql("CREATE TABLE none (LIKE hospital)")
    init("none", *far("none"))
    got = [model("none", *words) for words in SOME]
    say(all(g.returncode == 0 for g in got), "a table without rows is a table",
        "".join(g.stdout for g in got if g.returncode != 0))


def log():
    text = open(server.home + "/log", errors="replace").read()
    sent = [line for line in re.findall(r"^jali\|\d+ LOG:  statement: (.*)", text, re.M) if "count */" in line]
    fetched = [line for line in sent if "COPY" in line and "GROUP BY" not in line and "count(*)" not in line]
    orders = [line for line in sent if "DECLARE" in line and "ORDER BY 1," in line]
    say(len(orders) >= 8 and not fetched, "rows come through cursors, and are never fetched whole",
        "\n".join(fetched)[-2000:])


def fault(vault, words, name, *kind, **more):
    before = charges(vault)
    got = model(vault, *kind, **more)
    say(got.returncode == 6 and words in got.stdout and one_sentence(got.stdout) and "stands" in got.stdout,
        name, got.stdout)
    say(charges(vault) == before + 1 and "Nothing was released" in do("releases", vault).stdout,
        name + ": the charge stands, nothing is released", do("releases", vault).stdout)


def faults():
    """While a slow model looks at the rows of one FETCH, sessions are ended; and statements that time out."""
    init("cut", *far("grown"))
    for kind in (KINDS[3], KINDS[5]):  # of the others a command gets all rows at once: tests/tally/stream_test.c
        watch = subprocess.Popen(["sh", "-c", f"""
            for i in $(seq 500); do psql -qAtX -h {server.home} postgres -c "SELECT 1 FROM pg_stat_activity WHERE query LIKE
            '/* jali: count */ FETCH%' AND state = 'idle in transaction'" | grep -q 1 && break; sleep 0.02; done
            psql -qAtX -h {server.home} postgres -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE
            application_name = 'jali'" """], stdout=subprocess.DEVNULL)
        fault("cut", "went away", f"{kind[0]}: a session that ends between two batches", *kind,
              command="awk -F, -f slow.awk")
        watch.wait(timeout=60)
    init("late", *far("slow", "options='-c statement_timeout=400ms'"))
    for kind in SOME:
        fault("late", "ran out of time", f"{kind[0]}: a FETCH that takes too long", *kind)
    init("patient", *far("grown", "options='-c statement_timeout=20s'"))
    got = model("patient", *KINDS[0], "--resolution", 3)
    say(got.returncode == 0, "time that the model takes is nobody's timeout", got.stdout)


def write_models():
    """awk is started quicker than Python. Who borrows from whom is seen in a product."""
    for name, sleep in (("model", ""), ("slow", 'NR == 1 { system("sleep 0.5") }\n')):
        with open(f"{folder}/{name}.awk", "w") as file:
            file.write(sleep + "NR > 1 { print $1 * $2 % 17 / 17 }\n")
    with open(folder + "/mean.py", "w") as file:
        file.write("import sys, csv\nrows = list(csv.reader(sys.stdin))[1:]\n"
                   "print(f'0,{len(rows) % 7 / 10}\\n100,{float(rows[0][1] or 0) / 1000}')\n")


try:
    assert do("mock", "hospital", "-n", 1000, "-o", "h.csv", "--schema", "people.json").returncode == 0
    schema = json.load(open(folder + "/people.json"))
    server.load("hospital", schema["fields"], folder + "/h.csv")
    server.sql("CREATE TABLE grown AS SELECT h.* FROM hospital h, generate_series(1, 80); CREATE VIEW slow "
               "AS SELECT * FROM hospital WHERE pg_sleep(0.001)::text IS NOT NULL")
    # A row is a person, so that both vaults keep the same rows.
    schema.pop("jali", None)
    next(f for f in schema["fields"] if f["name"] == "person")["jali"] = {"drop": True}
    json.dump(schema, open(folder + "/rows.json", "w"))
    write_models()
    for part in (kinds, persons, least, empty, log, faults):
        part()
finally:
    server.do("stop")
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
