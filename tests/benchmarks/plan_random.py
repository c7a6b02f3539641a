#!/usr/bin/env python3
"""Overheads of the strategies on random layered training steps (LayeredGraphs of the compiler's tests).

Every answer is judged anew by planning.py. Needs compiled tests: mvn -q -pl compiler -am test-compile.

    tests/benchmarks/plan_random.py                                   # 100 to 1000 nodes
    tests/benchmarks/plan_random.py --sizes 10000 100000 --budgets 50
    tests/benchmarks/plan_random.py --seeds 1 2 3 --strategies auto anneal interval-cp
"""

import argparse
import collections
import math
import os
import pathlib
import subprocess
import tempfile

from planning import ROOT
from strategy_table import StrategyTable

CLASSIC = ["sqrt", "chen-budget", "recursive", "segments=8", "segments=32"]
OTHERS = ["revolve", "min-cut", "hierarchy", "peak-priority", "anneal"]


def java():
    """JAVA_HOME's java, or that of the newest JDK that Linux distributions install."""
    homes = [pathlib.Path(os.environ["JAVA_HOME"])] if "JAVA_HOME" in os.environ else []
    homes += sorted(pathlib.Path("/usr/lib/jvm").glob("*25*"))
    return next((home / "bin/java" for home in homes if (home / "bin/java").exists()), "java")


def generate(nodes, seed, updates, folder):
    """Writes one problem and returns its file."""
    built = (ROOT / "cli/target/classpath").read_text().strip()
    tests = ROOT / "compiler/target/test-classes"
    if not (tests / "dev/remat/compiler/plan/LayeredGraphs.class").exists():
        raise SystemExit("compile the tests first: mvn -q -pl compiler -am test-compile")
    file = pathlib.Path(folder) / f"layered-{nodes}-{seed}.json"
    command = [java(), "-cp", f"{tests}:{built}", "dev.remat.compiler.plan.LayeredGraphs", nodes, seed, file]
    subprocess.run([*map(str, command), *(["updates"] if updates else [])], check=True)
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 250, 500, 1000])
    parser.add_argument("--budgets", type=int, nargs="+", default=[70, 50, 30], help="per cent of the given order's peak")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--updates", action="store_true", help="with parameters and their updates")
    parser.add_argument("--strategies", nargs="+", default=["auto", *CLASSIC, *OTHERS])
    arguments = parser.parse_args()
    table = StrategyTable(arguments.strategies)
    with tempfile.TemporaryDirectory() as folder:
        for nodes in arguments.sizes:
            for seed in arguments.seeds:
                table.add(nodes, seed, generate(nodes, seed, arguments.updates, folder), arguments.budgets)
    table.finish()
    cpu = collections.defaultdict(list)
    for run in table.first_runs:
        cpu[run.nodes].append(run.cpu_seconds)
    sizes = sorted(cpu)
    for small, large in zip(sizes, sizes[1:]):
        ratio = max(cpu[large]) / max(cpu[small])
        print(f"{table.names[0]}: CPU time grows from {small} to {large} nodes with the power "
              f"{math.log(ratio) / math.log(large / small):.2f}")


if __name__ == "__main__":
    main()
