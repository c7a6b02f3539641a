#!/usr/bin/env python3
"""Holds the prices that `explain` tells to an independent account of them, on fifty values of three samples.

Every plan is dumped as the problem that its planner saw and the steps that it chose; each change is then made here, by the
definition in docs/planning.md and in quadratic time, and judged by planning.py. Prints a table, and ends with 1 if a price
differs.

    tests/benchmarks/explain_prices.py
    tests/benchmarks/explain_prices.py --values 200 --strategy peak-priority
"""

import argparse
import json
import pathlib
import random
import sys
import tempfile

import planning

SAMPLES = [("gpt", "B=8,T=64"), ("unet", "B=1"), ("resnet", "B=8")]


class Account:
    """A problem and the steps of a plan, with who reads what."""

    def __init__(self, problem, steps):
        self.problem = problem
        self.steps = steps
        self.nodes = {node["id"]: node for node in problem["nodes"]}
        self.order = {name: at for at, name in enumerate(self.nodes)}
        self.results, self.owner, self.view_of = {}, {}, {}
        for node in problem["nodes"]:
            made = node["results"] if "results" in node else [node] if "bytes" in node or "viewOf" in node else []
            self.results[node["id"]] = [result["id"] for result in made]
            for result in made:
                self.owner[result["id"]] = node["id"]
                self.view_of[result["id"]] = result.get("viewOf")
        self.outputs = set(problem.get("outputs", []))
        self.peak, self.cost, wrong = planning.evaluate(problem, steps)
        if wrong:
            sys.exit(f"{problem['name']}: the plan itself is wrong: {wrong[0]}")

    def resident(self, name):
        return self.nodes[name].get("resident", False)

    def once(self, name):
        node = self.nodes[name]
        return not node.get("recomputable", True) or node.get("phase") == "update" or bool(node.get("writes"))

    def readers(self, steps):
        """For each run the steps that read each value of it; the number of steps stands for what is left behind."""
        latest, readers = {}, [{} for _ in steps]
        for at, name in enumerate(steps):
            for source in set(self.nodes[name].get("inputs", [])):
                if self.owner[source] in latest:
                    readers[latest[self.owner[source]]].setdefault(source, []).append(at)
            latest[name] = at
        for source in self.outputs:
            if self.owner[source] in latest:
                readers[latest[self.owner[source]]].setdefault(source, []).append(len(steps))
        return readers

    def may_run(self, name, at):
        """Whether a node may run right before a step: it may run again, and finds what it read unchanged."""
        if self.once(name) or self.nodes[name].get("pin") == "retain":
            return False
        before = {written for step in self.steps[:at] for written in self.nodes[step].get("writes", [])}
        for source in self.nodes[name].get("inputs", []):
            base = source
            while self.view_of[base]:
                base = self.view_of[base]
            if base in before and (base == source or self.changed_since(source, base, at)):
                return False
        return True

    def changed_since(self, view, base, at):
        made = max(step for step in range(at) if self.steps[step] == self.owner[view])
        return any(base in self.nodes[step].get("writes", []) for step in self.steps[made + 1:at])

    def price(self, value):
        """Differences of cost and peak, or None where no other decision is possible."""
        name = self.owner[value]
        runs = [at for at, step in enumerate(self.steps) if step == name]
        readers = self.readers(self.steps)
        was_read = [bool(each) for each in readers]
        marked = list(zip(self.steps, was_read))
        if len(runs) > 1:
            if self.nodes[name].get("pin") == "recompute":
                return None
            marked = [run for at, run in enumerate(marked) if run[0] != name or at == runs[0]]
            return self.difference(marked)
        rest = next((at for at, step in enumerate(self.steps)
                     if self.nodes[step].get("phase") == "backward" or step in self.steps[:at]), len(self.steps))
        later = [at for at in readers[runs[0]].get(value, []) if rest <= at < len(self.steps)]
        if not later or value in self.outputs or not self.may_run(name, later[0]):
            return None
        at, again, ahead = later[0], {name}, [name]
        while ahead:
            for source in self.nodes[ahead.pop()].get("inputs", []):
                maker = self.owner[source]
                if self.resident(maker) or maker in again:
                    continue
                made = [step for step in range(at) if self.steps[step] == maker]
                gone = not any(reader >= at for reader in readers[made[-1]].get(source, []))
                barred = self.nodes[maker].get("pin") == "recompute" and len(made) == 1
                if (gone or barred) and self.may_run(maker, at):
                    again.add(maker)
                    ahead.append(maker)
        marked[at:at] = [(each, True) for each in sorted(again, key=self.order.get)]
        return self.difference(marked)

    def difference(self, marked):
        """Lets go, from the last on, what was read and is not any more, and judges the rest."""
        marked = list(marked)
        at = len(marked) - 1
        while at >= 0:
            name, was_read = marked[at]
            others = [other for other, run in enumerate(marked) if run[0] == name and other != at]
            first = bool(others) and at < min(others)
            may = others and was_read and not (first and self.nodes[name].get("pin") == "recompute")
            if may and not self.readers([run[0] for run in marked])[at]:
                del marked[at]
            at -= 1
        peak, cost, wrong = planning.evaluate(self.problem, [name for name, _ in marked])
        return None if wrong else (cost - self.cost, peak - self.peak)


def dumped(folder, stage):
    found = sorted(pathlib.Path(folder).glob(f"*-{stage}.txt"))
    return json.loads(found[-1].read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", type=int, default=50, help="values of each sample")
    parser.add_argument("--strategy", default="sqrt")
    arguments = parser.parse_args()
    print("| sample | values | kept | recomputed | without a choice | prices that differ |")
    print("|---|---:|---:|---:|---:|---:|")
    wrong = []
    for sample, settings in SAMPLES:
        plan = [f"samples/{sample}.model", "--set", settings, "--strategy", arguments.strategy]
        with tempfile.TemporaryDirectory() as folder:
            planning.Run("plan", *plan, "--dump-dir", folder)
            account = Account(dumped(folder, "problem"), dumped(folder, "answer")["steps"])
        names = [name for step in sorted(set(account.steps), key=account.order.get)
                 if account.nodes[step].get("phase", "forward") == "forward" for name in account.results[step]]
        names = sorted(random.Random(7).sample(names, min(arguments.values, len(names))))
        values = planning.Run("explain", plan[0], *names, *plan[1:]).answer["values"]
        counts = {"kept": 0, "recomputed": 0, "fixed": 0}
        differ = 0
        for value in values:
            price = value["price"]
            told = (price["cost"], price["peakBytes"]) if price and "obstacle" not in price else None
            found = account.price(value["value"])
            if value["state"] in counts:
                counts[value["state"]] += 1
            counts["fixed"] += told is None
            if told != found:
                differ += 1
                wrong.append(f"{sample} {value['value']}: explain says {told}, and it is {found}")
        print(f"| {sample} | {len(values)} | {counts['kept']} | {counts['recomputed']} | {counts['fixed']} | {differ} |",
              flush=True)
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
