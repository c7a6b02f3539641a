#!/usr/bin/env python3
"""Recomputing beside micro-batches: one GPT within one budget, planned and measured.

Three ways to fit a step: recompute, cut the batch and keep everything, and what `--micro-batches auto` makes of both. Each is
trained on synthetic tokens, in turns, so that whatever else the machine does meets all of them; times are medians.
Exits with 1 unless the measured order is the planned one and auto is the fastest, ties of 3 % and equal plans aside.

    tests/benchmarks/micro_batches.py                       # a minute or two on two idle cores
    tests/benchmarks/micro_batches.py --turns 5 --steps 12
"""

import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = "samples/gpt.model"
TIE = 0.03


def remat(*words):
    result = subprocess.run(["./remat", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"remat {' '.join(words)}\nended with {result.returncode}:\n{result.stderr}")
    return result.stdout


def measured(words, steps):
    """Milliseconds of the steps after the first three, which warm up."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        remat("train", MODEL, *words, "--data", "synthetic", "--steps", str(steps), "--log", str(log))
        with open(log / "steps.csv", newline="") as table:
            return [float(row["millis"]) for row in csv.DictReader(table)][3:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="B=32,T=128", help="sizes of the model")
    parser.add_argument("--budget", default="55MiB", help="what keeping everything does not fit")
    parser.add_argument("--turns", type=int, default=3, help="how often each is trained")
    parser.add_argument("--steps", type=int, default=10, help="steps of a turn, three of which warm up")
    arguments = parser.parse_args()
    common = ["--set", arguments.set, "--budget", arguments.budget]
    ways = {
        "recomputed": [*common, "--micro-batches", "1"],
        "4 micro-batches": [*common, "--micro-batches", "4"],
        "auto": [*common, "--micro-batches", "auto"],
    }
    plans = {name: json.loads(remat("plan", MODEL, *words, "--json")) for name, words in ways.items()}
    times = {name: [] for name in ways}
    for _ in range(arguments.turns):
        for name, words in ways.items():
            times[name] += measured(words, arguments.steps)
    load = os.getloadavg()[0]
    print(f"| {MODEL} {arguments.set}, {arguments.budget} | micro-batches | arena, MiB | recomputed | planned, ms |"
          " measured, ms |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, plan in plans.items():
        print(f"| {name} | {plan.get('microBatches', 1)} | {plan['memory']['arenaBytes'] / 2**20:.1f} |"
              f" {100 * plan['compute']['overhead']:.1f} % | {plan['compute']['estimatedMillis']:.1f} |"
              f" {statistics.median(times[name]):.1f} |")
    print(f"load {load:.1f}")
    planned = {name: plan["compute"]["estimatedMillis"] for name, plan in plans.items()}
    found = {name: statistics.median(values) for name, values in times.items()}
    wrong = [(a, b) for a in ways for b in ways
             if planned[a] < planned[b] * (1 - TIE) and found[a] > found[b] * (1 + TIE)]
    slower = [name for name, plan in plans.items()
              if plan["planHash"] != plans["auto"]["planHash"] and found["auto"] > found[name] * (1 + TIE)]
    for a, b in wrong:
        print(f"{a} is planned to be faster than {b}, and is slower")
    for name in slower:
        print(f"auto is slower than {name}")
    sys.exit(1 if wrong or slower else 0)


if __name__ == "__main__":
    main()
