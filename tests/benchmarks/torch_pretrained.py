#!/usr/bin/env python3
"""Records small models under Hugging Face's names, and what PyTorch computes of them in f64.

The equations are those of the papers and of the published models, not of remat's templates: GPT-2 (Radford et al.,
2019), Llama (Touvron et al., 2023), Mistral (Jiang et al., 2023), Qwen2 (Yang et al., 2024), BERT (Devlin et al., 2019),
RoBERTa (Liu et al., 2019), DistilBERT (Sanh et al., 2019) and ViT (Dosovitskiy et al., 2021).

    python3 tests/benchmarks/torch_pretrained.py cli/src/test/resources/dev/remat/cli/pretrained [NAME...]

Each folder gets config.json, its weights, and expected.safetensors with inputs, values and gradients. It needs PyTorch.
"""

import json
import math
import pathlib
import struct
import sys

import torch
import torch.nn.functional as F

DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64", torch.float64: "F64"}


def save(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        tensor = tensor.detach().contiguous()
        raw = bytes(tensor.flatten().view(torch.int16 if tensor.element_size() == 2 else tensor.dtype).numpy().tobytes())
        header[name] = {
            "dtype": DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Weights:
    """Random weights by name, made when they are first asked for; scales of norms are about 1."""

    def __init__(self, seed, dtype):
        self.random = torch.Generator().manual_seed(seed)
        self.dtype = dtype
        self.stored, self.used = {}, {}

    def __call__(self, name, *shape):
        if name not in self.used:
            value = torch.randn(shape, generator=self.random) * (0.4 if len(shape) > 1 else 0.2)
            if "norm" in name.lower() or ".ln_" in name or name.startswith("ln_"):
                value = value + (1 if name.endswith("weight") else 0)
            self.stored[name] = value.to(self.dtype)
            self.used[name] = self.stored[name].double().requires_grad_()
        return self.used[name]


def layer_norm(w, name, x, eps):
    mean = x.mean(-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(-1, keepdim=True)
    n = x.shape[-1]
    return (x - mean) / torch.sqrt(variance + eps) * w(name + ".weight", n) + w(name + ".bias", n)


def rms_norm(w, name, x, eps):
    return x / torch.sqrt((x**2).mean(-1, keepdim=True) + eps) * w(name + ".weight", x.shape[-1])


def dense(w, name, x, n, bias=True):
    y = x @ w(name + ".weight", n, x.shape[-1]).T
    return y + w(name + ".bias", n) if bias else y


def conv1d(w, name, x, n):
    return x @ w(name + ".weight", x.shape[-1], n) + w(name + ".bias", n)


def heads(x, n):
    b, t, d = x.shape
    return x.reshape(b, t, n, d // n).transpose(1, 2)


def attend(q, k, v, allowed):
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    y = torch.softmax(scores.masked_fill(~allowed, -math.inf), -1) @ v
    return y.transpose(1, 2).flatten(2)


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu(x):
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def causal(t):
    return torch.ones(t, t, dtype=torch.bool).tril()


def next_token_loss(logits, tokens_and_next):
    return F.cross_entropy(logits.flatten(0, 1), tokens_and_next[:, 1:].flatten())


def text(vocab, b=2, t=6):
    both = torch.randint(0, vocab, (b, t + 1), generator=torch.Generator().manual_seed(7))
    return both, {"tokens": both[:, :-1], "targets": both[:, 1:]}


def gpt2(c, w, p="transformer."):
    both, inputs = text(c["vocab_size"])
    ids, n = inputs["tokens"], c["n_embd"]
    table = w(p + "wte.weight", c["vocab_size"], n)
    x = table[ids] + w(p + "wpe.weight", c["n_positions"], n)[: ids.shape[1]]
    for i in range(c["n_layer"]):
        h = f"{p}h.{i}."
        a = layer_norm(w, h + "ln_1", x, c["layer_norm_epsilon"])
        q, k, v = (heads(y, c["n_head"]) for y in conv1d(w, h + "attn.c_attn", a, 3 * n).split(n, -1))
        x = x + conv1d(w, h + "attn.c_proj", attend(q, k, v, causal(ids.shape[1])), n)
        a = layer_norm(w, h + "ln_2", x, c["layer_norm_epsilon"])
        x = x + conv1d(w, h + "mlp.c_proj", gelu_tanh(conv1d(w, h + "mlp.c_fc", a, c["n_inner"] or 4 * n)), n)
    hidden = layer_norm(w, p + "ln_f", x, c["layer_norm_epsilon"])
    logits = hidden @ table.T
    return inputs, {"hidden": hidden, "logits": logits, "loss": next_token_loss(logits, both)}


def rotate(x, theta):
    """Each pair (i, i + d/2) turns by position · theta^(−2i/d)."""
    d = x.shape[-1]
    angle = torch.arange(x.shape[-2]).double()[:, None] / theta ** (torch.arange(0, d, 2).double() / d)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)


def llama(c, w, p="model."):
    both, inputs = text(c["vocab_size"])
    ids, n, eps = inputs["tokens"], c["hidden_size"], c["rms_norm_eps"]
    q_heads = c["num_attention_heads"]
    kv_heads = c.get("num_key_value_heads", q_heads)
    size = c.get("head_dim") or n // q_heads
    qkv_bias = c["model_type"] == "qwen2" or c.get("attention_bias", False)
    o_bias, mlp_bias = c.get("attention_bias", False), c.get("mlp_bias", False)
    t = ids.shape[1]
    allowed = causal(t)
    if c["model_type"] == "mistral" and c["sliding_window"]:
        allowed = allowed & (torch.arange(t)[:, None] - torch.arange(t) < c["sliding_window"])
    table = w(p + "embed_tokens.weight", c["vocab_size"], n)
    x = table[ids]
    for i in range(c["num_hidden_layers"]):
        h = f"{p}layers.{i}."
        a = rms_norm(w, h + "input_layernorm", x, eps)
        q = rotate(heads(dense(w, h + "self_attn.q_proj", a, q_heads * size, qkv_bias), q_heads), c["rope_theta"])
        k = rotate(heads(dense(w, h + "self_attn.k_proj", a, kv_heads * size, qkv_bias), kv_heads), c["rope_theta"])
        v = heads(dense(w, h + "self_attn.v_proj", a, kv_heads * size, qkv_bias), kv_heads)
        x = x + dense(w, h + "self_attn.o_proj", attend(q, k, v, allowed), n, o_bias)
        a = rms_norm(w, h + "post_attention_layernorm", x, eps)
        gate = dense(w, h + "mlp.gate_proj", a, c["intermediate_size"], mlp_bias)
        up = dense(w, h + "mlp.up_proj", a, c["intermediate_size"], mlp_bias)
        x = x + dense(w, h + "mlp.down_proj", gate * torch.sigmoid(gate) * up, n, mlp_bias)
    hidden = rms_norm(w, p + "norm", x, eps)
    logits = hidden @ (table if c["tie_word_embeddings"] else w("lm_head.weight", c["vocab_size"], n)).T
    return inputs, {"hidden": hidden, "logits": logits, "loss": next_token_loss(logits, both)}


def masked_text(c, labels):
    """Two texts, of which the second is padded."""
    random = torch.Generator().manual_seed(7)
    pad = c.get("pad_token_id", 0)
    ids = torch.randint(pad + 1, c["vocab_size"], (2, 6), generator=random)
    mask = torch.ones_like(ids)
    mask[1, 4:] = 0
    ids[mask == 0] = pad
    inputs = {"input_ids": ids, "attention_mask": mask}
    if c.get("type_vocab_size", 1) > 1:
        inputs["token_type_ids"] = torch.randint(0, c["type_vocab_size"], (2, 6), generator=random)
    if labels == "tokens":
        wanted = torch.randint(0, c["vocab_size"], (2, 6), generator=random)
        wanted[mask == 0] = -100
        wanted[0, 2] = -100
        inputs["labels"] = wanted
    if labels == "classes":
        inputs["labels"] = torch.tensor([2, 0])
    return inputs


def bert_body(c, w, p, inputs):
    ids, n, eps = inputs["input_ids"], c["hidden_size"], c["layer_norm_eps"]
    t = ids.shape[1]
    table = w(p + "embeddings.word_embeddings.weight", c["vocab_size"], n)
    kinds = w(p + "embeddings.token_type_embeddings.weight", c["type_vocab_size"], n)
    places = torch.arange(t).expand_as(ids)
    if c["model_type"] == "roberta":
        pad = c["pad_token_id"]
        places = torch.where(ids == pad, pad, pad + (ids != pad).cumsum(1))
    x = table[ids] + kinds[inputs.get("token_type_ids", torch.zeros_like(ids))]
    x = x + w(p + "embeddings.position_embeddings.weight", c["max_position_embeddings"], n)[places]
    x = layer_norm(w, p + "embeddings.LayerNorm", x, eps)
    seen = inputs["attention_mask"].bool()[:, None, None, :]
    for i in range(c["num_hidden_layers"]):
        h = f"{p}encoder.layer.{i}."
        q, k, v = (heads(dense(w, h + "attention.self." + part, x, n), c["num_attention_heads"]) for part in ("query", "key", "value"))
        a = dense(w, h + "attention.output.dense", attend(q, k, v, seen), n)
        x = layer_norm(w, h + "attention.output.LayerNorm", x + a, eps)
        a = gelu(dense(w, h + "intermediate.dense", x, c["intermediate_size"]))
        x = layer_norm(w, h + "output.LayerNorm", x + dense(w, h + "output.dense", a, n), eps)
    return x, table


def mean_loss(logits, labels):
    return F.cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=-100)


def bert_masked(c, w):
    inputs = masked_text(c, "tokens")
    p = c["model_type"] + "."
    x, table = bert_body(c, w, p, inputs)
    n = c["hidden_size"]
    if p == "roberta.":
        h = layer_norm(w, "lm_head.layer_norm", gelu(dense(w, "lm_head.dense", x, n)), c["layer_norm_eps"])
        logits = h @ table.T + w("lm_head.bias", c["vocab_size"])
    else:
        h = gelu(dense(w, "cls.predictions.transform.dense", x, n))
        h = layer_norm(w, "cls.predictions.transform.LayerNorm", h, c["layer_norm_eps"])
        logits = h @ table.T + w("cls.predictions.bias", c["vocab_size"])
    return inputs, {"logits": logits, "loss": mean_loss(logits, inputs["labels"])}


def bert_classes(c, w):
    inputs = masked_text(c, "classes")
    p = c["model_type"] + "."
    x, _ = bert_body(c, w, p, inputs)
    n, classes = c["hidden_size"], len(c["id2label"])
    if p == "roberta.":
        logits = dense(w, "classifier.out_proj", torch.tanh(dense(w, "classifier.dense", x[:, 0], n)), classes)
    else:
        logits = dense(w, "classifier", torch.tanh(dense(w, "bert.pooler.dense", x[:, 0], n)), classes)
    return inputs, {"logits": logits, "loss": mean_loss(logits, inputs["labels"])}


def bert_features(c, w):
    inputs = masked_text(c, None)
    x, _ = bert_body(c, w, "", inputs)
    return inputs, {"hidden": x, "pooled": torch.tanh(dense(w, "pooler.dense", x[:, 0], c["hidden_size"]))}


def distilbert_body(c, w, inputs):
    ids, n, p = inputs["input_ids"], c["dim"], "distilbert."
    table = w(p + "embeddings.word_embeddings.weight", c["vocab_size"], n)
    x = table[ids] + w(p + "embeddings.position_embeddings.weight", c["max_position_embeddings"], n)[: ids.shape[1]]
    x = layer_norm(w, p + "embeddings.LayerNorm", x, 1e-12)
    seen = inputs["attention_mask"].bool()[:, None, None, :]
    for i in range(c["n_layers"]):
        h = f"{p}transformer.layer.{i}."
        q, k, v = (heads(dense(w, f"{h}attention.{part}_lin", x, n), c["n_heads"]) for part in "qkv")
        x = layer_norm(w, h + "sa_layer_norm", x + dense(w, h + "attention.out_lin", attend(q, k, v, seen), n), 1e-12)
        a = dense(w, h + "ffn.lin2", gelu(dense(w, h + "ffn.lin1", x, c["hidden_dim"])), n)
        x = layer_norm(w, h + "output_layer_norm", x + a, 1e-12)
    return x, table


def distilbert_masked(c, w):
    inputs = masked_text(c, "tokens")
    x, table = distilbert_body(c, w, inputs)
    h = layer_norm(w, "vocab_layer_norm", gelu(dense(w, "vocab_transform", x, c["dim"])), 1e-12)
    logits = h @ table.T + w("vocab_projector.bias", c["vocab_size"])
    return inputs, {"logits": logits, "loss": mean_loss(logits, inputs["labels"])}


def distilbert_classes(c, w):
    inputs = masked_text(c, "classes")
    x, _ = distilbert_body(c, w, inputs)
    logits = dense(w, "classifier", torch.relu(dense(w, "pre_classifier", x[:, 0], c["dim"])), len(c["id2label"]))
    return inputs, {"logits": logits, "loss": mean_loss(logits, inputs["labels"])}


def vit_body(c, w, p, inputs):
    n, eps, size = c["hidden_size"], c["layer_norm_eps"], c["patch_size"]
    weight = w(p + "embeddings.patch_embeddings.projection.weight", n, c["num_channels"], size, size)
    patches = inputs["pixel_values"].double().unfold(2, size, size).unfold(3, size, size)  # [B, C, H, W, size, size]
    x = torch.einsum("bchwij,ncij->bhwn", patches, weight).flatten(1, 2)
    x = x + w(p + "embeddings.patch_embeddings.projection.bias", n)
    x = torch.cat([w(p + "embeddings.cls_token", 1, 1, n).expand(x.shape[0], 1, n), x], 1)
    x = x + w(p + "embeddings.position_embeddings", 1, x.shape[1], n)
    for i in range(c["num_hidden_layers"]):
        h = f"{p}encoder.layer.{i}."
        a = layer_norm(w, h + "layernorm_before", x, eps)
        q, k, v = (
            heads(dense(w, h + "attention.attention." + part, a, n, c["qkv_bias"]), c["num_attention_heads"])
            for part in ("query", "key", "value")
        )
        x = x + dense(w, h + "attention.output.dense", attend(q, k, v, torch.ones(1, dtype=torch.bool)), n)
        a = gelu(dense(w, h + "intermediate.dense", layer_norm(w, h + "layernorm_after", x, eps), c["intermediate_size"]))
        x = x + dense(w, h + "output.dense", a, n)
    return layer_norm(w, p + "layernorm", x, eps)


def images(c):
    shape = (2, c["num_channels"], c["image_size"], c["image_size"])
    return {"pixel_values": torch.randn(shape, generator=torch.Generator().manual_seed(7))}


def vit_classes(c, w):
    inputs = {**images(c), "labels": torch.tensor([2, 0])}
    x = vit_body(c, w, "vit.", inputs)
    logits = dense(w, "classifier", x[:, 0], len(c["id2label"]))
    return inputs, {"hidden": x, "logits": logits, "loss": mean_loss(logits, inputs["labels"])}


def vit_features(c, w):
    inputs = images(c)
    x = vit_body(c, w, "", inputs)
    return inputs, {"hidden": x, "pooled": torch.tanh(dense(w, "pooler.dense", x[:, 0], c["hidden_size"]))}


def last_token_classes(model):
    """As ForSequenceClassification of models that continue text: what the last token that is no padding scores."""

    def classes(c, w):
        _, values = model(c, w)
        _, inputs = text(c["vocab_size"])
        mask = torch.ones_like(inputs["tokens"])
        mask[1, 4:] = 0
        last = values["hidden"][torch.arange(2), mask.sum(1) - 1]
        logits = last @ w("score.weight", len(c["id2label"]), last.shape[-1]).T
        labels = torch.tensor([2, 0])
        inputs = {"tokens": inputs["tokens"], "attention_mask": mask, "labels": labels}
        return inputs, {"hidden": values["hidden"], "logits": logits, "loss": mean_loss(logits, labels)}

    return classes


GPT2 = {
    "activation_function": "gelu_new",
    "architectures": ["GPT2LMHeadModel"],
    "attn_pdrop": 0.1,
    "bos_token_id": 19,
    "embd_pdrop": 0.1,
    "eos_token_id": 19,
    "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05,
    "model_type": "gpt2",
    "n_embd": 8,
    "n_head": 2,
    "n_inner": None,
    "n_layer": 2,
    "n_positions": 12,
    "reorder_and_upcast_attn": False,
    "resid_pdrop": 0.1,
    "scale_attn_by_inverse_layer_idx": False,
    "scale_attn_weights": True,
    "summary_activation": None,
    "summary_first_dropout": 0.1,
    "summary_proj_to_labels": True,
    "summary_type": "cls_index",
    "summary_use_proj": True,
    "torch_dtype": "float32",
    "transformers_version": "4.44.2",
    "use_cache": True,
    "vocab_size": 20,
}
LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "head_dim": 6,
    "hidden_act": "silu",
    "hidden_size": 8,
    "initializer_range": 0.02,
    "intermediate_size": 12,
    "max_position_embeddings": 32,
    "mlp_bias": False,
    "model_type": "llama",
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "pretraining_tp": 1,
    "rms_norm_eps": 1e-05,
    "rope_scaling": None,
    "rope_theta": 500.0,
    "tie_word_embeddings": False,
    "torch_dtype": "float32",
    "transformers_version": "4.44.2",
    "use_cache": True,
    "vocab_size": 20,
}
MISTRAL = {
    **{k: v for k, v in LLAMA.items() if k not in ("attention_bias", "mlp_bias", "pretraining_tp", "rope_scaling", "head_dim")},
    "architectures": ["MistralForCausalLM"],
    "model_type": "mistral",
    "sliding_window": 3,
}
QWEN2 = {
    **{k: v for k, v in MISTRAL.items()},
    "architectures": ["Qwen2ForCausalLM"],
    "max_window_layers": 2,
    "model_type": "qwen2",
    "rms_norm_eps": 1e-06,
    "sliding_window": 4096,
    "tie_word_embeddings": True,
    "use_sliding_window": False,
}
LABELS = {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}
BERT = {
    "architectures": ["BertForPreTraining"],
    "attention_probs_dropout_prob": 0.1,
    "classifier_dropout": None,
    "gradient_checkpointing": False,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 8,
    "initializer_range": 0.02,
    "intermediate_size": 12,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 10,
    "model_type": "bert",
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "pad_token_id": 0,
    "position_embedding_type": "absolute",
    "transformers_version": "4.44.2",
    "type_vocab_size": 2,
    "use_cache": True,
    "vocab_size": 20,
}
ROBERTA = {
    **BERT,
    "architectures": ["RobertaForMaskedLM"],
    "bos_token_id": 0,
    "eos_token_id": 2,
    "layer_norm_eps": 1e-05,
    "model_type": "roberta",
    "pad_token_id": 1,
    "type_vocab_size": 1,
}
DISTILBERT = {
    "activation": "gelu",
    "architectures": ["DistilBertForMaskedLM"],
    "attention_dropout": 0.1,
    "dim": 8,
    "dropout": 0.1,
    "hidden_dim": 12,
    "initializer_range": 0.02,
    "max_position_embeddings": 10,
    "model_type": "distilbert",
    "n_heads": 2,
    "n_layers": 2,
    "pad_token_id": 0,
    "qa_dropout": 0.1,
    "seq_classif_dropout": 0.1,
    "sinusoidal_pos_embds": False,
    "tie_weights_": True,
    "transformers_version": "4.44.2",
    "vocab_size": 20,
}
VIT = {
    "architectures": ["ViTForImageClassification"],
    "attention_probs_dropout_prob": 0.0,
    "encoder_stride": 16,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.0,
    "hidden_size": 8,
    "id2label": LABELS,
    "image_size": 8,
    "initializer_range": 0.02,
    "intermediate_size": 12,
    "label2id": {label: int(number) for number, label in LABELS.items()},
    "layer_norm_eps": 1e-12,
    "model_type": "vit",
    "num_attention_heads": 2,
    "num_channels": 3,
    "num_hidden_layers": 2,
    "patch_size": 4,
    "qkv_bias": True,
    "transformers_version": "4.44.2",
}


def masks(w, c):
    """What GPT-2's files have beside weights: the causal mask of each layer, and the number that masks."""
    for i in range(c["n_layer"]):
        n = c["n_positions"]
        w.stored[f"h.{i}.attn.bias"] = torch.ones(n, n).tril().reshape(1, 1, n, n)
        w.stored[f"h.{i}.attn.masked_bias"] = torch.tensor(-1e4)


def next_sentence(w, c):
    """As the first BERT was published: with a head for the next sentence, a pooler, and old names of norms."""
    w.stored["cls.predictions.decoder.weight"] = w.stored["bert.embeddings.word_embeddings.weight"]
    w.stored["cls.seq_relationship.weight"] = torch.randn(2, c["hidden_size"], generator=w.random)
    w.stored["cls.seq_relationship.bias"] = torch.zeros(2)
    w.stored["bert.pooler.dense.weight"] = torch.randn(c["hidden_size"], c["hidden_size"], generator=w.random)
    w.stored["bert.pooler.dense.bias"] = torch.zeros(c["hidden_size"])
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    for name in list(w.stored):
        for now, then in old.items():
            if name.endswith(now):
                w.stored[name.replace(now, then)] = w.stored.pop(name)


def position_ids(w, c):
    w.stored["embeddings.position_ids"] = torch.arange(c["max_position_embeddings"]).unsqueeze(0)


CASES = {
    # As the first GPT-2 was published: without a prefix, with masks.
    "gpt2": (GPT2, lambda c, w: gpt2(c, w, ""), dict(extra=masks)),
    "gpt2-shards": ({**GPT2, "n_inner": 12, "torch_dtype": "float16"}, gpt2, dict(dtype=torch.float16, shards=3)),
    "gpt2-classes": (
        {**GPT2, "architectures": ["GPT2ForSequenceClassification"], "id2label": LABELS, "pad_token_id": 0},
        last_token_classes(gpt2),
        {},
    ),
    "llama": (LLAMA, llama, {}),
    "llama-tied": (
        {**LLAMA, "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True, "head_dim": None, "num_key_value_heads": 4},
        llama,
        dict(dtype=torch.bfloat16),
    ),
    "mistral": (MISTRAL, llama, {}),
    "qwen2": (QWEN2, llama, {}),
    "qwen2-classes": (
        {**QWEN2, "architectures": ["Qwen2ForSequenceClassification"], "id2label": LABELS, "pad_token_id": 0},
        last_token_classes(llama),
        {},
    ),
    "bert": (BERT, bert_masked, dict(extra=next_sentence)),
    "bert-classes": (
        {**BERT, "architectures": ["BertForSequenceClassification"], "id2label": LABELS, "classifier_dropout": 0.0},
        bert_classes,
        {},
    ),
    "bert-features": ({**BERT, "architectures": ["BertModel"]}, bert_features, dict(extra=position_ids)),
    "roberta": (ROBERTA, bert_masked, {}),
    "roberta-classes": (
        {**ROBERTA, "architectures": ["RobertaForSequenceClassification"], "id2label": LABELS},
        bert_classes,
        {},
    ),
    "distilbert": (DISTILBERT, distilbert_masked, {}),
    "distilbert-classes": (
        {**DISTILBERT, "architectures": ["DistilBertForSequenceClassification"], "id2label": LABELS},
        distilbert_classes,
        {},
    ),
    "vit": (VIT, vit_classes, {}),
    "vit-features": ({**VIT, "architectures": ["ViTModel"], "qkv_bias": False}, vit_features, {}),
}


def record(folder, config, model, extra=None, dtype=torch.float32, shards=1):
    folder.mkdir(parents=True, exist_ok=True)
    w = Weights(3, dtype)
    inputs, values = model(config, w)
    if extra:
        extra(w, config)
    expected = dict(inputs)
    expected.update({name: value for name, value in values.items()})
    if "loss" in values:
        values["loss"].backward()
        expected.update({"grad." + name: value.grad for name, value in w.used.items() if value.grad is not None})
    save(folder / "expected.safetensors", {n: v if v.dtype == torch.int64 else v.detach().float() for n, v in expected.items()})
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    if shards == 1:
        save(folder / "model.safetensors", w.stored)
        return
    names, index = list(w.stored), {}
    for i in range(shards):
        part = names[i::shards]
        file = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        save(folder / file, {name: w.stored[name] for name in part})
        index.update({name: file for name in part})
    size = sum(v.numel() * v.element_size() for v in w.stored.values())
    index = {"metadata": {"total_size": size}, "weight_map": dict(sorted(index.items()))}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def main():
    out = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:] or CASES:
        config, model, options = CASES[name]
        record(out / name, config, model, **options)


if __name__ == "__main__":
    main()
