package dev.remat.compiler.onnx.layer;

import dev.remat.compiler.onnx.operator.Operators;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.compiler.onnx.statement.WrittenWeight;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/** Tables of weights, a row for each number or place. */
final class Tables {
    private Tables() {}

    static Tensor embedding(Use use) {
        Tensor table = use.in(0);
        Tensor ids = use.in(1);
        List<Dim> dims = new ArrayList<>(ids.dims());
        dims.add(table.dim(1));
        return rows(use, "embedding", new Shape(dims), List.of(ids, table.dim(0), table.dim(1)));
    }

    /** The first rows of a table, or all of them. */
    static Tensor positions(Use use) {
        Tensor table = use.in(0);
        Dim length = table.dim(0);
        if (use.find(2).isPresent()) {
            length = use.known(2).integers().getFirst();
            if (length.isConstant()
                    && (length.value() < 1 || length.value() > table.dim(0).value())) {
                return sliced(use);
            }
        }
        List<Object> arguments = new ArrayList<>(List.of(length, table.dim(1)));
        if (!length.equals(table.dim(0))) {
            arguments.add(Expressions.named("max", table.dim(0)));
        }
        return rows(use, "positions", new Shape(List.of(length, table.dim(1))), arguments);
    }

    /** Rows 0 up to as many as there are ids along the last axis, which are added to others: without other axes. */
    static Tensor positionsOf(Use use) {
        Tensor table = use.in(0);
        Tensor ids = use.in(1);
        Dim length = ids.dim(-1);
        if (ids.rank() > 1 && !ids.dims().subList(0, ids.rank() - 1).stream().allMatch(dim -> dim.is(1))) {
            return embedding(use);
        }
        List<Object> arguments = new ArrayList<>(List.of(length, table.dim(1)));
        if (!length.equals(table.dim(0))) {
            arguments.add(Expressions.named("max", table.dim(0)));
        }
        return rows(use, "positions", new Shape(List.of(length, table.dim(1))), arguments);
    }

    /** A call that owns the table, unless somebody else does. */
    private static Tensor rows(Use use, String function, Shape shape, List<Object> arguments) {
        Tensor table = use.in(0);
        boolean isShared = use.flag("shared", false);
        Optional<String> owner = Optional.empty();
        if (!isShared || use.out().body().written(table).isEmpty()) {
            owner = Optional.of(Owners.wish(use, List.of(0)))
                    .filter(name -> !isShared || use.out().body().mayShare(name));
        }
        List<Object> all = new ArrayList<>(arguments);
        if (owner.isEmpty()) {
            all.add(Expressions.named("weight", use.out().body().spell(table)));
            return use.out().call(function, table.type().with(shape), all.toArray());
        }
        String name = Owners.take(use, owner.get(), List.of(0));
        LayerOperators.own(use, name, "weight", 0, new WrittenWeight.Layout.Same());
        if (isShared) {
            use.out().body().share(table, name);
        }
        return Owners.named(use.out().call(function, table.type().with(shape), all.toArray()), name);
    }

    private static Tensor sliced(Use use) {
        OnnxNode node = use.node();
        OnnxNode slice = new OnnxNode(
                node.name(), "", "Slice", node.inputs(), node.outputs(), new LinkedHashMap<>(), node.metadata());
        return Operators.find("Slice")
                .orElseThrow()
                .rule()
                .orElseThrow()
                .write(new Use(slice, use.opset(), use.operands(), use.out(), use.inline()))
                .getFirst();
    }
}
