package dev.remat.compiler.fusion;

import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.VerificationException;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.SeedOp;
import dev.remat.ir.op.StepSeed;
import java.util.Arrays;

/**
 * The random chain evaluated symbolically: the ordinal at which every seed stands. What the executor and the code
 * generator fold it to, and the proof that each clone draws what its original drew.
 */
public final class SeedChain {
    private static final int NO_SEED = -1;

    private final int[] ordinals;

    private SeedChain(int[] ordinals) {
        this.ordinals = ordinals;
    }

    public static SeedChain of(Graph graph) {
        int[] ordinals = new int[graph.values().size()];
        Arrays.fill(ordinals, NO_SEED);
        for (Node node : graph.nodes()) {
            if (node.op() instanceof SeedOp op) {
                ordinals[node.results().getLast().index()] = switch (op) {
                    case StepSeed _, ResetSeed _ -> op.seedOrdinal();
                    case RandomOp _ -> 1 + ordinals[node.operands().getLast().index()];
                };
            }
        }
        return new SeedChain(ordinals);
    }

    /** Ordinal of a seed value. */
    public int ordinal(ValueId seed) {
        return ordinals[seed.index()];
    }

    /**
     * Checks that every random node, and every gradient of one, draws at the ordinal that the model gave it.
     *
     * @throws VerificationException naming the first that does not
     */
    public void verify(Graph graph) {
        for (Node node : graph.nodes()) {
            node.op().drawnOrdinal().ifPresent(ordinal -> expect(graph, node, ordinal));
        }
    }

    private void expect(Graph graph, Node node, int ordinal) {
        ValueId seed = node.operands().getLast();
        if (graph.type(seed).dtype() != DType.SEED || ordinals[seed.index()] != ordinal) {
            throw new VerificationException("%s %s (%s) draws at %s of the random chain instead of %s"
                    .formatted(
                            node.id(),
                            node.op().mnemonic(),
                            node.origin().location(),
                            ordinals[seed.index()],
                            ordinal));
        }
    }
}
