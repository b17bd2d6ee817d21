"""What a reader of the manual has and the repository has not: a PostgreSQL, a model, a table. Each
function puts one into a folder, so that the lines of a page run there as they stand.
"""
import ctypes
import os
import random
import signal
import socket
import subprocess
import time


def train(path, rows, labels, names=None):
    """An XGBoost model by its own C library; False if that refuses."""
    lib, n, width = ctypes.CDLL("libxgboost.so.0"), len(rows), len(rows[0])
    cells = (ctypes.c_float * (n * width))(*(v for row in rows for v in row))
    label = (ctypes.c_float * n)(*labels)
    matrix, booster = ctypes.c_void_p(), ctypes.c_void_p()
    good = lib.XGDMatrixCreateFromMat(cells, ctypes.c_ulong(n), ctypes.c_ulong(width),
                                      ctypes.c_float(float("nan")), ctypes.byref(matrix)) == 0
    good = good and lib.XGDMatrixSetFloatInfo(matrix, b"label", label, ctypes.c_ulong(n)) == 0
    good = good and lib.XGBoosterCreate(ctypes.byref(matrix), ctypes.c_ulong(1), ctypes.byref(booster)) == 0
    for i in range(5):
        good = good and lib.XGBoosterUpdateOneIter(booster, i, matrix) == 0
    if good and names:
        texts = (ctypes.c_char_p * width)(*(x.encode() for x in names))
        good = lib.XGBoosterSetStrFeatureInfo(booster, b"feature_name", texts, ctypes.c_ulong(width)) == 0
    return good and lib.XGBoosterSaveModel(booster, path.encode()) == 0


def bike(jali, where):
    """A small table of hires, its vault and a model of it."""
    dice = random.Random(20261118)
    rows = [(dice.randrange(24), round(dice.random(), 2)) for _ in range(600)]
    hires = [min(1000, int(20 * hr + 400 * temp)) for hr, temp in rows]
    with open(where + "/bike.csv", "w") as out:
        out.write("hr,temp,cnt\n" + "".join(f"{h},{t},{c}\n" for (h, t), c in zip(rows, hires)))
    for words in (["draft", "bike.csv", "-o", "bike-schema.json"],
                  ["init", "bike.jali", "--data", "bike.csv", "--schema", "bike-schema.json", "--epsilon", "5",
                   "--delta", "0", "--accept-draft"]):
        done = subprocess.run([jali, *words], cwd=where, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            return done.stdout
    good = train(where + "/bike.json", rows, hires, ["hr", "temp"])
    return "" if good else "xgboost refused"


def predictor(jali, where):
    """predict.py, and the file that it is said to read; the lines of model.md are run by model/manual."""
    with open(where + "/predict.py", "w") as out:
        out.write("import csv, sys\nopen('model.joblib').read()\nfor r in csv.DictReader(sys.stdin):\n"
                  "    print(float(r['age'] or 50) / 120)\n")
    with open(where + "/model.joblib", "w") as out:
        out.write("a model\n")
    return ""


class Postgres:
    """A server of our own; env() names it, so that a URI without a host means it."""

    def __init__(self, pgserver, where):
        got = subprocess.run([pgserver, "start", where + "/pg", "fsync=on", "full_page_writes=on"], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        self.pgserver, self.folder, self.missing = pgserver, where + "/pg", got.returncode == 77
        self.home = None if got.returncode != 0 else got.stdout.strip().splitlines()[-1]
        self.said = got.stdout

    def env(self):
        return {"PGHOST": self.home}

    def sql(self, text, base="postgres"):
        return subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", self.home, base, "-c", text],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def stop(self):
        if self.home:
            subprocess.run([self.pgserver, "stop", self.folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def visited(script, where, env):
    """Starts what waits for visitors on a port of its own, visits it, and ends it as Ctrl-C does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(["bash", "-c", "exec " + script.strip().replace("8080", str(port))], cwd=where, env=env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    came, end = False, time.time() + 30
    while not came and time.time() < end and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            came = True
        except OSError:
            time.sleep(0.1)
    if server.poll() is None:
        server.send_signal(signal.SIGINT)
    said = server.communicate(timeout=30)[0]
    return came and server.returncode in (0, 130), said
