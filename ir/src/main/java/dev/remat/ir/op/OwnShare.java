package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * The share that a rank has of tensors of one dtype, one behind the other: {@code ([...], ...)} to {@code [share]},
 * shares in the order of ranks as {@link ScatterShares} has them. Which one it is follows from the rank's number.
 *
 * @param aligned whether each begins at a multiple of {@link ScatterShares#UNIT}, behind zeros
 */
public record OwnShare(int ranks, boolean aligned) implements AfterLoss {
    public OwnShare {
        Expect.argument(ranks > 1, "nothing is shared among %d ranks", ranks);
    }

    public static OwnShare parse(Attributes attributes) {
        return new OwnShare(attributes.integer("ranks"), attributes.flag("aligned"));
    }

    @Override
    public String mnemonic() {
        return "own_share";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("ranks", ranks).with("aligned", aligned);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        ShapeException.require(!operands.isEmpty(), "%s takes at least one tensor", mnemonic());
        DType dtype = operands.getFirst().dtype();
        long elements = 0;
        for (TensorType operand : operands) {
            Expect.tensor(this, operand);
            ShapeException.require(operand.shape().isStatic(), "%s takes known extents, got %s", mnemonic(), operand);
            ShapeException.require(
                    operand.dtype() == dtype, "%s takes tensors of %s, got %s", mnemonic(), dtype.label(), operand);
            elements = first(elements) + operand.elements();
        }
        return List.of(TensorType.of(dtype, ScatterShares.share(elements, ranks)));
    }

    /** Where a tensor begins in front of which so many elements lie. */
    public long first(long before) {
        return aligned ? Math.ceilDiv(before, ScatterShares.UNIT) * ScatterShares.UNIT : before;
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return 0;
    }
}
