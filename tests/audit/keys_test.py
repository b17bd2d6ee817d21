#!/usr/bin/env python3
"""Another question is another charge: no parameter may be forgotten by the key of stored releases.

usage: keys_test.py JALI

Each verb is asked once; then each of its parameters is changed alone. The answer must not come from
the store. The twins: the same words again, and the same meaning in other words, are free.
"""
import json
import os
import subprocess
import sys
import tempfile

JALI = os.path.abspath(sys.argv[1])
SCHEMA = {"name": "t", "fields": [
    {"name": "g", "type": "string", "constraints": {"enum": ["a", "b", "c"]}},
    {"name": "k", "type": "string", "constraints": {"enum": ["u", "v"]}},
    {"name": "l", "type": "string", "constraints": {"enum": ["m", "n"]}},
    {"name": "w", "type": "integer", "constraints": {"minimum": 1, "maximum": 9}},
    {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 15}},
    {"name": "y", "type": "integer", "constraints": {"minimum": 0, "maximum": 15}}]}
ROWS = ["g,k,l,w,x,y", "a,u,m,1,1,2", "a,v,n,2,3,9", "b,u,m,3,15,15", "c,v,n,9,0,7", "b,v,m,4,8,8"]
RULES = '{"rules":["g = \'a\'","g = \'b\'"]}'
COMMAND = "command:awk -F, '/{/ || NR>1 {print ($1>5)}'"  # CSV or NDJSON
RHO = ["--rho", "0.01"]
MODEL = ["model", "V"], {"--model": COMMAND, "--columns": "x,y", "--declared": "public",
                         "--bounds": "0:1", "--rho": "0.01"}


def model(kind, **more):
    words = dict(MODEL[1], **{f"--{k}": v for k, v in more.items()})
    return MODEL[0] + [kind], words


# Verb: (words, options), and what is changed: an option with its new value, None to take it away,
# or a whole list of words instead.
ASK = ["ask", "V", "SELECT g, SUM(x) FROM t GROUP BY g"]
CASES = {
    "ask": ((ASK, {"--rho": "0.01"}), [
        ("--rho", "0.02"),
        ["ask", "V", "SELECT g, SUM(y) FROM t GROUP BY g", *RHO],
        ["ask", "V", "SELECT g, COUNT(*) FROM t GROUP BY g", *RHO],
        ["ask", "V", "SELECT k, SUM(x) FROM t GROUP BY k", *RHO],
        ["ask", "V", "SELECT g, SUM(x) FROM t WHERE k = 'u' GROUP BY g", *RHO],
        ["ask", "V", "SELECT g, SUM(x) FROM t WHERE k = 'v' GROUP BY g", *RHO]]),
    "why": ((["why", "V", "r1", "a > b"], {"--rho": "0.01"}), [
        ("--rho", "0.02"), ("--top", "2"), ("--length", "2"), ("--up-to", "2"), ("--inequalities", ""),
        ("--columns", "k"), ("--either", "k,l"), ("--ranks", "search"), ("--split", "0.4,0.6"),
        ["why", "V", "r1", "a > c", *RHO], ["why", "V", "r1", "a + b > 2 * c", *RHO]]),
    "why by searches": ((["why", "V", "r1", "a > b"], {"--rho": "0.03", "--ranks": "search"}), [
        ("--lower", "0.2"), ("--split", "0.3,0.3,0.4"), ("--confidence", "0.9")]),
    "profile": ((["profile", "V", RULES], {"--rho": "0.01"}), [
        ("--rho", "0.02"), ("--columns", "k,l"), ("--per-cluster", "2"), ("--weights", "1,2,1"),
        ("--method", "paper"),
        ["profile", "V", '{"rules":["g = \'a\'","g = \'c\'"]}', *RHO]]),
    "profile in two stages": ((["profile", "V", RULES], {"--rho": "0.03", "--method": "paper"}), [
        ("--candidates", "1"), ("--sufficiency", "shared")]),
    "contrast": ((["contrast", "V", "plan"], {"--columns": "x,y", "--centres": "2", "--rho": "0.01"}), [
        ("--rho", "0.02"), ("--columns", "y,x"), ("--centres", "3"), ("--objective", "means"),
        ("--weight", "w"), ("--bounds", "0:7,0:7"), ("--cells", "300"), ("--tight", "")]),
    "cluster": ((["cluster", "V"], {"--columns": "x,w", "--clusters": "2", "--rho": "0.01"}), [
        ("--rho", "0.02"), ("--columns", "x,y"), ("--clusters", "3"), ("--clusters", None),
        ("--method", "lloyd"), ("--scale", "values"), ("--set", "cells=32")]),
    "model pdp": (model("pdp", feature="x", resolution="3"), [
        ("--rho", "0.02"), ("--feature", "y"), ("--resolution", "4"), ("--bounds", "0:2"),
        ("--bounds", "-1:1"), ("--grid", "quantiles"), ("--declared", "private"), ("--columns", "x,y,w"),
        ("--model", "command:awk -F, 'NR>1{print ($1>6)}'"), ("--ndjson", "")]),
    "model ale": (model("ale", feature="x", resolution="3"), [("--bounds", "0:2"), ("--grid", "even")]),
    "model pfi": (model("pfi", label="k=u"), [("--label", "k=v"), ("--loss", "squared"), ("--bounds", "0:2")]),
    "model rank": (model("rank", label="k=u", blocks="3"), [("--blocks", "4"), ("--label", "k=v")]),
    "model plot": (model("plot", feature="x", resolution="3", blocks="2", range="0:1", explainer="pdp"), [
        ("--range", "0:2"), ("--explainer", "ale"), ("--blocks", "3"), ("--feature", "y")]),
}
# Other words for the same: free.
ALIKE = {
    "ask": ["ask", "V", "select sum(x), g from t group by g", "--rho", "1e-2"],
    "why": ["why", "V", "r1", "b < a", *RHO],
}


def run(words, folder):
    done = subprocess.run([JALI, *words, "--yes", "--format", "json", "--as", "eve"], cwd=folder,
                          capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip()
    return bool(json.loads(done.stdout)["free"])


def line(base, change=None):
    if isinstance(change, list):
        return change
    words, options = base[0], dict(base[1])
    if change:
        options[change[0]] = change[1]
    spoken = [w for k, v in options.items() if v is not None for w in ([k, v] if v else [k])]
    return [*words, *spoken]


def prepare(folder):
    json.dump(SCHEMA, open(os.path.join(folder, "s.json"), "w"))
    open(os.path.join(folder, "t.csv"), "w").write("\n".join(ROWS) + "\n")
    subprocess.run([JALI, "init", "V", "--data", "t.csv", "--schema", "s.json", "--epsilon", "1000",
                    "--delta", "1e-6"], cwd=folder, check=True, capture_output=True)


def main():
    number, bad = 0, 0
    total = sum(2 + len(changes) for _, changes in CASES.values()) + len(ALIKE)
    print(f"1..{total}", flush=True)

    def tell(got, wanted, name):
        nonlocal number, bad
        number += 1
        bad += got is not wanted
        print(f"{'ok' if got is wanted else 'not ok'} {number} - {name}", flush=True)
        if got is not wanted:
            print(f"# {got}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for verb, (base, changes) in CASES.items():
            tell(run(line(base), folder), False, f"{verb} is paid for once")
            tell(run(line(base), folder), True, f"{verb} in the same words is free")
            if verb in ALIKE:
                tell(run(ALIKE[verb], folder), True, f"{verb} in other words is free")
            for change in changes:
                what = change[2] if isinstance(change, list) else " ".join(str(c) for c in change)
                tell(run(line(base, change), folder), False, f"{verb}: {what} is another question")
    sys.exit(bad != 0)


main()
