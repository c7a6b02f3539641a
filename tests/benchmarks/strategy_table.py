"""A table of what strategies of solve make of graphs, every answer judged anew."""

import json
import math

from planning import Run, check, floor, given_peak, percent


class StrategyTable:
    """Prints a row for each graph and budget; the first strategy is the one that bounds and seconds are of."""

    def __init__(self, names, options=(), kind="seed"):
        self.names = names
        self.options = options
        self.kind = kind
        self.mistakes = []
        self.first_runs = []
        print(f"| nodes | {kind} | budget | floor | bound | " + " | ".join(names) + " | winner | s | CPU s | GB |")
        print("|---:|---:|---:|---:|---:|" + "---:|" * len(names) + "---|---:|---:|---:|")

    def add(self, nodes, seed, file, budgets):
        """Solves one problem within budgets in per cent of the given order's peak."""
        problem = json.loads(file.read_text())
        for budget in budgets:
            runs = {name: Run("solve", file, "--budget", f"{budget}%", "--strategy", name, *self.options)
                    for name in self.names}
            first = next(iter(runs.values()))
            first.nodes, first.budget = nodes, budget
            first.impossible = floor(problem) > math.floor(given_peak(problem) * budget / 100)
            self.first_runs.append(first)
            print(self.row(nodes, seed, budget, problem, runs), flush=True)

    def row(self, nodes, seed, budget, problem, runs):
        first = next(iter(runs.values()))
        cells, costs = [], {}
        for name, run in runs.items():
            if run.answer is None:
                cells.append("–")
                continue
            costs[name] = run.answer["cost"]
            cells.append(percent(run.answer["overhead"]))
            where = f"{nodes} nodes, {self.kind} {seed}, {budget} %, {name}: "
            self.mistakes += [where + mistake for mistake in check(problem, run.answer)]
        best = min(costs, key=costs.get, default=None)
        if "auto" in runs and best and costs.get("auto", math.inf) > costs[best]:
            self.mistakes.append(f"{nodes} nodes, {self.kind} {seed}, {budget} %: auto is worse than {best}")
        answer = first.answer
        bound, winner = ("impossible" if first.impossible else "–"), "–"
        if answer:
            bound = "proven" if answer["proven"] else percent(answer["lowerBoundCost"] / answer["baselineCost"] - 1)
            winner = answer["strategy"]
        share = f"{floor(problem) / given_peak(problem):.0%}".replace("%", " %")
        return (f"| {nodes} | {seed} | {budget} % | {share} | {bound} | " + " | ".join(cells)
                + f" | {winner} | {first.seconds:.1f} | {first.cpu_seconds:.1f} | {first.peak_bytes / 1e9:.2f} |")

    def finish(self):
        print()
        print(f"{len(self.mistakes)} mistakes" if self.mistakes else "Every answer holds what it claims.")
        print(*self.mistakes, sep="\n")
