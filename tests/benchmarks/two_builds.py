#!/usr/bin/env python3
"""Compares this build with another, such as one of an earlier commit: how long steps take, and how large arenas are.

Steps are trained in turns, other, this, this, other, on the same cores. What counts is the lower quartile of the warm
steps of a run, over that of the run beside it: what else the machine does makes steps longer, and seldom all of them. The
processor seconds of whole runs are told beside it. Arenas are planned for every sample, kept whole and by sqrt. Ends with
1 where a step takes more than --longer per cent longer, or an arena is larger.

    git worktree add ../before COMMIT && ../before/remat doctor
    tests/benchmarks/two_builds.py ../before                      # half an hour on an idle machine
    tests/benchmarks/two_builds.py ../before gpt --rounds 10
    tests/benchmarks/two_builds.py ../before --arenas             # no clock
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

from plan_memory import GROUPS
from step_time import CASES, ROOT, SAMPLES, run

USUAL = ("gpt", "resnet-cifar", "bert")
STRATEGIES = ("keep-all", "sqrt")


def train(build, name, arguments):
    """The lower quartile of the milliseconds of warm steps, and processor seconds of all of the run."""
    model, settings = CASES[name]
    command = [
        build, "train", SAMPLES / f"{model}.model", "--set", settings, "--data", "synthetic", "--steps",
        arguments.steps, "--strategy", "keep-all", "--json",
    ]
    lines, usage = run(command, arguments.threads, arguments.threads, {})
    millis = [line["millis"] for line in lines if "millis" in line][arguments.warmup:]
    return statistics.quantiles(millis, n=4)[0], usage.ru_utime + usage.ru_stime


def compare(name, this, other, arguments):
    """What this takes over what the other does, less 1, by steps and by processor seconds, one a pair of runs."""
    steps, seconds = [], []
    for number in range(arguments.rounds):
        order = (other, this) if number % 2 == 0 else (this, other)
        print(f"{name}: round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
        taken = {build: train(build, name, arguments) for build in order}
        steps.append(taken[this][0] / taken[other][0] - 1)
        seconds.append(taken[this][1] / taken[other][1] - 1)
    return steps, seconds


def arena(build, model, settings, strategy):
    command = [build, "plan", SAMPLES / f"{model}.model", "--set", settings, "--strategy", strategy, "--no-cache", "--json"]
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)["memory"]["arenaBytes"]


def times(this, other, arguments):
    print("| steps of | longer, by the median of pairs | of pairs | processor time |\n|---|---:|---|---:|")
    slower = []
    for name in arguments.cases or USUAL:
        steps, seconds = compare(name, this, other, arguments)
        longer = statistics.median(steps)
        print(f"| {name} `{CASES[name][1]}` | {100 * longer:+.1f} % | {100 * min(steps):+.1f} to {100 * max(steps):+.1f} % "
              f"| {100 * statistics.median(seconds):+.1f} % |", flush=True)
        if 100 * longer > arguments.longer:
            slower.append(f"steps of {name} take {100 * longer:.1f} % longer")
    return slower


def arenas(this, other):
    print("| arena of | by | other MB | this MB | |\n|---|---|---:|---:|---:|")
    larger = []
    for model, settings in GROUPS["samples"]:
        for strategy in STRATEGIES:
            now, before = (arena(build, model, settings, strategy) for build in (this, other))
            print(f"| {model} `{settings}` | {strategy} | {before / 1e6:,.1f} | {now / 1e6:,.1f} "
                  f"| {100 * (now / before - 1):+.1f} % |", flush=True)
            if now > before:
                larger.append(f"the arena of {model} {settings} by {strategy} is larger")
    return larger


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=pathlib.Path, help="folder of the other build, which has its own ./remat")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"one of {', '.join(CASES)}; {', '.join(USUAL)} by default")
    parser.add_argument("--steps", type=int, default=80, help="of each run, warm-up included")
    parser.add_argument("--warmup", type=int, default=40, help="steps of each run that do not count")
    parser.add_argument("--rounds", type=int, default=6, help="pairs of runs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--longer", type=float, default=1, help="per cent that steps may take longer")
    parser.add_argument("--arenas", action="store_true", help="compare arenas alone")
    arguments = parser.parse_args()
    this = os.environ.get("REMAT", str(ROOT / "remat"))
    other = str(arguments.other.resolve() / "remat")
    wrong = [] if arguments.arenas else times(this, other, arguments)
    if arguments.arenas or not arguments.cases:
        wrong += arenas(this, other)
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
