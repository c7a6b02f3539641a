package dev.remat.compiler.builtin.layer;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Reduce;

/** What becomes of the losses of the elements, as the argument {@code reduction} says. */
public enum Reduction {
    MEAN,
    SUM,
    NONE;

    /** How the argument is declared, and its default. */
    static final String SLOT = "reduction: string = \"mean\"";

    /** @throws SemanticError if there is no such reduction (E0306) */
    public static Reduction of(Arguments args) {
        return switch (args.text("reduction")) {
            case "mean" -> MEAN;
            case "sum" -> SUM;
            case "none" -> NONE;
            default ->
                throw new SemanticError(
                        "E0306",
                        "'reduction' is \"mean\", \"sum\" or \"none\", not \"" + args.text("reduction") + "\"");
        };
    }

    /** A scalar, or the losses as they are. */
    public ValueId of(ValueId losses, Emission out) {
        return switch (this) {
            case MEAN -> Tensors.total(Reduce.Kind.MEAN, losses, out);
            case SUM -> Tensors.total(Reduce.Kind.SUM, losses, out);
            case NONE -> losses;
        };
    }

    /**
     * The mean is one of elements that count as much as their {@code weights} say.
     *
     * @param losses weighted already
     */
    ValueId weighted(ValueId losses, ValueId weights, Emission out) {
        return this == MEAN
                ? out.div(SUM.of(losses, out), Tensors.total(Reduce.Kind.SUM, weights, out))
                : of(losses, out);
    }
}
