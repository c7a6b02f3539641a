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


LABELLED = {"x": normal(7, 5, 4), "t": lambda: torch.tensor(
    # A repeated label, the same one apart, few labels, none, and too many for the frames.
    [[1, 1, 2], [3, 1, 3], [2, -1, -1], [-1, -1, -1], [1, 1, 1]], dtype=torch.int32),
    "n": lambda: torch.tensor([7, 5, 1, 4, 4], dtype=torch.int32),
    "m": lambda: torch.tensor([3, 3, 1, 0, 3], dtype=torch.int32)}


def labelled(x, t, n, m, reduction, blank=0, zero_infinity=True):
    return F.ctc_loss(F.log_softmax(x, 2), t.clamp(min=0).long(), n.long(), m.long(), blank, reduction, zero_infinity)


reductions("ctc_loss(log_softmax({x}), {t}, {n}, {m}, zero_infinity = true)", labelled, LABELLED)
FEASIBLE = {**LABELLED, "n": lambda: torch.tensor([7, 5, 1, 4, 5], dtype=torch.int32)}
reductions("ctc_loss(log_softmax({x}), {t}, {n}, {m})",
           lambda **k: labelled(**k, zero_infinity=False), FEASIBLE)
reductions("ctc_loss(log_softmax({x}), {t}, {n}, {m}, blank = 3)",
           lambda **k: labelled(**k, blank=3),
           {"x": normal(30, 4, 4), "t": integers(3, 4, 9), "n": lambda: torch.tensor([30, 22, 30, 0], dtype=torch.int32),
            "m": lambda: torch.tensor([9, 8, 0, 0], dtype=torch.int32)})



def weighed(g, v):
    return torch._weight_norm(v, g, 0)


CASES.append(Case("linear({x}, 3, weight_norm = true) as {self}",
                  lambda x, weight_v, weight_g, bias: F.linear(x, weighed(weight_g, weight_v), bias),
                  {"x": normal(2, 5), "weight_v": normal(3, 5), "weight_g": normal(3, 1), "bias": normal(3)}))
CASES.append(Case("conv2d({x}, 4, 3, groups = 2, weight_norm = true, bias = false) as {self}",
                  lambda x, weight_v, weight_g: F.conv2d(x, weighed(weight_g, weight_v), groups=2),
                  {"x": normal(2, 6, 5, 5), "weight_v": normal(4, 3, 3, 3), "weight_g": normal(4, 1, 1, 1)}))
CASES.append(Case("conv1d({x}, 4, 3, weight_norm = true, bias = false) as {self}",
                  lambda x, weight_v, weight_g: F.conv1d(x, weighed(weight_g, weight_v)),
                  {"x": normal(2, 3, 7), "weight_v": normal(4, 3, 3), "weight_g": normal(4, 1, 1)}))
CASES.append(Case("conv3d({x}, 2, 2, weight_norm = true, bias = false) as {self}",
                  lambda x, weight_v, weight_g: F.conv3d(x, weighed(weight_g, weight_v)),
                  {"x": normal(1, 2, 3, 4, 3), "weight_v": normal(2, 2, 2, 2, 2), "weight_g": normal(2, 1, 1, 1, 1)}))
CASES.append(Case("conv_transpose1d({x}, 4, 3, stride = 2, weight_norm = true, bias = false) as {self}",
                  lambda x, weight_v, weight_g: F.conv_transpose1d(x, weighed(weight_g, weight_v), stride=2),
                  {"x": normal(2, 3, 7), "weight_v": normal(3, 4, 3), "weight_g": normal(3, 1, 1)}))


def case(text, theirs, data=(), **given):
    CASES.append(Case(text, theirs, given, data))


case("var({x})", lambda x: x.var(), x=normal(3, 4))
case("var({x}, axis = (0, 2), correction = 2, keepdim = true)",
     lambda x: x.var((0, 2), correction=2, keepdim=True), x=normal(3, 4, 5))
case("std({x}, axis = 1)", lambda x: x.std(1), x=normal(3, 4))
for p in ["0.0", "1.0", "2.0", "3.0", "1.5"]:
    case(f"norm({{x}}, p = {p}, axis = 1)", lambda x, p=float(p): torch.linalg.vector_norm(x, p, 1), x=normal(3, 4))
case("norm({x})", lambda x: x.norm(), x=numbers(0, 0, 0))
case("norm({x}, p = -1.0)", lambda x: torch.linalg.vector_norm(x, -1), x=numbers(0, 1, 2))
case("norm({x}, p = -2.5, axis = 1)", lambda x: torch.linalg.vector_norm(x, -2.5, 1), x=normal(3, 4))
case("std({x})", lambda x: x.std(), x=numbers(2, 2, 2))
case("var({x}, correction = 3)", lambda x: x.var(correction=3), x=numbers(1, 2, 4))
case("normalize({x})", lambda x: F.normalize(x), x=normal(3, 4))
case("normalize({x}, p = 1.0, axis = 0)", lambda x: F.normalize(x, p=1.0, dim=0), x=normal(3, 4))
case("dot({x}, {y})", lambda x, y: x @ y, x=normal(5), y=normal(5))
case("outer({x}, {y})", lambda x, y: torch.outer(x, y), x=normal(3), y=normal(5))
case("instance_norm({x})", lambda x: F.instance_norm(x), x=normal(2, 3, 4, 5))
case("instance_norm({x}, affine = true, eps = 0.01) as {self}",
     lambda x, weight, bias: F.instance_norm(x, weight=weight, bias=bias, eps=0.01),
     x=normal(2, 3, 7), weight=normal(3), bias=normal(3))
for size in [1, 2, 5]:
    case(f"local_response_norm({{x}}, {size}, alpha = 0.3, k = 2)",
         lambda x, size=size: F.local_response_norm(x, size, alpha=0.3, k=2.0), x=normal(2, 6, 3, 2))
case("max_pool1d({x}, 3, stride = 2, padding = 1)", lambda x: F.max_pool1d(x, 3, 2, 1), x=normal(2, 3, 9))
case("avg_pool1d({x}, 3, padding = 1, count_include_pad = false)",
     lambda x: F.avg_pool1d(x, 3, padding=1, count_include_pad=False), x=normal(2, 3, 9))
for length, window, stride, padding in [(8, 3, 2, 1), (7, 2, 4, 1), (9, 4, 4, 2), (5, 3, 3, 0), (3, 4, 1, 2), (6, 2, 5, 0)]:
    ceil = f"{window}, stride = {stride}, padding = {padding}, ceil_mode = true"
    case(f"max_pool1d({{x}}, {ceil})",
         lambda x, window=window, stride=stride, padding=padding: F.max_pool1d(x, window, stride, padding, ceil_mode=True),
         x=normal(2, 3, length))
    for count in [True, False]:
        case(f"avg_pool1d({{x}}, {ceil}, count_include_pad = {str(count).lower()})",
             lambda x, window=window, stride=stride, padding=padding, count=count: F.avg_pool1d(
                 x, window, stride, padding, True, count), x=normal(2, 3, length))
        case(f"avg_pool2d({{x}}, ({window}, 2), stride = (2, {stride}), padding = (0, 1), ceil_mode = true, "
             f"count_include_pad = {str(count).lower()})",
             lambda x, window=window, stride=stride, count=count: F.avg_pool2d(
                 x, (window, 2), (2, stride), (0, 1), True, count), x=normal(2, 3, 7, length))
for window, stride, padding, dilation, ceil in [(3, 2, 1, 2, False), (3, 2, 1, 2, True), (2, 3, 1, 4, True), (2, 1, 0, 3, False)]:
    given = f"{window}, stride = {stride}, padding = {padding}, dilation = {dilation}, ceil_mode = {str(ceil).lower()}"
    given_torch = dict(stride=stride, padding=padding, dilation=dilation, ceil_mode=ceil)
    case(f"max_pool1d(relu({{x}}), {given})",
         lambda x, window=window, k=given_torch: F.max_pool1d(F.relu(x), window, **k), x=normal(2, 3, 11))
    case(f"max_pool2d(relu({{x}}), {given})",
         lambda x, window=window, k=given_torch: F.max_pool2d(F.relu(x), window, **k), x=normal(2, 3, 12, 11))
    case(f"max_pool3d({{x}}, {given})",
         lambda x, window=window, k=given_torch: F.max_pool3d(x, window, **k), x=normal(2, 2, 9, 11, 10))
case("max_pool2d({x}, (3, 2), stride = (2, 1), padding = (1, 0), dilation = (1, 4), ceil_mode = true)",
     lambda x: F.max_pool2d(x, (3, 2), (2, 1), (1, 0), (1, 4), ceil_mode=True), x=normal(2, 3, 8, 7))
case("max_pool2d({x}, (3, 2), stride = (2, 3), padding = (1, 0), ceil_mode = true)",
     lambda x: F.max_pool2d(x, (3, 2), (2, 3), (1, 0), ceil_mode=True), x=normal(2, 3, 8, 7))
case("max_pool3d({x}, (2, 3, 2), stride = (3, 2, 2), padding = (1, 1, 0), ceil_mode = true)",
     lambda x: F.max_pool3d(x, (2, 3, 2), (3, 2, 2), (1, 1, 0), ceil_mode=True), x=normal(2, 3, 5, 6, 7))
for count in [True, False]:
    case(f"avg_pool3d({{x}}, (2, 3, 2), stride = (3, 2, 2), padding = (1, 1, 0), ceil_mode = true, "
         f"count_include_pad = {str(count).lower()})",
         lambda x, count=count: F.avg_pool3d(x, (2, 3, 2), (3, 2, 2), (1, 1, 0), True, count), x=normal(2, 3, 5, 6, 7))
for size in [(3, 2), (4, 5), (1, 1), (7, 8)]:
    case(f"adaptive_avg_pool2d({{x}}, ({size[0]}, {size[1]}))",
         lambda x, size=size: F.adaptive_avg_pool2d(x, size), x=normal(2, 3, 7, 10))
    case(f"adaptive_max_pool2d({{x}}, ({size[0]}, {size[1]}))",
         lambda x, size=size: F.adaptive_max_pool2d(x, size), x=normal(2, 3, 7, 10))
case("adaptive_avg_pool1d({x}, 4)", lambda x: F.adaptive_avg_pool1d(x, 4), x=normal(2, 3, 10))
case("adaptive_max_pool1d({x}, 5)", lambda x: F.adaptive_max_pool1d(x, 5), x=normal(2, 3, 10))
case("max_pool3d({x}, (2, 3, 2), stride = (1, 2, 2), padding = (1, 1, 0))",
     lambda x: F.max_pool3d(x, (2, 3, 2), (1, 2, 2), (1, 1, 0)), x=normal(2, 3, 5, 6, 7))
case("avg_pool3d({x}, 3, stride = 2, padding = 1, count_include_pad = false)",
     lambda x: F.avg_pool3d(x, 3, 2, 1, count_include_pad=False), x=normal(2, 3, 5, 6, 7))
case("pixel_shuffle({x}, 2)", lambda x: F.pixel_shuffle(x, 2), x=normal(2, 12, 3, 4))
case("pixel_unshuffle({x}, 2)", lambda x: F.pixel_unshuffle(x, 2), x=normal(2, 3, 4, 6))
for mode in ["reflect", "replicate", "circular"]:
    case(f'pad({{x}}, (1, 2, 3, 0), mode = "{mode}")',
         lambda x, mode=mode: F.pad(x, (1, 2, 3, 0), mode=mode), x=normal(2, 3, 4, 5))
case('conv2d({x}, 4, (2, 3), padding = "same", dilation = (3, 1)) as {self}',
     lambda x, weight, bias: F.conv2d(x, weight, bias, padding="same", dilation=(3, 1)),
     x=normal(2, 3, 6, 5), weight=normal(4, 3, 2, 3), bias=normal(4))
case('conv1d({x}, 4, 4, padding = "same", groups = 2) as {self}',
     lambda x, weight, bias: F.conv1d(x, weight, bias, padding="same", groups=2),
     x=normal(2, 6, 9), weight=normal(4, 3, 4), bias=normal(4))
case('conv1d({x}, 4, 4, padding = "valid", bias = false) as {self}',
     lambda x, weight: F.conv1d(x, weight, padding="valid"), x=normal(2, 6, 9), weight=normal(4, 6, 4))
case("conv_transpose1d({x}, 4, 3, stride = 2, padding = 1, output_padding = 1, groups = 2, dilation = 2) as {self}",
     lambda x, weight, bias: F.conv_transpose1d(x, weight, bias, 2, 1, 1, 2, 2),
     x=normal(2, 6, 5), weight=normal(6, 2, 3), bias=normal(4))
for stride, padding, dilation, kernel, groups in [(1, 0, 1, 3, 1), (2, 1, 1, 3, 3), ((3, 1, 2), (2, 0, 1), (2, 1, 1), (2, 3, 1), 1), (3, 0, 1, 1, 1)]:
    k = kernel if isinstance(kernel, tuple) else (kernel,) * 3
    case(f"conv3d({{x}}, 6, {kernel}, stride = {stride}, padding = {padding}, dilation = {dilation}, "
         f"groups = {groups}) as {{self}}",
         lambda x, weight, bias, o=(stride, padding, dilation, groups): F.conv3d(x, weight, bias, *o),
         x=normal(2, 3, 7, 6, 5), weight=normal(6, 3 // groups, *k), bias=normal(6))
for equation, shapes in [
        ("bhid,bhjd->bhij", [(2, 3, 4, 5), (2, 3, 6, 5)]), ("bhij,bhjd->bihd", [(2, 3, 4, 6), (2, 3, 6, 5)]),
        ("ij,jk", [(3, 4), (4, 5)]), ("ij->ji", [(3, 4)]), ("ij->", [(3, 4)]), ("i,j->ij", [(3,), (4,)]),
        ("bij,bij->b", [(2, 3, 4), (2, 3, 4)]), ("ij,jk,kl->il", [(3, 4), (4, 5), (5, 2)]),
        ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]), ("b...d,de->b...e", [(2, 3, 4, 5), (5, 6)]),
        ("a,ab,abc->c", [(3,), (3, 4), (3, 4, 5)]), ("ji,jk->ki", [(4, 3), (4, 5)]), ("ij,kl->i", [(3, 4), (2, 5)]),
        ("b i d, b j d -> b j i", [(2, 3, 4), (2, 5, 4)]), ("...i,...i->...", [(2, 3, 4), (4,)])]:
    letters = "abcd"[:len(shapes)]
    CASES.append(Case(
        f'einsum("{equation}", ' + ", ".join("{" + letter + "}" for letter in letters) + ")",
        lambda equation=equation, **k: torch.einsum(equation, *k.values()),
        {letter: normal(*shape) for letter, shape in zip(letters, shapes)}))
case("stack([{x}, 2 * {x}], axis = -1)", lambda x: torch.stack([x, 2 * x], -1), x=normal(2, 3))
case("chunk({x}, 3, axis = -1)[2]", lambda x: x.chunk(3, -1)[2], x=normal(2, 6))
case("chunk({x}, 3)[2]", lambda x: x.chunk(3)[2], x=normal(7, 2))
case("masked_fill({x}, {m}, -2)", lambda x, m: x.masked_fill(m, -2.0),
     x=normal(2, 3), m=lambda: torch.tensor([True, False, True]))


def recurrent(kind, layers, both, extra, first, hidden=3, width=4, **options):
    gates = {"rnn": 1, "gru": 3, "lstm": 4}[kind]
    shapes = {}
    for layer in range(layers):
        for suffix in ["", "_reverse"][:1 + both]:
            inner = width if layer == 0 else hidden * (1 + both)
            shapes[f"weight_ih_l{layer}{suffix}"] = (gates * hidden, inner)
            shapes[f"weight_hh_l{layer}{suffix}"] = (gates * hidden, hidden)
            shapes[f"bias_ih_l{layer}{suffix}"] = (gates * hidden,)
            shapes[f"bias_hh_l{layer}{suffix}"] = (gates * hidden,)

    def theirs(x, h0=None, c0=None, **parameters):
        cell = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[kind](
            width, hidden, layers, bidirectional=bool(both), batch_first=options.get("batch_first", True), dtype=torch.float64,
            **({"nonlinearity": options["nonlinearity"]} if "nonlinearity" in options else {}))
        state = None if h0 is None else (h0, c0) if kind == "lstm" else h0
        output, last = torch.func.functional_call(cell, parameters, (x, state))
        parts = [output, *last] if kind == "lstm" else [output, last]
        return torch.cat([part.flatten() for part in parts])

    states = {name: normal(layers * (1 + both), 2, hidden) for name in first}
    given = "".join(f", {name} = {{{name}}}" for name in first)
    call = f"{kind}({{x}}, {hidden}, num_layers = {layers}{extra}{given}) as {{self}}"
    text = (f"FlatPair({call})" if kind == "lstm" else f"Flat({call})") + " * 1"
    CASES.append(Case(text, theirs, {
        "x": normal(2, 5, width) if options.get("batch_first", True) else normal(5, 2, width), **states,
        **{name: normal(*shape) for name, shape in shapes.items()}}))


for kind in ["rnn", "gru", "lstm"]:
    recurrent(kind, 1, 0, "", [])
    recurrent(kind, 2, 1, ", bidirectional = true", ["h0", "c0"] if kind == "lstm" else ["h0"])
    recurrent(kind, 1, 0, ", batch_first = false", [], batch_first=False)
recurrent("rnn", 1, 0, ', nonlinearity = "relu"', [], nonlinearity="relu")

case("logsumexp({x}, axis = 1)", lambda x: x.logsumexp(1), x=normal(3, 4))
case("logsumexp({x}, axis = (0, 1), keepdim = true)", lambda x: x.logsumexp((0, 1), keepdim=True), x=normal(3, 4))
for axis in [0, 1]:
    case(f"scatter_add({{x}}, {{t}}, {{s}}, axis = {axis})",
         lambda x, t, s, axis=axis: x.scatter_add(axis, t.long(), s[:2]), x=normal(3, 4), t=integers(3, 2, 3), s=normal(5, 3))
for mode in ["reflect", "replicate", "circular"]:
    def filled(layer, x, weight, mode=mode, **options):
        conv = layer(weight.shape[1], weight.shape[0], tuple(weight.shape[2:]), bias=False, padding_mode=mode,
                     dtype=torch.float64, **options)
        return torch.func.functional_call(conv, {"weight": weight}, (x,))
    case(f'conv2d({{x}}, 2, (3, 4), padding = (2, 1), stride = 2, bias = false, padding_mode = "{mode}") as {{self}}',
         lambda x, weight, f=filled: f(torch.nn.Conv2d, x, weight, padding=(2, 1), stride=2),
         x=normal(2, 3, 6, 7), weight=normal(2, 3, 3, 4))
    case(f'conv2d({{x}}, 2, (3, 4), padding = "same", dilation = (1, 2), bias = false, padding_mode = "{mode}") as {{self}}',
         lambda x, weight, f=filled: f(torch.nn.Conv2d, x, weight, padding="same", dilation=(1, 2)),
         x=normal(2, 3, 6, 7), weight=normal(2, 3, 3, 4))
    case(f'conv1d({{x}}, 2, 3, padding = 2, bias = false, padding_mode = "{mode}") as {{self}}',
         lambda x, weight, f=filled: f(torch.nn.Conv1d, x, weight, padding=2), x=normal(2, 3, 6), weight=normal(2, 3, 3))
    case(f'conv3d({{x}}, 2, 2, padding = (1, 2, 0), bias = false, padding_mode = "{mode}") as {{self}}',
         lambda x, weight, f=filled: f(torch.nn.Conv3d, x, weight, padding=(1, 2, 0)),
         x=normal(1, 2, 3, 4, 3), weight=normal(2, 2, 2, 2, 2))
for window in [dict(kernel_size=3, padding=1), dict(kernel_size=(2, 3), stride=(2, 1), padding=(0, 2), dilation=(3, 1)),
               dict(kernel_size=(4, 1), stride=5), dict(kernel_size=2, stride=2)]:
    given = ", ".join(f"{k} = {v}" for k, v in window.items())
    case(f"unfold({{x}}, {given})", lambda x, k=window: F.unfold(x, **k), x=normal(2, 3, 6, 8))
    places = F.unfold(torch.zeros(1, 1, 6, 8), **window).shape
    case(f"fold({{x}}, output_size = (6, 8), {given})", lambda x, k=window: F.fold(x, (6, 8), **k),
         x=normal(2, 3 * places[1], places[2]))
case("logsumexp({x})", lambda x: x.logsumexp(0), x=numbers(1000, 999, -1000))
case("one_hot({t}, 5) * {x}", lambda x, t: F.one_hot(t.long(), 5) * x, x=normal(2, 3, 5), t=integers(5, 2, 3))
case("cosine_similarity({x}, {y}, axis = 0, eps = 3)", lambda x, y: F.cosine_similarity(x, y, 0, 3.0),
     x=normal(5, 4), y=normal(5, 4))
reductions("bce({x}, {t}, weight = {w})",
           lambda x, t, w, reduction: F.binary_cross_entropy(x, t, weight=w, reduction=reduction),
           {"x": lambda: torch.tensor([[0.001, 0.3, 1.0], [0.999, 0.5, 0.0]], dtype=torch.float64),
            "t": lambda: torch.tensor([[1.0, 0.6, 1.0], [0.0, 0.0, 0.0]], dtype=torch.float64), "w": positive(3)},
           ("t", "w"))
reductions("gaussian_nll({x}, {t}, {v}, eps = 0.5)",
           lambda x, t, v, reduction: F.gaussian_nll_loss(x, t, v, eps=0.5, reduction=reduction),
           {"x": normal(3, 4), "t": normal(3, 4), "v": positive(3, 4)})
case("gaussian_nll({x}, {t}, {v}, full = true)", lambda x, t, v: F.gaussian_nll_loss(x, t, v, full=True),
     x=normal(3, 4), t=normal(3, 4), v=positive(3, 1))
for mode in ["bilinear", "bicubic"]:
    for corners in [False, True]:
        for size in [(7, 9), (3, 4), (1, 11), (5, 12)]:
            case(f'upsample({{x}}, mode = "{mode}", size = {size}, align_corners = {str(corners).lower()})',
                 lambda x, o=(mode, corners, size): F.interpolate(x, o[2], mode=o[0], align_corners=o[1]),
                 x=normal(2, 3, 5, 6))
    case(f'upsample({{x}}, (2, 3), mode = "{mode}")',
         lambda x, mode=mode: F.interpolate(x, scale_factor=(2, 3), mode=mode), x=normal(2, 3, 5, 6))
for size in [(7, 9), (3, 4), (10, 6)]:
    case(f"upsample({{x}}, size = {size})", lambda x, size=size: F.interpolate(x, size), x=normal(2, 3, 5, 6))
case("upsample({x})", lambda x: F.interpolate(x, scale_factor=2), x=normal(2, 3, 5, 6))
