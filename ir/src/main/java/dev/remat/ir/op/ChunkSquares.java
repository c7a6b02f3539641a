package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Sums of squares of what a rank's share has of tensors, by chunks of {@link ScatterShares#UNIT} elements:
 * {@code [share]} of floats, then a factor of all of them if {@code scaled}, to {@code f64[share / 1024]}.
 * {@link SumOfChunks} makes of all chunks of a tensor what {@link SumOfSquares} makes of the tensor, to the bit. A
 * share that has room for all tensors is no share: every rank has them whole.
 *
 * @param firsts where each tensor begins among the elements that are shared, a multiple of the unit
 * @param elements how many each has; what follows up to the next is passed over
 * @param precise whether it accumulates in f64, as where another tensor of the norm is f64
 */
public record ChunkSquares(List<Long> firsts, List<Long> elements, boolean scaled, boolean precise)
        implements AfterLoss {
    public ChunkSquares {
        firsts = List.copyOf(firsts);
        elements = List.copyOf(elements);
        Expect.argument(firsts.size() == elements.size(), "%s tensors begin at %s", elements, firsts);
        Expect.argument(
                firsts.stream().allMatch(first -> first % ScatterShares.UNIT == 0),
                "chunks do not begin at %s",
                firsts);
    }

    public static ChunkSquares parse(Attributes attributes) {
        return new ChunkSquares(
                attributes.longs("firsts"),
                attributes.longs("elements"),
                attributes.flag("scaled"),
                attributes.isPrecise());
    }

    /** Whether so many elements are all that there are, rather than a rank's share. */
    public boolean areAll(long share) {
        return firsts.isEmpty() || firsts.getLast() + elements.getLast() <= share;
    }

    @Override
    public String mnemonic() {
        return "chunk_squares";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("firsts", firsts)
                .with("elements", elements)
                .with("scaled", scaled)
                .withPrecise(precise);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, scaled ? 2 : 1);
        TensorType share = operands.getFirst();
        Expect.floating(this, share);
        ShapeException.require(
                share.rank() == 1 && share.elements() % ScatterShares.UNIT == 0,
                "%s takes a share of whole units, got %s",
                mnemonic(),
                share);
        if (scaled) {
            Expect.real(this, "a factor", operands.getLast());
        }
        return List.of(TensorType.of(DType.F64, share.elements() / ScatterShares.UNIT));
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return (scaled ? 3 : 2) * operands.getFirst().elements();
    }
}
