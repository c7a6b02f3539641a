package dev.remat.ir.op;

import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Sends every rank its share of an operand: {@code [...]} to {@code [ranks, share]}. The elements of a tensor are
 * shared in their order; the last shares are filled up with zeros.
 */
public record ScatterShares(int ranks) implements Exchange {
    /** Shares are whole units of elements, so that a sum that is taken by units is the same shared or whole. */
    public static final long UNIT = 1024;

    public ScatterShares {
        Expect.argument(ranks > 1, "nothing is exchanged among %d ranks", ranks);
    }

    public static ScatterShares parse(Attributes attributes) {
        return new ScatterShares(attributes.integer("ranks"));
    }

    /** Elements of each rank's share of a tensor of so many. */
    public static long share(long elements, int ranks) {
        return UNIT * Math.ceilDiv(elements, UNIT * ranks);
    }

    @Override
    public String mnemonic() {
        return "scatter_shares";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType whole = operands.getFirst();
        Expect.tensor(this, whole);
        ShapeException.require(whole.shape().isStatic(), "%s takes known extents, got %s", mnemonic(), whole);
        return List.of(new TensorType(whole.dtype(), Shape.of(ranks, share(whole.elements(), ranks))));
    }
}
