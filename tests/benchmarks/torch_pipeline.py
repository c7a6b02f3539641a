"""Trains twins of torch_step.py in two stages by torch.distributed.pipeline.sync.Pipe, on the CPU, and prints what torch_step.py
prints, and its cut. Pipe was part of PyTorch 1.8 to 2.3; Debian 12 has it as python3-torch.

Layers are shared out by Pipe's own balance_by_time. Losses are taken in the last stage, a micro-batch at a time, so that
nothing is larger than it has to be.
"""

import argparse
import json
import os
import tempfile
import time

import torch
from torch import nn
from torch.distributed import rpc
from torch.distributed.pipeline.sync import Pipe
from torch.distributed.pipeline.sync._balance import balance_by_time
from torch.distributed.pipeline.sync.pipe import PipeSequential
from torch.nn import functional

import torch_step

MODES = {"pipe-always": "always", "pipe-except-last": "except_last", "pipe-never": "never"}


class Layer(nn.Module):
    """A layer beside which the targets pass."""

    def __init__(self, compute, *parts):
        super().__init__()
        self.compute = compute
        self.parts = nn.ModuleList(parts)

    def forward(self, x, targets):
        return self.compute(x), targets


class Loss(Layer):
    def forward(self, x, targets):
        return functional.cross_entropy(self.compute(x).flatten(0, -2), targets.flatten()).view(1)


def layers_of_gpt(model, symbols):
    mask = torch.ones(symbols["T"], symbols["T"], dtype=torch.bool).triu(1)
    start = Layer(lambda tokens: model.drop(model.wte(tokens) + model.wpe.weight[: symbols["T"]]), model.wte, model.wpe)
    blocks = [Layer(lambda x, block=block: block(x, mask), block) for block in model.block]
    return [start, *blocks, Loss(lambda x: functional.linear(model.norm(x), model.wte.weight), model.norm)]


def layers_of_resnet_cifar(model, symbols):
    def end(x):
        return model.head(functional.relu(model.norm(x), inplace=True).mean(dim=(2, 3)))

    return [Layer(model.stem, model.stem), *(Layer(unit, unit) for unit in model.stages), Loss(end, model.norm, model.head)]


LAYERS = {"gpt": layers_of_gpt, "resnet-cifar": layers_of_resnet_cifar}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=LAYERS)
    parser.add_argument("--set", default="", metavar="NAME=VALUE,…", help="as for remat: symbols are capitals")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1, help="of operations, in each stage")
    parser.add_argument("--mode", choices=MODES, default="pipe-except-last", help="what is computed again")
    parser.add_argument("--micro-batches", type=int, default=8)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    sizes, symbols = torch_step.parse(arguments.set)
    # Pipe asks for it, though all is one process.
    with tempfile.NamedTemporaryFile() as meeting:
        rpc.init_rpc("all", rank=0, world_size=1, rpc_backend_options=rpc.TensorPipeRpcBackendOptions(
            init_method=f"file://{meeting.name}", _transports=["uv"], _channels=["basic"]))  # fmt: skip
    model = torch_step.MODELS[arguments.model](**sizes)
    optimizer = model.optimizer()
    layers = LAYERS[arguments.model](model, symbols)
    sample = tuple(model.batch(sizes, {**symbols, "B": symbols["B"] // arguments.micro_batches}).values())
    first, _ = balance_by_time(2, nn.Sequential(*layers), sample, device="cpu")
    parts = [PipeSequential(*layers[:first]), PipeSequential(*layers[first:])]
    pipe = Pipe(nn.Sequential(*parts), chunks=arguments.micro_batches, checkpoint=MODES[arguments.mode])
    print(json.dumps({"layers": [first, len(layers) - first]}), flush=True)
    for step in range(1, arguments.steps + 1):
        inputs = model.batch(sizes, symbols).values()
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = pipe(*inputs).local_value().mean()
        loss.backward()
        if model.clip_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), model.clip_norm)
        optimizer.step()
        value = loss.item()
        print(json.dumps({"step": step, "loss": value, "millis": 1e3 * (time.perf_counter() - start)}), flush=True)
    # Nothing is left to tidy that the end of a process does not.
    os._exit(0)


if __name__ == "__main__":
    main()
