#!/usr/bin/env python3
"""Tables of what plans take: every sample kept whole and with √n checkpoints, and Chen's experiments.

Planning is deterministic, so the numbers are the same on every machine; only the seconds are not.

    tests/benchmarks/plan_memory.py            # every sample
    tests/benchmarks/plan_memory.py chen       # ResNets of growing depth, and the LSTM
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GROUPS = {
    "samples": [
        ("autoencoder", "B=64"),
        ("bert", "B=16,T=128"),
        ("dcgan", "B=64"),
        ("ddpm", "B=128"),
        ("densenet", "B=32"),
        ("gpt", "B=8,T=64"),
        ("gpt", "B=4,T=1024,depth=12,width=768,heads=12,vocab=50257"),
        ("llama", "B=8,T=64"),
        ("lstm", "B=64"),
        ("mlp", "B=128"),
        ("mobilenet", "B=32"),
        ("randwire", "B=32"),
        ("resnet", "B=32"),
        ("resnet-cifar", "B=32"),
        ("transformer-encdec", "B=32,S=64,T=64"),
        ("unet", "B=1"),
        ("vae", "B=128"),
        ("vgg", "B=32"),
        ("vit", "B=32"),
    ],
    "chen": [("resnet", f"B=32,layers={layers}") for layers in (50, 101, 200, 500, 1001)]
    + [("lstm", f"B=64,T={steps}") for steps in (16, 32, 64, 128)],
}


def plan(model, settings, strategy):
    command = [
        "./remat", "plan", f"samples/{model}.model", "--set", settings, "--strategy", strategy, "--json",
    ]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {result.returncode}:\n{result.stderr}")
    return json.loads(result.stdout)


def size(count):
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("group", nargs="?", choices=GROUPS, default="samples")
    arguments = parser.parse_args()
    print("| sample | `--set` | arena, all kept | arena, √n | activations, all kept | activations, √n | times less "
          "| recomputed FLOPs | arena ÷ live | planning s |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for model, settings in GROUPS[arguments.group]:
        kept, sqrt = (plan(model, settings, strategy) for strategy in ("keep-all", "sqrt"))
        before, after = (each["memory"]["maxActivationBytes"] for each in (kept, sqrt))
        again = sqrt["compute"]["recomputeFlops"] / sqrt["compute"]["flops"]
        waste = max(each["memory"]["arenaBytes"] / each["memory"]["peakLiveBytes"] for each in (kept, sqrt))
        print(
            f"| {model} | `{settings}` | {size(kept['memory']['arenaBytes'])} | {size(sqrt['memory']['arenaBytes'])} "
            f"| {size(before)} | {size(after)} | {before / after:.1f} | {again:.1%} | {waste:.3f} "
            f"| {sqrt['seconds']['total']:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
