#!/usr/bin/env python3
"""Runs the scripts of docs/model.md as they stand there, with real models. Prints TAP.

scikit-learn and R come with tools/deps-judges. Without scikit-learn two small modules stand in for joblib and
pandas, so that the lines of the manual are run in any case; without R its lines are skipped, in words.

usage: manual_test.py JALI MODEL.md
"""
import json, os, re, shutil, subprocess, sys, tempfile

jali, page = os.path.realpath(sys.argv[1]), open(sys.argv[2]).read()
folder = tempfile.mkdtemp(prefix="jali-models-")
number = 0

TRAIN = """
import joblib, pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
rows = pd.read_csv("h.csv")[["age", "sex"]]
parts = make_column_transformer((SimpleImputer(), ["age"]), (OneHotEncoder(handle_unknown="ignore"), ["sex"]))
joblib.dump(make_pipeline(parts, LogisticRegression(max_iter=1000)).fit(rows, rows["age"] > 50), "model.joblib")
"""

TRAIN_R = """
rows <- read.csv("h.csv", na.strings = "")
rows$old <- rows$age + 7 * (seq_len(nrow(rows)) %% 5 - 2) > 50
saveRDS(glm(old ~ age + sex, binomial, rows), "model.rds")
"""

# What joblib and pandas do here, and no more.
STANDINS = {"joblib.py": """
import math
class Rows(list):
    def __getitem__(self, at):
        return [r[at[1]] for r in self] if isinstance(at, tuple) else list.__getitem__(self, at)
class Model:
    def predict_proba(self, rows):
        ages = [float(r["age"] or 50) for r in rows]
        return Rows([(0, 1 / (1 + math.exp((50 - a) / 10))) for a in ages])
def load(path):
    return Model()
""", "pandas.py": "import csv\ndef read_csv(file):\n    return list(csv.DictReader(file))\n"}


def say(good, name, why=""):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    if not good:
        print("# " + why.strip().replace("\n", "\n# "))


def block(first):
    """The indented lines of the page that begin with this one."""
    found = re.search(r"(?:^    .*\n|^\n(?=    ))*", page[page.index("    " + first):], re.M).group(0)
    return "\n".join(line[4:] for line in found.split("\n\n")[0].split("\n")) + "\n"


def run(*command):
    return subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=200)


def portrait(command):
    """The manual's own line, with this command in it; the curve must rise with age."""
    line = block("jali model VAULT pdp --model \"command:python3").replace("\\\n", " ").replace("VAULT", "h.jali")
    line = line.replace("command:python3 predict.py", "command:" + command).replace("jali model", f"'{jali}' model", 1)
    done = run("sh", "-c", line.strip() + " --resolution 5 --format json")
    try:
        rows = json.loads(done.stdout)["rows"]
        values = [float(r["pdp"]["value"]) for r in rows]
    except (ValueError, KeyError):
        return False, line + done.stdout
    return done.returncode == 0 and values[-1] > values[0] + 0.5, line + done.stdout


def scikit():
    for python in ("/usr/bin/python3", sys.executable):
        if subprocess.run([python, "-c", "import sklearn, pandas, joblib"], stderr=subprocess.DEVNULL).returncode == 0:
            done = run(python, "-c", TRAIN)
            return python, "scikit-learn", done.returncode == 0, done.stdout
    for name, text in STANDINS.items():
        open(os.path.join(folder, name), "w").write(text)
    return sys.executable, "stand-ins for joblib and pandas (scikit-learn is not here)", True, ""


print("TAP version 13")
made = run("sh", "-c", f"'{jali}' mock hospital -n 2000 -o h.csv --schema h.json && '{jali}' init h.jali --data h.csv "
                       "--schema h.json --epsilon 20 --delta 0")
say(made.returncode == 0, "a vault is made", made.stdout)
script = block("import sys, joblib")
say(len(script.splitlines()) <= 10, "a scikit-learn model takes at most ten lines", script)
open(os.path.join(folder, "predict.py"), "w").write(script)
python, with_what, good, why = scikit()
if good:
    good, why = portrait(python + " predict.py")
say(good, f"the Python lines of the manual explain a model: {with_what}", why)
script = block("model <- readRDS")
say(len(script.splitlines()) <= 10, "an R model takes at most ten lines", script)
open(os.path.join(folder, "predict.R"), "w").write(script)
if shutil.which("Rscript") is None:
    number += 1
    print(f"ok {number} - the R lines of the manual explain a model # SKIP R is not here")
else:
    done = run("Rscript", "-e", TRAIN_R)
    good, why = portrait("Rscript predict.R") if done.returncode == 0 else (False, done.stdout)
    say(good, "the R lines of the manual explain a model", why)
print(f"1..{number}")
shutil.rmtree(folder, ignore_errors=True)
