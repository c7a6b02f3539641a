#!/usr/bin/env python3
"""What a plan costs in seconds and what it recomputes: by default, with each effort, within limits of time, and by strategies.

Models: every sample at 90, 80, 70, 60 and 50 % of keeping everything, and at 5 % above the floor; or with --of activations at such
shares of the activations, while what parameters, optimizer state, gradients and workspaces take stays. Cells hold the overhead, the
wall seconds of the whole command, its processor seconds, and the share of that which the machine let it have at once: where other
work shares the cores, compare processor time. Steps and costs are judged by planning.py, from the problem and the answer that
--dump-dir leaves, and the arena by what the report claims. Exits with 1 if a plan is not what it claims, if none is found in less
time or with less effort where one is with more, if the default is more than 0.2 points above full effort, or if an answer comes
more than two seconds after its limit.

Graphs: narrow random ones, wired networks, measured and training graphs, and some with a tier, solved within several limits, each
beside what keep-all takes; where --only asks for them irregular ones, and layered training steps, which need compiled tests. Cells hold the overhead; the last columns tell by how much an answer was late at most, and the share of
processor time. Exits with 1 if an answer is not what it claims, is late by more than two seconds, or the curve has a cliff: nothing where more time finds a plan,
more where less time finds less, or after five seconds more than one and a half times what the longest limit finds, and a point.

    tests/benchmarks/anytime.py models
    tests/benchmarks/anytime.py models --only gpt mobilenet --budgets 70 --ways default full
    tests/benchmarks/anytime.py models --ways default sqrt chen-budget min-cut --of activations --budgets 70 50 30
    tests/benchmarks/anytime.py models --group deep --of activations --budgets 14
    tests/benchmarks/anytime.py graphs
    tests/benchmarks/anytime.py graphs --only narrow --sizes 1000 --limits 7
    tests/benchmarks/anytime.py graphs --busy 2                # beside two loops
    tests/benchmarks/anytime.py graphs --only irregular layered --sizes 100 1000 10000 100000 --limits 10 --busy 1
"""

import argparse
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile

from anytime_graphs import KINDS, LATER, LIMITS, USUAL, graphs
from irregular_graphs import EDGES
from plan_memory import GROUPS
from planning import Run, evaluate, percent

WAYS = {
    "default": (),
    "quick": ("--effort", "quick"),
    "limit 5": ("--time-limit", "5"),
    "full": ("--effort", "full"),
}
SAMPLES = [("llama", "B=8,T=64"), ("resnet-cifar", "B=32"), ("gpt", "B=8,T=64"), ("mobilenet", "B=8"), ("randwire", "B=16"),
           ("densenet", "B=8"), ("resnet", "B=16"), ("unet", "B=4"), ("lstm", "B=16")]
GROUPS_OF_MODELS = {
    "samples": list(dict.fromkeys(SAMPLES + GROUPS["samples"])),
    "skips": [("unet", "B=1"), ("densenet", "B=32")],
    "deep": [("resnet", "B=32,layers=1001")],
}
BUDGETS = ["90", "80", "70", "60", "50", "floor"]
ABOVE_FLOOR = 1.05
NEAR = 0.002


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["models", "graphs"])
    parser.add_argument("--only", nargs="+", help="samples to plan, or kinds of graphs: " + ", ".join(KINDS))
    parser.add_argument("--group", choices=GROUPS_OF_MODELS, default="samples")
    parser.add_argument("--budgets", nargs="+", default=BUDGETS, help="per cent, or floor for 5 % above it")
    parser.add_argument("--of", choices=["everything", "activations"], default="everything", help="what budgets are shares of")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), help=", ".join(WAYS) + ", or a strategy")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(EDGES), help="of random graphs")
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS, help="for graphs, in seconds")
    parser.add_argument("--busy", type=int, default=0, help="loops that keep cores busy meanwhile")
    arguments = parser.parse_args()
    with busy(arguments.busy):
        wrong = (models(arguments) if arguments.part == "models"
                 else graphs(arguments.only or USUAL, arguments.sizes, arguments.limits))
    print()
    print(*wrong or ["Every plan is what it claims."], sep="\n")
    sys.exit(1 if wrong else 0)


@contextlib.contextmanager
def busy(loops):
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def models(arguments):
    wrong = []
    print("| model | budget | bound | " + " | ".join(f"{way} | s | CPU s | of wall" for way in arguments.ways) + " |")
    print("|---|---:|---:|" + "---:|" * 4 * len(arguments.ways))
    for model, settings in GROUPS_OF_MODELS[arguments.group]:
        if arguments.only and model not in arguments.only:
            continue
        command = ("plan", f"samples/{model}.model", "--set", settings)
        kept = Run(*command, "--strategy", "keep-all").answer["memory"]
        for name in arguments.budgets:
            budget = bytes_of(name, kept, arguments.of)
            if not kept["floorBytes"] <= budget < kept["arenaBytes"]:
                continue
            runs = {}
            for way in arguments.ways:
                runs[way], mistakes = judged(command, budget, WAYS.get(way, ("--strategy", way)))
                wrong += [f"{model} {settings} at {name}, {way}: {mistake}" for mistake in mistakes]
            wrong += [f"{model} {settings} at {name}: {mistake}" for mistake in compared(runs)]
            print(row(model, settings, name, runs), flush=True)
    return wrong


def bytes_of(name, kept, of):
    """The bytes of a budget, from what keeping everything takes."""
    if name == "floor":
        return int(ABOVE_FLOOR * kept["floorBytes"])
    if of == "activations":
        return kept["arenaBytes"] - kept["maxActivationBytes"] * (100 - int(name)) // 100
    return kept["arenaBytes"] * int(name) // 100


def judged(command, budget, words):
    """A run, and what is wrong with what it says of its plan."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(*command, "--no-cache", "--budget", budget, "--dump-dir", folder, *words)
        if run.answer is None:
            return run, []
        problem, answer = (json.loads(next(pathlib.Path(folder).glob(f"*-{name}.txt")).read_text())
                           for name in ("problem", "answer"))
    _, cost, wrong = evaluate(problem, answer["steps"])
    if "--time-limit" in words and run.seconds > float(words[-1]) + LATER:
        wrong.append(f"comes after {run.seconds:.1f} s")
    if not wrong and cost != answer["cost"]:
        wrong.append(f"cost is said to be {answer['cost']} and is {cost}")
    if answer["lowerBoundCost"] > cost:
        wrong.append("costs less than its lower bound")
    if run.answer["memory"]["arenaBytes"] > budget:
        wrong.append(f"an arena of {run.answer['memory']['arenaBytes']} bytes exceeds the budget of {budget}")
    return run, wrong


def overhead(run):
    return run.answer["compute"]["overhead"]


def compared(runs):
    """What is wrong with what several ways found for one budget."""
    full = runs.get("full")
    if full is None or full.answer is None:
        return
    for way, run in runs.items():
        if run.answer is None:
            yield f"{way} finds no plan where full effort does"
        elif way == "default" and overhead(run) > overhead(full) + NEAR:
            yield f"{percent(overhead(run))} by default, {percent(overhead(full))} with full effort"


def row(model, settings, budget, runs):
    bounds = [run.answer["compute"]["lowerBoundOverhead"] for run in runs.values() if run.answer]
    bound = max((found for found in bounds if found is not None), default=None)
    cells = []
    for run in runs.values():
        cells += [percent(overhead(run)) if run.answer else "none", f"{run.seconds:.1f}", f"{run.cpu_seconds:.1f}",
                  f"{run.cpu_seconds / run.seconds:.0%}"]
    name = "floor + 5 %" if budget == "floor" else f"{budget} %"
    return (f"| {model} `{settings}` | {name} | {'–' if bound is None else percent(bound)} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
