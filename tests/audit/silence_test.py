#!/usr/bin/env python3
"""Every verb that spends, on two neighbouring vaults: what is not the release must be equal.

usage: silence_test.py JALI

Looked at: exit code, standard error, what a quote prints, the public part of the answer, the files
that a run leaves with their sizes, and the ledger's rows without time, hashes and released bodies;
then the same through jali serve: status, headers, the public part of every reply, its log.
Nothing here is statistical: these must not depend on a row at all, so one run shows a difference.
"""
import http.client
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

JALI = os.path.abspath(sys.argv[1])
SHOP = {"name": "t", "fields": [
    {"name": "g", "type": "string", "constraints": {"enum": ["a", "b", "c"]}},
    {"name": "k", "type": "string", "constraints": {"enum": ["u", "v"]}},
    {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 100}},
    {"name": "y", "type": "integer", "constraints": {"minimum": 0, "maximum": 100}}]}
CROWD = dict(SHOP, jali={"person": "id", "rowsPerPerson": 2}, fields=[
    {"name": "id", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}] + SHOP["fields"])
ROWS = ["a,u,10,10", "a,v,12,9", "a,u,50,50", "b,u,90,11", "b,v,91,10", "b,u,0,0"]
# Schema, rows, and the one person who is in the first table only.
PAIRS = {
    "a row in an empty group": (SHOP, "g,k,x,y", ROWS, ["c,v,100,100"]),
    "a row beyond its bounds": (SHOP, "g,k,x,y", ROWS, ["c,zz,1e9,-7"]),
    "a person of many rows": (CROWD, "id,g,k,x,y", [f"{i},{r}" for i, r in enumerate(ROWS)],
                              [f"77,c,v,100,{i}" for i in range(9)]),
}
ASK = ["ask", "V", "SELECT g, AVG(x) FROM t GROUP BY g", "--rho", "0.5"]
CLUSTER = ["cluster", "V", "--columns", "x,y", "--rho", "0.5"]
MODEL = ["--model", "command:awk -F, 'NR>1{print ($1>50)}'", "--columns", "x,y", "--declared", "public",
         "--bounds", "0:1", "--rho", "0.5"]
VERBS = {
    "ask": ["ask", "V", "SELECT g, COUNT(*), SUM(x) FROM t GROUP BY g", "--rho", "0.5"],
    "ask where": ["ask", "V", "SELECT COUNT(*) FROM t WHERE x > 95 AND k = 'v'", "--rho", "0.5"],
    "why": ["why", "V", "r1", "a > c", "--rho", "0.5"],
    "why by searches": ["why", "V", "r1", "a > c", "--rho", "0.5", "--ranks", "search"],
    "profile": ["profile", "V", '{"rules":["g = \'a\'","g = \'b\'"]}', "--rho", "0.5"],
    "contrast": ["contrast", "V", "plan", "--columns", "x,y", "--centres", "2", "--rho", "0.5"],
    "cluster refined": CLUSTER,
    "cluster dpm": CLUSTER + ["--method", "dpm"],
    "cluster lloyd": CLUSTER + ["--method", "lloyd", "--clusters", "2"],
    "cluster cover": CLUSTER + ["--method", "cover", "--clusters", "2"],
    "cluster grid": CLUSTER + ["--method", "grid", "--clusters", "2"],
    "cluster lsh": CLUSTER + ["--method", "lsh", "--clusters", "2"],
    "cluster modes": ["cluster", "V", "--columns", "g,k", "--method", "modes", "--clusters", "2", "--rho", "0.5"],
    "model pdp": ["model", "V", "pdp", *MODEL, "--feature", "y", "--resolution", "3"],
    "model ale": ["model", "V", "ale", *MODEL, "--feature", "y", "--resolution", "3"],
    "model pfi": ["model", "V", "pfi", *MODEL, "--label", "y"],
    "model rank": ["model", "V", "rank", *MODEL, "--label", "y", "--blocks", "2"],
    "model interaction": ["model", "V", "interaction", *MODEL, "--blocks", "2"],
    "model plot": ["model", "V", "plot", *MODEL, "--feature", "y", "--explainer", "pdp", "--range", "0:1",
                   "--resolution", "3", "--blocks", "2"],
    "a refusal for its price": ["ask", "V", "SELECT COUNT(*) FROM t", "--rho", "999999"],
    "a refusal for its words": ["ask", "V", "SELECT AVG(nothing) FROM t", "--rho", "0.5"],
}
PUBLIC = ["kind", "public", "question", "understood", "explains", "paid", "left", "release", "charge",
          "free", "confidence", "neighbours", "rows_per_person", "mechanism", "left_out"]


def run(words, folder):
    done = subprocess.run([JALI, *words, "--as", "auditor"], cwd=folder, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def must(words, folder):
    code, _, err = run(words, folder)
    if code != 0:
        sys.exit(f"Bail out! jali {' '.join(words)}: {err.decode()}")


def make_vault(folder, name, header, lines):
    with open(os.path.join(folder, name + ".csv"), "w") as f:
        f.write("\n".join([header, *lines]) + "\n")
    must(["init", name, "--data", name + ".csv", "--schema", "s.json", "--epsilon", "100", "--delta", "1e-6"], folder)


def make_pair(folder, schema, header, rows, person):
    """Two vaults that differ in their columns alone; r1 is one answer, known to both."""
    with open(os.path.join(folder, "s.json"), "w") as f:
        json.dump(schema, f)
    for name, lines in (("with", rows + person), ("without", rows)):
        make_vault(folder, name, header, lines)
    must([w if w != "V" else "with" for w in ASK] + ["--yes"], folder)


def copy(folder, side):
    """A fresh copy of the vault, called V whatever its side is."""
    to = tempfile.mkdtemp(dir=folder)
    shutil.copytree(os.path.join(folder, "with"), os.path.join(to, "V"))
    if side != "with":
        shutil.rmtree(os.path.join(to, "V", "columns"))
        shutil.copytree(os.path.join(folder, side, "columns"), os.path.join(to, "V", "columns"))
    return to


def files_of(folder):
    """Names and sizes; the columns are the data itself, the ledger's pages hold the release."""
    seen = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(place, name), folder)
            whole = "columns" not in path and not path.endswith("ledger.sqlite")
            seen[path] = os.path.getsize(os.path.join(place, name)) if whole else "there"
    return seen


def ledger_of(folder):
    db = sqlite3.connect(os.path.join(folder, "V", "ledger.sqlite"))
    charges = db.execute("SELECT seq, analyst, vault, request, plan_hash, plan, note, exact, eps_pico,"
                         " eps_infinite, rho_pico, delta_atto, sum_eps_pico, sum_eps_infinite,"
                         " sum_rho_pico, sum_delta_atto FROM charges ORDER BY seq").fetchall()
    releases = db.execute("SELECT seq, charge, kind, number FROM releases ORDER BY seq").fetchall()
    acts = db.execute("SELECT seq, who, what, subject FROM acts ORDER BY seq").fetchall()
    db.close()
    return charges, releases, acts


def public_part(out):
    try:
        answer = json.loads(out)
    except ValueError:
        return out
    return {key: answer.get(key) for key in PUBLIC}


def observe(folder, side, words):
    """All that an analyst or a bystander can see of one run, without the release."""
    place = copy(folder, side)
    quote = run(["cost", *words], place)
    code, out, err = run([*words, "--yes", "--format", "json"], place)
    seen = {"quote": quote, "exit": code, "stderr": err, "answer": public_part(out),
            "files": files_of(place), "ledger": ledger_of(place)}
    again = run([*words, "--yes", "--format", "json"], place)
    seen["again"] = again[0], again[2], again[1] == out if code != 0 else None
    shutil.rmtree(place)
    return seen


# ---- the server ---------------------------------------------------------------------------------

QUESTIONS = [
    {"verb": "ask", "sql": "SELECT g, COUNT(*), SUM(x) FROM t GROUP BY g", "rho": "0.5"},
    {"verb": "why", "release": "r1", "question": "a > c", "rho": "0.5"},
    {"verb": "profile", "clustering": {"rules": ["g = 'a'", "g = 'b'"]}, "rho": "0.5"},
    {"verb": "cluster", "columns": ["x", "y"], "rho": "0.5"},
    {"verb": "contrast", "columns": "x,y", "centres": "2", "rho": "0.5"},
    {"verb": "ask", "sql": "SELECT COUNT(*) FROM t", "rho": "999999"},
    {"verb": "ask", "sql": "SELECT AVG(nothing) FROM t", "rho": "0.5"},
]


GRID_S = 0.25


def http_ask(port, method, path, body, token):
    """What a stranger on the wire sees, but for the hour and what was released."""
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    c.request(method, "/api/v1/" + path, json.dumps(body) if body else None,
              {"Authorization": "Bearer " + token})
    r = c.getresponse()
    reply = json.loads(re.sub(rb"\d{4}-\d\d-\d\d \d\d:\d\d", b"TIME", r.read()))
    headers = sorted((k, v) for k, v in r.getheaders() if k not in ("Date", "Content-Length"))
    if r.status == 200 and "quote" in reply:
        shown = {k: v for k, v in reply.items() if k not in ("quote", "until_ms")}
    else:
        shown = {k: reply.get(k) for k in PUBLIC + ["error", "job"]}
    return reply, (r.status, headers, shown)


def serve(place):
    """A server of the vault in `place`, its port, and a token."""
    token = run(["token", "V", "add", "--name", "eve"], place)[1].decode().strip()
    server = subprocess.Popen([JALI, "serve", "V", "--listen", "127.0.0.1:0", "--log", "log"], cwd=place,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return server, int(server.stdout.readline().strip().rsplit(":", 1)[1]), token


def seconds_of_replies(folder, times):
    """Each is asked for after the last one left at a tick, so it cannot leave before the next tick: a
    machine that is busy makes this longer, never shorter."""
    place = copy(folder, "with")
    server, port, token = serve(place)
    quotes = [http_ask(port, "POST", "quotes", dict(QUESTIONS[0], rho=f"0.0{i + 1}"), token)[0]["quote"]
              for i in range(times)]
    start = time.monotonic()
    for quote in quotes:
        http_ask(port, "POST", "releases", {"quote": quote}, token)
    took = time.monotonic() - start
    server.terminate()
    server.wait(timeout=30)
    shutil.rmtree(place)
    return took


def observe_server(folder, side):
    place = copy(folder, side)
    (server, port, token), seen = serve(place), {}
    try:
        for i, question in enumerate(QUESTIONS):
            quote, seen[f"quote {i}"] = http_ask(port, "POST", "quotes", question, token)
            if "quote" in quote:
                for again in ("", " again"):
                    _, seen[f"release {i}{again}"] = http_ask(port, "POST", "releases",
                                                              {"quote": quote["quote"]}, token)
        _, seen["budget"] = http_ask(port, "GET", "budget", None, token)
    finally:
        server.terminate()
        server.wait(timeout=30)
    seen["files"] = files_of(place)
    seen["files"].pop("log", None)
    charges, *others = ledger_of(place)
    seen["ledger"] = [c[:3] + c[4:] for c in charges], others  # request ids are drawn by lot
    seen["stderr"] = server.stderr.read()
    seen["paid"] = sum(s[0] == 200 for k, s in seen.items() if k.startswith("release"))
    shutil.rmtree(place)
    return seen


def differences(a, b):
    return [f"{what}: {a[what]!r} against {b[what]!r}"[:600] for what in a if a[what] != b[what]]


def main():
    number, bad = 0, 0
    print(f"1..{len(PAIRS) * (len(VERBS) + 1) + 3}", flush=True)

    def tell(good, name, why=()):
        nonlocal number, bad
        number += 1
        bad += not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}", flush=True)
        for line in why:
            print(f"# {line}", flush=True)

    for pair, (schema, header, rows, person) in PAIRS.items():
        with tempfile.TemporaryDirectory() as folder:
            make_pair(folder, schema, header, rows, person)
            for verb, words in VERBS.items():
                one, two = (observe(folder, side, words) for side in ("with", "without"))
                spent = one["exit"] == 0
                expected = not verb.startswith("a refusal")
                why = differences(one, two)
                if spent != expected:
                    why.append(f"exit {one['exit']}: {one['stderr'].decode()[:300]}")
                tell(not why, f"{verb} is silent about {pair}", why)
            one, two = (observe_server(folder, side) for side in ("with", "without"))
            why = differences(one, two)
            if one["paid"] != 10:
                why.append(f"{one['paid']} of 10 releases were paid or told again")
            tell(not why, f"a server is silent about {pair}", why)
            if pair == "a row in an empty group":
                took = seconds_of_replies(folder, 9)
                tell(took >= 8 * GRID_S, "replies leave on the grid of time", [f"9 took {took:.3f} s"])
                other = [w if w != "0.5" else "0.6" for w in VERBS["ask"]]
                told = differences(observe(folder, "with", VERBS["ask"]),
                                   observe(folder, "with", other))
                tell(len(told) >= 3, "another price is seen in quote, answer and ledger")
                os.mkdir(os.path.join(folder, "with", "spool"))
                with open(os.path.join(folder, "with", "spool", "left"), "w") as f:
                    f.write("7 rows")
                one = observe(folder, "with", VERBS["ask"])
                shutil.rmtree(os.path.join(folder, "with", "spool"))
                tell(one["files"] != observe(folder, "with", VERBS["ask"])["files"],
                     "a file that is left behind is seen")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
