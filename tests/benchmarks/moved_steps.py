#!/usr/bin/env python3
"""Times training steps that move tensors to a disk beside steps that only recompute, and what their plans say of both.

Kernels and the disk are measured first (`remat profile`, and what `remat plan` notes), so that plans reckon with this
machine's times. Then both plans of a budget train in turn, several rounds in one go; the first steps of a run, in which
code is compiled, do not count, and the table gives medians over all others. With --rates the disk is throttled by a control group, for store and fetch alike;
needs a writable blkio controller of cgroups version 1, and ends with 3 where there is none. A plan that moves nothing
has no second time.

    tests/benchmarks/moved_steps.py /data                               # as fast as the disk is
    tests/benchmarks/moved_steps.py /data unet --rates 200 400 800      # MB/s
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from planning import ROOT, Run

# About half of the activations of convolutions, which are cheap to recompute, and of a transformer's, which are dear.
CASES = {
    "unet": ("unet", "B=4,image=188,width=32", "63%"),
    "resnet": ("resnet", "B=8,image=128", "71%"),
    "gpt": ("gpt", "B=8,T=256,depth=6,width=384,heads=6,vocab=4096", "45%"),
}
CONTROLLER = pathlib.Path("/sys/fs/cgroup/blkio")
MEGA = 1_000_000


class Throttle:
    """A control group whose processes read and write the disk of a folder no faster than a rate."""

    def __init__(self, folder, rate):
        self.group = CONTROLLER / f"moved_steps.{os.getpid()}"
        try:
            self.group.mkdir(exist_ok=True)
            number = os.stat(folder).st_dev
            for what in "read", "write":
                limit = self.group / f"blkio.throttle.{what}_bps_device"
                limit.write_text(f"{os.major(number)}:{os.minor(number)} {rate * MEGA}\n")
        except OSError as refused:
            print(f"moved_steps: the disk of {folder} cannot be throttled ({refused}); nothing was measured", file=sys.stderr)
            sys.exit(3)

    def enter(self):
        (self.group / "cgroup.procs").write_text(str(os.getpid()))

    def close(self):
        self.group.rmdir()


def train(arguments, throttle):
    """Milliseconds of each step, and of each that kernels waited for transfers."""
    command = [os.environ.get("REMAT", "./remat"), "train", *arguments, "--data", "synthetic", "--json"]
    result = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
        preexec_fn=throttle.enter if throttle else None,
    )
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {result.returncode}:\n{result.stderr}")
    steps = [json.loads(line) for line in result.stdout.splitlines() if '"millis"' in line]
    return [(step["millis"], (step.get("moved") or {}).get("exposedMillis", 0)) for step in steps if "step" in step]


def gib(count):
    return f"{count / 2**30:.2f}"


def rates_of(folder, common):
    """What planning with a disk measures of it: STORE:FETCH:LATENCY, and what kernels lose, if anything."""
    noted = re.search(r"--disk-rates (\S+)", Run("plan", *common, "--disk", folder).notes)
    return noted.group(1).split(":")


def measure(name, folder, rate, costs, rates, arguments):
    model, settings, budget = CASES[name]
    common = [f"samples/{model}.model", "--set", settings, "--budget", arguments.budget or budget, "--costs", costs,
              "--effort", "quick"]
    disk = ["--disk", folder, "--disk-rates", ":".join([f"{rate}MB/s"] * 2 + rates[2:] if rate else rates)]
    throttle = Throttle(folder, rate) if rate else None
    try:
        still, moving = Run("plan", *common).answer, Run("plan", *common, *disk).answer
        if not still or not moving:
            sys.exit(f"{name}: no plan fits {budget}")
        moves = moving["transfers"]["storeBytes"]
        runs = {"still": [], "moving": []}
        for number in range(arguments.rounds):
            print(f"{name}, {rate or 'full'} MB/s: round {number + 1} of {arguments.rounds}", file=sys.stderr)
            for kind, options in ("still", []), ("moving", disk if moves else None):
                if options is not None:
                    steps = train([*common, *options, "--steps", str(arguments.steps)], throttle)
                    runs[kind] += steps[arguments.warmup:]
    finally:
        if throttle:
            throttle.close()
    planned = [plan["compute"]["estimatedMillis"] for plan in (still, moving)]
    took = [statistics.median(step[0] for step in runs[kind]) if runs[kind] else None for kind in ("still", "moving")]
    waited = statistics.median(step[1] for step in runs["moving"]) if moves else 0
    cells = [name, str(rate or "full"), gib(moves), f"{planned[0]:.0f}", f"{took[0]:.0f}", f"{planned[1]:.0f}"]
    if moves:
        cells += [f"{took[1]:.0f}", f"{moving['transfers']['exposedMillis']:.0f}", f"{waited:.0f}",
                  f"{1 - planned[1] / planned[0]:.1%}", f"{1 - took[1] / took[0]:.1%}", f"{took[1] / planned[1] - 1:+.1%}"]
    else:
        cells += ["–"] * 6
    print("| " + " | ".join(cells).replace("%", " %") + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="DIR", help="a folder on the disk")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"one of {', '.join(CASES)}; all of them by default")
    parser.add_argument("--rates", nargs="*", type=int, default=[0], help="MB/s that the disk is throttled to")
    parser.add_argument("--budget", help="instead of one for about half of the activations")
    parser.add_argument("--steps", type=int, default=25, help="of each run, warm-up included")
    parser.add_argument("--warmup", type=int, default=15, help="steps of each run that do not count")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side")
    arguments = parser.parse_args()
    for name in arguments.cases:
        if name not in CASES:
            parser.error(f"{name} is none of {', '.join(CASES)}")
    print(f"load {' '.join(map(str, os.getloadavg()))}, {os.cpu_count()} cores\n")
    print("| model | disk, MB/s | stored a step, GiB | recomputing: planned, ms | took | moving, too: planned | took | waits planned "
          "| waited | gain planned | gain | took beside planned |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch:
        for name in arguments.cases or CASES:
            model, settings, _ = CASES[name]
            costs = f"{scratch}/{name}.json"
            Run("profile", f"samples/{model}.model", "--set", settings, "-o", costs)
            rates = rates_of(arguments.folder, [f"samples/{model}.model", "--set", settings, "--effort", "quick"])
            print(f"{name}: the disk has {':'.join(rates)}", file=sys.stderr)
            for rate in arguments.rates:
                measure(name, arguments.folder, rate, costs, rates, arguments)


if __name__ == "__main__":
    main()
