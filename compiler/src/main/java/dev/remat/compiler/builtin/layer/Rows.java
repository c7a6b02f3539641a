package dev.remat.compiler.builtin.layer;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Gather;
import java.util.List;

/**
 * Scores of classes, and which class is right, row by row.
 *
 * @param scores [N, classes]
 * @param targets integers [N]
 * @param shape of the targets as they were given, with N elements
 */
public record Rows(ValueId scores, ValueId targets, Shape shape) {
    /** The argument {@code name} [.., classes] and the argument {@code targets} [..]. */
    public static Rows of(String name, Arguments args, Emission out) {
        ValueId scores = args.tensor(name);
        ValueId targets = args.tensor("targets");
        TensorType type = out.type(scores);
        boolean fits = type.rank() > 0
                && out.type(targets).shape().dims().equals(type.shape().dims().subList(0, type.rank() - 1));
        if (!fits) {
            throw new SemanticError(
                    "E0301",
                    "targets " + out.type(targets) + " do not suit " + name + " " + type,
                    "the classes are the last axis of " + name + ", and targets have the axes before it");
        }
        Dim classes = type.dim(type.rank() - 1);
        Dim count = out.type(targets).shape().elements();
        return new Rows(
                out.reshape(scores, new Shape(List.of(count, classes))),
                out.reshape(targets, new Shape(List.of(count))),
                out.type(targets).shape());
    }

    Dim classes(Emission out) {
        return out.type(scores).dim(1);
    }

    /** Where a target is not {@code ignored}, bools [N]. */
    ValueId kept(long ignored, Emission out) {
        return out.compare(Compare.Kind.NE, targets, ignored);
    }

    /** The targets, and class 0 where they are not {@code kept}. */
    ValueId chosen(ValueId kept, Emission out) {
        return out.select(kept, targets, out.filled(0, out.type(targets)));
    }

    /** The score of class {@code ids[i]} in row i, [N, 1]. */
    ValueId column(ValueId ids, Emission out) {
        Shape column = new Shape(List.of(out.type(ids).dim(0), Dim.ONE));
        return out.apply(new Gather(1), scores, out.reshape(ids, column));
    }

    /** The score of class {@code ids[i]} in row i, [N]. */
    ValueId at(ValueId ids, Emission out) {
        return Tensors.dropped(column(ids, out), List.of(1), out);
    }

    /** The argument {@code weight} [classes]. */
    ValueId classWeights(Arguments args, Emission out) {
        ValueId weight = args.tensor("weight");
        if (!out.type(weight).shape().equals(new Shape(List.of(classes(out))))) {
            throw new SemanticError(
                    "E0301",
                    "weight " + out.type(weight) + " does not have one number for each of " + classes(out)
                            + " classes");
        }
        return weight;
    }

    /** One number a row, in the shape of the targets. */
    ValueId shaped(ValueId perRow, Emission out) {
        return out.reshape(perRow, shape);
    }
}
