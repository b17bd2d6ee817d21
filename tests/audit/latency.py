#!/usr/bin/env python3
"""Can the time of a verb tell two neighbouring vaults apart? A measurement, not a unit test.

usage: latency.py JALI [--pairs N] [VERB...]

Each verb runs N times on a vault with a person and N times without, one right after the other and
in an order that is drawn by lot, in a process of its own on fresh copies. Two times are looked at: that of the
clock, and that of the processor, which a busy machine blurs less. The statistic is the normal score of Wilcoxon's
signed ranks of the N differences; |z| above 4.06 (false alarms 1e-4 a verb) says that they can be told apart.
Beside it stand the median difference and the least one that N pairs would have found nine times in ten (from
the spread of the differences): the power. instructions.py counts, and sees far less. Exit code 1: some
verb can be told apart.
"""
import argparse
import importlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

THRESHOLD, NINE_OF_TEN = 4.06, 1.2816  # two tests a verb


def load_silence(jali):
    """The verbs and the neighbours are those of the test of silence."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.argv, sys.path = [here, jali], [here, *sys.path]
    return importlib.import_module("silence_test")


def signed_rank(x):
    """z of Wilcoxon's signed ranks; ties share their ranks."""
    x = sorted((d for d in x if d != 0), key=abs)
    ranks, i = [0.0] * len(x), 0
    while i < len(x):
        j = i
        while j < len(x) and abs(x[j]) == abs(x[i]):
            j += 1
        for k in range(i, j):
            ranks[k] = (i + j + 1) / 2
        i = j
    total = sum(r * r for r in ranks)
    return sum(r if d > 0 else -r for r, d in zip(ranks, x)) / total ** 0.5 if total else 0.0


def seconds(silence, folder, side, words):
    """By the clock, and of the processor (with the children that were waited for)."""
    place = silence.copy(folder, side)
    start = time.perf_counter_ns()
    child = subprocess.Popen([silence.JALI, *words, "--yes", "--format", "json", "--as", "auditor"], cwd=place,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    took = time.perf_counter_ns() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    shutil.rmtree(place)
    return took * 1e-9, used.ru_utime + used.ru_stime


def judge(verb, clock, with_person, without):
    """Tells a line; |z| of it."""
    gaps = [x - y for x, y in zip(with_person, without)]
    z, n = signed_rank(gaps), len(gaps)
    ordered = sorted(gaps)  # a robust spread: others use this machine, too
    spread = (ordered[n * 3 // 4] - ordered[n // 4]) / 1.349
    least = (THRESHOLD + NINE_OF_TEN) * spread / n ** 0.5
    print(f"{verb:20} {clock:9} {1e3 * statistics.median(with_person):9.2f} "
          f"{1e6 * statistics.median(gaps):13.1f} {1e6 * least:12.1f} {z:6.2f}", flush=True)
    return abs(z)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("jali")
    p.add_argument("--pairs", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("verbs", nargs="*")
    a = p.parse_intermixed_args()
    silence, lot, worst = load_silence(os.path.abspath(a.jali)), random.Random(a.seed), 0.0
    verbs = {v: w for v, w in silence.VERBS.items()
             if not v.startswith("a refusal") and (not a.verbs or v in a.verbs)}
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    print(f"{'verb':20} {'time of':9} {'median ms':>9} {'difference us':>13} {'seen from us':>12} {'z':>6}")
    with tempfile.TemporaryDirectory(dir=shm) as folder:
        silence.make_pair(folder, *silence.PAIRS["a row in an empty group"])
        for verb, words in verbs.items():
            took = {"with": [], "without": []}
            for _ in range(a.pairs):
                for side in lot.sample(["with", "without"], 2):
                    took[side].append(seconds(silence, folder, side, words))
            for i, clock in enumerate(("clock", "processor")):
                worst = max(worst, judge(verb, clock, *([t[i] for t in took[side]] for side in took)))
    print(f"latency.verbs {len(verbs)}\nlatency.pairs {a.pairs}\nlatency.z {worst:.2f}")
    sys.exit(worst > THRESHOLD)


if __name__ == "__main__":
    main()
