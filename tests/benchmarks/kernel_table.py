#!/usr/bin/env python3
"""Table of what `remat build` makes of every sample: kernels, launches, registers, spills, and seconds.

Each sample is built with an empty cache and then again; the two artifacts must be the same bytes. Kernels and registers
are the same on every machine; seconds are not.

    tests/benchmarks/kernel_table.py            # every sample at sizes that people train
    tests/benchmarks/kernel_table.py resnet     # those whose name begins so
"""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = [
    ("autoencoder", "B=64"),
    ("bert", "B=16,T=128"),
    ("dcgan", "B=64"),
    ("ddpm", "B=128"),
    ("densenet", "B=32"),
    ("gpt", "B=16,T=128"),
    ("gpt", "B=4,T=1024,depth=12,width=768,heads=12,vocab=50257"),
    ("llama", "B=16,T=128"),
    ("lstm", "B=64"),
    ("mlp", "B=128"),
    ("mobilenet", "B=32"),
    ("randwire", "B=32"),
    ("resnet", "B=32"),
    ("resnet", "B=32,layers=1001"),
    ("resnet-cifar", "B=32"),
    ("transformer-encdec", "B=32,S=64,T=64"),
    ("unet", "B=1"),
    ("vae", "B=128"),
    ("vgg", "B=32"),
    ("vit", "B=32"),
]
ARCHITECTURES = ("sm_80", "sm_90a")


def remat(cache, *words):
    environment = dict(os.environ, REMAT_CACHE_DIR=cache)
    began = time.monotonic()
    result = subprocess.run(["./remat", *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"remat {' '.join(words)}\nended with {result.returncode}:\n{result.stderr}")
    return json.loads(result.stdout), time.monotonic() - began


def digest(folder):
    whole = hashlib.sha256()
    for file in sorted(pathlib.Path(folder).iterdir()):
        whole.update(file.name.encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()


def spills(kernels):
    found = [k for k in kernels if k["spillStoreBytes"] + k["spillLoadBytes"] > 0]
    return "none" if not found else ", ".join(
        f"{max(k['spillStoreBytes'], k['spillLoadBytes'])} B at {100 * k['flopsShare']:.1f} % of FLOPs" for k in found)


def row(model, settings, folder):
    build = ["build", f"samples/{model}.model", "--set", settings, "--arch", ",".join(ARCHITECTURES), "--json", "-o"]
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        built, first = remat(cache, *build, f"{folder}/first")
        _, again = remat(cache, *build, f"{folder}/second")
        if digest(f"{folder}/first") != digest(f"{folder}/second"):
            sys.exit(f"two builds of {model} with {settings} differ")
        inspected, _ = remat(cache, "inspect", f"{folder}/first", "--json")
    devices = inspected["architectures"]
    registers = " / ".join(str(max(k["registers"] for k in d["kernels"])) for d in devices)
    launches = " / ".join(f"{d['launches']:,}" for d in devices)
    spilled = " / ".join(spills(d["kernels"]) for d in devices)
    return (f"| {model} | `{settings}` | {built['kernels']} | {launches} | {registers} | {spilled} "
            f"| {built['bytes'] / 1e6:.1f} | {first:.1f} | {again:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", default="")
    name = parser.parse_args().name
    print(f"| sample | `--set` | kernels | launches, {' / '.join(ARCHITECTURES)} | most registers | spills | MB "
          "| first build, s | again, s |")
    print("|---|---|---:|---:|---:|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for model, settings in SAMPLES:
            if model.startswith(name):
                print(row(model, settings, folder), flush=True)


if __name__ == "__main__":
    main()
