package dev.remat.compiler.onnx.layer;

import dev.remat.compiler.onnx.operator.Operators;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

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

    static Tensor attend(Use use) {
        Expressions out = use.out();
        Tensor q = use.in(0);
        Tensor k = use.in(1);
        Tensor v = use.in(2);
        if (q.rank() != 4
                || k.rank() != 4
                || v.rank() != 4
                || use.find(3).filter(b -> b.rank() > 4).isPresent()) {
            return plain(use);
        }
        out.symbols().join(q.dim(3), k.dim(3));
        out.symbols().join(k.dim(2), v.dim(2));
        List<Object> arguments = new ArrayList<>(List.of(q, k, v));
        if (use.find(3).isPresent()) {
            Tensor bias = use.in(3);
            while (bias.rank() < 4) {
                bias = out.unsqueeze(bias, 0);
            }
            arguments.add(Expressions.named("bias", out.body().spell(bias)));
        }
        float scale = use.real("scale", 1);
        Dim width = q.dim(3);
        boolean isUsual = width.isConstant() && Math.abs(scale * Math.sqrt(width.value()) - 1) < 1e-6;
        if (!isUsual) {
            arguments.add(Expressions.named("scale", scale));
        }
        Shape shape = new Shape(List.of(q.dim(0), q.dim(1), q.dim(2), v.dim(3)));
        return out.call("attention", q.type().with(shape), arguments.toArray());
    }

    /** The same in products, for what has other than four axes. */
    private static Tensor plain(Use use) {
        Expressions out = use.out();
        Tensor scores = out.matmul(use.in(0), out.move(use.in(1), -1, -2));
        Tensor scaled = out.infix("*", scores, out.number(DType.F32, use.real("scale", 1)));
        Tensor biased = use.find(3).map(bias -> out.infix("+", scaled, bias)).orElse(scaled);
        return out.matmul(out.unary("softmax", biased), use.in(2));
    }
}
