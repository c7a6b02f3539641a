package dev.remat.codegen.cuda.predict;

import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import java.util.List;
import java.util.Optional;

/**
 * What one kernel of attention computes.
 *
 * @param heads of queries, over the whole batch
 * @param ownHeads of queries or of keys, whichever blocks own
 * @param depth elements of a query
 * @param width elements of a value
 */
record AttentionShape(
        Part part,
        double heads,
        double ownHeads,
        double queries,
        double keys,
        double depth,
        double width,
        boolean causal) {
    /** Which results a kernel makes. */
    enum Part {
        FORWARD,
        /** The gradient of the queries, by blocks that own queries. */
        QUERIES,
        /** Those of keys and values, by blocks that own keys. */
        KEYS
    }

    /** Empty where the kernel multiplies no queries and keys. */
    static Optional<AttentionShape> of(KernelBody body, String symbol) {
        Instruction anchor = body.instructions().get(body.anchor());
        List<TensorType> operands = body.operandTypes(anchor);
        if (anchor.op() instanceof Attention op) {
            return Optional.of(of(Part.FORWARD, operands, 0, op));
        }
        boolean owner = symbol.contains("_dq_") || symbol.contains("_dkdv_");
        if (owner && anchor.op() instanceof AttentionGradient op) {
            return Optional.of(of(symbol.contains("_dq_") ? Part.QUERIES : Part.KEYS, operands, 1, op.forward()));
        }
        return Optional.empty();
    }

    private static AttentionShape of(Part part, List<TensorType> operands, int first, Attention op) {
        TensorType q = operands.get(first);
        TensorType v = operands.get(first + 2);
        return new AttentionShape(
                part,
                heads(q),
                heads(part == Part.KEYS ? v : q),
                q.dim(2).value(),
                v.dim(2).value(),
                q.dim(3).value(),
                v.dim(3).value(),
                op.causal());
    }

    private static double heads(TensorType operand) {
        return (double) operand.dim(0).value() * operand.dim(1).value();
    }

    /** Multiplications that each pair of a query and a key takes. */
    double terms() {
        return switch (part) {
            case FORWARD -> depth + width;
            case QUERIES -> 2 * depth + width;
            case KEYS -> 2 * depth + 2 * width;
        };
    }

    /** Rows that blocks own, of all that one head has. */
    double own() {
        return part == Part.KEYS ? keys : queries;
    }

    /** Tiles of {@code others} rows that the block with the number {@code block} of a head goes through. */
    double tiles(double rows, double others, long block) {
        double all = Math.ceil((part == Part.KEYS ? queries : keys) / others);
        if (!causal) {
            return all;
        }
        return part == Part.KEYS
                ? Math.max(0, all - Math.floor(block * rows / others))
                : Math.min(all, Math.ceil((block + 1) * rows / others));
    }

    /** Pairs of a query and a key that are not masked for being later. */
    double pairs() {
        double triangle = Math.min(queries, keys);
        double each = causal ? triangle * (triangle + 1) / 2 + (queries - triangle) * keys : queries * keys;
        return heads * each;
    }
}
