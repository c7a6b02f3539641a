package dev.remat.compiler.plan.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequenceBuilderTest {
    private static ProblemNode node(String id, Role role, int... inputs) {
        return ProblemNode.of(id, role).withCost(1).withInputs(inputs).withResult(ProblemValue.of(id, 10));
    }

    /** The steps of a sequence by name, for reading. */
    private static String steps(RematProblem problem, OperatorSequence sequence) {
        return String.join(" ", sequence.steps().mapToObj(problem::nodeId).toList());
    }

    private static String build(RematProblem problem, int... retained) {
        Retention retention = Retention.required(problem);
        for (int v : retained) {
            retention.retain(v, RetainReason.CHOSEN);
        }
        OperatorSequence sequence = SequenceBuilder.build("test", problem, retention);
        assertThat(SequenceEvaluator.evaluate(problem, sequence).violations()).isEmpty();
        return steps(problem, sequence);
    }

    /** a → b → c, d unused by the backward; gradients of c, b, a in turn. */
    private static RematProblem chain() {
        return RematProblem.of(
                "chain",
                List.of(
                        node("a", Role.FORWARD),
                        node("b", Role.FORWARD, 0),
                        node("c", Role.FORWARD, 1),
                        node("d", Role.FORWARD, 2),
                        node("dc", Role.BACKWARD, 2, 3),
                        node("db", Role.BACKWARD, 1, 4),
                        node("da", Role.BACKWARD, 0, 5)),
                List.of());
    }

    @Test
    void recomputesOnlyWhatIsNeededAndOnlyOnce() {
        assertThat(build(chain(), 0, 1, 2, 3)).isEqualTo("a b c d dc db da");
        assertThat(build(chain(), 0, 2, 3)).isEqualTo("a b c d dc b db da");
        assertThat(build(chain())).isEqualTo("a b c d a b c d dc db da");
    }

    @Test
    void neverRecomputesWhatMustRunOnce() {
        RematProblem problem = RematProblem.of(
                "once",
                List.of(
                        node("a", Role.FORWARD),
                        node("b", Role.FORWARD, 0).once(),
                        node("c", Role.FORWARD, 1),
                        node("dc", Role.BACKWARD, 2)),
                List.of());
        assertThat(build(problem)).isEqualTo("a b c c dc");
    }

    @Test
    void obeysPins() {
        RematProblem problem = RematProblem.of(
                "pins",
                List.of(
                        node("a", Role.FORWARD).withPin(Pin.RETAIN),
                                node("b", Role.FORWARD, 0).withPin(Pin.RECOMPUTE),
                        node("c", Role.FORWARD, 1), node("dc", Role.BACKWARD, 2, 1)),
                List.of());
        assertThat(build(problem, 0, 1, 2)).isEqualTo("a b c b dc");
        assertThat(build(problem)).isEqualTo("a b c b c dc");
    }

    /** The update of w comes right after its gradient, but b, which reads w, is recomputed only for a later step. */
    private static RematProblem updated() {
        return RematProblem.of(
                "updated",
                List.of(
                        ProblemNode.resident("w", 10),
                        node("a", Role.FORWARD, 0),
                        node("b", Role.FORWARD, 0, 1),
                        node("c", Role.FORWARD, 2),
                        node("dw", Role.BACKWARD, 3),
                        ProblemNode.of("update", Role.UPDATE)
                                .withInputs(0, 4)
                                .withWrites(0)
                                .withResult(ProblemValue.view("w'", 0)),
                        ProblemNode.of("norm", Role.UPDATE).withInputs(5).withResult(ProblemValue.of("norm", 1)),
                        node("db", Role.BACKWARD, 2),
                        node("da", Role.BACKWARD, 1)),
                List.of());
    }

    @Test
    void delaysAnUpdateAndWhatFollowsFromItAfterTheLastReadOfTheOldContent() {
        assertThat(build(updated(), 1, 3)).isEqualTo("a b c dw b update norm db da");
        assertThat(build(updated(), 3)).isEqualTo("a b c dw a b update norm db da");
    }

    @Test
    void leavesAnUpdateWhereNothingIsToComeThatNeedsTheOldContent() {
        assertThat(build(updated(), 1, 2, 3)).isEqualTo("a b c dw update norm db da");
    }

    /** What reads statistics that the forward itself changes cannot be run again, so it is retained. */
    @Test
    void retainsWhatReadsSomethingTheForwardOverwrites() {
        RematProblem problem = RematProblem.of(
                "statistics",
                List.of(
                        ProblemNode.resident("s", 10),
                        node("a", Role.FORWARD, 0),
                        node("b", Role.FORWARD, 1),
                        ProblemNode.of("track", Role.UPDATE).withInputs(0, 1).withWrites(0),
                        node("db", Role.BACKWARD, 2),
                        node("da", Role.BACKWARD, 1)),
                List.of());
        assertThat(build(problem)).isEqualTo("a b track b db da");
    }

    @Test
    void writesOfOneResidentKeepTheirOrder() {
        RematProblem problem = RematProblem.of(
                "twice",
                List.of(
                        ProblemNode.resident("w", 10),
                        node("a", Role.FORWARD, 0),
                        node("da", Role.BACKWARD),
                        ProblemNode.of("first", Role.UPDATE).withInputs(0, 2).withWrites(0),
                        ProblemNode.of("second", Role.UPDATE).withInputs(2).withWrites(0),
                        node("late", Role.BACKWARD, 1)),
                List.of());
        assertThat(build(problem)).isEqualTo("a da a first second late");
    }

    @Test
    void saysWhatItRetainedAndWhy() {
        RematProblem problem = chain();
        Retention retention = Retention.required(problem);
        retention.retain(1, RetainReason.CHOSEN);
        retention.retain(3, RetainReason.LAST_SEGMENT);
        OperatorSequence sequence = SequenceBuilder.build("test", problem, retention);
        assertThat(sequence.retained())
                .extracting(kept ->
                        problem.valueId(kept.value()) + " " + kept.reason().label())
                .containsExactly("b chosen", "d last-segment");
    }
}
