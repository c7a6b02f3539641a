#!/usr/bin/env python3
"""What budgets of 50, 40 and 30 % of activations cost each sample: whole, with losses in chunks, and with micro-batches, too.

A budget is the arena that keeps everything, less so much of its activations. Cells hold it, and what a step takes longer than the
whole without a budget: whole, then in chunks, then in micro-batches, too, with the numbers that were taken, each where it is another;
or where no plan fits the floor, and below the table what sets it. The numbers are by the roofline of the CPU, and of an H100 for
kernels of sm_90a. Exits with 1 where something is refused
that is planned with less cut, or is not found though floors allow it, and where chunks take planning three times as long.

    tests/benchmarks/chunks_of_samples.py                          # some twenty minutes idle; on stderr what is being planned
    tests/benchmarks/chunks_of_samples.py --only gpt bert --targets cpu --shares 50
"""

import argparse
import concurrent.futures
import math
import os
import re
import sys

from plan_memory import GROUPS
from planning import Run

CHUNKS, LAST = "in chunks", "and micro-batches"
WAYS = {
    "whole": ("--chunks", "off"),
    CHUNKS: ("--chunks", "auto"),
    LAST: ("--chunks", "auto", "--micro-batches", "auto"),
}
# Planning in chunks takes at most so many times as long as whole, seconds of a start of Java aside.
LONGER, START = 3, 2


def plan(model, settings, *words):
    """A run with a plan, or with the bytes that none is without, what they are for, and what floors would be if more were cut."""
    run = Run("plan", f"samples/{model}.model", "--set", settings, "--no-cache", *words)
    if run.answer is None:
        floor = re.search(r"no plan at all needs less than (\d+) bytes.*?, for (.*?)(?:; whether|$)", run.notes, re.MULTILINE)
        run.floor, run.set_by = int(floor[1]), floor[2]
        run.cut = [int(found) for found in re.findall(r"with --\S.* (?:it would be|none needs less than) (\d+) bytes", run.notes)]
    return run


def longer(run, millis):
    return math.inf if run.answer is None else run.answer["compute"]["estimatedMillis"] / millis - 1


def cell(budget, runs, millis):
    told = [price(run, millis) for run in runs.values() if run is not None]
    told = [each for i, each in enumerate(told) if i == 0 or each != told[i - 1]]
    return f"{budget / 1e6:,.0f} MB: {' → '.join(told)}"


def price(run, millis):
    answer = run.answer
    if answer is None:
        return f"– ({run.floor / 1e6:,.0f} MB)"
    taken = [f"{loss['count']} chunks" for loss in answer.get("chunks", [])[:1]]
    taken += [f"m = {answer['microBatches']}"] if answer.get("microBatches", 1) > 1 else []
    return f"{100 * longer(run, millis):+.1f} %" + (f" ({', '.join(taken)})" if taken else "")


class Case:
    """A sample by the costs of a target: a row of the table, what is wrong with it, and what sets floors above budgets."""

    def __init__(self, model, settings, target, arguments):
        self.wrong, self.refused, self.longest = [], {}, 0
        cells = [f"{model} `{settings}`", target]
        words = ("--target", target, "--effort", arguments.effort)
        kept = plan(model, settings, *words, "--chunks", "off").answer
        millis = kept["compute"]["estimatedMillis"]
        memory = kept["memory"]
        for share in arguments.shares:
            budget = memory["arenaBytes"] - memory["maxActivationBytes"] * (100 - share) // 100
            runs = {}
            for way, options in WAYS.items():
                if way == LAST and longer(runs[CHUNKS], millis) <= arguments.above / 100:
                    runs[way] = None
                    continue
                print(f"{model} {target} {share} {way}", file=sys.stderr, flush=True)
                runs[way] = plan(model, settings, *words, "--budget", str(budget), *options)
            cells.append(cell(budget, runs, millis))
            self.wrong += judged(f"{model} {settings} {target} {share} %", runs, budget)
            for way, run in runs.items():
                if run is not None and run.answer is None:
                    self.refused.setdefault((model, target, way), (run.floor, run.set_by))
            self.longest = max(self.longest, ratio(runs))
        self.row = f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", help="samples to plan")
    parser.add_argument("--targets", nargs="+", default=["cpu", "sm_90a"])
    parser.add_argument("--shares", nargs="+", type=int, default=[50, 40, 30], help="of activations, in per cent")
    parser.add_argument("--above", type=float, default=2, help="cut the batch only where a step takes longer by so many per cent")
    parser.add_argument("--effort", default="quick", help="as of plan")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="samples that are planned at once")
    arguments = parser.parse_args()
    samples = [(model, settings) for model, settings in GROUPS["samples"] if model in (arguments.only or [model])]
    asked = [(*sample, target) for sample in samples for target in arguments.targets]
    print(f"| sample | costs | {' | '.join(f'{share} % of activations' for share in arguments.shares)} |")
    print(f"|---|---|{'---|' * len(arguments.shares)}")
    cases = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case in pool.map(lambda each: Case(*each, arguments), asked):
            print(case.row, flush=True)
            cases.append(case)
    longest = max(case.longest for case in cases)
    print(f"\nPlanning in chunks took at most {longest:.1f} times the processor time of planning whole.\n")
    for case in cases:
        for (model, target, way), (floor, what) in case.refused.items():
            print(f"- {model}, {target}, {way}: {floor / 1e6:,.0f} MB for {what.replace(' at samples/', ' at ')}")
    wrong = [each for case in cases for each in case.wrong]
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


def ratio(runs):
    whole, chunks, _ = runs.values()
    return (chunks.cpu_seconds + START) / (whole.cpu_seconds + START) if whole.answer and chunks.answer else 0


def judged(name, runs, budget):
    """What is refused that need not be, or takes too long."""
    whole, chunks, both = runs.values()
    both = both or chunks
    if both.answer is None and both.floor <= budget:
        yield f"{name}: no plan found, though floors allow one"
    for less, more in ((whole, chunks), (chunks, both)):
        if more.answer is None and less.answer is not None:
            yield f"{name}: refused with more cut, planned with less"
    if chunks.answer is None and both.answer is not None and not any(floor <= budget for floor in chunks.cut):
        yield f"{name}: planned in micro-batches, which the refusal without does not say"
    if ratio(runs) > LONGER:
        yield f"{name}: planning took {ratio(runs):.1f} times as long in chunks"


if __name__ == "__main__":
    main()
