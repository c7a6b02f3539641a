"""PyTorch twins of two samples: trains one on synthetic data and prints a line of JSON per step, as `remat train` does.

The models have the operations, shapes, dropout, initial values' scale and optimizers of samples/gpt.model and
samples/resnet-cifar.model, written as one would for PyTorch itself.
"""

import argparse
import json
import math
import resource
import time

import torch
from torch import nn
from torch.nn import functional


class Attention(nn.Module):
    def __init__(self, width, heads, drop):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.drop = nn.Dropout(drop)

    def forward(self, x, mask):
        b, t, width = x.shape
        q, k, v = (
            part.view(b, t, self.heads, width // self.heads).transpose(1, 2)
            for part in self.qkv(x).split(width, dim=-1)
        )
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(width // self.heads))
        weights = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
        return self.drop(self.proj((weights @ v).transpose(1, 2).reshape(b, t, width)))


class Block(nn.Module):
    def __init__(self, width, heads, drop):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads, drop)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.drop = nn.Dropout(drop)

    def forward(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        h = functional.gelu(self.up(self.norm2(x)), approximate="tanh")
        return x + self.drop(self.down(h))


class Gpt(nn.Module):
    def __init__(self, vocab=256, width=128, depth=4, heads=4, context=1024, drop=0.1):
        super().__init__()
        self.wte = nn.Embedding(vocab, width)
        self.wpe = nn.Embedding(context, width)
        self.drop = nn.Dropout(drop)
        self.blocks = nn.ModuleList(Block(width, heads, drop) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                scaled = name.endswith(("proj.weight", "down.weight"))
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * depth) if scaled else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(self, tokens, targets):
        length = tokens.shape[1]
        mask = torch.ones(length, length, dtype=torch.bool).triu(1)
        x = self.drop(self.wte(tokens) + self.wpe.weight[:length])
        for block in self.blocks:
            x = block(x, mask)
        logits = functional.linear(self.norm(x), self.wte.weight)
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @staticmethod
    def batch(sizes, symbols):
        tokens = torch.randint(sizes.get("vocab", 256), (symbols["B"], symbols["T"] + 1))
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()

    def optimizer(self):
        return torch.optim.AdamW(self.parameters(), lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1)

    clip_norm = 1.0


def conv(inputs, outputs, kernel, stride=1):
    layer = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    return layer


class Residual(nn.Sequential):
    def __init__(self, inputs, channels, stride=1):
        super().__init__(
            conv(inputs, channels, 1, stride),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            conv(channels, channels, 3),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            conv(channels, 4 * channels, 1),
        )


class Unit(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(4 * channels)
        self.residual = Residual(4 * channels, channels)

    def forward(self, x):
        return x + self.residual(functional.relu(self.norm(x), inplace=True))


class Widen(nn.Module):
    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.norm = nn.BatchNorm2d(inputs)
        self.shortcut = conv(inputs, 4 * channels, 1, stride)
        self.residual = Residual(inputs, channels, stride)

    def forward(self, x):
        x = functional.relu(self.norm(x), inplace=True)
        return self.shortcut(x) + self.residual(x)


class ResNetCifar(nn.Module):
    def __init__(self, depth=1001, classes=10, width=16, image=32):
        super().__init__()
        units = (depth - 2) // 9
        stages, inputs = [], width
        for channels, stride in (width, 1), (2 * width, 2), (4 * width, 2):
            stages.append(Widen(inputs, channels, stride))
            stages.extend(Unit(channels) for _ in range(units - 1))
            inputs = 4 * channels
        self.stem = conv(3, width, 3)
        self.stages = nn.Sequential(*stages)
        self.norm = nn.BatchNorm2d(inputs)
        self.head = nn.Linear(inputs, classes)

    def forward(self, images, labels):
        x = functional.relu(self.norm(self.stages(self.stem(images))), inplace=True)
        return functional.cross_entropy(self.head(x.mean(dim=(2, 3))), labels)

    @staticmethod
    def batch(sizes, symbols):
        image = sizes.get("image", 32)
        images = torch.randn(symbols["B"], 3, image, image)
        return images, torch.randint(sizes.get("classes", 10), (symbols["B"],))

    def optimizer(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

    clip_norm = None


MODELS = {"gpt": Gpt, "resnet-cifar": ResNetCifar}


def resident_peak():
    """Largest resident set of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--set", default="", metavar="NAME=VALUE,…", help="as for remat: symbols are capitals")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--channels-last", action="store_true", help="images and their weights as NHWC in memory")
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    bindings = dict(pair.split("=") for pair in arguments.set.split(",") if pair)
    symbols = {name: int(value) for name, value in bindings.items() if name.isupper()}
    sizes = {name: json.loads(value) for name, value in bindings.items() if not name.isupper()}

    # Libraries load and start their threads before the memory of the model counts.
    (torch.randn(64, 64, requires_grad=True) @ torch.randn(64, 64)).sum().backward()
    before = resident_peak()
    model = MODELS[arguments.model](**sizes)
    layout = torch.channels_last if arguments.channels_last else torch.contiguous_format
    model.to(memory_format=layout)
    optimizer = model.optimizer()
    parameters = sum(parameter.numel() for parameter in model.parameters())
    for step in range(1, arguments.steps + 1):
        inputs = [
            value.contiguous(memory_format=layout) if value.dim() == 4 else value
            for value in model.batch(sizes, symbols)
        ]
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = model(*inputs)
        loss.backward()
        if model.clip_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), model.clip_norm)
        optimizer.step()
        value = loss.item()
        millis = 1e3 * (time.perf_counter() - start)
        print(json.dumps({"step": step, "loss": value, "millis": millis}), flush=True)
    growth = resident_peak() - before
    print(json.dumps({"done": True, "steps": arguments.steps, "parameters": parameters, "residentGrowthBytes": growth}))


if __name__ == "__main__":
    main()
