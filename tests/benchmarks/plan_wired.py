#!/usr/bin/env python3
"""Overheads of the strategies on training graphs of randomly wired networks (samples/randwire.model).

Graphs of about 300 and 3,000 nodes by each kind of wiring; budgets are shares of what keeping everything takes. Every answer
is judged anew by planning.py; exits with 1 on a mistake.

    tests/benchmarks/plan_wired.py
    tests/benchmarks/plan_wired.py --sizes 300 --kinds ba --budgets 50
"""

import argparse
import json
import pathlib
import sys
import tempfile

from planning import Run
from random_wiring import KINDS, wiring
from strategy_table import StrategyTable

# Stages, and nodes of a stage by kind.
WIRINGS = {300: (1, {"er": 14, "ba": 12, "ws": 13}), 3_000: (3, {"er": 36, "ba": 37, "ws": 47})}


def problem(kind, size, folder):
    """The file of a training graph."""
    stages, sizes = WIRINGS[size]
    settings = "B=32,stages=" + json.dumps(wiring(kind, sizes[kind], 1, stages), separators=(",", ":"))
    dumps = pathlib.Path(folder) / f"{kind}-{size}"
    Run("plan", "samples/randwire.model", "--set", settings, "--strategy", "keep-all", "--dump-dir", dumps)
    return next(dumps.glob("*-problem.txt"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", choices=WIRINGS, default=list(WIRINGS))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--budgets", type=int, nargs="+", default=[70, 50, 30], help="per cent of keeping everything")
    parser.add_argument(
        "--strategies", nargs="+", default=["auto", "sqrt", "chen-budget", "min-cut"])
    parser.add_argument("--time-limit", help="seconds for every search; without it work is counted")
    arguments = parser.parse_args()
    table = StrategyTable(
        arguments.strategies, ["--time-limit", arguments.time_limit] if arguments.time_limit else [], "wiring")
    with tempfile.TemporaryDirectory() as folder:
        for size in arguments.sizes:
            for kind in arguments.kinds:
                file = problem(kind, size, folder)
                nodes = sum(not node.get("resident") for node in json.loads(file.read_text())["nodes"])
                table.add(nodes, kind, file, arguments.budgets)
    table.finish()
    sys.exit(1 if table.mistakes else 0)


if __name__ == "__main__":
    main()
