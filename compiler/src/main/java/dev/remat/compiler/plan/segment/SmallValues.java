package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.build.Retention;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Forward values too small to be worth dropping, such as statistics of a normalisation: keeping them all takes little
 * beside a plan of √n segments, and recomputing one often takes a pass over a large tensor.
 */
public final class SmallValues {
    /** A small value has at most this part of the bytes of an average one. */
    private static final long MEAN_PART = 8;
    /** Small values together have at most this part of what √n segments would hold of each other. */
    private static final double PLAN_PART = 8;

    private SmallValues() {}

    /** Adds the small values to what is retained, smallest first, as long as they stay insignificant together. */
    public static void retain(RematProblem problem, Retention retention) {
        List<Integer> values = IntStream.range(0, problem.valueCount())
                .filter(v -> problem.role(problem.producer(v)) == Role.FORWARD
                        && !problem.resident(v)
                        && problem.bytes(v) > 0
                        && !retention.retained(v))
                .boxed()
                .sorted(Comparator.comparingLong(problem::bytes))
                .toList();
        long total = values.stream().mapToLong(problem::bytes).sum();
        double left = total / (PLAN_PART * Math.sqrt(values.size()));
        for (int v : values) {
            left -= problem.bytes(v);
            if (left < 0 || problem.bytes(v) > total / values.size() / MEAN_PART) {
                break;
            }
            retention.retain(v, RetainReason.SMALL);
        }
        retention.retainShared();
    }
}
