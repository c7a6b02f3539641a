"""Cases of torch_builtins.py: each an expression of the model language and what PyTorch computes for it."""

import re
from dataclasses import dataclass, field
from typing import Callable

import torch
from torch.nn import functional as F


@dataclass
class Case:
    """`text` names its operands as {x}, and itself, where it owns parameters, as {self}."""

    text: str
    theirs: Callable
    given: dict
    data: tuple = ()
    name: str = field(init=False)

    def __post_init__(self):
        self.name = self.text

    def operands(self):
        return {key: make().clone() for key, make in self.given.items()}

    def path(self, name, key):
        return f"{name}p.{key.replace('__', '.')}" if self.owns(key) else f"{name}_{key}"

    def owns(self, key):
        return "{" + key + "}" not in self.text

    def written(self, name):
        return re.sub(r"\{(\w+)\}", lambda m: f"{name}p" if m[1] == "self" else f"{name}_{m[1]}", self.text)


def normal(*shape):
    return lambda: torch.randn(*shape, dtype=torch.float64)


def positive(*shape):
    return lambda: torch.rand(*shape, dtype=torch.float64) + 0.1


def numbers(*values):
    return lambda: torch.tensor(values, dtype=torch.float64)


def integers(most, *shape):
    return lambda: torch.randint(most, shape, dtype=torch.int32)



GRID = numbers(-1e200, -40.0, -6.0, -3.0, -2.9, -1.0, -0.5, -0.3, -1e-9, 0.0, 1e-9, 0.3, 0.5, 1.0, 2.9, 3.0, 6.0, 40.0, 1e200)


def of_grid(text, theirs):
    return Case(text, lambda x: theirs(x), {"x": GRID})


CASES = [
    of_grid("elu({x})", lambda x: F.elu(x)),
    of_grid("elu({x}, alpha = 0.5)", lambda x: F.elu(x, 0.5)),
    of_grid("selu({x})", F.selu),
    of_grid("celu({x}, alpha = 2)", lambda x: F.celu(x, 2.0)),
    of_grid("mish({x})", F.mish),
    of_grid("hardtanh({x})", F.hardtanh),
    of_grid("hardtanh({x}, min_val = -3, max_val = 0.5)", lambda x: F.hardtanh(x, -3.0, 0.5)),
    of_grid("relu6({x})", F.relu6),
    # PyTorch multiplies by a sixth in single precision.
    of_grid("hardsigmoid({x})", lambda x: F.relu6(x + 3) / 6),
    of_grid("hardswish({x})", F.hardswish),
    of_grid("logsigmoid({x})", F.logsigmoid),
    of_grid("tanhshrink({x})", F.tanhshrink),
    of_grid("softsign({x})", F.softsign),
    of_grid("hardshrink({x})", F.hardshrink),
    of_grid("softshrink({x}, lambd = 0.3)", lambda x: F.softshrink(x, 0.3)),
    of_grid("threshold({x}, 0.3, 7)", lambda x: F.threshold(x, 0.3, 7.0)),
    Case("softmin({x}, axis = 0)", lambda x: F.softmin(x, 0), {"x": normal(3, 4)}),
    Case("glu({x})", lambda x: F.glu(x), {"x": normal(3, 4)}),
    Case("swiglu({x}, axis = 0)", lambda x: x[:2] * F.silu(x[2:]), {"x": normal(4, 3)}),
    Case("geglu({x})", lambda x: x[:, :2] * F.gelu(x[:, 2:]), {"x": normal(3, 4)}),
    Case("prelu({x}) as {self}", lambda x, weight: F.prelu(x, weight), {"x": GRID, "weight": normal(1)}),
    Case("prelu({x}, num_parameters = 3) as {self}", lambda x, weight: F.prelu(x, weight),
         {"x": normal(2, 3, 4), "weight": normal(3)}),
]


def reductions(text, theirs, given, data=()):
    for reduction in ["mean", "sum", "none"]:
        CASES.append(Case(text[:-1] + f', reduction = "{reduction}")',
                          lambda reduction=reduction, **k: theirs(**k, reduction=reduction), given, data))


PAIR = {"x": normal(3, 4), "y": normal(3, 4)}
reductions("mse({x}, {y})", lambda x, y, reduction: F.mse_loss(x, y, reduction=reduction), PAIR)
reductions("l1_loss({x}, {y})", lambda x, y, reduction: F.l1_loss(x, y, reduction=reduction), PAIR)
reductions("smooth_l1({x}, {y}, beta = 0.7)",
           lambda x, y, reduction: F.smooth_l1_loss(x, y, beta=0.7, reduction=reduction), PAIR)
reductions("huber({x}, {y}, delta = 0.7)",
           lambda x, y, reduction: F.huber_loss(x, y, delta=0.7, reduction=reduction), PAIR)

ROWS = {"x": normal(2, 3, 5)}
ROWS["t"] = lambda: torch.tensor([[0, 4, 2], [-100, 1, 3]], dtype=torch.int32)
WEIGHED = {**ROWS, "w": positive(5)}


def rows(f):
    """Classes on axis 1, as PyTorch has them."""
    return lambda x, t, **k: f(x.transpose(1, 2), t.long(), **k)


for smoothing in [0.0, 0.2]:
    reductions(f"cross_entropy({{x}}, {{t}}, label_smoothing = {smoothing})",
               lambda x, t, reduction, s=smoothing: F.cross_entropy(
                   x.transpose(1, 2), t.long(), label_smoothing=s, reduction=reduction), ROWS)
    reductions(f"cross_entropy({{x}}, {{t}}, label_smoothing = {smoothing}, weight = {{w}})",
               lambda x, t, w, reduction, s=smoothing: F.cross_entropy(
                   x.transpose(1, 2), t.long(), weight=w.detach(), label_smoothing=s, reduction=reduction),
               WEIGHED, ("w",))


def by_sample(x, t, s):
    losses = F.cross_entropy(x.transpose(1, 2), t.long(), reduction="none")
    return (losses * s).sum() / (s * (t != -100)).sum()


CASES.append(Case("cross_entropy({x}, {t}, sample_weight = {s})", by_sample, {**ROWS, "s": positive(2, 3)}, ("s",)))
reductions("nll_loss({x}, {t}, weight = {w})",
           lambda x, t, w, reduction: F.nll_loss(x.transpose(1, 2), t.long(), weight=w, reduction=reduction),
           WEIGHED, ("w",))
reductions("nll_loss({x}, {t}, ignore_index = 4)",
           lambda x, t, reduction: F.nll_loss(x, t.long(), ignore_index=4, reduction=reduction),
           {"x": normal(4, 5), "t": lambda: torch.tensor([0, 4, 2, 1], dtype=torch.int32)})
for p in [1, 2]:
    reductions(f"multi_margin_loss({{x}}, {{t}}, p = {p}, margin = 0.8, weight = {{w}})",
               lambda x, t, w, reduction, p=p: F.multi_margin_loss(
                   x, t.long(), p=p, margin=0.8, weight=w, reduction=reduction),
               {"x": normal(4, 5), "t": integers(5, 4), "w": positive(5)}, ("w",))

SOFT = {"x": normal(3, 4), "t": lambda: torch.rand(3, 4, dtype=torch.float64)}
reductions("bce_with_logits({x}, {t})",
           lambda x, t, reduction: F.binary_cross_entropy_with_logits(x, t, reduction=reduction), SOFT)
reductions("bce_with_logits({x}, {t}, weight = {w}, pos_weight = {p})",
           lambda x, t, w, p, reduction: F.binary_cross_entropy_with_logits(
               x, t, weight=w, pos_weight=p, reduction=reduction),
           {**SOFT, "w": positive(3, 1), "p": positive(4)}, ("w", "p"))


def sigmoid_focal(x, t, alpha, gamma):
    p = torch.sigmoid(x)
    right = p * t + (1 - p) * (1 - t)
    losses = F.binary_cross_entropy_with_logits(x, t, reduction="none") * (1 - right) ** gamma
    return losses * (alpha * t + (1 - alpha) * (1 - t)) if alpha >= 0 else losses


HARD = {"x": normal(3, 4), "t": lambda: torch.randint(2, (3, 4)).double()}
CASES.append(Case('focal({x}, {t}, reduction = "none")', lambda x, t: sigmoid_focal(x, t, 0.25, 2), HARD, ("t",)))
CASES.append(Case('focal({x}, {t}, alpha = -1, gamma = 1.5)',
                  lambda x, t: sigmoid_focal(x, t, -1, 1.5).mean(), HARD, ("t",)))
reductions("kl_div({x}, {t})", lambda x, t, reduction: F.kl_div(x, t, reduction=reduction), SOFT)
reductions("kl_div({x}, {t}, log_target = true)",
           lambda x, t, reduction: F.kl_div(x, t, reduction=reduction, log_target=True), SOFT)
CASES.append(Case('kl_div({x}, {t}, reduction = "batchmean")',
                  lambda x, t: F.kl_div(x, t, reduction="batchmean"),
                  {"x": normal(2, 3), "t": lambda: torch.tensor([[0, 0.5, 0.5], [1.0, 0, 0]], dtype=torch.float64)},
                  ("t",)))

SIGNS = lambda: torch.tensor([1.0, -1, 1, -1, 1], dtype=torch.float64)
VECTORS = {"x": normal(5, 4), "y": normal(5, 4)}
CASES.append(Case("cosine_similarity({x}, {y})", lambda x, y: F.cosine_similarity(x, y), VECTORS))
reductions("cosine_embedding_loss({x}, {y}, {t}, margin = 0.1)",
           lambda x, y, t, reduction: F.cosine_embedding_loss(x, y, t, margin=0.1, reduction=reduction),
           {**VECTORS, "t": SIGNS}, ("t",))
TRIPLE = {"a": normal(5, 4), "p": normal(5, 4), "n": normal(5, 4)}
for more, options in [("", {}), (", swap = true", {"swap": True}), (", p = 1, margin = 2", {"p": 1, "margin": 2.0}),
                      (", p = 3.0", {"p": 3.0})]:
    reductions(f"triplet_margin_loss({{a}}, {{p}}, {{n}}{more})",
               lambda a, p, n, reduction, options=options: F.triplet_margin_loss(
                   a, p, n, reduction=reduction, **options), TRIPLE)
reductions("margin_ranking_loss({x}, {y}, {t}, margin = 0.3)",
           lambda x, y, t, reduction: F.margin_ranking_loss(x, y, t, margin=0.3, reduction=reduction),
           {"x": normal(5), "y": normal(5), "t": SIGNS}, ("t",))
reductions("hinge_embedding_loss({x}, {t})",
           lambda x, t, reduction: F.hinge_embedding_loss(x, t, reduction=reduction),
           {"x": normal(5), "t": SIGNS}, ("t",))


def top_share(x, t, k):
    return (x.topk(k, dim=-1).indices == t.long()[:, None]).any(1).double().mean()


SCORES = {"x": normal(6, 5), "t": integers(5, 6)}
CASES.append(Case("accuracy({x}, {t}, top_k = 3)", lambda x, t: top_share(x, t, 3) + 0 * x.sum(), SCORES))
CASES.append(Case("accuracy({x}, {t}, ignore_index = 0)",
                  lambda x, t: top_share(x[t != 0], t[t != 0], 1) + 0 * x.sum(), SCORES))
CASES.append(Case("perplexity({x}, {t})", lambda x, t: F.cross_entropy(x, t.long()).exp(), SCORES))
