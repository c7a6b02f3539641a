"""Builtins against PyTorch in f64: values, and gradients by every operand and parameter.

All cases stand in one model, whose loss weights each element of each result by a number of its own; `remat grad` and
autograd must agree. Prints a line for each case that differs by more than 1e-12 of the largest number in it, and ends
with 1 if there is any.

    python torch_builtins.py --remat ./remat
"""

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from builtin_cases import CASES

TOLERANCE = 1e-12
# Joins what a recurrent network returns.
FLAT = {
    "Flat": "layer Flat(all) { return concat([flatten(all[0], 0), flatten(all[1], 0)]) }",
    "FlatPair": "layer FlatPair(all) { return concat([flatten(all[0], 0), flatten(all[1][0], 0), flatten(all[1][1], 0)]) }",
}


def shape(tensor):
    return "[" + ", ".join(str(extent) for extent in tensor.shape) + "]" if tensor.dim() else ""


def dtype(tensor):
    return {torch.float64: "f32", torch.int32: "i32", torch.bool: "bool"}[tensor.dtype]


def difference(ours, theirs):
    if ours.shape != theirs.shape:
        return math.inf
    same = (ours == theirs) | (ours.isnan() & theirs.isnan())
    distance = torch.where(same, torch.zeros_like(theirs), (ours - theirs).abs())
    scale = max(1.0, theirs[theirs.isfinite()].abs().max().item() if theirs.isfinite().any() else 1.0)
    return (distance.nan_to_num(nan=math.inf).max() / scale).item() if distance.numel() else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--remat", default="./remat", help="command that runs remat")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    torch.manual_seed(3)
    cases = [case for case in CASES if options.only in case.name]
    declarations, body, files, expected = [], [], {}, {}
    for number, case in enumerate(cases):
        name = f"c{number}"
        given = case.operands()
        for key, tensor in given.items():
            full = case.path(name, key)
            if tensor.dtype == torch.float64 and key not in case.data:
                tensor.requires_grad_()
                if full == f"{name}_{key}":
                    declarations.append(f"param {full}: f32{shape(tensor)} = zeros")
            else:
                declarations.append(f"input {full}: {dtype(tensor)}{shape(tensor)}")
            files[full] = tensor.detach().contiguous()
        result = case.theirs(**given)
        weight = torch.randn_like(result)
        files[f"{name}_weights"] = weight.contiguous()
        declarations.append(f"input {name}_weights: f32{shape(weight)}")
        body.append(f"{name} = {case.written(name)}")
        body.append(f"loss = {'loss + ' if number else ''}sum({name} * {name}_weights)")
        floats = {key: t for key, t in given.items() if t.requires_grad}
        slopes = torch.autograd.grad(
            (result * weight).nan_to_num(posinf=0, neginf=0).sum(), list(floats.values()), allow_unused=True)
        expected[name] = result.detach()
        for (key, tensor), slope in zip(floats.items(), slopes):
            expected["grad." + case.path(name, key)] = torch.zeros_like(tensor) if slope is None else slope
    layers = [layer for name, layer in FLAT.items() if any(f"{name}(" in line for line in body)]
    text = "\n".join(["remat 1", *layers, "model M {", *declarations, *body, "}"])
    text += "\ntrain { minimize loss\n optimizer sgd(lr = 0.1) }\n"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "m.model").write_text(text)
        save_file(files, folder / "in.safetensors")
        subprocess.run(
            [*options.remat.split(), "grad", "--precision", "f64", folder / "m.model", "--inputs", folder / "in.safetensors",
             "--values", ",".join(f"c{n}" for n in range(len(cases))), "-o", folder / "out.safetensors"],
            check=True, stdout=subprocess.DEVNULL)
        found = load_file(folder / "out.safetensors")
    worst, wrong = 0.0, 0
    for number, case in enumerate(cases):
        name = f"c{number}"
        for key in [k for k in expected if k == name or k.startswith((f"grad.{name}_", f"grad.{name}."))]:
            ours = found.get(key, found.get("value." + key))
            if ours is None:  # The loss does not depend on it.
                ours = torch.zeros_like(expected[key])
            off = difference(ours, expected[key])
            worst = max(worst, off)
            if off > TOLERANCE:
                wrong += 1
                print(f"{case.name}: {key} differs by {off:.2e}")
                print("  ours  ", ours.flatten()[:12].tolist())
                print("  theirs", expected[key].flatten()[:12].tolist())
    print(f"{len(cases)} cases, largest difference {worst:.1e}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
