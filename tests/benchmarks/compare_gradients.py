#!/usr/bin/env python3
"""Compares loss and gradients of samples with those of their PyTorch twins (torch_step.py) in double precision.

Each twin draws its parameters and a batch; `remat grad --precision f64` takes them as safetensors and returns the loss,
every gradient, and what the model drew at random, which the twin then takes for its own. An error is the largest
difference of two tensors relative to the largest element, or to 0.01 if that is less.

Run it with a Python that has torch and safetensors:

    tests/benchmarks/compare_gradients.py [MODEL ...]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file

from torch_step import MODELS, parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 1e-12
# Sizes that PyTorch evaluates in no time, and the names of what is drawn. Dropout is left out: the two draw differently.
CASES = {
    "gpt": ("B=2,T=9,vocab=17,width=16,depth=2,heads=2,context=12,drop=0.0", []),
    "resnet": ("B=3,layers=26,width=4,classes=5,image=64", []),
    "randwire": (
        "B=3,width=6,features=10,classes=5,image=32,stages=[[[0],[0],[1,2],[1,3],[2,4]],[[0],[1],[1,2],[2,3]]]", [],
    ),
    "llama": ("B=2,T=9,vocab=17,width=24,depth=2,heads=6,kv_heads=2,hidden=20", []),
    "vit": ("B=2,patch=4,width=16,depth=2,heads=2,hidden=24,image=12,classes=5", []),
    "bert": ("B=2,T=16,vocab=19,width=16,depth=2,heads=2,hidden=24,context=20,drop=0.0", []),
    "dcgan": ("B=3,noise=6,width=2", ["latent"]),
    "ddpm": (
        "B=2,steps=20,width=8,factors=[1, 2],units=1,attends=[false, true],groups=2,image=8,drop=0.0", ["time", "noise"],
    ),
    "vae": ("B=3,pixels=20,hidden=16,latent=5", ["epsilon"]),
}


class Given:
    """Draws that were made before."""

    def __init__(self, values):
        self.values = values

    def normal(self, name, *shape):
        return self.values[name].view(shape)

    def integers(self, name, high, *shape):
        return self.values[name].long().view(shape)


def error(actual, expected):
    return ((actual - expected).abs().max() / expected.abs().max().clamp(min=1e-2)).item()


def compare(name):
    settings, drawn = CASES[name]
    sizes, symbols = parse(settings)
    torch.manual_seed(1)
    twin = MODELS[name](**sizes).double()
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    batch = {
        key: value.double() if value.is_floating_point() else value.int()
        for key, value in twin.batch(sizes, symbols).items()
    }
    with tempfile.TemporaryDirectory() as folder:
        given, result = pathlib.Path(folder, "given.safetensors"), pathlib.Path(folder, "result.safetensors")
        tensors = {**batch, **{key: value.detach() for key, value in twin.named_parameters()}}
        save_file({key: value.contiguous() for key, value in tensors.items()}, given)
        command = [
            os.environ.get("REMAT", "./remat"), "grad", f"samples/{name}.model", "--set", settings, "--precision", "f64", "--inputs", given,
            "-o", result,
        ]
        command += ["--values", ",".join(drawn)] if drawn else []
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            sys.exit(f"{name}: remat grad ended with {ended.returncode}:\n{ended.stderr}")
        ours = load_file(result)
    batch = {key: value if value.is_floating_point() else value.long() for key, value in batch.items()}
    losses = twin(Given(ours), **batch)
    gradients = twin.gradients(losses) if hasattr(twin, "gradients") else all_gradients(twin, losses)
    loss = losses[0] if isinstance(losses, tuple) else losses
    errors = {"loss": error(ours["loss"], loss.detach())}
    for key, gradient in gradients.items():
        errors[key] = error(ours[f"grad.{key}"], gradient)
    worst = max(errors, key=errors.get)
    return {
        "model": name, "set": settings, "parameters": len(gradients), "lossError": errors["loss"],
        "largestError": errors[worst], "at": worst, "holds": errors[worst] <= LIMIT,
    }


def all_gradients(twin, loss):
    names = [key for key, _ in twin.named_parameters()]
    return dict(zip(names, torch.autograd.grad(loss, list(twin.parameters()))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(CASES)}; all of them by default")
    arguments = parser.parse_args()
    unknown = [model for model in arguments.models if model not in CASES]
    if unknown:
        parser.error(f"unknown model {unknown[0]}; choose from {', '.join(CASES)}")
    rows = []
    for model in arguments.models or CASES:
        rows.append(compare(model))
        print(json.dumps(rows[-1]), flush=True)
    sys.exit(0 if all(row["holds"] for row in rows) else 1)


if __name__ == "__main__":
    main()
