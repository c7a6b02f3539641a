package dev.remat.benchmarks.libtorch;

import static dev.remat.benchmarks.libtorch.Layers.attention;
import static dev.remat.benchmarks.libtorch.Layers.crossEntropy;
import static dev.remat.benchmarks.libtorch.Layers.dropout;
import static dev.remat.benchmarks.libtorch.Layers.mergeHeads;
import static dev.remat.benchmarks.libtorch.Layers.splitHeads;
import static dev.remat.benchmarks.libtorch.Layers.within;
import static dev.remat.benchmarks.libtorch.Twin.integers;

import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** Transformers over tokens. */
final class TextModels {
    private static final double GPT_EPS = 1e-5;
    private static final double BERT_EPS = 1e-12;

    private TextModels() {}

    static SequencedMap<String, Tensor> tokens(Sizes sizes) {
        long vocab = sizes.or("vocab", 256);
        long rows = sizes.of("B");
        long length = sizes.of("T");
        return Twin.batch(List.of("tokens", "targets"), integers(vocab, rows, length), integers(vocab, rows, length));
    }

    static Tensor gpt(Layers layers, Sizes sizes, Map<String, Tensor> batch) {
        long vocab = sizes.or("vocab", 256);
        long width = sizes.or("width", 128);
        double drop = sizes.or("drop", 0.1);
        Tensor tokens = batch.get("tokens");
        Tensor[] x = {
            within(() -> dropout(
                    layers.embedding("wte", tokens, vocab, width)
                            .add(layers.positions("wpe", tokens.size(1), width, sizes.or("context", 1024))),
                    drop))
        };
        for (int i = 0; i < sizes.or("depth", 4); i++) {
            String block = "block." + i;
            x[0] = within(() -> x[0].add(gptAttention(
                    layers, block + ".attention", layers.layerNorm(block + ".norm1", x[0], GPT_EPS), sizes, drop)));
            x[0] = within(() -> {
                Tensor h = layers.linear(block + ".up", layers.layerNorm(block + ".norm2", x[0], GPT_EPS), 4 * width);
                return x[0].add(dropout(layers.linear(block + ".down", torch.gelu(h, "tanh"), width), drop));
            });
        }
        Tensor head = layers.weight("wte.weight", 0.02, vocab, width);
        return within(() ->
                crossEntropy(torch.linear(layers.layerNorm("norm", x[0], GPT_EPS), head), batch.get("targets"), 0));
    }

    private static Tensor gptAttention(Layers layers, String name, Tensor x, Sizes sizes, double drop) {
        long heads = sizes.or("heads", 4);
        long width = x.size(2);
        TensorVector parts = layers.linear(name + ".qkv", x, 3 * width).chunk(3, -1);
        Tensor a = attention(
                splitHeads(parts.get(0), heads),
                splitHeads(parts.get(1), heads),
                splitHeads(parts.get(2), heads),
                new TensorOptional(),
                true);
        return dropout(layers.linear(name + ".proj", mergeHeads(a), width), drop);
    }

    static Tensor llama(Layers layers, Sizes sizes, Map<String, Tensor> batch) {
        long vocab = sizes.or("vocab", 256);
        long width = sizes.or("width", 128);
        long hidden = sizes.or("hidden", 344);
        long size = width / sizes.or("heads", 4);
        Tensor tokens = batch.get("tokens");
        Tensor[] x = {layers.embedding("wte", tokens, vocab, width)};
        Tensor frequency = torch.arange(new Scalar(size / 2))
                .to(x[0].scalar_type())
                .mul(new Scalar(-2 * Math.log(sizes.or("theta", 10000.0)) / size))
                .exp();
        Tensor angle = torch.arange(new Scalar(tokens.size(1))).unsqueeze(1).mul(frequency);
        Tensor twice = torch.cat(new TensorVector(angle, angle), -1);
        Tensor cos = twice.cos();
        Tensor sin = twice.sin();
        for (int i = 0; i < sizes.or("depth", 4); i++) {
            String block = "block." + i;
            x[0] = within(() -> x[0].add(llamaAttention(
                    layers, block + ".attention", layers.rmsNorm(block + ".norm1", x[0], GPT_EPS), sizes, cos, sin)));
            x[0] = within(() -> {
                Tensor h = layers.rmsNorm(block + ".norm2", x[0], GPT_EPS);
                String forward = block + ".feed_forward";
                Tensor gate = torch.silu(layers.dense(forward + ".gate", h, hidden));
                Tensor product = gate.mul(layers.dense(forward + ".up", h, hidden));
                return x[0].add(layers.dense(forward + ".down", product, width));
            });
        }
        return within(() -> crossEntropy(
                layers.dense("head", layers.rmsNorm("norm", x[0], GPT_EPS), vocab), batch.get("targets"), 0));
    }

    private static Tensor llamaAttention(Layers layers, String name, Tensor x, Sizes sizes, Tensor cos, Tensor sin) {
        long heads = sizes.or("heads", 4);
        long kvHeads = sizes.or("kv_heads", 2);
        long width = x.size(2);
        long kvWidth = width / heads * kvHeads;
        Tensor q = turn(splitHeads(layers.dense(name + ".query", x, width), heads), cos, sin);
        Tensor k = turn(splitHeads(layers.dense(name + ".key", x, kvWidth), kvHeads), cos, sin);
        Tensor v = splitHeads(layers.dense(name + ".value", x, kvWidth), kvHeads);
        return layers.dense(name + ".out", mergeHeads(attention(q, k, v, new TensorOptional(), true)), width);
    }

    private static Tensor turn(Tensor x, Tensor cos, Tensor sin) {
        TensorVector halves = x.chunk(2, -1);
        Tensor turned = torch.cat(new TensorVector(halves.get(1).neg(), halves.get(0)), -1);
        return x.mul(cos).add(turned.mul(sin));
    }

    /** The last token of each row is padding, and two thirds of the others are not predicted. */
    static SequencedMap<String, Tensor> sentences(Sizes sizes) {
        long vocab = sizes.or("vocab", 30522);
        long rows = sizes.of("B");
        long length = sizes.of("T");
        Tensor tokens = integers(vocab - 1, rows, length).add(new Scalar(1));
        tokens.narrow(1, length - 1, 1).mul_(new Scalar(0));
        Tensor unseen = integers(3, rows, length).ne(new Scalar(0));
        return Twin.batch(
                List.of("tokens", "sentence", "targets"),
                tokens,
                integers(sizes.or("sentences", 2), rows, length),
                integers(vocab, rows, length).masked_fill(unseen, new Scalar(-100)));
    }

    static Tensor bert(Layers layers, Sizes sizes, Map<String, Tensor> batch) {
        long vocab = sizes.or("vocab", 30522);
        long width = sizes.or("width", 768);
        double drop = sizes.or("drop", 0.1);
        Tensor tokens = batch.get("tokens");
        Tensor mask = tokens.ne(new Scalar(sizes.or("pad", 0))).unsqueeze(1).unsqueeze(1);
        Tensor[] x = {
            within(() -> {
                Tensor sum = layers.embedding("word", tokens, vocab, width)
                        .add(layers.embedding("sentence", batch.get("sentence"), sizes.or("sentences", 2), width))
                        .add(layers.positions("position", tokens.size(1), width, sizes.or("context", 512)));
                return dropout(layers.layerNorm("norm", sum, BERT_EPS), drop);
            })
        };
        for (int i = 0; i < sizes.or("depth", 12); i++) {
            String block = "block." + i;
            x[0] = within(() -> {
                Tensor a = bertAttention(layers, block + ".attention", x[0], sizes, mask);
                return layers.layerNorm(block + ".norm1", x[0].add(dropout(a, drop)), BERT_EPS);
            });
            x[0] = within(() -> {
                Tensor h = torch.gelu(layers.linear(block + ".up", x[0], sizes.or("hidden", 3072)));
                Tensor down = layers.linear(block + ".down", h, width);
                return layers.layerNorm(block + ".norm2", x[0].add(dropout(down, drop)), BERT_EPS);
            });
        }
        Tensor word = layers.weight("word.weight", 0.02, vocab, width);
        return within(() -> {
            Tensor h =
                    layers.layerNorm("transform_norm", torch.gelu(layers.linear("transform", x[0], width)), BERT_EPS);
            Tensor bias = layers.weight("output_bias", 0, vocab);
            return crossEntropy(torch.linear(h, word, new TensorOptional(bias)), batch.get("targets"), 0);
        });
    }

    private static Tensor bertAttention(Layers layers, String name, Tensor x, Sizes sizes, Tensor mask) {
        long heads = sizes.or("heads", 12);
        long width = x.size(2);
        Tensor a = attention(
                splitHeads(layers.linear(name + ".query", x, width), heads),
                splitHeads(layers.linear(name + ".key", x, width), heads),
                splitHeads(layers.linear(name + ".value", x, width), heads),
                new TensorOptional(mask),
                false);
        return layers.linear(name + ".out", mergeHeads(a), width);
    }
}
