#!/usr/bin/env python3
"""A vault over a real PostgreSQL, end to end: every verb, faults in the middle, shards, rights,
and the server's own log. Prints TAP.

usage: postgres_test.py JALI PGSERVER
"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from pgservers import TYPES, one_sentence

jali, pgserver = (os.path.realpath(p) for p in sys.argv[1:3])
folder = tempfile.mkdtemp(prefix="jali-postgres-")
n = 0
homes = []


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""), flush=True)
    if not good:
        print("\n".join("# " + line for line in str(why).strip().splitlines()[-12:]))


def run(*words, **more):
    return subprocess.run([str(w) for w in words], cwd=folder, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, **more)


def start(*settings):
    name = f"{folder}/server{len(homes)}"
    got = run(pgserver, "start", name, *settings)
    if got.returncode == 77:
        print("1..0 # SKIP " + got.stdout.strip())
        shutil.rmtree(folder)
        sys.exit(0)
    assert got.returncode == 0, got.stdout
    homes.append(got.stdout.strip().splitlines()[-1])
    return len(homes) - 1


def sql(text, server=0):
    got = run("psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", homes[server], "postgres", "-c", text)
    assert got.returncode == 0, got.stdout
    return got.stdout.strip()


def place(server=0, more=""):
    return f"host={homes[server]} dbname=postgres {more}"


def do(*words):
    return run(jali, *words)


def init(vault, table, *more, servers=(0,), options="", schema="h.json", epsilon=1000):
    words = []
    for s in servers:
        words += ["--postgres", place(s, options)]
    return do("init", vault, *words, "--table", table, "--schema", schema, "--epsilon", epsilon,
              "--delta", "1e-6", *more)


def charges(vault):
    """Rows of the book that cost something."""
    return do("ledger", vault, "log", "--format", "json").stdout.count('"charge"')


def log_of(server=0):
    # The log belongs to the server's user; root and that user may read it.
    with open(homes[server] + "/log", errors="replace") as file:
        return file.read()


ODD = "SELECT smoker, AVG(stay) FROM hospital WHERE sex = 'female' AND age IN (31, 37, 41, 47, 53) GROUP BY smoker"
QUESTION = "SELECT ward, COUNT(*), SUM(stay) FROM hospital WHERE age >= 30 GROUP BY ward"


def ask(vault, epsilon="300", question=QUESTION):
    return do("ask", vault, question, "--epsilon", epsilon, "--yes", "--format", "json")


def numbers(reply):
    """What was released, without the words around it. At epsilon 300 the noise is 0."""
    doc = json.loads(reply.stdout)
    return doc["rows"]


def make_table(server=0, keep=lambda i: True):
    with open(folder + "/h.csv") as file:
        rows = list(csv.reader(file))
    fields = json.load(open(folder + "/h.json"))["fields"]
    columns = ", ".join(f'"{f["name"]}" {TYPES[f["type"]]}' for f in fields)
    part = f"{folder}/part{server}.csv"
    with open(part, "w", newline="") as file:
        csv.writer(file).writerows([rows[0]] + [r for r in rows[1:] if keep(r[0])])
    sql(f"DROP TABLE IF EXISTS hospital CASCADE; CREATE TABLE hospital ({columns})", server)
    got = run("psql", "-qX", "-h", homes[server], "postgres", "-c",
              f"\\copy hospital FROM '{part}' CSV HEADER")
    assert got.returncode == 0, got.stdout


# ---- every verb -----------------------------------------------------------------------------

def verbs():
    for vault in ("near", "far"):
        got = ask(vault)
        if vault == "near":
            truth = numbers(got)
    say(numbers(got) == truth, "ask: the numbers of the imported vault", got.stdout)
    got = do("why", "far", "r1", "internal > surgery", "--of", "COUNT(*)", "--epsilon", 50, "--yes")
    say(got.returncode == 0 and "explain" in got.stdout.lower(), "why, conditions of one column",
        got.stdout)
    got = do("why", "far", "r1", "internal > surgery", "--of", "COUNT(*)", "--epsilon", 50,
             "--length", 3, "--columns", "age,sex,diagnosis", "--yes")
    say(got.returncode == 0, "why, conditions of three", got.stdout)
    got = do("cluster", "far", "--columns", "x,y", "--epsilon", 20, "--yes")
    say(got.returncode == 0, "cluster", got.stdout)
    got = do("profile", "far", "c1", "--epsilon", 20, "--yes")
    say(got.returncode == 0, "profile", got.stdout)
    got = do("contrast", "far", "plan", "--columns", "x,y", "--centres", 3, "--epsilon", 20, "--yes")
    say(got.returncode == 0, "contrast", got.stdout)
    with open(folder + "/model.py", "w") as file:
        file.write("import sys, csv\nr = csv.reader(sys.stdin)\nnext(r, None)\n"
                   "for row in r: print(float(row[0] or 0) / 100, flush=True)\n")
    got = do("model", "far", "pdp", "--model", "command:python3 model.py", "--declared", "public",
             "--bounds", "0:1", "--feature", "age", "--columns", "age,pressure", "--epsilon", 20, "--yes")
    say(got.returncode == 0, "model", got.stdout)
    init("people", "hospital", schema="people.json")
    got = do("model", "people", "pdp", "--model", "command:python3 model.py", "--declared", "public",
             "--bounds", "0:1", "--feature", "age", "--columns", "age,pressure", "--epsilon", 20, "--yes")
    say(got.returncode == 0, "model, where a person has several rows", got.stdout)
    got = do("show", "far")
    say("stay in PostgreSQL" in got.stdout and homes[0] not in got.stdout,
        "show tells that rows stay, and not where", got.stdout)
    got = do("ask", "far", QUESTION + " ORDER BY nonsense", "--epsilon", 1, "--yes")
    near = do("ask", "near", QUESTION + " ORDER BY nonsense", "--epsilon", 1, "--yes")
    say(got.stdout == near.stdout and got.returncode == near.returncode, "the same refusals", got.stdout)
    init("open", "hospital", "--public")
    got = do("eval", "cluster", "open", "columns=x,y", "clusters=3", "--epsilon", 5, "--runs", 2)
    say(got.returncode == 0, "eval on a public vault", got.stdout)


# ---- rights and places ------------------------------------------------------------------------

def rights():
    got = do("init", "x", "--postgres", "postgresql://u:hunter2@/db", "--table", "t", "--schema",
             "h.json", "--epsilon", 1, "--delta", 0)
    say(got.returncode == 2 and "password" in got.stdout and "hunter2" not in got.stdout,
        "a password in the conninfo is refused, and not repeated", got.stdout)
    sql("CREATE ROLE reader LOGIN; CREATE VIEW seen AS SELECT * FROM hospital; "
        "GRANT SELECT ON seen TO reader")
    got = init("least", "public.seen", options="user=reader")
    say(got.returncode == 0 and numbers(ask("least")) == numbers(ask("near")),
        "a role with SELECT on one view is enough", got.stdout)
    got = init("none", "hospital", options="user=reader")
    say(got.returncode != 0 and "may not select" in got.stdout and not os.path.exists(folder + "/none"),
        "without the right nothing is made", got.stdout)
    got = do("draft", "--postgres", place(), "--table", "hospital", "--catalog")
    say('"drop": true' in got.stdout and "surgery" not in got.stdout and "private" not in got.stdout,
        "a draft of the catalog holds no value", got.stdout)
    got = do("draft", "--postgres", place(), "--table", "hospital", "-o", "drafted.json")
    files = do("draft", "h.csv", "-o", "from_file.json")
    same = json.load(open(folder + "/drafted.json")) == json.load(open(folder + "/from_file.json"))
    say(got.returncode == 0 and same, "a draft of the rows is the draft of their file",
        got.stdout + files.stdout)
    got = init("bad", "hospital", schema="bad.json")
    say(got.returncode != 0 and "make a view" in got.stdout, "a number in a text column is refused",
        got.stdout)


def read_log():
    """With %a in log_line_prefix and log_statement = all the log is the list of all that was sent."""
    sent = re.findall(r"^jali\|.*?(?:statement|execute [^:]*): +(.*)", log_of(), re.M)
    kinds = {re.match(r"/\* jali: (\w+) \*/ |", line).group(1) for line in sent}
    say(kinds == {"session", "snapshot", "catalog", "trial", "count", "draft"},
        "every statement of jali is in the server's log, and says what it is for", kinds)
    counts = [line for line in sent if line.startswith("/* jali: count")]
    say(len(counts) > 10 and all(re.match(r"/\* jali: count \*/ (COPY \(SELECT|DECLARE jali BINARY NO SCROLL CURSOR "
                                          r"FOR SELECT|FETCH FORWARD|CLOSE jali)", line) for line in counts) and
        not any("GROUPING SETS" in line for line in counts), "rows are read by plain SELECTs", counts[:3])
    say(any("REPEATABLE READ READ ONLY" in line for line in sent) and
        not any("nonsense" in line or "FROM hospital " in line for line in sent),
        "in one snapshot, and nothing that an analyst wrote is among them")


# ---- faults ------------------------------------------------------------------------------------

def in_the_middle(vault, act, words, name):
    """Asks, acts while the server counts, and looks at what is said and paid."""
    before = charges(vault)
    asked = subprocess.Popen([jali, "ask", vault, QUESTION, "--epsilon", "1.5", "--yes"], cwd=folder,
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             stdin=subprocess.DEVNULL)
    for _ in range(200):
        if sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '/* jali: count%' AND state = "
               "'active' AND pid <> pg_backend_pid()") != "0":
            break
        time.sleep(0.05)
    act()
    said = asked.communicate(timeout=60)[0]
    good = asked.returncode == 6 and words in said and one_sentence(said)
    say(good and "stands" in said, name, said)
    say(charges(vault) == before + 1 and "r2" not in do("releases", vault).stdout,
        name + ": the charge stands, nothing is released")


def faults():
    sql("CREATE VIEW slow AS SELECT * FROM hospital WHERE pg_sleep(0.005)::text IS NOT NULL")
    init("slow", "slow")
    in_the_middle("slow", lambda: sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                                      "query LIKE '/* jali: count%' AND pid <> pg_backend_pid()"),
                  "went away", "a connection that is lost in the middle")
    in_the_middle("slow", lambda: run(pgserver, "restart", folder + "/server0"), "went away",
                  "a server that restarts in the middle")
    say(ask("far", "301").returncode == 0, "and answers again afterwards")
    init("late", "slow", options="options='-c statement_timeout=300ms'")
    got = do("ask", "late", QUESTION, "--epsilon", 1, "--yes")
    say(got.returncode == 6 and "ran out of time" in got.stdout and charges("late") == 1,
        "a statement that takes too long", got.stdout)
    sql("CREATE VIEW liar AS SELECT person, age, sex, living, smoker, medicine, admission, ward, "
        "diagnosis, bmi, pressure, glucose, CASE WHEN age = 67 THEN 1 / (age - 67) ELSE stay END AS "
        "stay, cost, x, y FROM hospital")
    init("liar", "liar")
    got = do("ask", "liar", QUESTION, "--epsilon", 1, "--yes")
    say(got.returncode == 6 and "22012" in got.stdout and "zero" not in got.stdout,
        "a view that fails on a row: its words stay in the server's log", got.stdout)
    sql("CREATE VIEW wild AS SELECT person, age * 1000000 AS age, sex || 'x' AS sex, living, smoker, "
        "medicine, admission, ward, diagnosis, 'NaN'::numeric AS bmi, -pressure AS pressure, "
        "'Infinity'::numeric AS glucose, stay, cost, x, y FROM hospital UNION ALL SELECT * FROM hospital")
    init("wild", "wild")
    say(ask("wild").returncode == 0, "values far outside their bounds are clamped")


def alterations():
    for change, back, words in (
            ("ALTER TABLE moved RENAME COLUMN age TO years", "ALTER TABLE moved RENAME COLUMN years TO age",
             "lost its column"),
            ("ALTER TABLE moved ALTER COLUMN age TYPE text USING age::text",
             "ALTER TABLE moved ALTER COLUMN age TYPE int USING age::int", "is text now"),
            ("REVOKE SELECT ON moved FROM teller", "GRANT SELECT ON moved TO teller", "may not select"),
            ("ALTER TABLE moved RENAME TO gone", "ALTER TABLE gone RENAME TO moved", "no table or view")):
        if "moved" not in sql("SELECT string_agg(relname, ' ') FROM pg_class WHERE relkind = 'r'"):
            sql("CREATE TABLE moved AS SELECT * FROM hospital; CREATE ROLE teller LOGIN; GRANT SELECT "
                "ON moved TO teller")
            init("moved", "moved", options="user=teller")
        sql(change)
        got = do("ask", "moved", QUESTION, "--epsilon", 1, "--yes")
        say(got.returncode == 6 and words in got.stdout and charges("moved") == 0,
            "before the charge: " + words, got.stdout)
        sql(back)
    say(ask("moved").returncode == 0, "and all is well when it is brought back")
    sql("INSERT INTO moved SELECT * FROM moved LIMIT 500")
    say(ask("moved", "301").returncode == 0, "a table may grow")


def too_long():
    """Words so many and so long that one statement would have more than 8 MB."""
    words = [f"{i:05}" + "x" * 245 for i in range(6000)]
    fields = [{"name": c, "type": "string", "constraints": {"enum": words}} for c in "abc"]
    json.dump({"fields": fields}, open(folder + "/wide.json", "w"))
    sql("CREATE TABLE wide (a text, b text, c text)")
    got = init("wide", "wide", schema="wide.json")
    say(got.returncode == 0, "categories of many long words", got.stdout)
    where = [f"{c} IN ('{words[7]}', '{words[9]}')" for c in "abc"]
    got = do("ask", "wide", "SELECT COUNT(*) FROM wide WHERE " + " AND ".join(where), "--epsilon", 1,
             "--yes")
    say(got.returncode == 2 and "too long" in got.stdout and one_sentence(got.stdout) and
        charges("wide") == 0, "a statement that would be too long is refused before the charge",
        got.stdout[-300:])
    got = do("ask", "wide", f"SELECT COUNT(*) FROM wide WHERE {where[0]}", "--epsilon", 1, "--yes")
    say(got.returncode == 0 and charges("wide") == 1, "a shorter one is answered", got.stdout[-300:])


# ---- shards ---------------------------------------------------------------------------------------

def shards():
    truth = numbers(ask("near", "302"))
    for i in (1, 2):
        start()
    for s in range(3):
        make_table(s, lambda person, s=s: int(person[1:]) % 3 == s)
    sql("CREATE VIEW part AS SELECT * FROM hospital", 0)
    sql("CREATE VIEW part AS SELECT h.* FROM hospital h, (SELECT pg_sleep(1)) AS s", 1)
    sql("CREATE VIEW part AS SELECT * FROM hospital", 2)
    got = init("three", "part", servers=(0, 1, 2))
    say(got.returncode == 0 and "servers  3" in got.stdout, "three servers", got.stdout)
    got = ask("three", "302")
    say(got.returncode == 0 and numbers(got) == truth,
        "three servers, one slow, count what one counts", got.stdout)
    got = do("cluster", "three", "--columns", "x,y", "--epsilon", 20, "--yes")
    say(got.returncode == 0, "fetched from three", got.stdout)
    run(pgserver, "halt", folder + "/server2")
    got = do("ask", "three", QUESTION, "--epsilon", 1, "--yes")
    say(got.returncode == 6 and charges("three") == 2, "one lost: refused before the charge", got.stdout)


def silent():
    """A person of many rows, and the same table without: what is not the release is the same."""
    sys.path.append(os.path.dirname(os.path.realpath(__file__)) + "/../audit")
    import silence_test as silence
    schema, header, rows, person = silence.PAIRS["a person of many rows"]
    quiet = folder + "/quiet"
    os.mkdir(quiet)
    with open(quiet + "/s.json", "w") as file:
        json.dump(schema, file)
    sql("CREATE TABLE t (id int, g text, k text, x int, y int)")
    for row in rows + person:
        sql("INSERT INTO t VALUES (" + ", ".join(v if v.isdigit() else f"'{v}'" for v in row.split(",")) + ")")
    silence.must(["init", "with", "--postgres", place(), "--table", "t", "--schema", "s.json", "--epsilon", "100",
                  "--delta", "1e-6"], quiet)
    silence.must([w if w != "V" else "with" for w in silence.ASK] + ["--yes"], quiet)
    verbs = ("ask", "why", "profile", "contrast", "cluster dpm", "model pdp", "model pfi", "a refusal for its words")
    one = {verb: silence.observe(quiet, "with", silence.VERBS[verb]) for verb in verbs}
    sql("DELETE FROM t WHERE id = 77")
    for verb in verbs:
        two = silence.observe(quiet, "with", silence.VERBS[verb])
        why = silence.differences(one[verb], two)
        say(not why and (two["exit"] == 0) == (not verb.startswith("a refusal")), f"{verb} is silent about a person",
            "\n".join(why) + two["stderr"].decode())


def scattered(first):
    """Forty persons with two rows in each of two foreign partitions; two rows of each are paid for."""
    sql("CREATE TABLE crowd (person int, place text COLLATE \"C\") PARTITION BY LIST (place)", first)
    for i, place in ((1, "near"), (2, "far")):
        sql(f"CREATE TABLE crowd AS SELECT i % 40 AS person, '{place}'::text COLLATE \"C\" AS place FROM "
            "generate_series(1, 80) i", first + i)
        sql(f"CREATE FOREIGN TABLE crowd{i} PARTITION OF crowd FOR VALUES IN ('{place}') SERVER s{i} "
            "OPTIONS (table_name 'crowd')", first)
    with open(folder + "/crowd.json", "w") as file:
        json.dump({"name": "crowd", "jali": {"person": "person", "rowsPerPerson": 2}, "fields": [
            {"name": "person", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
            {"name": "place", "type": "string", "constraints": {"enum": ["near", "far"]}}]}, file)
    got = init("crowd", "crowd", servers=(first,), schema="crowd.json")
    got = ask("crowd", "300", "SELECT COUNT(*) FROM crowd") if got.returncode == 0 else got
    say(got.returncode == 0 and float(numbers(got)[0]["COUNT(*)"]["value"]) == 80,
        "a person with rows in two foreign partitions is bounded over both", got.stdout)


def foreign():
    """One parent whose partitions are tables of two other servers (postgres_fdw)."""
    do("init", "nearer", "--data", "h.csv", "--schema", "h.json", "--epsilon", 1000, "--delta", "1e-6")
    truth = [numbers(ask("nearer", "303")), numbers(ask("nearer", "303", ODD))]
    fields = json.load(open(folder + "/h.json"))["fields"]
    wards = next(f for f in fields if f["name"] == "ward")["constraints"]["enum"]
    columns = ", ".join(f'"{f["name"]}" {TYPES[f["type"]]}' +
                        (' COLLATE "C"' if f["type"] == "string" else "") for f in fields)
    first = start()
    sql(f"CREATE EXTENSION postgres_fdw; CREATE TABLE far_away ({columns}) PARTITION BY LIST (ward)", first)
    for i, where in ((1, f"FOR VALUES IN ('{wards[0]}', '{wards[1]}')"), (2, "DEFAULT")):
        server = start("log_statement = 'all'")
        os.chmod(homes[server] + "/log", 0o644)
        test = f"ward IN ('{wards[0]}', '{wards[1]}')"
        make_table(server)
        sql(f"DELETE FROM hospital WHERE ({test}) IS {'NOT' if i == 1 else ''} TRUE", server)
        user = sql("SELECT current_user", server)
        sql(f"CREATE SERVER s{i} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{homes[server]}', dbname "
            f"'postgres', async_capable 'true'); CREATE USER MAPPING FOR CURRENT_USER SERVER s{i} OPTIONS "
            f"(user '{user}'); CREATE FOREIGN TABLE part{i} PARTITION OF far_away {where} SERVER s{i} "
            "OPTIONS (table_name 'hospital')", first)
    got = init("parts", "far_away", servers=(first,))
    say(got.returncode == 0, "a parent of foreign partitions", got.stdout)
    got = [ask("parts", "303"), ask("parts", "303", ODD)]
    say([numbers(g) for g in got] == truth, "foreign partitions count what an import counts", got[0].stdout)
    for server in (first + 1, first + 2):
        sent = re.findall(r"DECLARE c\d+ CURSOR FOR\s+(.*)", log_of(server))
        say(len(sent) > 1 and all("GROUP BY" in line for line in sent),
            "a foreign server counts, and sends no row", "\n".join(sent))
    got = do("cluster", "parts", "--columns", "x,y", "--epsilon", 20, "--yes")
    say(got.returncode == 0, "and what must be fetched is fetched through them", got.stdout)
    scattered(first)
    run(pgserver, "halt", f"{folder}/server{first + 2}")
    got = do("ask", "parts", QUESTION, "--epsilon", 1, "--yes")
    say(got.returncode == 6 and one_sentence(got.stdout), "one of them lost: one sentence", got.stdout)


start("log_statement = 'all'", "log_line_prefix = '%a|%p '")
if not os.access(homes[0] + "/log", os.R_OK):
    os.chmod(homes[0] + "/log", 0o644)
assert do("mock", "hospital", "-n", 3000, "-o", "h.csv", "--schema", "h.json").returncode == 0
schema = json.load(open(folder + "/h.json"))
next(f for f in schema["fields"] if f["name"] == "ward").update(
    {"type": "integer", "constraints": {"minimum": 0, "maximum": 9}})
json.dump(schema, open(folder + "/bad.json", "w"))
# A row is a person here, so that both vaults keep the same rows and numbers can be compared.
schema = json.load(open(folder + "/h.json"))
json.dump(schema, open(folder + "/people.json", "w"))
schema.pop("jali", None)
next(f for f in schema["fields"] if f["name"] == "person")["jali"] = {"drop": True}
json.dump(schema, open(folder + "/h.json", "w"))
try:
    make_table()
    assert do("init", "near", "--data", "h.csv", "--schema", "h.json", "--epsilon", 1000, "--delta",
              "1e-6").returncode == 0
    got = init("far", "hospital")
    say(got.returncode == 0 and "no row was read" in got.stdout and
        not os.path.exists(folder + "/far/columns"), "init copies nothing", got.stdout)
    for part in (verbs, rights, read_log, faults, alterations, too_long, silent, shards, foreign):
        part()
finally:
    for i in range(len(homes)):
        run(pgserver, "stop", f"{folder}/server{i}")
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
