#!/usr/bin/env python3
"""Odd tables in a real PostgreSQL: names that need quotes, every type, cells that are no numbers; and
that a password is kept nowhere. Prints TAP.

usage: postgres_odd_test.py JALI PGSERVER
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from pgservers import Server, one_sentence, run

jali, script = (os.path.realpath(p) for p in sys.argv[1:3])
folder = tempfile.mkdtemp(prefix="jali-postgres-odd-")
server = Server(script, folder + "/server", "log_statement = 'all'", "log_line_prefix = '%a|%p '")
n = 0
TABLE = 'Odd Schema.My "Table".x'
SQL = '"Odd Schema"."My ""Table"".x"'
# name, type, cell of row i, and whether a schema can have it
COLUMNS = [
    ("select", "int", "i", True), ("Upper Case", "numeric(10,3)", "CASE i % 7 WHEN 0 THEN 'NaN' ELSE i / 7.0 END", True),
    ("größe ☃", "float8", "CASE i % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE i * 0.1 END",
     True),
    ('a"b', "mood", """(ARRAY['ok', 'it''s "fine"', 'üb\\er', '']::mood[])[1 + i % 4]""", True),
    ("x'y", "cents", "i", True), ("d.o.t", "deep", "i % 9", True),
    ("day", "date", "CASE i % 4 WHEN 0 THEN 'infinity' WHEN 1 THEN '0044-03-15 BC' ELSE date '2020-01-01' + i END", True),
    ("ts", "timestamp", "CASE i % 4 WHEN 0 THEN '-infinity' ELSE timestamp '2020-01-01' + i * interval '1 hour' END", True),
    ("tz", "timestamptz", "CASE i % 4 WHEN 0 THEN '12345-01-01 UTC' ELSE timestamptz '2020-01-01 UTC' END", True),
    ("flag", "bool", "i % 2 = 0", True), ("txt", "text", "E'a\\\\000b' || i % 3", True),
    ("%s%d", "varchar(9)", "'%s'", True), ("$1", "int", "i % 3", True), ("--c", "int", "i % 4", True),
    ("/*", "int2", "i % 5", True), (" lead", "int8", "i % 6", True), ("u", "uuid", "('00000000-0000-0000-0000-00000000000'"
                                                                    " || i % 3)::uuid", True),
    ("a#bin", "int", "1", False), ("#person", "int", "1", False), ("tab\tle", "int", "1", False),
    ("turn\u202e", "int", "1", False)]
DROPPED = {"big": ("numeric", "1e100"), "marks": ("text", "E'x\\u202Ey'"), "j": ("jsonb", "'{}'"), "list": ("int[]", "'{1}'"),
           "span": ("interval", "'1 day'"), "raw": ("bytea", "'\\x00'"), "nan": ("float4", "'NaN'")}


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""), flush=True)
    if not good:
        print("\n".join("# " + line for line in str(why).strip().splitlines()[-12:]))


def do(*words, **more):
    return run(jali, *words, cwd=folder, **more)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def make_table():
    columns = [(name, kind, cell) for name, kind, cell, _ in COLUMNS]
    columns += [(name, kind, cell) for name, (kind, cell) in DROPPED.items()]
    server.sql("CREATE TYPE mood AS ENUM ('ok', 'it''s \"fine\"', 'üb\\er', ''); CREATE DOMAIN cents AS int CHECK (VALUE >= 0); "
               "CREATE DOMAIN deep AS cents; CREATE SCHEMA \"Odd Schema\"; CREATE TABLE " + SQL + " (" +
               ", ".join(f"{quoted(name)} {kind}" for name, kind, _ in columns) + ")")
    server.sql(f"INSERT INTO {SQL} SELECT " + ", ".join(cell for _, _, cell in columns) +
               " FROM generate_series(1, 300) AS i")


def drafts():
    got = do("draft", "--postgres", server.place, "--table", TABLE, "-o", "odd.json")
    say(got.returncode == 0, "a draft of odd names and types", got.stdout)
    fields = {f["name"]: f for f in json.load(open(folder + "/odd.json"))["fields"]}
    used = {name for name, f in fields.items() if not f.get("jali", {}).get("drop")}
    say(used == {name for name, _, _, good in COLUMNS if good}, "every column that can be read is there",
        used ^ {name for name, _, _, good in COLUMNS if good})
    say(set(DROPPED) == set(fields) - used and all(fields[d]["description"] for d in DROPPED),
        "what cannot be read says why", set(DROPPED) ^ (set(fields) - used))
    size = fields["größe ☃"]
    say(size["type"] == "number" and size["constraints"] == {"minimum": "0.3", "maximum": "29.9"} and
        fields["big"]["type"] == "number", "NaN, infinity and huge numbers make no list of words of a number", size)
    say(fields["day"]["constraints"] == {"minimum": "2020-01-03", "maximum": "2020-10-26"} and
        fields["ts"]["type"] == "date" and fields["tz"]["constraints"]["maximum"] == "2020-01-01",
        "nor do days beyond the calendar", [fields["day"], fields["ts"], fields["tz"]])
    say(fields["d.o.t"]["type"] == "integer", "a domain over a domain is what it stands on", fields["d.o.t"])
    got = do("draft", "--postgres", server.place, "--table", TABLE, "--catalog")
    catalog = {f["name"]: f for f in json.loads(got.stdout[got.stdout.index("{"):])["fields"]}
    say(set(catalog) == set(fields) and catalog["d.o.t"]["type"] == "integer" and "0.3" not in got.stdout,
        "the catalog's draft has the same columns, and no value", set(catalog) ^ set(fields))


def verbs():
    got = do("init", "odd", "--postgres", server.place, "--table", TABLE, "--schema", "odd.json", "--epsilon", 1000,
             "--delta", "1e-6", "--accept-draft")
    say(got.returncode == 0, "such a draft can be declared", got.stdout)
    for name, _, _, good in COLUMNS:
        if not good:
            continue
        got = do("ask", "odd", f"SELECT COUNT(*) FROM odd WHERE {quoted(name)} IS NOT NULL", "--epsilon", 40, "--yes",
                 "--format", "json")
        beyond = "'NaN'" if name in ("Upper Case", "größe ☃") else None
        where = f"{quoted(name)}::text <> ''" + (f" AND {quoted(name)} <> {beyond}" if beyond else "")
        if name in ("day", "ts", "tz"):
            where = f"{quoted(name)}::date BETWEEN '0001-01-01' AND '9999-12-31'"
        truth = server.sql(f"SELECT count(*) FROM {SQL} WHERE {where}")
        count = re.search(r'"COUNT\(\*\)": \{\s*"value": "?(-?[0-9.]+)', got.stdout)
        say(got.returncode == 0 and count is not None and abs(float(count.group(1)) - float(truth)) <= 1,
            f"ask: {name}", truth + "\n" + got.stdout)


def empty():
    server.sql("CREATE TABLE none (a int, b text, c float8)")
    got = do("draft", "--postgres", server.place, "--table", "none")
    fields = json.loads(got.stdout[got.stdout.index("{"):])["fields"]
    say([f["type"] for f in fields] == ["integer", "string", "number"] and all(f["jali"]["drop"] for f in fields),
        "a table without rows: types, and nothing seen", got.stdout)


def passwords():
    """A server that asks for one: from the environment, and kept nowhere."""
    server.sql("CREATE ROLE locked LOGIN PASSWORD 'hunter2'; CREATE TABLE small AS SELECT 1 AS a; GRANT SELECT ON small TO "
               "locked")
    hba = server.sql("SHOW hba_file")
    with open(hba) as file:
        rest = file.read()
    with open(hba, "w") as file:
        file.write("local all locked scram-sha-256\n" + rest)
    server.sql("SELECT pg_reload_conf()")
    place = server.place + " user=locked"
    schema = {"fields": [{"name": "a", "type": "integer", "constraints": {"minimum": 0, "maximum": 3}}]}
    json.dump(schema, open(folder + "/small.json", "w"))
    words = ["--postgres", place, "--table", "small", "--schema", "small.json", "--epsilon", "1", "--delta", "0"]
    right, wrong = (dict(os.environ, PGPASSWORD=p) for p in ("hunter2", "hunter3"))
    got = [do("init", "locked", *words, env=env) for env in (wrong, right)]
    say(got[0].returncode == 6 and one_sentence(got[0].stdout) and "hunter3" not in got[0].stdout,
        "a wrong password is one sentence", got[0].stdout)
    say(got[1].returncode == 0, "one from the environment is taken", got[1].stdout)
    got = do("ask", "locked", "SELECT COUNT(*) FROM small", "--epsilon", "0.5", "--yes", env=right)
    kept = run("grep", "-rlF", "hunter", folder + "/locked", server.home + "/log").stdout
    say(got.returncode == 0 and kept.strip() in ("", server.home + "/log") and "hunter" not in got.stdout,
        "and kept nowhere in the vault", kept + got.stdout)
    for secret in ("postgresql://u:hunter2@/db", "postgresql:///db?password=hunter2", "dbname=db password=hunter2",
                   "dbname=db sslpassword=hunter2", "postgresql://u:hunter2@[bad/db", "password=hunter2 nonsense"):
        got = do("init", "never", "--postgres", secret, *words[2:])
        say(got.returncode == 2 and "hunter2" not in got.stdout and not os.path.exists(folder + "/never"),
            "refused, and not repeated: " + secret.replace("hunter2", "..."), got.stdout)


def ask_between(address, token):
    def post(path, body):
        asked = urllib.request.Request(f"{address}/api/v1/{path}", json.dumps(body).encode(),
                                       {"Authorization": "Bearer " + token})
        try:
            return json.load(urllib.request.urlopen(asked, timeout=60))
        except urllib.error.HTTPError as no:
            return json.load(no)

    for change, back, words in (("RENAME COLUMN b TO c", "RENAME COLUMN c TO b", "a column renamed"),
                                ("ALTER b TYPE text", "ALTER b TYPE int USING b::int", "a type changed"),
                                ("RENAME TO gone", "RENAME TO moving", "the table gone")):
        quote = post("quotes", {"verb": "ask", "sql": "SELECT b, COUNT(*) FROM moving GROUP BY b", "epsilon": "0.5"})
        server.sql("ALTER TABLE moving " + change)
        got = post("releases", {"quote": quote["quote"]})
        paid = do("ledger", "moving", "log", "--format", "json").stdout.count('"charge"')
        say(got["kind"] == "error" and "reference" in got["error"]["sentence"] and paid == 0,
            f"{words} between price and charge: nothing is paid, and the analyst hears no more", got)
        server.sql(f"ALTER TABLE {'gone' if 'gone' in change else 'moving'} {back}")
    got = post("releases", {"quote": quote["quote"]})
    say(got["kind"] == "ask", "brought back, the same price is good", got)


def between():
    """A price was told by the server, and before it is accepted the table is another."""
    server.sql("CREATE TABLE moving AS SELECT i % 3 AS b FROM generate_series(1, 300) AS i")
    schema = {"fields": [{"name": "b", "type": "integer", "constraints": {"minimum": 0, "maximum": 3}}]}
    json.dump(schema, open(folder + "/moving.json", "w"))
    do("init", "moving", "--postgres", server.place, "--table", "moving", "--schema", "moving.json", "--epsilon", 9,
       "--delta", "1e-6")
    token = subprocess.run([jali, "token", "moving", "add", "--name", "eve", "--role", "analyst"], cwd=folder,
                           text=True, capture_output=True).stdout.strip()
    door = subprocess.Popen([jali, "serve", "moving", "--listen", "127.0.0.1:0"], cwd=folder, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        ask_between(door.stdout.readline().strip(), token)
    finally:
        door.terminate()
        door.communicate(timeout=60)


try:
    make_table()
    for part in (drafts, verbs, empty, passwords, between):
        part()
finally:
    server.do("stop")
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
