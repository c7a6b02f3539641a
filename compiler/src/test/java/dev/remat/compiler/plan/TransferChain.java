package dev.remat.compiler.plan;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import dev.remat.ir.plan.Tier;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A chain small enough to plan by hand, over a link that moves a value in the time of a forward node. */
public final class TransferChain {
    private static final Tier HOST = new Tier("host", 1000, 10_000_000_000L, 10_000_000_000L, 0);

    /** Forward a b c d of 100 bytes and 10 ns; backward dd dc db da of 100 bytes and 20 ns, each reads its forward. */
    public static final RematProblem PROBLEM = RematProblem.of(
            "chain",
            List.of(
                    forward("a"),
                    forward("b", 0),
                    forward("c", 1),
                    forward("d", 2),
                    backward("dd", 3),
                    backward("dc", 2, 4),
                    backward("db", 1, 5),
                    backward("da", 0, 6)),
            List.of(7),
            List.of(HOST));

    /** A parameter w of 40 bytes that lives below; x reads it, dx both, and the update changes it. */
    public static final RematProblem WITH_PARAMETER_BELOW = RematProblem.of(
            "below",
            List.of(
                    ProblemNode.resident("w", 40).withHome(0),
                    ProblemNode.of("x", Role.FORWARD).withCost(10).withInputs(0).withResult(ProblemValue.of("x", 10)),
                    ProblemNode.of("dx", Role.BACKWARD)
                            .withCost(20)
                            .withInputs(0, 1)
                            .withResult(ProblemValue.of("dx", 10)),
                    ProblemNode.of("update", Role.UPDATE)
                            .withCost(5)
                            .withInputs(2)
                            .withWrites(0)),
            List.of(),
            List.of(HOST));

    private TransferChain() {}

    private static ProblemNode forward(String id, int... inputs) {
        return ProblemNode.of(id, Role.FORWARD).withCost(10).withInputs(inputs).withResult(ProblemValue.of(id, 100));
    }

    private static ProblemNode backward(String id, int... inputs) {
        return ProblemNode.of(id, Role.BACKWARD)
                .withCost(20)
                .withInputs(inputs)
                .withResult(ProblemValue.of(id, 100))
                .notOffloadable();
    }

    /** Steps of the chain as words: a node, {@code >a} to store, {@code !a} to await, {@code <a} to fetch. */
    public static OperatorSequence sequence(String steps) {
        return sequence(PROBLEM, steps);
    }

    public static OperatorSequence sequence(RematProblem problem, String steps) {
        int[] codes = Stream.of(steps.split(" "))
                .mapToInt(word -> step(problem, word).code())
                .toArray();
        return new OperatorSequence("by-hand", codes, List.of());
    }

    private static SequenceStep step(RematProblem problem, String word) {
        return switch (word.charAt(0)) {
            case '>' -> new SequenceStep.Store(value(problem, word.substring(1)), 0);
            case '!' -> new SequenceStep.Await(value(problem, word.substring(1)));
            case '<' -> new SequenceStep.Fetch(value(problem, word.substring(1)));
            default -> new SequenceStep.Run(node(problem, word));
        };
    }

    private static int node(RematProblem problem, String id) {
        return IntStream.range(0, problem.nodeCount())
                .filter(n -> problem.nodeId(n).equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static int value(RematProblem problem, String id) {
        return IntStream.range(0, problem.valueCount())
                .filter(v -> problem.valueId(v).equals(id))
                .findFirst()
                .orElseThrow();
    }
}
