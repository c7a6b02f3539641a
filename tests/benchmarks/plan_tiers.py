#!/usr/bin/env python3
"""Overheads of recomputing and moving together, on graphs in remat-problem/1 over links of several speeds.

A link of speed ρ moves the peak of the given order in ρ times the cost of every node once. Every answer is judged anew by
lanes.py. Exits with 1 where an answer does not hold, or is above recomputing alone.

    tests/benchmarks/plan_tiers.py                                    # the cells of the acceptance
    tests/benchmarks/plan_tiers.py --cells unet:50 --speeds 1 2 4 8   # how the overhead goes with the link
"""

import argparse
import json
import pathlib
import sys

from lanes import check
from planning import ROOT, Run, evaluate, percent

PROBLEMS = ROOT / "compiler/src/test/resources/problems"
CELLS = ["unet:70", "unet:60", "unet:50", "unet:40", "vgg19:80", "mobilenet:50", "mobilenet:30"]
NANOS = 1000


def tiered(problem, rate):
    """The problem as remat-problem/2, whose costs are microseconds."""
    nodes = [{**node, "cost": node["cost"] * NANOS} for node in problem["nodes"]]
    tier = {"name": "host", "bytes": 2**50, "storeBytesPerSecond": rate, "fetchBytesPerSecond": rate}
    return {**problem, "format": "remat-problem/2", "nodes": nodes, "tiers": [tier]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", nargs="+", default=CELLS, help="graph and per cent of the given order's peak")
    parser.add_argument("--speeds", type=float, nargs="+", default=[1, 4])
    parser.add_argument("--effort", default="full")
    arguments = parser.parse_args()
    print("| graph | budget | ρ | recompute only | offload only | bound | found | exposed | by | s | CPU s |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|")
    mistakes = []
    for cell in arguments.cells:
        name, share = cell.split(":")
        file = pathlib.Path(name) if name.endswith(".json") else PROBLEMS / f"{name}.json"
        problem = json.loads(file.read_text())
        order = [node["id"] for node in problem["nodes"] if not node.get("resident")]
        peak, cost, _ = evaluate(problem, order)
        asked = ["solve", file, "--budget", int(peak * int(share) / 100), "--effort", arguments.effort]
        alone = Run(*asked)
        for speed in arguments.speeds:
            rate = int(peak / (speed * cost * NANOS) * 10**9)
            tiers = ["--cost-unit", "us", "--tiers", f"host:{2**50}:{rate}:{rate}"]
            joint = Run(*asked, *tiers)
            moving = Run(*asked, *tiers, "--strategy", "offload")
            print(row(name, share, speed, alone, moving, joint), flush=True)
            for run in (joint, moving):
                if run.answer:
                    mistakes += [f"{cell}, {speed:g}: {what}" for what in check(tiered(problem, rate), run.answer)]
            if alone.answer and (not joint.answer or joint.answer["cost"] > alone.answer["cost"] * NANOS):
                mistakes.append(f"{cell}, {speed:g}: above recomputing alone")
    print()
    print(*mistakes or ["Every answer holds what it claims."], sep="\n")
    sys.exit(1 if mistakes else 0)


def row(name, share, speed, alone, moving, joint):
    answer = joint.answer
    if not answer:
        return f"| {name} | {share} % | {speed:g} | {overhead(alone)} | {overhead(moving)} | – | – | – | – | – | – |"
    bound = answer["lowerBoundCost"] / answer["baselineCost"] - 1
    exposed = answer["transfers"]["exposedNanos"] / answer["baselineCost"]
    return (f"| {name} | {share} % | {speed:g} | {overhead(alone)} | {overhead(moving)} | {percent(bound, 3)}"
            f" | {percent(answer['overhead'], 3)} | {percent(exposed, 3)} | {answer['strategy']}"
            f" | {joint.seconds:.1f} | {joint.cpu_seconds:.1f} |")


def overhead(run):
    return percent(run.answer["overhead"], 3) if run.answer else "–"


if __name__ == "__main__":
    main()
