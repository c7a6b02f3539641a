#!/usr/bin/python3
"""Compares the time and memory of a training step on the CPU between remat and PyTorch.

Each case runs `remat train` and its PyTorch twin (torch_step.py) in turn, several rounds in one go, pinned to the same
cores and with as many threads. The first steps of every run warm up and do not count; the table gives medians over all
other steps. Memory is the arena that remat plans and its measured high water, beside how much the resident set of the
PyTorch process grew from before the model existed to its peak.

Run it with a Python that has torch (Debian: python3-torch), on a machine that does nothing else:

    tests/benchmarks/step_time.py
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CASES = {
    "gpt": ("gpt", "B=8,T=64"),
    "gpt-wide": ("gpt", "B=8,T=128,depth=6,width=384,heads=6"),
    "resnet-cifar-29": ("resnet-cifar", "B=32,depth=29"),
    "resnet-cifar-56": ("resnet-cifar", "B=32,depth=56"),
}


def run(command, threads):
    """Lines of JSON that a command prints while it runs on the first `threads` cores."""
    cores = ",".join(str(core) for core in sorted(os.sched_getaffinity(0))[:threads])
    environment = dict(os.environ)
    environment.update({name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")})
    result = subprocess.run(
        ["taskset", "-c", cores, *command], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, check=False,
    )
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {result.returncode}:\n{result.stderr}")
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def remat_command(model, settings, steps, strategy):
    return [
        "./remat", "train", f"samples/{model}.model", "--set", settings, "--data", "synthetic",
        "--steps", str(steps), "--strategy", strategy, "--json",
    ]


def torch_command(model, settings, steps, threads, channels_last):
    command = [
        sys.executable, str(HERE / "torch_step.py"), model, "--set", settings, "--steps", str(steps),
        "--threads", str(threads),
    ]
    return command + ["--channels-last"] if channels_last else command


def millis(lines, warmup):
    return [line["millis"] for line in lines if "millis" in line and line["step"] > warmup]


def measure(name, arguments):
    model, settings = CASES[name]
    ours, theirs, arena, high_water, growth = [], [], 0, 0, []
    for round_number in range(arguments.rounds):
        print(f"{name}: round {round_number + 1} of {arguments.rounds}", file=sys.stderr)
        lines = run(remat_command(model, settings, arguments.steps, arguments.strategy), arguments.threads)
        ours += millis(lines, arguments.warmup)
        arena = max(line.get("arenaBytes", 0) for line in lines)
        high_water = max(line.get("highWaterBytes", 0) for line in lines)
        lines = run(
            torch_command(model, settings, arguments.steps, arguments.threads, arguments.channels_last),
            arguments.threads,
        )
        theirs += millis(lines, arguments.warmup)
        growth.append(lines[-1]["residentGrowthBytes"])
    row = {
        "case": name, "set": settings, "strategy": arguments.strategy, "threads": arguments.threads,
        "steps": len(ours), "rematMillis": statistics.median(ours), "torchMillis": statistics.median(theirs),
        "arenaBytes": arena, "highWaterBytes": high_water,
        "torchResidentGrowthBytes": round(statistics.median(growth)),
    }
    row["ratio"] = row["rematMillis"] / row["torchMillis"]
    return row


def table(rows):
    print("| case | --set | remat ms | PyTorch ms | ratio | arena MB | high water MB | PyTorch growth MB |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        memory = (row["arenaBytes"], row["highWaterBytes"], row["torchResidentGrowthBytes"])
        print(
            f"| {row['case']} | `{row['set']}` | {row['rematMillis']:.1f} | {row['torchMillis']:.1f} "
            f"| {row['ratio']:.2f} | " + " | ".join(f"{size / 1e6:.1f}" for size in memory) + " |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"one of {', '.join(CASES)}; all of them by default")
    parser.add_argument("--steps", type=int, default=12, help="of each run, warm-up included")
    parser.add_argument("--warmup", type=int, default=4, help="steps of each run that do not count")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--strategy", default="keep-all", help="how remat plans; PyTorch always keeps everything")
    parser.add_argument("--channels-last", action="store_true", help="PyTorch stores images as NHWC")
    parser.add_argument("--json", action="store_true", help="print a line of JSON per case")
    arguments = parser.parse_args()
    unknown = [case for case in arguments.cases if case not in CASES]
    if unknown:
        parser.error(f"unknown case {unknown[0]}; choose from {', '.join(CASES)}")
    if not 0 <= arguments.warmup < arguments.steps:
        parser.error("--warmup must leave steps to measure")

    rows = [measure(name, arguments) for name in arguments.cases or CASES]
    if arguments.json:
        for row in rows:
            print(json.dumps(row))
    else:
        table(rows)


if __name__ == "__main__":
    main()
