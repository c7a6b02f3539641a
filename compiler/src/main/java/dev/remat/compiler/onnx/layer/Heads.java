package dev.remat.compiler.onnx.layer;

import dev.remat.compiler.onnx.operator.Operators;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Spelling;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Attention, and the axes of its heads, where shapes turn out to be such. */
final class Heads {
    private Heads() {}

    /** What Reshape makes of the first two operands. */
    private static Tensor reshaped(Use use) {
        OnnxNode node = use.node();
        OnnxNode reshape = new OnnxNode(
                node.name(), "", "Reshape", node.inputs(), node.outputs(), new LinkedHashMap<>(), node.metadata());
        Use other = new Use(reshape, use.opset(), use.operands(), use.out(), use.inline());
        return Operators.find("Reshape")
                .orElseThrow()
                .rule()
                .orElseThrow()
                .write(other)
                .getFirst();
    }

    /** [B, T, heads·D] to [B, heads, T, D]. */
    static Tensor split(Use use) {
        Tensor x = use.in(0);
        Tensor apart = reshaped(use);
        boolean isSplit = x.rank() == 3
                && apart.rank() == 4
                && apart.dim(0).equals(x.dim(0))
                && apart.dim(1).equals(x.dim(1))
                && apart.dim(2).isConstant();
        if (!isSplit) {
            return use.out().permute(use.out().let(apart), List.of(0, 2, 1, 3));
        }
        Shape shape = new Shape(List.of(apart.dim(0), apart.dim(2), apart.dim(1), apart.dim(3)));
        return use.out().call("split_heads", x.type().with(shape), x, apart.dim(2));
    }

    /** [B, heads, T, D] to [B, T, heads·D]. */
    static Tensor merge(Use use) {
        Expressions out = use.out();
        Tensor y = use.in(0);
        Tensor turned = out.permute(y, List.of(0, 2, 1, 3));
        List<Optional<Tensor>> operands = new ArrayList<>(use.operands());
        operands.set(0, Optional.of(turned));
        Tensor joined = reshaped(new Use(use.node(), use.opset(), operands, out, use.inline()));
        boolean isMerged = joined.rank() == 3
                && joined.dim(0).equals(y.dim(0))
                && joined.dim(1).equals(y.dim(2))
                && joined.dim(2).equals(y.dim(1).times(y.dim(3)));
        return isMerged ? out.call("merge_heads", joined.type(), y) : joined;
    }

    /** Place of the first operand that scales. */
    private static final int ROOTS = 9;

    /** What scores are multiplied by, as far as it is a number. */
    private static double scale(Use use) {
        double scale = use.real("scale", 1);
        for (int i = ROOTS; i < use.operands().size(); i++) {
            Optional<Double> root = number(use.in(i));
            if (root.isPresent()) {
                scale = divides(use, i) ? scale / root.get() : scale * root.get();
            }
        }
        return scale;
    }

    private static boolean divides(Use use, int operand) {
        return use.integers("divides").orElse(List.of()).get(operand - ROOTS) == 1;
    }

    private static Optional<Double> number(Tensor root) {
        return root.constant().filter(Constant::isNumeric).map(constant -> constant.real(0));
    }

    /** Queries, times what they are scaled by that is an open extent's. */
    private static Tensor queries(Use use) {
        Tensor q = use.in(0);
        for (int i = ROOTS; i < use.operands().size(); i++) {
            if (number(use.in(i)).isEmpty()) {
                q = use.out().let(use.out().infix(divides(use, i) ? "/" : "*", q, use.in(i)));
            }
        }
        return q;
    }

    /**
     * Operands: q, k, v, what is added to scores, a mask, k and v before heads that share them were repeated, the
     * causal part of the mask and the rest of it, and what scores are scaled by.
     */
    static Tensor attend(Use use) {
        Expressions out = use.out();
        Tensor q = queries(use);
        boolean isShared = use.find(5).filter(k -> isShared(q, k)).isPresent()
                && use.find(6).filter(v -> isShared(q, v)).isPresent();
        Tensor k = use.in(isShared ? 5 : 1);
        Tensor v = use.in(isShared ? 6 : 2);
        if (Stream.of(q, k, v).anyMatch(each -> each.rank() != 4)
                || Stream.of(3, 4)
                        .anyMatch(i -> use.find(i).filter(b -> b.rank() > 4).isPresent())) {
            return plain(use);
        }
        out.symbols().join(q.dim(3), k.dim(3));
        out.symbols().join(k.dim(2), v.dim(2));
        List<Object> arguments = new ArrayList<>(List.of(q, k, v));
        use.find(3)
                .ifPresent(bias ->
                        arguments.add(Expressions.named("bias", out.body().spell(wide(use, bias)))));
        use.find(4).ifPresent(mask -> arguments.addAll(hiding(use, mask, q, k)));
        float scale = (float) scale(use);
        Dim width = q.dim(3);
        boolean isUsual = width.isConstant() && Math.abs(scale * Math.sqrt(width.value()) - 1) < 1e-6;
        if (!isUsual) {
            arguments.add(Expressions.named("scale", scale));
        }
        Shape shape = new Shape(List.of(q.dim(0), q.dim(1), q.dim(2), v.dim(3)));
        return out.call("attention", q.type().with(shape), arguments.toArray());
    }

    /** Whether each head of keys or values is of as many heads of queries. */
    private static boolean isShared(Tensor q, Tensor x) {
        return q.rank() == 4
                && x.rank() == 4
                && q.dim(1).isConstant()
                && x.dim(1).isConstant()
                && q.dim(1).value() % x.dim(1).value() == 0;
    }

    private static Tensor wide(Use use, Tensor x) {
        Tensor wide = x;
        while (wide.rank() < 4) {
            wide = use.out().unsqueeze(wide, 0);
        }
        return wide;
    }

    private static List<Spelling> hiding(Use use, Tensor mask, Tensor q, Tensor k) {
        boolean isCausal = use.find(7)
                .filter(causal -> causal.dims().equals(List.of(q.dim(2), k.dim(2))))
                .isPresent();
        List<Spelling> arguments = new ArrayList<>();
        if (isCausal) {
            arguments.add(Expressions.named("causal", true));
        }
        if (!isCausal || use.find(8).isPresent()) {
            Tensor all = isCausal ? use.in(8) : mask;
            Tensor shows = use.out().let(use.flag("inverted", false) ? use.out().not(all) : all);
            arguments.add(Expressions.named("mask", use.out().body().spell(wide(use, shows))));
        }
        return arguments;
    }

    /** The same in products, for what has other than four axes. */
    private static Tensor plain(Use use) {
        Expressions out = use.out();
        Tensor product = out.matmul(queries(use), out.move(use.in(1), -1, -2));
        Tensor scaled = out.infix("*", product, out.number(DType.F32, scale(use)));
        Tensor scores = use.find(3).map(bias -> out.infix("+", scaled, bias)).orElse(scaled);
        if (use.find(4).isEmpty()) {
            return out.matmul(out.unary("softmax", scores), use.in(2));
        }
        Tensor shows = out.let(use.flag("inverted", false) ? out.not(use.in(4)) : use.in(4));
        Tensor shares = out.unary("softmax", out.where(shows, scores, out.number(DType.F32, Double.NEGATIVE_INFINITY)));
        return out.matmul(out.where(shows, shares, out.number(DType.F32, 0)), use.in(2));
    }
}
