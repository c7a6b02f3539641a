package dev.remat.benchmarks.libtorch;

import static dev.remat.benchmarks.libtorch.Layers.attention;
import static dev.remat.benchmarks.libtorch.Layers.crossEntropy;
import static dev.remat.benchmarks.libtorch.Layers.dropout;
import static dev.remat.benchmarks.libtorch.Layers.maxPool;
import static dev.remat.benchmarks.libtorch.Layers.mergeHeads;
import static dev.remat.benchmarks.libtorch.Layers.splitHeads;
import static dev.remat.benchmarks.libtorch.Layers.within;
import static dev.remat.benchmarks.libtorch.Twin.integers;

import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** Networks over images. */
final class ImageModels {
    private static final double VIT_EPS = 1e-6;

    private ImageModels() {}

    private static SequencedMap<String, Tensor> labelled(Tensor images, Tensor labels) {
        return Twin.batch(List.of("images", "labels"), images, labels);
    }

    /** Of three channels, 32 by 32 where nothing else is said. */
    static SequencedMap<String, Tensor> images(Sizes sizes) {
        long image = sizes.or("image", 32);
        return labelled(torch.randn(sizes.of("B"), 3, image, image), integers(sizes.or("classes", 10), sizes.of("B")));
    }

    static SequencedMap<String, Tensor> rows(Sizes sizes) {
        return labelled(
                torch.randn(sizes.of("B"), sizes.or("features", 784)),
                integers(sizes.or("classes", 10), sizes.of("B")));
    }

    /** With a label for each pixel. */
    static SequencedMap<String, Tensor> scenes(Sizes sizes) {
        long image = sizes.or("image", 572);
        return labelled(
                torch.randn(sizes.of("B"), sizes.or("channels", 1), image, image),
                integers(sizes.or("classes", 2), sizes.of("B"), image, image));
    }

    static Tensor mlp(Layers layers, Sizes sizes, Map<String, Tensor> batch) {
        double drop = sizes.or("drop", 0.5);
        Tensor x = dropout(batch.get("images"), 0.4 * drop);
        for (int i = 0; i < sizes.or("depth", 3); i++) {
            x = dropout(layers.linear("hidden." + i, x, sizes.or("width", 1024)).relu_(), drop);
        }
        return crossEntropy(layers.linear("head", x, sizes.or("classes", 10)), batch.get("labels"), 0);
    }

    static Tensor vit(Layers layers, Sizes sizes, Map<String, Tensor> batch) {
        long patch = sizes.or("patch", 16);
        long width = sizes.or("width", 768);
        double drop = sizes.or("drop", 0.0);
        Tensor images = batch.get("images");
        long patches = images.size(2) / patch * (images.size(3) / patch);
        Tensor token = layers.weight("class_token", 0.02, 1, 1, width);
        Tensor[] x = {
            within(() -> {
                Tensor embedded = layers.biasedConv("patch_embedding", images, width, patch, patch, 0)
                        .flatten(2, -1)
                        .transpose(1, 2);
                Tensor all = torch.cat(new TensorVector(token.expand(images.size(0), 1, width), embedded), 1);
                return dropout(all.add(layers.positions("position", patches + 1, width, patches + 1)), drop);
            })
        };
        for (int i = 0; i < sizes.or("depth", 12); i++) {
            String block = "block." + i;
            x[0] = within(() -> x[0].add(dropout(
                    vitAttention(
                            layers,
                            block + ".attention",
                            layers.layerNorm(block + ".norm1", x[0], VIT_EPS),
                            sizes.or("heads", 12)),
                    drop)));
            x[0] = within(() -> {
                Tensor norm = layers.layerNorm(block + ".norm2", x[0], VIT_EPS);
                Tensor h = torch.gelu(layers.linear(block + ".mlp.up", norm, sizes.or("hidden", 3072)));
                Tensor down = layers.linear(block + ".mlp.down", dropout(h, drop), width);
                return x[0].add(dropout(down, drop));
            });
        }
        return within(() -> {
            Tensor norm = layers.layerNorm("norm", x[0].select(1, 0), VIT_EPS);
            return crossEntropy(layers.linear("head", norm, sizes.or("classes", 1000)), batch.get("labels"), 0.1);
        });
    }

    private static Tensor vitAttention(Layers layers, String name, Tensor x, long heads) {
        long width = x.size(2);
        TensorVector parts = layers.linear(name + ".qkv", x, 3 * width).chunk(3, -1);
        Tensor a = attention(
                splitHeads(parts.get(0), heads),
                splitHeads(parts.get(1), heads),
                splitHeads(parts.get(2), heads),
                new TensorOptional(),
                false);
        return layers.linear(name + ".proj", mergeHeads(a), width);
    }

    static Tensor resnetCifar(Layers layers, Sizes sizes, Map<String, Tensor> batch) {
        long width = sizes.or("width", 16);
        Tensor[] x = {layers.conv("stem.conv2d", batch.get("images"), width, 3, 1, 1)};
        int unit = 0;
        for (int stage = 0; stage < 3; stage++) {
            long channels = width << stage;
            long stride = stage == 0 ? 1 : 2;
            String widen = "widen." + stage;
            x[0] = within(() -> {
                Tensor h = layers.batchNorm(widen + ".batch_norm", x[0]).relu_();
                Tensor shortcut = layers.conv(widen + ".shortcut.conv2d", h, 4 * channels, 1, stride, 0);
                return shortcut.add(residual(layers, widen + ".residual", h, channels, stride));
            });
            for (int i = 1; i < (sizes.or("depth", 1001) - 2) / 9; i++) {
                String name = "unit." + unit++;
                x[0] = within(() -> {
                    Tensor h = layers.batchNorm(name + ".batch_norm", x[0]).relu_();
                    return x[0].add(residual(layers, name + ".residual", h, channels, 1));
                });
            }
        }
        return within(() -> {
            Tensor pooled = layers.batchNorm("batch_norm", x[0]).relu_().mean(2, 3);
            return crossEntropy(layers.linear("head", pooled, sizes.or("classes", 10)), batch.get("labels"), 0);
        });
    }

    private static Tensor residual(Layers layers, String name, Tensor x, long channels, long stride) {
        Tensor y = layers.conv(name + ".conv.0.conv2d", x, channels, 1, stride, 0);
        y = layers.batchNorm(name + ".batch_norm.0", y).relu_();
        y = layers.conv(name + ".conv.1.conv2d", y, channels, 3, 1, 1);
        y = layers.batchNorm(name + ".batch_norm.1", y).relu_();
        return layers.conv(name + ".conv.2.conv2d", y, 4 * channels, 1, 1, 0);
    }

    static Tensor vgg(Layers layers, Sizes sizes, Map<String, Tensor> batch) {
        long width = sizes.or("width", 64);
        double drop = sizes.or("drop", 0.5);
        int[] counts = {2, 2, 3, 3, 3};
        Tensor x = batch.get("images");
        int conv = 0;
        for (int stage = 0; stage < counts.length; stage++) {
            for (int i = 0; i < counts[stage]; i++) {
                x = layers.biasedConv("conv2d." + conv++, x, width << Math.min(stage, 3), 3, 1, 1)
                        .relu_();
            }
            x = maxPool(x);
        }
        x = x.flatten(1, -1);
        for (int i = 0; i < 2; i++) {
            x = dropout(
                    layers.linear("linear." + i, x, sizes.or("hidden", 4096)).relu_(), drop);
        }
        return crossEntropy(layers.linear("head", x, sizes.or("classes", 1000)), batch.get("labels"), 0);
    }

    /** Padded, so that the result has the image's size. */
    static Tensor unet(Layers layers, Sizes sizes, Map<String, Tensor> batch) {
        long width = sizes.or("width", 64);
        double drop = sizes.or("drop", 0.5);
        Tensor[] skips = new Tensor[4];
        Tensor x = batch.get("images");
        for (int level = 0; level < skips.length; level++) {
            skips[level] = convolutions(layers, "down" + (level + 1), x, width << level);
            skips[level] = level == 3 ? dropout(skips[level], drop) : skips[level];
            x = maxPool(skips[level]);
        }
        x = dropout(convolutions(layers, "bottom", x, width << 4), drop);
        for (int level = skips.length - 1; level >= 0; level--) {
            String name = "up" + (level + 1);
            Tensor up = layers.convTranspose(name + ".conv_transpose2d", x, width << level);
            Tensor both = torch.cat(new TensorVector(skips[level], up), 1);
            x = convolutions(layers, name + ".convolutions", both, width << level);
        }
        Tensor logits = layers.biasedConv("head", x, sizes.or("classes", 2), 1, 1, 0);
        return torch.cross_entropy_loss(logits, batch.get("labels"));
    }

    private static Tensor convolutions(Layers layers, String name, Tensor x, long channels) {
        return within(() -> {
            Tensor first =
                    layers.biasedConv(name + ".conv2d.0", x, channels, 3, 1, 1).relu_();
            return layers.biasedConv(name + ".conv2d.1", first, channels, 3, 1, 1)
                    .relu_();
        });
    }
}
