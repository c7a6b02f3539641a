#!/usr/bin/env python3
"""Overheads on irregular graphs, where an order of the nodes matters as much as recomputation; exits with 1 on a mistake.

    tests/benchmarks/plan_irregular.py                        # 100 to 1000 nodes, seeds 1 to 5
    tests/benchmarks/plan_irregular.py --sizes 250 --seeds 1  # one graph
    tests/benchmarks/plan_irregular.py --sizes 1000 --budgets 80 --strategies auto peak-priority --time-limit 30
"""

import argparse
import sys
import tempfile

from irregular_graphs import EDGES, write
from planning import percent
from strategy_table import StrategyTable


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=list(EDGES))
    parser.add_argument("--budgets", type=int, nargs="+", default=[90, 80, 70], help="per cent of the given order's peak")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--strategies", nargs="+", default=["auto"])
    parser.add_argument("--time-limit", help="seconds for every search; without it work is counted")
    arguments = parser.parse_args()
    table = StrategyTable(
        arguments.strategies, ["--time-limit", arguments.time_limit] if arguments.time_limit else [])
    with tempfile.TemporaryDirectory() as folder:
        for nodes in arguments.sizes:
            for seed in arguments.seeds:
                table.add(nodes, seed, write(nodes, seed, folder), arguments.budgets)
    table.finish()
    print(summary(table, arguments.sizes, arguments.budgets))
    sys.exit(1 if table.mistakes else 0)


def summary(table, sizes, budgets):
    lines = ["| nodes | budget | graphs | planned | impossible | mean | most | s at most | CPU s at most |",
             "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for nodes in sizes:
        for budget in budgets:
            runs = [run for run in table.first_runs if (run.nodes, run.budget) == (nodes, budget)]
            found = [run.answer["overhead"] for run in runs if run.answer]
            mean, most = (percent(sum(found) / len(found)), percent(max(found))) if found else ("–", "–")
            lines.append(f"| {nodes} | {budget} % | {len(runs)} | {len(found)} | {sum(run.impossible for run in runs)} "
                         f"| {mean} | {most} | {max(run.seconds for run in runs):.1f} "
                         f"| {max(run.cpu_seconds for run in runs):.1f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
