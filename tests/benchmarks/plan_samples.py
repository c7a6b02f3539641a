#!/usr/bin/env python3
"""Overheads of plans of the samples at shares of the activations that keeping everything takes.

The budget is the arena of keeping everything, less the activations that are to be saved: what parameters, optimizer
state, gradients and workspaces take stays. A cell is recomputed cost over the step's; recomputed FLOPs are auto's; seconds are of
processor time, for the whole command.

    tests/benchmarks/plan_samples.py                 # every sample at 70, 50 and 30 %
    tests/benchmarks/plan_samples.py skips           # long skips at 50 %
    tests/benchmarks/plan_samples.py deep            # ResNet of 1001 layers at a seventh
    tests/benchmarks/plan_samples.py --only mlp lstm --shares 0.5
"""

import argparse

from plan_memory import GROUPS as SIZES
from planning import Run, percent, size

GROUPS = {
    "samples": (SIZES["samples"], [0.7, 0.5, 0.3]),
    "skips": ([("unet", "B=1"), ("densenet", "B=32")], [0.5]),
    "deep": ([("resnet", "B=32,layers=1001")], [1 / 7]),
}
STRATEGIES = ["auto", "sqrt", "chen-budget", "min-cut"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("group", nargs="?", choices=GROUPS, default="samples")
    parser.add_argument("--only", nargs="+", help="samples to plan")
    parser.add_argument("--shares", type=float, nargs="+", help="parts of the activations that may be kept")
    parser.add_argument("--strategies", nargs="+", default=STRATEGIES)
    parser.add_argument("--effort", choices=["quick", "full"], default="full")
    arguments = parser.parse_args()
    samples, shares = GROUPS[arguments.group]
    names = arguments.strategies
    print("| sample | `--set` | activations | budget | bound | " + " | ".join(f"{name} | CPU s" for name in names)
          + " | winner | recomputed FLOPs | activations found |")
    print("|---|---|---:|---:|---:|" + "---:|" * 2 * len(names) + "---|---:|---:|")
    for model, settings in samples:
        if arguments.only and model not in arguments.only:
            continue
        command = ("plan", f"samples/{model}.model", "--set", settings)
        kept = Run(*command, "--strategy", "keep-all").answer["memory"]
        for share in arguments.shares or shares:
            budget = kept["arenaBytes"] - int((1 - share) * kept["maxActivationBytes"])
            runs = [Run(*command, "--strategy", name, "--budget", budget, "--effort", arguments.effort)
                    for name in names]
            print(row(model, settings, share, budget, kept, runs), flush=True)


def row(model, settings, share, budget, kept, runs):
    cells = []
    for run in runs:
        cells.append(percent(run.answer["compute"]["overhead"]) if run.answer else "–")
        cells.append(f"{run.cpu_seconds:.1f}")
    first = runs[0].answer
    bound = winner = again = found = "–"
    if first:
        compute = first["compute"]
        bound = "–" if compute["lowerBoundOverhead"] is None else percent(compute["lowerBoundOverhead"])
        winner = first["strategy"]
        again = percent(compute["recomputeFlops"] / compute["flops"])
        found = f"{first['memory']['maxActivationBytes'] / kept['maxActivationBytes']:.0%}".replace("%", " %")
    return (f"| {model} | `{settings}` | {share * 100:.0f} % | {size(budget)} | {bound} | "
            + " | ".join(cells) + f" | {winner} | {again} | {found} |")


if __name__ == "__main__":
    main()
