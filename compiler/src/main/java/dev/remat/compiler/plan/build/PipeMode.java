package dev.remat.compiler.plan.build;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/**
 * What GPipe (Huang et al., 2019) computes again of a stage, as torchgpipe names it (Kim et al., 2020): the forward
 * pass of every micro-batch, of every one but the last, or of none.
 */
public final class PipeMode implements BackwardPlanner {
    /** Of which micro-batches. */
    public enum Kind {
        ALWAYS("pipe-always"),
        EXCEPT_LAST("pipe-except-last"),
        NEVER("pipe-never");

        private final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    /** All three, that which takes most memory first. */
    public static final List<PipeMode> ALL = Stream.of(Kind.NEVER, Kind.EXCEPT_LAST, Kind.ALWAYS)
            .map(kind -> new PipeMode(kind, _ -> true))
            .toList();

    private final Kind kind;
    private final IntPredicate last;

    private PipeMode(Kind kind, IntPredicate last) {
        this.kind = kind;
        this.last = last;
    }

    /** The same for a problem with several micro-batches. Where nobody says which is the last, there is one alone. */
    public PipeMode withLast(IntPredicate nodes) {
        return new PipeMode(kind, nodes);
    }

    @Override
    public String name() {
        return kind.label;
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        Retention retention = Retention.required(problem);
        for (int v = 0; v < problem.valueCount(); v++) {
            boolean keeps = switch (kind) {
                case ALWAYS -> false;
                case EXCEPT_LAST -> last.test(problem.producer(v));
                case NEVER -> true;
            };
            if (keeps) {
                retention.retain(v, RetainReason.CHOSEN);
            }
        }
        return SequenceBuilder.build(name(), problem, retention);
    }
}
