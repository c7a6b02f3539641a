package dev.remat.tests.language;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.ApplyPrecision;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.tests.reference.Slopes;
import dev.remat.tests.reference.Tensor;
import java.util.LinkedHashMap;
import java.util.Random;
import java.util.SequencedMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Gradients of builtins made of several operations, held to central differences. */
class BuiltinGradientTest {
    private static final String DECLARATIONS = """
        param a: f32[4, 6] = zeros
        param b: f32[4, 6] = zeros
        param v: f32[6] = zeros
        param u: f32[4] = zeros
        input ids: i32[4]
        param image: f32[2, 4, 5, 6] = zeros
        param volume: f32[2, 3, 4, 5, 4] = zeros
        layer States(all) { return sum(all[0]) * all[1] }
        layer Both(all) { return sum(all[0]) * all[1][0] + all[1][1] }
        """;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "elu(a, alpha = 0.7) + selu(b) * celu(a, alpha = 2)",
                "mish(a) * hardtanh(b) + relu6(4 * a) * hardsigmoid(b) + hardswish(a)",
                "logsigmoid(a) + tanhshrink(b) + softsign(a)",
                "hardshrink(a, lambd = 0.1) + softshrink(b, lambd = 0.2) + threshold(a, 0.2, 3)",
                "a[::2, 1::2] * b[1, ids[:3]] + a[ids, ids + 1][:2, none] + a[arange(4, dtype = i32), ids][2:, none]",
                "cumprod(a, axis = 1) * cummax(b, axis = 0)[0] + cummin(a, axis = 1)[0] * cumprod(b, axis = 0)",
                "cdist(a, b) + cdist(a[:, none], b[:, none], p = 3)[..., 0] + cdist(b, a, p = 1)",
                "glu(a) + swiglu(b) + geglu(a)",
                "prelu(a) * prelu(b, num_parameters = 6) + softmin(a, axis = 0)",
                "l1_loss(a, b) + smooth_l1(a, b, beta = 0.5) * huber(a, b, delta = 0.3)",
                "mse(a, b, reduction = \"none\") + mae(a, b, reduction = \"sum\")",
                "cross_entropy(a, ids, weight = exp(v), reduction = \"none\") * u",
                "cross_entropy(a, ids, weight = exp(v), label_smoothing = 0.2)",
                "cross_entropy(a, ids, ignore_index = 1, sample_weight = exp(u), label_smoothing = 0.1)",
                "nll_loss(log_softmax(a), ids, weight = exp(v)) + perplexity(a, ids)",
                "multi_margin_loss(a, ids, p = 2, margin = 0.7, weight = exp(v))",
                "bce_with_logits(a, sigmoid(b), pos_weight = exp(v), weight = exp(unsqueeze(u, 1)), reduction ="
                        + " \"sum\")",
                "focal(a, sigmoid(b), alpha = 0.3, gamma = 1.5, reduction = \"none\")",
                "kl_div(log_softmax(a), softmax(b)) + kl_div(a, b, log_target = true, reduction = \"batchmean\")",
                "cosine_similarity(a, b) * u + cosine_embedding_loss(a, b, sign(u))",
                "triplet_margin_loss(a, b, 2 * b + 1, p = 3, swap = true, reduction = \"none\")",
                "margin_ranking_loss(u, u * u, sign(u)) + hinge_embedding_loss(a, sign(b))",
                "var(a, axis = 0) * std(b, axis = 1, keepdim = true) + var(v, correction = 0)",
                "norm(a, axis = 1) * norm(b, p = 3.0, axis = 1) + norm(a, p = 1.0, axis = (0, 1))",
                "normalize(a) * normalize(b, p = 1.5, axis = 0) + outer(u, v) * dot(v, v)",
                "logsumexp(a, axis = 1) * logsumexp(3 * b)",
                "one_hot(ids, 6) * a + where(one_hot(ids, 6, dtype = bool), b, a * a)",
                "bce(sigmoid(a), sigmoid(b), weight = exp(v))",
                "gaussian_nll(a, b, exp(unsqueeze(u, 1)), full = true, reduction = \"none\")",
                "upsample(image, mode = \"bilinear\") + upsample(image, mode = \"bicubic\")",
                "upsample(image, size = (7, 4), mode = \"bicubic\", align_corners = true)",
                "upsample(image, size = (7, 4)) * upsample(image, size = (7, 4), mode = \"bilinear\")",
                "instance_norm(image, affine = true) + local_response_norm(image, 3, alpha = 0.5)",
                "max_pool1d(unsqueeze(a, 0), 3, stride = 2) + avg_pool1d(unsqueeze(b, 0), 2, stride = 3)",
                "avg_pool2d(image, 3, stride = 2, padding = 1, ceil_mode = true)",
                "max_pool2d(image, 2, stride = 3, ceil_mode = true)",
                "max_pool2d(image, (3, 2), stride = (1, 2), padding = 1, dilation = (1, 3), ceil_mode = true)",
                "unfold(image, (2, 3), dilation = 2, padding = 1, stride = (1, 2)) * sum(a)",
                "fold(reshape(volume, [2, 6, 40]), (5, 8), (2, 1), padding = (0, 1), stride = (1, 1))",
                "max_pool3d(volume, 2, stride = 1, dilation = (1, 2, 2))",
                "adaptive_avg_pool2d(image, (3, 4)) * adaptive_max_pool2d(image, (3, 4))",
                "max_pool3d(volume, 2) * avg_pool3d(volume, 2, padding = 0)",
                "pixel_unshuffle(pixel_shuffle(image, 2), 2) * image",
                "pad(image, (2, 1, 0, 3), mode = \"reflect\") * pad(image, (2, 1, 0, 3), mode = \"circular\")",
                "pad(image, (2, 1, 0, 3), mode = \"replicate\")",
                "conv2d(image, 3, (2, 3), padding = \"same\") * conv2d(image, 3, 1)",
                "conv1d(unsqueeze(a, 0), 2, 4, padding = \"same\")",
                "conv_transpose1d(unsqueeze(b, 0), 4, 3, stride = 2, groups = 2)",
                "conv3d(volume, 2, (2, 3, 1), stride = (2, 1, 2), padding = 1)",
                "einsum(\"ij,kj,i->ik\", a, b, u) * einsum(\"...j,...j->...\", a, b)",
                "einsum(\"ncij,mcij->nm\", image, image) / 100 + einsum(\"ij->\", a)",
                "stack([a, b], axis = 1) + unsqueeze(masked_fill(a, b > 0, 2), 1)",
                "chunk(a, 4, axis = 1)[2] * chunk(b, 3, axis = 1)[1]",
                "States(rnn(unsqueeze(a, 0), 2, num_layers = 2))",
                "States(gru(unsqueeze(a, 0), 2, bidirectional = true))",
                "Both(lstm(unsqueeze(a, 0), 2, num_layers = 2, bidirectional = true, batch_first = false))"
            })
    void agreesWithCentralDifferences(String expression) {
        Graph forward = forward(DECLARATIONS + "y = " + expression + "\nloss = mean(y * y + y)");
        SequencedMap<String, Tensor> inputs = inputs(forward);
        Slopes.expectSlopes(forward, inputs, Slopes.gradients(forward, inputs));
    }

    /** Left and right of a kink the gradient is another; PyTorch's functions take these at the kink itself. */
    @ParameterizedTest
    @CsvSource({
        "'elu(x, alpha = 0.5)', 0, 0.5",
        "hardtanh(x), -1, 0",
        "hardtanh(x), 1, 0",
        "relu6(x), 0, 0",
        "relu6(x), 6, 0",
        "hardsigmoid(x), -3, 0",
        "hardsigmoid(x), 3, 0",
        "hardswish(x), -3, 0",
        "hardswish(x), 3, 1",
        "hardshrink(x), 0.5, 0",
        "softshrink(x), -0.5, 0",
        "'threshold(x, 2, 9)', 2, 0",
        "prelu(x), 0, 0.25",
        "'l1_loss(x, zeros([]))', 0, 0",
        "'bce(x, ones([]))', 0, -1e12",
        "'bce(x, zeros([]))', 1, 1e12",
        "'logsumexp(reshape(x, [1]))', 1000, 1",
        "'max(x, 1)', 1, 0.5",
        "'max(x, 1)', NaN, 1",
        "'min(log(-ones([])), x)', 3, 1",
        "'min(x, 1)', 3, 0",
        "'std(tile(reshape(x, [1]), [4]))', 3, 0",
        "'norm(concat([reshape(x, [1]), zeros([1])]), p = -1.0)', 3, 0",
        "'norm(concat([reshape(x, [1]), ones([1])]), p = -1.0)', 1, 0.25"
    })
    void takesPyTorchsSideOfAKink(String expression, double x, double slope) {
        assertThat(slope(expression, x)).isEqualTo(slope);
    }

    /** Where a branch that is not taken overflows, its gradient of 0 times infinity must not be met. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "elu(x)",
                "selu(x)",
                "celu(x)",
                "mish(x)",
                "hardswish(x)",
                "logsigmoid(x)",
                "softsign(x)",
                "prelu(x)",
                "smooth_l1(x, zeros([]))",
                "huber(x, zeros([]))"
            })
    void staysANumberFarOut(String expression) {
        assertThat(slope(expression, 1e200)).isFinite();
        assertThat(slope(expression, -1e200)).isFinite();
    }

    private static double slope(String expression, double x) {
        Graph graph = forward("param x: f32[] = zeros\nloss = " + expression);
        SequencedMap<String, Tensor> inputs = inputs(graph);
        inputs.put("x", Tensor.of(TensorType.scalar(DType.F64), x));
        if (inputs.containsKey("prelu.weight")) {
            inputs.put("prelu.weight", Tensor.of(TensorType.of(DType.F64, 1), 0.25));
        }
        return Slopes.gradients(graph, inputs).get("x").scalar();
    }

    private static Graph forward(String body) {
        String text = "remat 1\nmodel M {\n" + body + "\n}\ntrain { minimize loss; optimizer sgd(lr = 0.1) }\n";
        Graph elaborated = Elaborator.elaborate(
                        ModelParser.parse(new Source("m", text), IncludeResolver.NONE), Bindings.NONE)
                .forward();
        return RemoveDeadNodes.run(ApplyPrecision.run(elaborated, DType.F64));
    }

    /** Gaussian numbers, and integers below 3. */
    private static SequencedMap<String, Tensor> inputs(Graph graph) {
        Random random = new Random(5);
        SequencedMap<String, Tensor> inputs = new LinkedHashMap<>();
        for (GraphInput input : graph.inputs()) {
            TensorType type = graph.type(input.value());
            Tensor tensor = Tensor.zeros(type);
            for (int i = 0; i < tensor.data().length; i++) {
                tensor.data()[i] = type.dtype().isFloat() ? random.nextGaussian() : random.nextInt(3);
            }
            inputs.put(graph.value(input.value()).name(), tensor);
        }
        return inputs;
    }
}
