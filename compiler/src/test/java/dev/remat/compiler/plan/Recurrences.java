package dev.remat.compiler.plan;

import static dev.remat.compiler.plan.Summaries.node;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Training steps of unrolled recurrences: wide weights, narrow states. */
public final class Recurrences {
    public static final int STATE = 1;
    public static final int WEIGHT = 1_000;

    private Recurrences() {}

    /**
     * Layers over time as a tape differentiates them: step by step from the last, so that the gradients of all weights
     * grow side by side.
     */
    public static RematProblem of(int layers, int steps) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (int l = 0; l < layers; l++) {
            nodes.add(ProblemNode.resident("w" + l, WEIGHT));
        }
        int[][] h = new int[steps][layers];
        for (int t = 0; t < steps; t++) {
            for (int l = 0; l < layers; l++) {
                IntStream reads = IntStream.of(l);
                reads = t > 0 ? IntStream.concat(reads, IntStream.of(h[t - 1][l])) : reads;
                reads = l > 0 ? IntStream.concat(reads, IntStream.of(h[t][l - 1])) : reads;
                h[t][l] = nodes.size();
                nodes.add(node("h" + t + "." + l, Role.FORWARD, STATE, reads.toArray()));
            }
        }
        int[][] d = new int[steps][layers];
        int[] sum = new int[layers];
        for (int t = steps - 1; t >= 0; t--) {
            for (int l = layers - 1; l >= 0; l--) {
                IntStream reads = IntStream.of(l, h[t][l]);
                reads = t < steps - 1 ? IntStream.concat(reads, IntStream.of(d[t + 1][l])) : reads;
                reads = l < layers - 1 ? IntStream.concat(reads, IntStream.of(d[t][l + 1])) : reads;
                d[t][l] = nodes.size();
                nodes.add(node("d" + t + "." + l, Role.BACKWARD, STATE, reads.toArray()));
                int product = nodes.size();
                nodes.add(node("p" + t + "." + l, Role.BACKWARD, WEIGHT, d[t][l], h[t][l]));
                if (t < steps - 1) {
                    nodes.add(ProblemNode.of("s" + t + "." + l, Role.BACKWARD)
                            .withInputs(sum[l], product)
                            .withResult(ProblemValue.inPlace("s" + t + "." + l, WEIGHT, sum[l])));
                }
                sum[l] = nodes.size() - 1;
            }
        }
        for (int l = 0; l < layers; l++) {
            nodes.add(ProblemNode.of("u" + l, Role.UPDATE).withInputs(sum[l], l).withWrites(l));
        }
        return RematProblem.of("recurrence", nodes, List.of());
    }
}
