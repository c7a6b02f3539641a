package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import java.util.ArrayList;
import java.util.List;

/**
 * Attention. A query that attends to nothing gives zeros here and no number in ONNX, so that such rows are set to 0
 * where a mask or bias can make them.
 */
final class WriteAttention {
    private static final List<Integer> KEYS = List.of(3);

    private final Translated node;
    private final Attention attention;
    private final DType dtype;

    private WriteAttention(Translated node, Attention attention) {
        this.node = node;
        this.attention = attention;
        this.dtype = node.type(0).dtype();
    }

    static void run(Translated node, Attention attention) {
        WriteAttention writing = new WriteAttention(node, attention);
        node.result(node.out().opset().hasAttention() && writing.suits() ? writing.operator() : writing.body());
        node.resultLater(1, () -> {
            throw new NotInOnnxException(
                    "E0801",
                    "gives the log-sum-exp of its scores, which is for gradients",
                    "leave it out of --outputs");
        });
    }

    /** ONNX Runtime 1.24 wants of a mask by heads as many as of keys. */
    private boolean suits() {
        boolean shared = !node.type(0).dim(1).equals(node.type(1).dim(1));
        boolean byHead =
                attention.masked() && !node.type(attention.maskIndex()).dim(1).is(1)
                        || attention.biased()
                                && !node.type(attention.biasIndex()).dim(1).is(1);
        return !shared || !byHead;
    }

    private String operator() {
        boolean masks = attention.masked() || attention.biased();
        List<String> operands = new ArrayList<>(List.of(node.operand(0), node.operand(1), node.operand(2)));
        Attribute scale = Attribute.of("scale", attention.scale());
        if (!masks) {
            return node.apply("Attention", operands, scale, Attribute.of("is_causal", attention.causal()));
        }
        String mask = attention.masked() ? mask() : "";
        String guide = mask;
        if (attention.biased()) {
            String bias = bias(dtype);
            guide = attention.masked() || attention.causal()
                    ? node.apply("Where", attention.masked() ? mask : causal(), bias, number(dtype, hidden()))
                    : bias;
        }
        // Runtimes repeat heads and samples of a mask, but not its queries.
        TensorType q = node.type(0);
        List<Dim> all = List.of(Dim.ONE, Dim.ONE, q.dim(2), node.type(1).dim(2));
        operands.add(node.apply("Expand", guide, node.extents().row(all)));
        String y = node.apply("Attention", operands, scale);
        String strengths = attention.biased() ? guide : node.cast(guide, DType.BOOL, DType.F32);
        DType of = attention.biased() ? dtype : DType.F32;
        String strongest = node.reduce("ReduceMax", strengths, KEYS);
        String some = node.apply("Greater", strongest, number(of, attention.biased() ? hidden() : 0));
        return node.apply("Where", some, y, number(dtype, 0));
    }

    private static double hidden() {
        return Double.NEGATIVE_INFINITY;
    }

    private String number(DType of, double value) {
        return node.out().scalar(of, value);
    }

    private String causal() {
        return node.extents().causal(node.type(0).dim(2), node.type(1).dim(2));
    }

    /** Which pairs attend, where there is a mask or only earlier keys count. */
    private String mask() {
        String mask = node.held(attention.maskIndex()).name();
        return attention.causal() ? node.apply("And", mask, causal()) : mask;
    }

    private String bias(DType to) {
        int index = attention.biasIndex();
        return node.cast(node.held(index).name(), node.type(index).dtype(), to);
    }

    private String body() {
        DType wide = dtype.accumulator();
        String q = node.cast(node.operand(0), dtype, wide);
        String k = node.cast(heads(1), dtype, wide);
        String v = node.cast(heads(2), dtype, wide);
        String keys = node.transpose(k, List.of(0, 1, 3, 2));
        String scores = node.apply("Mul", node.apply("MatMul", q, keys), number(wide, attention.scale()));
        if (attention.biased()) {
            scores = node.apply("Add", scores, bias(wide));
        }
        boolean hides = attention.masked() || attention.causal();
        String mask = attention.masked() ? mask() : hides ? causal() : "";
        if (hides) {
            scores = node.apply("Where", mask, scores, number(wide, hidden()));
        }
        String shares = node.apply("Softmax", List.of(scores), Attribute.of("axis", -1));
        if (attention.biased()) {
            String strongest = node.reduce("ReduceMax", scores, KEYS);
            String some = node.apply("Greater", strongest, number(wide, hidden()));
            shares = node.apply("Where", some, shares, number(wide, 0));
        } else if (attention.masked()) {
            shares = node.apply("Where", mask, shares, number(wide, 0));
        }
        return node.cast(node.apply("MatMul", shares, v), wide, dtype);
    }

    /** Keys or values, each head as often as there are queries' heads that share it. */
    private String heads(int index) {
        TensorType type = node.type(index);
        Dim all = node.type(0).dim(1);
        String x = node.operand(index);
        if (type.dim(1).equals(all)) {
            return x;
        }
        Dim each = all.divideExact(type.dim(1)).orElseThrow();
        String apart = node.apply("Unsqueeze", x, node.row(2));
        List<Dim> repeats = List.of(Dim.ONE, Dim.ONE, each, Dim.ONE, Dim.ONE);
        String repeated = node.apply("Expand", apart, node.extents().row(repeats));
        return node.apply("Reshape", repeated, node.extents().row(List.of(type.dim(0), all, type.dim(2), type.dim(3))));
    }
}
