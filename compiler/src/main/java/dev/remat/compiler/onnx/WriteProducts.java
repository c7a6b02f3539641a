package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.MatMul;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Products of matrices, and convolutions. */
final class WriteProducts {
    private WriteProducts() {}

    static void matmul(Translated node, MatMul product) {
        DType to = node.resultType().dtype();
        String a = node.cast(node.operand(0), node.type(0).dtype(), to);
        String b = node.cast(node.operand(1), node.type(1).dtype(), to);
        boolean transposes = product.transposeA() || product.transposeB();
        if (transposes && node.type(0).rank() == 2) {
            node.result(node.apply(
                    "Gemm",
                    List.of(a, b),
                    Attribute.of("transA", product.transposeA()),
                    Attribute.of("transB", product.transposeB())));
            return;
        }
        node.result(node.apply(
                "MatMul",
                product.transposeA() ? exchanged(node, a, node.type(0)) : a,
                product.transposeB() ? exchanged(node, b, node.type(1)) : b));
    }

    /** With the last two axes exchanged. */
    static String exchanged(Translated node, String x, TensorType type) {
        List<Integer> axes = IntStream.range(0, type.rank()).boxed().collect(Collectors.toCollection(ArrayList::new));
        Collections.swap(axes, type.rank() - 2, type.rank() - 1);
        return node.transpose(x, axes);
    }

    static void conv(Translated node, Conv2d conv) {
        List<Attribute> attributes = attributes(conv.geometry());
        node.result(
                node.apply("Conv", List.of(node.operand(0), node.operand(1)), attributes.toArray(Attribute[]::new)));
    }

    private static List<Attribute> attributes(ConvGeometry geometry) {
        return List.of(
                Attribute.of("strides", List.of(geometry.strideH(), geometry.strideW())),
                Attribute.of(
                        "pads",
                        List.of(geometry.paddingH(), geometry.paddingW(), geometry.paddingH(), geometry.paddingW())),
                Attribute.of("dilations", List.of(geometry.dilationH(), geometry.dilationW())),
                Attribute.of("group", geometry.groups()));
    }

    static void convTranspose(Translated node, ConvTranspose2d conv) {
        ConvGeometry geometry = conv.geometry();
        TensorType y = node.type(0);
        TensorType w = node.type(1);
        List<Attribute> attributes = new ArrayList<>(attributes(geometry));
        long more = beyond(
                conv.outputH(), y.dim(2), w.dim(2), geometry.strideH(), geometry.paddingH(), geometry.dilationH());
        long moreColumns = beyond(
                conv.outputW(), y.dim(3), w.dim(3), geometry.strideW(), geometry.paddingW(), geometry.dilationW());
        attributes.add(Attribute.of("output_padding", List.of(more, moreColumns)));
        node.result(node.apply(
                "ConvTranspose", List.of(node.operand(0), node.operand(1)), attributes.toArray(Attribute[]::new)));
    }

    /** Rows that the result has beyond those that every window reaches. */
    private static long beyond(Dim output, Dim input, Dim kernel, int stride, int padding, int dilation) {
        Dim reached = input.minus(1)
                .times(stride)
                .minus(2L * padding)
                .plus(kernel.minus(1).times(dilation))
                .plus(1);
        Dim more = output.minus(reached);
        if (!more.isConstant()) {
            throw new NotInOnnxException(
                    "E0802",
                    "gives " + output + " rows or columns of " + input + ", which is no number more than ONNX reckons",
                    "bind its symbols with --set");
        }
        return more.value();
    }
}
