package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/** Sends all of an operand to every rank: {@code [...]} to {@code [ranks, ...]}. */
public record GatherShares(int ranks) implements Exchange {
    public GatherShares {
        Expect.argument(ranks > 1, "nothing is exchanged among %d ranks", ranks);
    }

    public static GatherShares parse(Attributes attributes) {
        return new GatherShares(attributes.integer("ranks"));
    }

    @Override
    public String mnemonic() {
        return "gather_shares";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType own = operands.getFirst();
        Expect.tensor(this, own);
        List<Dim> dims = new ArrayList<>(List.of(Dim.of(ranks)));
        dims.addAll(own.shape().dims());
        return List.of(new TensorType(own.dtype(), new Shape(dims)));
    }
}
