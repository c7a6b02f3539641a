"""Graphs that anytime.py solves within limits of time: their files, budgets and judges."""

import itertools
import json
import math
import pathlib
import tempfile
from typing import NamedTuple

import lanes
import planning
from irregular_graphs import RECIPES, write
from plan_random import generate
from plan_tiers import NANOS, PROBLEMS, tiered
from plan_wired import problem as wired
from planning import Run, floor, given_peak, percent

LIMITS = [1, 2, 5, 10, 20, 30]
SEEDS = [1, 2, 3, 4, 5]
BUDGETS = [90, 80]
SHARED = {"vgg19": [90, 80], "unet": [60, 50], "mobilenet": [50, 30]}
STEPS = [("transformer-encdec", "B=8,S=64,T=64"), ("unet", "B=4")]
TIERED = {"vgg19": 80, "unet": 50, "mobilenet": 30}
# A link moves the peak of the given order in so many times the cost of every node once.
SPEED = 4
# Of the overhead after the longest limit, and points beside it, that five seconds may find more.
TIMES, POINTS = 1.5, 0.01
SOON = 5
# Seconds that an answer may come after its limit and what keep-all takes.
LATER = 2
KINDS = ["narrow", "wired", "shared", "steps", "tiers", "irregular", "layered"]
USUAL = KINDS[:-2]


class Case(NamedTuple):
    name: str
    problem: dict
    file: pathlib.Path
    budget_bytes: int


def cases(kinds, sizes, folder):
    """Graphs of some kinds, each with its budgets in per cent of the given order's peak."""
    for recipe in RECIPES.keys() & set(kinds):
        for size in sizes:
            for seed in SEEDS:
                yield from within(f"{recipe} {size}, seed {seed}", write(size, seed, folder, recipe), BUDGETS)
    for size, seed in itertools.product(sizes if "layered" in kinds else [], SEEDS[:2]):
        yield from within(f"layered {size:,}, seed {seed}", pathlib.Path(generate(size, seed, seed == 2, folder)), [50])
    if "wired" in kinds:
        for kind in "er", "ba", "ws":
            yield from within(f"wired {kind}", wired(kind, 300, folder), [50])
    for name, budgets in SHARED.items() if "shared" in kinds else []:
        yield from within(name, PROBLEMS / f"{name}.json", budgets)
    for model, settings in STEPS if "steps" in kinds else []:
        dumps = pathlib.Path(folder) / model
        Run("plan", f"samples/{model}.model", "--set", settings, "--strategy", "keep-all", "--dump-dir", dumps)
        yield from within(f"{model} `{settings}`", next(dumps.glob("*-problem.txt")), [90])
    for name, budget in TIERED.items() if "tiers" in kinds else []:
        problem = json.loads((PROBLEMS / f"{name}.json").read_text())
        cost = sum(node["cost"] for node in problem["nodes"])
        file = pathlib.Path(folder) / f"{name}-tiers.json"
        file.write_text(json.dumps(tiered(problem, int(given_peak(problem) / (SPEED * cost * NANOS) * 10**9))))
        yield from within(f"{name} with a tier", file, [budget])


def within(name, file, budgets):
    problem = json.loads(file.read_text())
    for budget in budgets:
        budget_bytes = given_peak(problem) * budget // 100
        if budget_bytes >= floor(problem):
            yield Case(f"{name}, {budget} %", problem, file, budget_bytes)


def graphs(kinds, sizes, limits):
    """Prints a row for each graph and budget, and returns what is wrong."""
    wrong = []
    print("| graph, budget | keep all, s | bound | " + " | ".join(f"{limit:g} s" for limit in limits) + " | late, s | of wall |")
    print("|---|---:|---:|" + "---:|" * (len(limits) + 2))
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(kinds, sizes, folder):
            kept = Run("solve", case.file, "--strategy", "keep-all").seconds
            command = ("solve", case.file, "--budget", case.budget_bytes)
            runs = {limit: Run(*command, "--time-limit", f"{limit + kept:.2f}") for limit in limits}
            for limit, run in runs.items():
                wrong += [f"{case.name}, {limit:g} s: {mistake}" for mistake in mistakes(case.problem, run)]
                if run.seconds > limit + kept + LATER:
                    wrong.append(f"{case.name}, {limit:g} s: comes after {run.seconds:.1f} s")
            wrong += [f"{case.name}: {cliff}" for cliff in cliffs(runs)]
            print(row(case, kept, runs), flush=True)
    return wrong


def mistakes(problem, run):
    judge = lanes if problem["format"] == "remat-problem/2" else planning
    return judge.check(problem, run.answer) if run.answer else []


def cliffs(runs):
    """Where more time finds less, or little time too little, of runs by their limits in rising order."""
    found = {limit: run.answer["overhead"] for limit, run in runs.items() if run.answer}
    for limit, following in itertools.pairwise(runs):
        if limit in found and found.get(following, math.inf) > found[limit]:
            yield f"more after {following:g} s than after {limit:g} s"
    longest = found.get(max(runs))
    if longest is not None and min(runs) not in found:
        yield f"nothing after {min(runs):g} s"
    if longest is not None and SOON in runs and found.get(SOON, math.inf) > TIMES * longest + POINTS:
        yield f"after {SOON} s more than {TIMES} times what the longest finds, and a point"


def row(case, kept, runs):
    answers = [run.answer for run in runs.values() if run.answer]
    proven = any(answer["proven"] for answer in answers)
    bound = max((answer["lowerBoundCost"] / answer["baselineCost"] - 1 for answer in answers), default=None)
    said = "–" if bound is None else "proven" if proven else percent(bound)
    cells = [percent(run.answer["overhead"]) if run.answer else "none" for run in runs.values()]
    late = max(run.seconds - limit - kept for limit, run in runs.items())
    share = sum(run.cpu_seconds for run in runs.values()) / sum(run.seconds for run in runs.values())
    return (f"| {case.name} | {kept:.1f} | {said} | " + " | ".join(cells) + f" | {late:.1f} | {share:.0%} |")
