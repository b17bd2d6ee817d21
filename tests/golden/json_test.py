#!/usr/bin/env python3
"""Everything that --format json prints has the shape that we ship (docs/json.schema.json), by the
judgement of somebody else's validator. Prints TAP.

usage: json_test.py JALI SOURCE
"""
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import json_words
import stage

try:
    import jsonschema
except ImportError:
    print("1..0 # SKIP there is no python3-jsonschema: tools/deps-judges")
    sys.exit(0)

jali, source = (os.path.realpath(p) for p in sys.argv[1:3])
folder = tempfile.mkdtemp(prefix="jali-json-")
judge = jsonschema.Draft202012Validator(json.load(open(source + "/docs/json.schema.json")))
n = 0
told = {}  # the last of each kind with noise
free = []  # those without
printed = {}  # kind: all its keys, all its texts


def say(good, name, why=""):
    global n
    n += 1
    print(f"{'ok' if good else 'not ok'} {n} - {name}".replace("#", ""))
    if not good:
        print("\n".join("# " + line for line in why.strip().splitlines()[-12:]))


def run(*words):
    return subprocess.run([jali, *words], cwd=folder, text=True, capture_output=True, stdin=subprocess.DEVNULL)


def shape(kind, *words):
    done = run(*words, "--format", "json")
    try:
        said = json.loads(done.stdout)
    except ValueError:
        say(False, f"{words[0]} prints JSON", done.stderr)
        return
    json_words.walk(said, *printed.setdefault(said.get("kind"), (set(), set())))
    wrong = [f"{list(e.absolute_path)}: {e.message[:200]}" for e in judge.iter_errors(said)]
    if said.get("scales") != [] or "mechanism" not in said:
        told[said.get("kind")] = said
    else:
        free.append(said)
    say(said.get("kind") == kind and not wrong, f"{' '.join(words)[:60]} is a {kind}", "\n".join(wrong))


def train():
    """A small XGBoost model of age and bmi: SHAP values are asked of its library."""
    rows = [(20 + 1.5 * i, 18 + i % 9) for i in range(40)]
    good = stage.train(folder + "/xgb.json", rows, [float(i > 25) for i in range(40)])
    say(good, "a model is trained")
    return "./xgb.json"


def more_methods(vault):
    """Every method of cluster and every kind of model, each with noise of its own."""
    spend = ("--epsilon", "1", "--yes")
    shape("cluster", "cluster", vault, "--columns", "age,bmi", "--method", "dpm", "--set", "reading=centres", *spend)
    for method in ("dpm", "lsh", "lloyd", "cover", "grid"):
        many = () if method == "dpm" else ("--clusters", "2")
        shape("cluster", "cluster", vault, "--columns", "age,bmi", "--method", method, *many, *spend)
    shape("cluster", "cluster", vault, "--columns", "ward,sex", "--method", "modes", "--clusters", "2", *spend)
    shape("cluster", "cluster", vault, "--method", "rules", "--set", "rules=age < 40", "--yes")
    say(free[-1]["mechanism"] == "none", "rules have no noise, and say so")
    model = ("--model", "command:./risk", "--declared", "public", "--bounds", "0:1", "--columns", "age,bmi", *spend)
    few = ("--blocks", "4")  # a command is started for each
    for kind, more in (("pdp", ()), ("ale", ()), ("plot", ("--explainer", "pdp", "--range", "0:1", *few))):
        shape("model", "model", vault, kind, "--feature", "age", "--resolution", "5", *more, *model)
    shape("model", "model", vault, "shap", "--feature", "age", "--resolution", "5", "--model", train(), *model[2:])
    shape("model", "model", vault, "pfi", "--label", "smoker=former", *model)
    shape("model", "model", vault, "interaction", *few, *model)
    shape("model", "model", vault, "rank", "--explainer", "pfi", "--label", "smoker=former", *few, *model)
    shape("model", "model", vault, "pfi", "--label", "smoker=former", "--neighbours", "replace", "--rows", "3000", *model)
    say(told["model"]["neighbours"] == "replace one person", "a model's other neighbours are told")


def all_kinds():
    spend = ("--epsilon", "2", "--yes")
    shape("mock", "mock", "hospital", "-n", "3000", "-o", "h.csv", "--schema", "h.json")
    shape("schema", "schema", "check", "h.json")
    run("init", "h.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "70", "--delta", "1e-6")
    run("init", "p.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "70", "--delta", "0")
    run("init", "o.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "70", "--delta", "0", "--public")
    shutil.copy(source + "/tools/demo-model", folder + "/risk")
    shape("show", "show", "h.jali")
    sql = "SELECT ward, AVG(cost), COUNT(*), SUM(stay) FROM hospital GROUP BY ward"
    for vault in ("h.jali", "p.jali"):
        shape("cost", "cost", "ask", vault, sql, "--epsilon", "2")
        shape("ask", "ask", vault, sql, *spend)
        shape("ask", "ask", vault, sql, *spend)
        shape("why", "why", vault, "r1", "cardiology > internal", "--of", "AVG(cost)")
        shape("why", "why", vault, "r1", "cardiology > internal", "--of", "AVG(cost)", *spend)
        shape("contrast", "contrast", vault, "plan", "--columns", "x,y", "--centres", "2", *spend)
        shape("cluster", "cluster", vault, "--columns", "age,bmi", "--clusters", "3", *spend)
        shape("cluster", "cluster", vault, "--columns", "age,bmi", "--epsilon", "2.5", "--yes")
        shape("profile", "profile", vault, "c1", "--columns", "sex", "ward", *spend)
        shape("profile", "profile", vault, "c1", "--columns", "sex", "ward", "--method", "paper", *spend)
        more_methods(vault)
    shape("contrast-at", "contrast", "h.jali", "at", "k1", "3", "4")
    shape("contrast-map", "contrast", "h.jali", "map", "k1", "--grid", "6")
    run("model", "h.jali", "add", "risk", "--model", "command:./risk", "--declared", "public", "--bounds", "0:1",
        "--columns", "age,bmi", "--label", "smoker=former")
    shape("models", "model", "h.jali", "list")
    shape("claims", "claims", "noise")
    shape("separators", "separators", source + "/docs/flows/ale.dot")
    shape("assign", "assign", "h.jali", "c1", "h.csv", "-o", "labelled.csv")
    shape("budget", "budget", "h.jali")
    shape("ledger", "ledger", "h.jali", "log")
    shape("verify", "ledger", "h.jali", "verify")
    shape("releases", "releases", "h.jali")
    run("token", "h.jali", "add", "--name", "ana")
    shape("tokens", "token", "h.jali", "list")
    shape("report", "report", "h.jali")
    shape("eval", "eval", "profile", "o.jali", "clusters=3", "--epsilon", "1", "--runs", "2")


def twins():
    """A shape that admits everything is none."""
    def refused(kind, change):
        wrong = copy.deepcopy(told[kind])
        change(wrong)
        return not judge.is_valid(wrong)
    say(refused("ask", lambda d: d.pop("confidence")), "an answer without its confidence is refused")
    say(refused("ask", lambda d: d["paid"].update(rho=0.1)), "a loss as a number instead of exact text is refused")
    say(refused("ask", lambda d: d["rows"][0]["AVG(cost)"].pop("low")), "a number without its interval is refused")
    for kind in ("ask", "why", "cluster", "profile", "contrast", "contrast-at", "contrast-map", "model"):
        say(told[kind].get("scales") and refused(kind, lambda d: d.pop("scales"))
            and refused(kind, lambda d: d["scales"].clear()), f"a {kind} without the scales of its noise is refused")
        say(refused(kind, lambda d: d.pop("mechanism")), f"a {kind} without its mechanism is refused")
        say(refused(kind, lambda d: d.pop("charge")), f"a {kind} without its charge is refused")
    say(refused("model", lambda d: next(v for v in d["rows"][0].values() if isinstance(v, dict)).pop("low")),
        "a model's number without its interval is refused")
    say(refused("budget", lambda d: d.update(jali=2)), "another version is refused")
    say(refused("why", lambda d: d.update(kind="reason")), "an unknown kind is refused")
    kinds = set(json.load(open(source + "/docs/json.schema.json"))["properties"]["kind"]["enum"])
    say(kinds - set(told) <= {"init", "audit"}, "every kind of the shape was seen", str(kinds - set(told)))


def manual():
    """Every key is told in docs/json.md, and every word that it tells is printed by somebody."""
    page = open(source + "/docs/json.md").read()
    names = {f["name"] for f in json.load(open(folder + "/h.json"))["fields"]}
    silent, idle = json_words.judge(page, printed, names)
    say(not silent, "every key that is printed is in the manual", "\n".join(silent))
    say(not idle, "every key of the manual is printed", "\n".join(idle))
    less = json_words.judge(page.replace("`within_error`", ""), printed, names)[0]
    more = json_words.judge(page.replace("`within_error`", "`within_reason`"), printed, names)[1]
    say(less == ["contrast-map: within_error"] and "contrast-map: within_reason" in more,
        "a key that is not told, or not printed, is seen", f"{less} {more}")


def rows_elsewhere():
    """ndjson and csv tell the same rows."""
    want = told["ask"]["rows"]
    lines = [json.loads(x) for x in run("release", "p.jali", "r1", "--format", "ndjson").stdout.splitlines()]
    say(lines == want, "ndjson has the rows of the JSON")
    table = run("release", "p.jali", "r1", "--format", "csv").stdout.splitlines()
    say(len(table) == len(want) + 1 and "AVG(cost) low" in table[0], "csv has them, too", table[0])


try:
    all_kinds()
    twins()
    manual()
    rows_elsewhere()
finally:
    shutil.rmtree(folder, ignore_errors=True)
print(f"1..{n}")
