#!/usr/bin/env python3
"""Trains the five models of ranks.sh matrix as processes: GPT with tied parameters, ResNet, U-Net, a VAE that draws, and one
with everything that a train block says. 20 steps in 8 micro-batches with an evaluation after every five, on 2 and 4 ranks
joined by Gloo, by MPICH and by Open MPI, sharing nothing, the optimizer's state, or parameters too. Each has to leave the
file that one rank leaves, byte for byte, and the log, but for columns that tell of a run and not of the training.

    process_matrix.py [MODEL...]    gpt, resnet-cifar, unet, vae and everything unless told otherwise

Ten minutes on two cores. Gloo has to be built: mvn -Pgloo -pl runtime/gloo -am -DskipTests package
Prints a table in Markdown, and ends with 1 where something differs.
"""

import csv
import os
import pathlib
import shutil
import sys
import tempfile

from jobs import REMAT, Job
from planning import ROOT

MODELS = {
    "gpt": (ROOT / "samples/gpt.model", "B=16,T=32,vocab=64,width=64,depth=3,heads=2,context=32"),
    "resnet-cifar": (ROOT / "samples/resnet-cifar.model", "B=16,depth=20,classes=3,width=8,image=16"),
    "unet": (ROOT / "samples/unet.model", "B=16,classes=3,width=4,image=32,pad=1"),
    "vae": (ROOT / "samples/vae.model", "B=16,pixels=150,hidden=128,latent=6"),
    "everything": (ROOT / "tests/src/test/resources/dev/remat/tests/promises/everything.model", "B=16"),
}
RANKS = (2, 4)
LEVELS = ("none", "optimizer", "parameters")
# Columns of a log that tell of a run.
OF_THE_RUN = ("millis", "moved/", "memory/", "ranks/")


def engines():
    """What starts so many processes, by the name of what joins them."""
    found = {}
    if (ROOT / "runtime/gloo/target/engine").is_dir():
        found["Gloo"] = lambda ranks: ((), ("--ranks", ranks, "--processes", "--transport", "gloo"))
    if shutil.which("mpirun.mpich"):
        found["MPICH"] = lambda ranks: (("mpirun.mpich", "-n", ranks), ())
    if shutil.which("mpirun.openmpi"):
        root = ("--allow-run-as-root",) if os.geteuid() == 0 else ()
        found["Open MPI"] = lambda ranks: (
            ("mpirun.openmpi", "--bind-to", "none", "--oversubscribe", *root, "-n", ranks),
            (),
        )
    return found


def left(folder, name, launcher=(), options=()):
    """The file and the log of a training, or what it says where it fails."""
    model, settings = MODELS[name]
    words = ("train", model, "--set", settings, "--micro-batches", 8, "--data", "synthetic", "--effort", "quick")
    words += ("--steps", 20, "--eval-every", 5, "--eval-batches", 2, "--log", folder / "log", "--save", folder / "saved")
    code, _, err = Job(*launcher, REMAT, *words, "--overwrite", *options).end(600)
    if code != 0:
        return f"exit code {code}: {err.strip()[-300:]}"
    with open(folder / "log" / "steps.csv", newline="") as lines:
        rows = [
            {column: cell for column, cell in row.items() if not column.startswith(OF_THE_RUN)}
            for row in csv.DictReader(lines)
        ]
    saved = [file.read_bytes() for file in sorted((folder / "saved").glob("*.safetensors"))]
    return rows, saved


def main():
    names = sys.argv[1:] or list(MODELS)
    if not set(names) <= set(MODELS):
        print(__doc__, file=sys.stderr)
        return 2
    joined = engines()
    if not joined:
        print("process_matrix: neither Gloo nor an MPI is there; nothing was trained", file=sys.stderr)
        return 3
    print("| model | joined by | trainings | that differ |")
    print("|---|---|---:|---:|")
    differing = 0
    for name in names:
        with tempfile.TemporaryDirectory() as base:
            alone = left(pathlib.Path(base), name)
        if isinstance(alone, str):
            print(f"process_matrix: {name} on one rank: {alone}", file=sys.stderr)
            return 1
        for engine, start in joined.items():
            runs = differ = 0
            for ranks in RANKS:
                launcher, options = start(ranks)
                for level in LEVELS:
                    with tempfile.TemporaryDirectory() as folder:
                        found = left(pathlib.Path(folder), name, launcher, (*options, "--shard", level))
                    runs += 1
                    if found != alone:
                        differ += 1
                        what = found if isinstance(found, str) else "another file or log"
                        print(f"process_matrix: {name} on {ranks} by {engine}, {level}: {what}", file=sys.stderr)
            differing += differ
            print(f"| {name} | {engine} | {runs} | {differ} |", flush=True)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
