"""PyTorch twins of samples: trains one on synthetic data and prints a line of JSON per step, as `remat train` does.

A twin has the operations, shapes, dropout, initial values' scale and optimizers of its sample, written as one would for
PyTorch itself. But for resnet-cifar its parameters have the sample's names, and it takes random draws by the names that the
sample gives them; compare_gradients.py holds the gradients of these twins against remat's.
"""

import argparse
import json
import math
import re
import resource
import time

import torch
from torch import nn
from torch.nn import functional


class Draws:
    """What a model draws at random, by name."""

    def normal(self, name, *shape):
        return torch.randn(*shape)

    def integers(self, name, high, *shape):
        return torch.randint(high, shape)


def text_batch(vocab, symbols):
    tokens = torch.randint(vocab, (symbols["B"], symbols["T"] + 1))
    return {"tokens": tokens[:, :-1].contiguous(), "targets": tokens[:, 1:].contiguous()}


def split_heads(x, heads):
    b, t, width = x.shape
    return x.view(b, t, heads, width // heads).transpose(1, 2)


def merge_heads(x):
    b, heads, t, size = x.shape
    return x.transpose(1, 2).reshape(b, t, heads * size)


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
        return self.drop(self.proj(merge_heads(self.attend(q, k, v, mask))))

    def attend(self, q, k, v, mask):
        if q.is_cuda:
            return functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(q.shape[-1]))
        return scores.masked_fill(mask, float("-inf")).softmax(dim=-1) @ v


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
        self.block = nn.ModuleList(Block(width, heads, drop) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                scaled = name.endswith(("proj.weight", "down.weight"))
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * depth) if scaled else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(self, draws, tokens, targets):
        length = tokens.shape[1]
        mask = torch.ones(length, length, dtype=torch.bool, device=tokens.device).triu(1)
        x = self.drop(self.wte(tokens) + self.wpe.weight[:length])
        for block in self.block:
            x = block(x, mask)
        logits = functional.linear(self.norm(x), self.wte.weight)
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @staticmethod
    def batch(sizes, symbols):
        return text_batch(sizes.get("vocab", 256), symbols)

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

    def forward(self, draws, images, labels):
        x = functional.relu(self.norm(self.stages(self.stem(images))), inplace=True)
        return functional.cross_entropy(self.head(x.mean(dim=(2, 3))), labels)

    @staticmethod
    def batch(sizes, symbols):
        image = sizes.get("image", 32)
        images = torch.randn(symbols["B"], 3, image, image)
        return {"images": images, "labels": torch.randint(sizes.get("classes", 10), (symbols["B"],))}

    def optimizer(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

    clip_norm = None


class ConvNorm(nn.Module):
    def __init__(self, inputs, channels, kernel, stride=1):
        super().__init__()
        self.conv = conv(inputs, channels, kernel, stride)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return self.norm(self.conv(x))


class Bottleneck(nn.Module):
    def __init__(self, inputs, channels, stride, project):
        super().__init__()
        self.reduce = ConvNorm(inputs, channels, 1, stride)
        self.spatial = ConvNorm(channels, channels, 3)
        self.expand = ConvNorm(channels, 4 * channels, 1)
        self.shortcut = ConvNorm(inputs, 4 * channels, 1, stride) if project else nn.Identity()

    def forward(self, x):
        y = functional.relu(self.reduce(x), inplace=True)
        y = functional.relu(self.spatial(y), inplace=True)
        return functional.relu(self.expand(y) + self.shortcut(x), inplace=True)


class Stage(nn.Module):
    def __init__(self, inputs, count, channels, stride):
        super().__init__()
        self.bottleneck = nn.ModuleList(
            Bottleneck(4 * channels if i else inputs, channels, 1 if i else stride, i == 0) for i in range(count)
        )

    def forward(self, x):
        for block in self.bottleneck:
            x = block(x)
        return x


class ResNet(nn.Module):
    def __init__(self, layers=50, classes=1000, width=64, image=224):
        super().__init__()
        n = (layers - 2) // 3
        known = {50: [3, 4, 6, 3], 101: [3, 4, 23, 3], 152: [3, 8, 36, 3]}
        blocks = known.get(layers, [(n + i) // 4 for i in range(4)])
        self.stem = ConvNorm(3, width, 7, 2)
        self.stage, inputs = nn.ModuleList(), width
        for i, count in enumerate(blocks):
            self.stage.append(Stage(inputs, count, width << i, 2 if i else 1))
            inputs = 4 * (width << i)
        self.head = nn.Linear(inputs, classes)

    def forward(self, draws, images, labels):
        x = functional.max_pool2d(functional.relu(self.stem(images), inplace=True), 3, 2, 1)
        for stage in self.stage:
            x = stage(x)
        return functional.cross_entropy(self.head(x.mean(dim=(2, 3))), labels)

    @staticmethod
    def batch(sizes, symbols):
        image = sizes.get("image", 224)
        images = torch.randn(symbols["B"], 3, image, image)
        return {"images": images, "labels": torch.randint(sizes.get("classes", 1000), (symbols["B"],))}

    def optimizer(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

    clip_norm = None


class LlamaAttention(nn.Module):
    def __init__(self, width, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width // heads * kv_heads, bias=False)
        self.value = nn.Linear(width, width // heads * kv_heads, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x, turn):
        q = turn(split_heads(self.query(x), self.heads))
        k = turn(split_heads(self.key(x), self.kv_heads))
        v = split_heads(self.value(x), self.kv_heads)
        a = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.out(merge_heads(a))


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class LlamaBlock(nn.Module):
    def __init__(self, width, heads, kv_heads, hidden):
        super().__init__()
        self.norm1 = nn.RMSNorm(width, eps=1e-5)
        self.attention = LlamaAttention(width, heads, kv_heads)
        self.norm2 = nn.RMSNorm(width, eps=1e-5)
        self.feed_forward = FeedForward(width, hidden)

    def forward(self, x, turn):
        x = x + self.attention(self.norm1(x), turn)
        return x + self.feed_forward(self.norm2(x))


class Llama(nn.Module):
    def __init__(self, vocab=256, width=128, depth=4, heads=4, kv_heads=2, hidden=344, theta=10000.0):
        super().__init__()
        self.size, self.theta = width // heads, theta
        self.wte = nn.Embedding(vocab, width)
        self.block = nn.ModuleList(LlamaBlock(width, heads, kv_heads, hidden) for _ in range(depth))
        self.norm = nn.RMSNorm(width, eps=1e-5)
        self.head = nn.Linear(width, vocab, bias=False)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, draws, tokens, targets):
        dtype = self.wte.weight.dtype
        frequency = self.theta ** (-torch.arange(0, self.size, 2, dtype=dtype) / self.size)
        angle = torch.outer(torch.arange(tokens.shape[1], dtype=dtype), frequency)
        rotation = torch.polar(torch.ones_like(angle), angle)

        def turn(x):
            turned = torch.complex(*x.chunk(2, dim=-1)) * rotation
            return torch.cat([turned.real, turned.imag], dim=-1)

        x = self.wte(tokens)
        for block in self.block:
            x = block(x, turn)
        return functional.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())

    @staticmethod
    def batch(sizes, symbols):
        return text_batch(sizes.get("vocab", 256), symbols)

    def optimizer(self):
        return torch.optim.AdamW(self.parameters(), lr=3e-4, betas=(0.9, 0.95), eps=1e-5, weight_decay=0.1)

    clip_norm = 1.0


class SelfAttention(nn.Module):
    """As the Vision Transformer has it: one product for queries, keys and values."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (split_heads(part, self.heads) for part in self.qkv(x).chunk(3, dim=-1))
        return self.proj(merge_heads(functional.scaled_dot_product_attention(q, k, v)))


class Mlp(nn.Module):
    def __init__(self, width, hidden, drop):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        return self.down(self.drop(functional.gelu(self.up(x))))


class VitBlock(nn.Module):
    def __init__(self, width, heads, hidden, drop):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.attention = SelfAttention(width, heads)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = Mlp(width, hidden, drop)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        x = x + self.drop(self.attention(self.norm1(x)))
        return x + self.drop(self.mlp(self.norm2(x)))


class Vit(nn.Module):
    def __init__(
        self, patch=16, width=768, depth=12, heads=12, hidden=3072, image=224, classes=1000, drop=0.0,
    ):
        super().__init__()
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.patch_embedding = nn.Conv2d(3, width, patch, patch)
        self.position = nn.Embedding((image // patch) ** 2 + 1, width)
        self.block = nn.ModuleList(VitBlock(width, heads, hidden, drop) for _ in range(depth))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, classes)
        self.drop = nn.Dropout(drop)
        nn.init.normal_(self.position.weight, std=0.02)

    def forward(self, draws, images, labels):
        x = self.patch_embedding(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        x = self.drop(x + self.position.weight)
        for block in self.block:
            x = block(x)
        return functional.cross_entropy(self.head(self.norm(x[:, 0])), labels, label_smoothing=0.1)

    @staticmethod
    def batch(sizes, symbols):
        image = sizes.get("image", 224)
        return {
            "images": torch.randn(symbols["B"], 3, image, image),
            "labels": torch.randint(sizes.get("classes", 1000), (symbols["B"],)),
        }

    def optimizer(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3, weight_decay=0.1)

    clip_norm = 1.0


class BertAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x, mask):
        q, k, v = (split_heads(layer(x), self.heads) for layer in (self.query, self.key, self.value))
        return self.out(merge_heads(functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)))


class BertBlock(nn.Module):
    def __init__(self, width, heads, hidden, drop):
        super().__init__()
        self.attention = BertAttention(width, heads)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)
        self.drop = nn.Dropout(drop)

    def forward(self, x, mask):
        x = self.norm1(x + self.drop(self.attention(x, mask)))
        return self.norm2(x + self.drop(self.down(functional.gelu(self.up(x)))))


class Bert(nn.Module):
    def __init__(
        self, vocab=30522, width=768, depth=12, heads=12, hidden=3072, context=512, sentences=2, drop=0.1, pad=0,
    ):
        super().__init__()
        self.pad = pad
        self.word = nn.Embedding(vocab, width)
        self.sentence = nn.Embedding(sentences, width)
        self.position = nn.Embedding(context, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.block = nn.ModuleList(BertBlock(width, heads, hidden, drop) for _ in range(depth))
        self.transform = nn.Linear(width, width)
        self.transform_norm = nn.LayerNorm(width, eps=1e-12)
        self.output_bias = nn.Parameter(torch.zeros(vocab))
        self.drop = nn.Dropout(drop)

    def forward(self, draws, tokens, sentence, targets):
        mask = (tokens != self.pad)[:, None, None, :]
        x = self.word(tokens) + self.sentence(sentence) + self.position.weight[: tokens.shape[1]]
        x = self.drop(self.norm(x))
        for block in self.block:
            x = block(x, mask)
        h = self.transform_norm(functional.gelu(self.transform(x)))
        logits = functional.linear(h, self.word.weight, self.output_bias)
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100)

    @staticmethod
    def batch(sizes, symbols):
        shape, vocab = (symbols["B"], symbols["T"]), sizes.get("vocab", 30522)
        tokens = torch.randint(1, vocab, shape)
        tokens[:, -(symbols["T"] // 8) :] = sizes.get("pad", 0)
        masked = torch.rand(shape) < 0.15
        masked[:, 0] = True
        return {
            "tokens": tokens,
            "sentence": torch.randint(sizes.get("sentences", 2), shape),
            "targets": torch.randint(vocab, shape).masked_fill(~masked, -100),
        }

    def optimizer(self):
        plain = [p for p in self.parameters() if p.dim() < 2]
        groups = [{"params": plain, "weight_decay": 0.0}, {"params": [p for p in self.parameters() if p.dim() > 1]}]
        return torch.optim.AdamW(groups, lr=1e-4, weight_decay=0.01)

    clip_norm = 1.0


class Vae(nn.Module):
    def __init__(self, pixels=784, hidden=400, latent=20):
        super().__init__()
        self.encode = nn.Linear(pixels, hidden)
        self.mean = nn.Linear(hidden, latent)
        self.log_variance = nn.Linear(hidden, latent)
        self.decode = nn.Linear(latent, hidden)
        self.pixel = nn.Linear(hidden, pixels)

    def forward(self, draws, images):
        h = functional.relu(self.encode(images))
        mean, log_variance = self.mean(h), self.log_variance(h)
        z = mean + torch.exp(0.5 * log_variance) * draws.normal("epsilon", *mean.shape)
        logits = self.pixel(functional.relu(self.decode(z)))
        reconstruction = functional.binary_cross_entropy_with_logits(logits, images, reduction="sum")
        divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        return (reconstruction + divergence) / len(images)

    @staticmethod
    def batch(sizes, symbols):
        return {"images": torch.rand(symbols["B"], sizes.get("pixels", 784))}

    def optimizer(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)

    clip_norm = None




class Up(nn.Module):
    def __init__(self, inputs, outputs, stride=2, padding=1):
        super().__init__()
        self.conv_transpose2d = nn.ConvTranspose2d(inputs, outputs, 4, stride, padding, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return functional.relu(self.norm(self.conv_transpose2d(x)))


class Generator(nn.Module):
    def __init__(self, channels, noise, width):
        super().__init__()
        self.up = nn.ModuleList([Up(noise, 8 * width, stride=1, padding=0)])
        self.up.extend(Up(2 * factor * width, factor * width) for factor in (4, 2, 1))
        self.conv_transpose2d = nn.ConvTranspose2d(width, channels, 4, 2, 1, bias=False)

    def forward(self, z):
        x = z[:, :, None, None]
        for layer in self.up:
            x = layer(x)
        return torch.tanh(self.conv_transpose2d(x))


class Discriminator(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        widths = [channels, width, 2 * width, 4 * width, 8 * width]
        self.conv2d = nn.ModuleList(nn.Conv2d(a, b, 4, 2, 1, bias=False) for a, b in zip(widths, widths[1:]))
        self.conv2d.append(nn.Conv2d(8 * width, 1, 4, bias=False))
        self.norm = nn.ModuleList(nn.BatchNorm2d(factor * width) for factor in (2, 4, 8))

    def forward(self, x):
        x = functional.leaky_relu(self.conv2d[0](x), 0.2)
        for convolution, norm in zip(self.conv2d[1:], self.norm):
            x = functional.leaky_relu(norm(convolution(x)), 0.2)
        return self.conv2d[-1](x).flatten()


class Dcgan(nn.Module):
    """Both losses are of the parameters at the beginning of a step, as they are in the sample."""

    def __init__(self, channels=3, noise=100, width=64):
        super().__init__()
        self.noise = noise
        self.generator = Generator(channels, noise, width)
        self.discriminator = Discriminator(channels, width)
        for module in self.modules():
            if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
                nn.init.normal_(module.weight, std=0.02)
            elif isinstance(module, nn.BatchNorm2d):
                nn.init.normal_(module.weight, mean=1.0, std=0.02)

    def forward(self, draws, images):
        on_real = self.discriminator(images)
        on_fake = self.discriminator(self.generator(draws.normal("latent", len(images), self.noise)))
        bce = functional.binary_cross_entropy_with_logits
        right = torch.ones_like(on_real)
        return bce(on_real, right) + bce(on_fake, torch.zeros_like(on_fake)), bce(on_fake, right)

    def gradients(self, losses):
        found = {}
        for prefix, loss in zip(("discriminator", "generator"), losses):
            named = {name: value for name, value in self.named_parameters() if name.startswith(prefix)}
            found.update(zip(named, torch.autograd.grad(loss, list(named.values()), retain_graph=True)))
        return found

    @staticmethod
    def batch(sizes, symbols):
        return {"images": 2 * torch.rand(symbols["B"], sizes.get("channels", 3), 64, 64) - 1}

    def optimizer(self):
        return torch.optim.Adam(self.parameters(), lr=2e-4, betas=(0.5, 0.999))

    clip_norm = None


class DdpmUnit(nn.Module):
    def __init__(self, inputs, channels, time, groups, drop):
        super().__init__()
        self.norm1 = nn.GroupNorm(groups, inputs, eps=1e-6)
        self.conv1 = nn.Conv2d(inputs, channels, 3, padding=1)
        self.time = nn.Linear(time, channels)
        self.norm2 = nn.GroupNorm(groups, channels, eps=1e-6)
        self.drop = nn.Dropout(drop)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.shortcut = nn.Conv2d(inputs, channels, 1) if inputs != channels else nn.Identity()

    def forward(self, x, t):
        h = self.conv1(functional.silu(self.norm1(x))) + self.time(t)[:, :, None, None]
        return self.shortcut(x) + self.conv2(self.drop(functional.silu(self.norm2(h))))


class DdpmAttention(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=1e-6)
        self.query, self.key, self.value, self.out = (nn.Linear(channels, channels) for _ in range(4))

    def forward(self, x):
        h = self.norm(x).flatten(2).transpose(1, 2)
        a = functional.scaled_dot_product_attention(self.query(h), self.key(h), self.value(h))
        return x + self.out(a).transpose(1, 2).view_as(x)


class Ddpm(nn.Module):
    def __init__(
        self, steps=1000, first=1e-4, last=0.02, width=128, factors=(1, 2, 2, 2), units=2,
        attends=(False, True, False, False), groups=32, image=32, drop=0.1,
    ):
        super().__init__()
        self.steps, self.first, self.last, self.units, self.attends = steps, first, last, units, attends
        self.width, levels = width, len(factors)
        self.time1, self.time2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, 4 * width)
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        names = ("down", "down_attention", "downsample", "up", "up_attention", "upsampled")
        for name in names:
            self.add_module(name, nn.ModuleList())
        skips = [width]
        for level, factor in enumerate(factors):
            for _ in range(units):
                self.down.append(DdpmUnit(skips[-1], factor * width, 4 * width, groups, drop))
                if attends[level]:
                    self.down_attention.append(DdpmAttention(factor * width, groups))
                skips.append(factor * width)
            if level < levels - 1:
                self.downsample.append(nn.Conv2d(factor * width, factor * width, 3, stride=2))
                skips.append(factor * width)
        channels = skips[-1]
        self.middle1 = DdpmUnit(channels, channels, 4 * width, groups, drop)
        self.middle_attention = DdpmAttention(channels, groups)
        self.middle2 = DdpmUnit(channels, channels, 4 * width, groups, drop)
        for level, factor in reversed(list(enumerate(factors))):
            for _ in range(units + 1):
                self.up.append(DdpmUnit(channels + skips.pop(), factor * width, 4 * width, groups, drop))
                channels = factor * width
                if attends[level]:
                    self.up_attention.append(DdpmAttention(channels, groups))
            if level > 0:
                self.upsampled.append(nn.Conv2d(channels, channels, 3, padding=1))
        self.norm = nn.GroupNorm(groups, channels, eps=1e-6)
        self.head = nn.Conv2d(channels, 3, 3, padding=1)

    def forward(self, draws, images):
        dtype = images.dtype
        time = draws.integers("time", self.steps, len(images))
        noise = draws.normal("noise", *images.shape)
        left = (1 - torch.linspace(self.first, self.last, self.steps, dtype=dtype)).cumprod(0)[time][:, None, None, None]
        mixed = left.sqrt() * images + (1 - left).sqrt() * noise
        half = self.width // 2
        angle = time[:, None] * torch.exp(torch.arange(half, dtype=dtype) * (-math.log(10000.0) / (half - 1)))
        t = self.time2(functional.silu(self.time1(torch.cat([angle.sin(), angle.cos()], dim=1))))
        return functional.mse_loss(self.predict(mixed, functional.silu(t)), noise)

    def predict(self, x, t):
        down, down_attention, downsample = iter(self.down), iter(self.down_attention), iter(self.downsample)
        h = self.stem(x)
        skips = [h]
        for level, attends in enumerate(self.attends):
            for _ in range(self.units):
                h = next(down)(h, t)
                h = next(down_attention)(h) if attends else h
                skips.append(h)
            if level < len(self.attends) - 1:
                h = next(downsample)(functional.pad(h, (0, 1, 0, 1)))
                skips.append(h)
        h = self.middle2(self.middle_attention(self.middle1(h, t)), t)
        up, up_attention, upsampled = iter(self.up), iter(self.up_attention), iter(self.upsampled)
        for level, attends in reversed(list(enumerate(self.attends))):
            for _ in range(self.units + 1):
                h = next(up)(torch.cat([h, skips.pop()], dim=1), t)
                h = next(up_attention)(h) if attends else h
            if level > 0:
                h = next(upsampled)(functional.interpolate(h, scale_factor=2, mode="nearest"))
        return self.head(functional.silu(self.norm(h)))

    @staticmethod
    def batch(sizes, symbols):
        image = sizes.get("image", 32)
        return {"images": 2 * torch.rand(symbols["B"], 3, image, image) - 1}

    def optimizer(self):
        return torch.optim.Adam(self.parameters(), lr=2e-4)

    clip_norm = 1.0


class WiredConv(nn.Module):
    def __init__(self, inputs, channels, kernel, stride=1, groups=1):
        super().__init__()
        self.conv2d = nn.Conv2d(inputs, channels, kernel, stride, kernel // 2, groups=groups, bias=False)

    def forward(self, x):
        return self.conv2d(x)


class Mix(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(count)) if count > 1 else None

    def forward(self, parts):
        if self.weight is None:
            return parts[0]
        return torch.einsum("i,i...->...", torch.sigmoid(self.weight), torch.stack(parts))


class WiredNode(nn.Module):
    def __init__(self, count, inputs, channels, stride):
        super().__init__()
        self.mix = Mix(count)
        self.depthwise = WiredConv(inputs, inputs, 3, stride, groups=inputs)
        self.pointwise = WiredConv(inputs, channels, 1)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, parts):
        return self.norm(self.pointwise(self.depthwise(functional.relu(self.mix(parts)))))


class WiredStage(nn.Module):
    def __init__(self, wiring, inputs, channels):
        super().__init__()
        *self.wiring, self.leaves = wiring
        self.node = nn.ModuleList(
            WiredNode(len(reads), *((channels, channels, 1) if reads[0] else (inputs, channels, 2)))
            for reads in self.wiring
        )

    def forward(self, x):
        results = [x]
        for node, reads in zip(self.node, self.wiring):
            results.append(node([results[k] for k in reads]))
        return torch.stack([results[k] for k in self.leaves]).mean(dim=0)


class RandWire(nn.Module):
    def __init__(self, stages, classes=1000, width=78, features=1280, image=224):
        super().__init__()
        self.stem = WiredConv(3, width // 2, 3, 2)
        self.second = WiredConv(width // 2, width, 3, 2)
        self.stage, inputs, channels = nn.ModuleList(), width, width
        for wiring in stages:
            self.stage.append(WiredStage(wiring, inputs, channels))
            inputs, channels = channels, 2 * channels
        self.last = WiredConv(inputs, features, 1)
        self.batch_norm = nn.ModuleList(nn.BatchNorm2d(count) for count in (width // 2, width, features))
        self.head = nn.Linear(features, classes)

    def forward(self, draws, images, labels):
        x = self.batch_norm[0](self.stem(images))
        x = self.batch_norm[1](self.second(functional.relu(x)))
        for stage in self.stage:
            x = stage(x)
        x = functional.relu(self.batch_norm[2](self.last(functional.relu(x))))
        return functional.cross_entropy(self.head(x.mean(dim=(2, 3))), labels)

    batch = staticmethod(ResNet.batch)

    def optimizer(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-5)

    clip_norm = None


MODELS = {
    "gpt": Gpt, "resnet": ResNet, "resnet-cifar": ResNetCifar, "llama": Llama, "vit": Vit, "bert": Bert, "vae": Vae,
    "dcgan": Dcgan, "ddpm": Ddpm, "randwire": RandWire,
}


def resident_peak():
    """Largest resident set of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def backward(model, loss):
    if isinstance(loss, tuple):
        for name, gradient in model.gradients(loss).items():
            model.get_parameter(name).grad = gradient
    else:
        loss.backward()


def parse(settings):
    """Hyper-parameters and symbols, which are capitals, of a text such as B=8,depth=2."""
    bindings = dict(re.findall(r"(\w+)=(.+?)(?=,\w+=|$)", settings))
    symbols = {name: int(value) for name, value in bindings.items() if name.isupper()}
    sizes = {name: json.loads(value) for name, value in bindings.items() if not name.isupper()}
    return sizes, symbols


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--set", default="", metavar="NAME=VALUE,…", help="as for remat: symbols are capitals")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--channels-last", action="store_true", help="images and their weights as NHWC in memory")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--bf16", action="store_true", help="mixed precision, as torch.autocast has it")
    parser.add_argument("--compile", action="store_true", help="by torch.compile")
    parser.add_argument("--memory-budget", type=float, metavar="SHARE",
                        help="of what torch.compile keeps of activations: the rest is computed again")
    arguments = parser.parse_args()

    if arguments.memory_budget is not None:
        # Of PyTorch 2.4 and later.
        from torch._functorch import config

        config.activation_memory_budget = arguments.memory_budget
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    sizes, symbols = parse(arguments.set)

    # Libraries load and start their threads before the memory of the model counts.
    (torch.randn(64, 64, requires_grad=True) @ torch.randn(64, 64)).sum().backward()
    before = resident_peak()
    model = MODELS[arguments.model](**sizes)
    layout = torch.channels_last if arguments.channels_last else torch.contiguous_format
    model.to(device=arguments.device, memory_format=layout)
    optimizer = model.optimizer()
    parameters = sum(parameter.numel() for parameter in model.parameters())
    evaluate = torch.compile(model) if arguments.compile else model
    for step in range(1, arguments.steps + 1):
        inputs = {
            name: (value.contiguous(memory_format=layout) if value.dim() == 4 else value).to(arguments.device)
            for name, value in model.batch(sizes, symbols).items()
        }
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(arguments.device, torch.bfloat16, enabled=arguments.bf16):
            loss = evaluate(Draws(), **inputs)
        backward(model, loss)
        if model.clip_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), model.clip_norm)
        optimizer.step()
        value = (loss[0] if isinstance(loss, tuple) else loss).item()
        if arguments.device == "cuda":
            torch.cuda.synchronize()
        millis = 1e3 * (time.perf_counter() - start)
        print(json.dumps({"step": step, "loss": value, "millis": millis}), flush=True)
    done = {"done": True, "steps": arguments.steps, "parameters": parameters, "residentGrowthBytes": resident_peak() - before}
    if arguments.device == "cuda":
        done["peakDeviceBytes"] = torch.cuda.max_memory_allocated()
    print(json.dumps(done))


if __name__ == "__main__":
    main()
