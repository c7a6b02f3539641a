#!/usr/bin/python3
"""Two stages in one process on two processors, beside torch.distributed.pipeline.sync.Pipe of Debian's python3-torch with the
same models, micro-batches and modes, in turns: at least as many rows a second, and at least 0.9 of what plan foretells by
kernels that profile has measured on both processors at once, in front of each run and behind it.

    pipeline_sync.py [CASE...]   gpt and resnet-cifar unless told otherwise: some twelve minutes each on an idle
                                 machine, in two rounds (ROUNDS)

PyTorch gets one and two threads in a stage, and goes on with what is faster. Its stages share the processors: two threads run forward
passes, and backward passes, which autograd runs on the CPU in one thread, have both only for the threads of an operation.
Needs an optimised BLAS, such as libopenblas0-pthread. Prints Markdown, and ends with 1 where something is not as asked for.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from planning import ROOT, Run
from step_time import Side, run

HERE = pathlib.Path(__file__).resolve().parent
CASES = {
    "gpt": "B=16,T=64,depth=4,width=256,heads=4,vocab=1000",
    "resnet-cifar": "B=32,depth=29",
}
PIECES = 8
ROUNDS = int(os.environ.get("ROUNDS", 2))
# Of a run, and those of them that compile, or get memory for the first time.
STEPS = {"remat": (32, 16), "torch": (8, 3)}
MODES = ("pipe-always", "pipe-except-last", "pipe-never")
CORES = 2


class Runs(Side):
    """What a way to train has taken."""

    def __init__(self, command, warm, threads=CORES):
        super().__init__()
        self.command, self.first_warm, self.threads = command, warm, threads

    def run(self):
        self.add(*run(self.command, CORES, self.threads, {}), self.first_warm)

    def step(self):
        return statistics.median(self.warm)

    def megabytes(self):
        return f"{statistics.median(self.peak) / 1e6:.0f}"


def train(case, mode):
    steps, warm = STEPS["remat"]
    words = ("./remat", "train", *model(case), *staged(mode), "--data", "synthetic", "--steps", steps, "--json")
    return Runs(words, warm)


def twin(case, mode, threads):
    steps, warm = STEPS["torch"]
    words = (sys.executable, HERE / "torch_pipeline.py", case, "--set", CASES[case], "--micro-batches", PIECES)
    words += ("--mode", mode, "--threads", threads, "--steps", steps)
    return Runs(words, warm, threads)


def model(case):
    return (f"samples/{case}.model", "--set", CASES[case], "--micro-batches", PIECES)


def staged(mode):
    """As Pipe orders its stages, which waits until all forward passes have ended."""
    return ("--stages", 2, "--schedule", "gpipe", "--strategy", mode)


def measured(case, folder):
    """What kernels take on each processor while the other runs them as well, as files."""
    folder.mkdir(exist_ok=True)
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    files = [folder / f"{case}-{core}.json" for core in cores]
    profiles = [
        subprocess.Popen(
            ["taskset", "-c", str(core), "./remat", "profile", *map(str, model(case)), "--repeat", "8", "-o", str(file)],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for core, file in zip(cores, files)
    ]  # fmt: skip
    if any([profile.wait() for profile in profiles]):
        sys.exit(f"profile of {case} failed")
    return files


class Cell:
    """A model in a mode, on both sides."""

    def __init__(self, case, mode):
        self.case, self.mode = case, mode
        self.ours = train(case, mode)
        twins = [twin(case, mode, threads) for threads in (1, 2)]
        for each in twins:
            each.run()
        self.theirs = min(twins, key=Runs.step)
        self.foretold, self.reached = [], []

    def run(self, folder):
        """A round. What of the rows that are foretold is reached is told of each: machines change their speed."""
        self.theirs.run()
        costs = measured(self.case, folder / "before")
        runs = len(self.ours.warm)
        self.ours.run()
        costs += measured(self.case, folder / "behind")
        plans = [Run("plan", *model(self.case), *staged(self.mode), "--costs", file).answer for file in costs]
        self.foretold.append(statistics.mean(plan["cost"] for plan in plans) / 1e6)
        self.reached.append(self.foretold[-1] / statistics.median(self.ours.warm[runs:]))
        self.arenas = sum(stage["arenaBytes"] for stage in plans[0]["stages"])

    def report(self):
        """Whether it is as asked for."""
        batch = int(CASES[self.case].split(",")[0].removeprefix("B="))
        times = (self.theirs.step(), self.ours.step(), statistics.median(self.foretold))
        theirs, ours, foretold = (batch / millis * 1e3 for millis in times)
        reached = statistics.median(self.reached)
        holds = ours >= theirs and reached >= 0.9
        cells = [f"{theirs:.1f}", f"{ours:.1f}", f"{ours / theirs:.2f}", f"{foretold:.1f}", f"{reached:.2f}"]
        cells += [f"{self.arenas / 1e6:.1f}", self.ours.megabytes(), self.theirs.megabytes(), "holds" if holds else "FAILS"]
        print(f"| {self.case} | {self.mode} | " + " | ".join(cells) + " |", flush=True)
        return holds


def main():
    cases = sys.argv[1:] or list(CASES)
    if any(case not in CASES for case in cases):
        sys.exit(__doc__)
    failed = []
    print(f"load {os.getloadavg()[0]:.1f}, {PIECES} micro-batches\n")
    print("| model | mode | rows/s, Pipe | remat | ratio | foretold | reached | arenas, MB | process, MB | Pipe, MB | |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            cells = [Cell(case, mode) for mode in MODES]
            for round_number in range(ROUNDS):
                print(f"{case}: round {round_number + 1} of {ROUNDS}", file=sys.stderr)
                for cell in cells:
                    cell.run(pathlib.Path(folder))
            failed += [f"{cell.case}, {cell.mode}" for cell in cells if not cell.report()]
    for what in failed:
        print(f"pipeline_sync: {what} is not as asked for", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
