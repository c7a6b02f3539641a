#!/usr/bin/env python3
"""Predicted GPU steps: what `remat inspect` counts and predicts for the compiled kernels of large training steps.

Nothing here is measured on a card: launches and bytes are counted, times come from the cost model `sass:sm_90a`
(docs/costs.md). The same kernels give the same numbers on every machine.

    tests/benchmarks/predicted_step.py            # every step below
    tests/benchmarks/predicted_step.py resnet     # those whose name begins so
    tests/benchmarks/predicted_step.py --kernels  # and the ten longest kernels of each
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPT = "depth=12,width=768,heads=12,vocab=50304,T=1024"
STEPS = [
    ("gpt", f"{GPT},B=64", "bf16", 64 * 1024, "token"),
    ("gpt", f"{GPT},B=8", "bf16", 8 * 1024, "token"),
    ("resnet", "layers=50,B=256", "bf16", 256, "image"),
]


def remat(*words):
    result = subprocess.run(["./remat", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"remat {' '.join(words)}\nended with {result.returncode}:\n{result.stderr}")
    return json.loads(result.stdout)


def inspect(name, settings, precision):
    with tempfile.TemporaryDirectory() as folder:
        artifact = str(pathlib.Path(folder) / "artifact")
        remat("build", f"samples/{name}.model", "--set", settings, "--precision", precision, "--arch", "sm_90a",
              "--allow-unverified", "-o", artifact, "--json")
        return remat("inspect", artifact, "--json")["architectures"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", nargs="?", default="", help="only steps whose sample begins so")
    parser.add_argument("--kernels", action="store_true", help="the ten longest kernels of each step, too")
    arguments = parser.parse_args()
    lists = []
    print("| sample | `--set` | launches | products, ms | attention, ms | others, ms | between, ms | step, ms |"
          " moved | each tensor once a kernel of the plan | moved by others |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, settings, precision, items, item in STEPS:
        if not name.startswith(arguments.prefix):
            continue
        device = inspect(name, settings, precision)
        groups = {group["name"]: group for group in device["groups"]}
        millis = [f"{groups[g]['predictedMillis']:.1f}" if g in groups else "-" for g in
                  ("products", "attention", "others")]
        predicted = device["predicted"]
        print(f"| {name} {precision} | `{settings}` | {device['launches']:,} | {' | '.join(millis)}"
              f" | {predicted['gapMillis']:.1f} | {predicted['millis']:.1f} | {device['bytes'] / 1e9:.1f} GB"
              f" | {device['tensorBytes'] / 1e9:.1f} GB"
              f" | {groups['others']['bytes'] / items / 1e3:,.0f} kB for each {item} |", flush=True)
        longest = sorted(device["kernels"], key=lambda kernel: -kernel["predictedMillis"])[:10]
        lists.append((f"{name} {precision} `{settings}`", longest))
    for title, kernels in lists if arguments.kernels else []:
        print(f"\n| {title} | launches | GB | ms |\n|---|---:|---:|---:|")
        for kernel in kernels:
            print(f"| {kernel['symbol'].rsplit('_', 1)[0]} | {kernel['launches']} | {kernel['bytes'] / 1e9:.1f}"
                  f" | {kernel['predictedMillis']:.2f} |")


if __name__ == "__main__":
    main()
