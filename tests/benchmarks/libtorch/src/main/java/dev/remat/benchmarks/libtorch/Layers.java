package dev.remat.benchmarks.libtorch;

import static org.bytedeco.pytorch.global.torch.randn;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * PyTorch's layers over parameters that have the names of a sample. A parameter is drawn when a layer first asks for it,
 * so that the first step of a model says which it has.
 */
final class Layers {
    private static final long NO_INDEX = -100;
    private static final long MEAN = 1;
    private static final double MOMENTUM = 0.1;

    private final ScalarType dtype;
    private final boolean channelsLast;
    private final SequencedMap<String, Tensor> parameters = new LinkedHashMap<>();
    private final SequencedMap<String, Tensor> statistics = new LinkedHashMap<>();

    Layers(ScalarType dtype, boolean channelsLast) {
        this.dtype = dtype;
        this.channelsLast = channelsLast;
    }

    /** Parameters so far by name, in the order of their first use. */
    SequencedMap<String, Tensor> parameters() {
        return Collections.unmodifiableSequencedMap(parameters);
    }

    /** What is made on the way to a result goes when the result is there, as it does where C++ counts references. */
    @SuppressWarnings("try") // A scope is there for what is made while it is open.
    static Tensor within(Supplier<Tensor> body) {
        PointerScope outer = PointerScope.getInnerScope();
        try (PointerScope inner = new PointerScope()) {
            Tensor result = body.get();
            outer.attach(result);
            return result;
        }
    }

    /** Numbers that no training needs to be other than small. */
    Tensor weight(String name, double deviation, long... shape) {
        return parameters.computeIfAbsent(name, key -> parameter(randn(shape).mul_(new Scalar(deviation))));
    }

    private Tensor weight(String name, long inputs, long... shape) {
        return weight(name, 1 / Math.sqrt(inputs), shape);
    }

    private Tensor ones(String name, long size) {
        return parameters.computeIfAbsent(name, key -> parameter(torch.ones(size)));
    }

    private Tensor zeros(String name, long size) {
        return parameters.computeIfAbsent(name, key -> parameter(torch.zeros(size)));
    }

    private Tensor parameter(Tensor drawn) {
        return kept(image(drawn.to(dtype))).set_requires_grad(true);
    }

    private Tensor kept(Tensor tensor) {
        tensor.retainReference();
        return tensor;
    }

    /** Images and their kernels as NHWC where they are asked for so. */
    Tensor image(Tensor tensor) {
        return channelsLast && tensor.dim() == 4 ? tensor.contiguous(MemoryFormat.ChannelsLast) : tensor;
    }

    Tensor linear(String name, Tensor x, long width) {
        long inputs = x.size(-1);
        return torch.linear(
                x, weight(name + ".weight", inputs, width, inputs), new TensorOptional(zeros(name + ".bias", width)));
    }

    Tensor dense(String name, Tensor x, long width) {
        long inputs = x.size(-1);
        return torch.linear(x, weight(name + ".weight", inputs, width, inputs));
    }

    Tensor embedding(String name, Tensor ids, long rows, long width) {
        return torch.embedding(weight(name + ".weight", 0.02, rows, width), ids);
    }

    /** The first rows of a table. */
    Tensor positions(String name, long rows, long width, long most) {
        return weight(name + ".weight", 0.02, most, width).narrow(0, 0, rows);
    }

    Tensor layerNorm(String name, Tensor x, double eps) {
        long width = x.size(-1);
        return torch.layer_norm(
                x,
                new long[] {width},
                new TensorOptional(ones(name + ".weight", width)),
                new TensorOptional(zeros(name + ".bias", width)),
                eps,
                true);
    }

    Tensor rmsNorm(String name, Tensor x, double eps) {
        long width = x.size(-1);
        return torch.rms_norm(
                x, new long[] {width}, new TensorOptional(ones(name + ".weight", width)), new DoubleOptional(eps));
    }

    Tensor batchNorm(String name, Tensor x) {
        long channels = x.size(1);
        return torch.batch_norm(
                x,
                new TensorOptional(ones(name + ".weight", channels)),
                new TensorOptional(zeros(name + ".bias", channels)),
                new TensorOptional(statistics.computeIfAbsent(name + ".mean", key -> statistic(torch.zeros(channels)))),
                new TensorOptional(statistics.computeIfAbsent(name + ".var", key -> statistic(torch.ones(channels)))),
                true,
                MOMENTUM,
                1e-5,
                true);
    }

    private Tensor statistic(Tensor values) {
        return kept(values.to(dtype));
    }

    /** Without bias. */
    Tensor conv(String name, Tensor x, long channels, long kernel, long stride, long padding) {
        return conv(name, x, channels, kernel, stride, padding, new TensorOptional());
    }

    Tensor biasedConv(String name, Tensor x, long channels, long kernel, long stride, long padding) {
        return conv(name, x, channels, kernel, stride, padding, new TensorOptional(zeros(name + ".bias", channels)));
    }

    private Tensor conv(
            String name, Tensor x, long channels, long kernel, long stride, long padding, TensorOptional bias) {
        long inputs = x.size(1);
        Tensor weight = weight(name + ".weight", inputs * kernel * kernel, channels, inputs, kernel, kernel);
        return torch.conv2d(
                x, weight, bias, new long[] {stride, stride}, new long[] {padding, padding}, new long[] {1, 1}, 1);
    }

    /** Twice the extent of {@code x}. */
    Tensor convTranspose(String name, Tensor x, long channels) {
        long inputs = x.size(1);
        return torch.conv_transpose2d(
                x,
                weight(name + ".weight", inputs, inputs, channels, 2, 2),
                new TensorOptional(zeros(name + ".bias", channels)),
                new long[] {2, 2},
                new long[] {0, 0},
                new long[] {0, 0},
                1,
                1,
                1);
    }

    static Tensor maxPool(Tensor x) {
        return torch.max_pool2d(x, new long[] {2, 2}, new long[] {2, 2}, new long[] {0, 0}, new long[] {1, 1}, false);
    }

    static Tensor dropout(Tensor x, double share) {
        return share == 0 ? x : torch.dropout(x, share, true);
    }

    static Tensor splitHeads(Tensor x, long heads) {
        return x.view(x.size(0), x.size(1), heads, x.size(2) / heads).transpose(1, 2);
    }

    static Tensor mergeHeads(Tensor x) {
        return x.transpose(1, 2).reshape(x.size(0), x.size(2), x.size(1) * x.size(3));
    }

    /** Of as many heads of keys as of queries, or fewer that several queries share. */
    static Tensor attention(Tensor q, Tensor k, Tensor v, TensorOptional mask, boolean causal) {
        return torch.scaled_dot_product_attention(
                q, k, v, mask, 0.0, causal, new DoubleOptional(), q.size(1) != k.size(1));
    }

    /** The mean over rows of {@code [..., classes]}. */
    static Tensor crossEntropy(Tensor logits, Tensor labels, double smoothing) {
        return torch.cross_entropy_loss(
                logits.reshape(-1, logits.size(-1)),
                labels.reshape(-1),
                new TensorOptional(),
                MEAN,
                NO_INDEX,
                smoothing);
    }

    /** @param flat weights and biases of each layer */
    static Tensor lstm(Tensor frames, TensorVector flat, long layers, long width) {
        Tensor zeros = torch.zeros(layers, frames.size(0), width).to(frames.scalar_type());
        return torch.lstm(frames, new TensorVector(zeros, zeros), flat, true, layers, 0.0, true, false, true)
                .get0();
    }

    /**
     * What PyTorch's network takes of one layer.
     *
     * @param name of a parameter, by what it is in a cell
     */
    TensorVector cell(UnaryOperator<String> name, long inputs, long width) {
        return new TensorVector(
                weight(name.apply("weight_ih"), width, 4 * width, inputs),
                weight(name.apply("weight_hh"), width, 4 * width, width),
                zeros(name.apply("bias_ih"), 4 * width),
                zeros(name.apply("bias_hh"), 4 * width));
    }
}
