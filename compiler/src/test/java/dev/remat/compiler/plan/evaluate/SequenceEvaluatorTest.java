package dev.remat.compiler.plan.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.BruteForce;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.build.SequenceBuilder;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SequenceEvaluatorTest {
    /** w resident (7); a (10) reads w; b (20) reads a; grad (5, workspace 3) reads b and a; update writes w. */
    private static RematProblem chain(Pin pin) {
        return RematProblem.of(
                "chain",
                List.of(
                        ProblemNode.resident("w", 7),
                        ProblemNode.of("a", Role.FORWARD)
                                .withCost(2)
                                .withInputs(0)
                                .withResult(ProblemValue.of("a", 10))
                                .withPin(pin),
                        ProblemNode.of("b", Role.FORWARD)
                                .withCost(3)
                                .withInputs(1)
                                .withResult(ProblemValue.of("b", 20)),
                        ProblemNode.of("grad", Role.BACKWARD)
                                .withCost(4)
                                .withInputs(1, 2)
                                .withWorkspace(3)
                                .withResult(ProblemValue.of("grad", 5)),
                        ProblemNode.of("update", Role.UPDATE)
                                .withCost(1)
                                .withInputs(0, 3)
                                .withWrites(0)),
                List.of());
    }

    private static SequenceEvaluation evaluate(RematProblem problem, int... steps) {
        return SequenceEvaluator.evaluate(problem, new OperatorSequence("test", steps, List.of()));
    }

    @Test
    void countsInputsResultsWorkspaceAndResidents() {
        SequenceEvaluation kept = evaluate(chain(Pin.NONE), 1, 2, 3, 4);
        assertThat(kept.violations()).isEmpty();
        assertThat(kept.liveBytes()).containsExactly(17, 37, 45, 12);
        assertThat(kept.peakBytes()).isEqualTo(45);
        assertThat(kept.peakStep()).isEqualTo(2);
        assertThat(kept.cost()).isEqualTo(10);
        assertThat(kept.recomputations()).isZero();
    }

    @Test
    void freesAValueBetweenItsLastReadAndItsRecomputation() {
        SequenceEvaluation recomputed = evaluate(chain(Pin.NONE), 1, 2, 1, 3, 4);
        assertThat(recomputed.liveBytes()).containsExactly(17, 37, 37, 45, 12);
        assertThat(recomputed.recomputedCost()).isEqualTo(2);
        assertThat(recomputed.overhead()).isEqualTo(0.2);
    }

    @Test
    void reportsWhatIsWrong() {
        assertThat(evaluate(chain(Pin.NONE), 2, 1, 3, 4).violations())
                .first()
                .asString()
                .contains("before it is");
        assertThat(evaluate(chain(Pin.NONE), 1, 2, 3).violations())
                .first()
                .asString()
                .contains("never computed");
        assertThat(evaluate(chain(Pin.NONE), 1, 2, 3, 4, 4).violations()).anyMatch(v -> v.contains("runs 2 times"));
        assertThat(evaluate(chain(Pin.NONE), 1, 2, 3, 4, 1).violations()).anyMatch(v -> v.contains("been changed"));
        assertThat(evaluate(chain(Pin.NONE), 0, 1, 2, 3, 4).violations())
                .first()
                .asString()
                .contains("resident");
        assertThat(evaluate(chain(Pin.NONE), 1, 2, 3, 4, 9).violations())
                .first()
                .asString()
                .contains("no node 9");
    }

    /** The last of two writers leaves its content behind, so they run in the given order. */
    @Test
    void holdsPlansToTheOrderOfWriters() {
        RematProblem problem = RematProblem.of(
                "writers",
                List.of(
                        ProblemNode.resident("w", 7),
                        ProblemNode.of("first", Role.UPDATE).withWrites(0),
                        ProblemNode.of("second", Role.UPDATE).withWrites(0)),
                List.of());
        assertThat(evaluate(problem, 2, 1).violations())
                .singleElement()
                .asString()
                .contains("'first' changes 'w' after 'second'");
        assertThat(evaluate(problem, 1, 2).violations()).isEmpty();
    }

    @Test
    void holdsPlansToPins() {
        assertThat(evaluate(chain(Pin.RETAIN), 1, 2, 1, 3, 4).violations())
                .first()
                .asString()
                .contains("pinned");
        assertThat(evaluate(chain(Pin.RETAIN), 1, 2, 3, 4).violations()).isEmpty();
        assertThat(evaluate(chain(Pin.RECOMPUTE), 1, 2, 3, 4).violations())
                .first()
                .asString()
                .contains("pinned");
        assertThat(evaluate(chain(Pin.RECOMPUTE), 1, 2, 1, 3, 4).violations()).isEmpty();
        assertThat(evaluate(chain(Pin.RECOMPUTE), 1, 2, 1, 2, 3, 4).violations())
                .isEmpty();
        assertThat(evaluate(chain(Pin.RECOMPUTE), 1, 2, 2, 1, 3, 4).violations())
                .isNotEmpty();
    }

    @Test
    void aViewKeepsItsBaseAliveAndAnInPlaceResultTakesItsPlace() {
        RematProblem problem = RematProblem.of(
                "alias",
                List.of(
                        ProblemNode.of("base", Role.FORWARD).withResult(ProblemValue.of("base", 100)),
                        ProblemNode.of("view", Role.FORWARD).withInputs(0).withResult(ProblemValue.view("view", 0)),
                        ProblemNode.of("relu", Role.FORWARD)
                                .withInputs(1)
                                .withResult(ProblemValue.inPlace("relu", 100, 1)),
                        ProblemNode.of("out", Role.FORWARD).withInputs(2).withResult(ProblemValue.of("out", 1)),
                        ProblemNode.of("late", Role.BACKWARD).withInputs(1).withResult(ProblemValue.of("late", 1))),
                List.of());
        // The view is read at the end, so relu cannot reuse its storage; with a recomputation of both it can.
        assertThat(evaluate(problem, 0, 1, 2, 3, 4).liveBytes()).containsExactly(100, 100, 200, 201, 101);
        assertThat(evaluate(problem, 0, 1, 2, 3, 0, 1, 4).liveBytes())
                .containsExactly(100, 100, 100, 101, 100, 100, 101);
    }

    @Test
    void outputsStayFromTheirLastComputationOn() {
        RematProblem problem = RematProblem.of(
                "out",
                List.of(
                        ProblemNode.of("a", Role.FORWARD).withResult(ProblemValue.of("a", 10)),
                        ProblemNode.of("b", Role.FORWARD).withResult(ProblemValue.of("b", 1))),
                List.of(0));
        assertThat(evaluate(problem, 0, 1, 1).liveBytes()).containsExactly(10, 11, 11);
        assertThat(evaluate(problem, 0, 1, 0).liveBytes()).containsExactly(10, 1, 10);
    }

    @Test
    void agreesWithTheDefinitionOnRandomPlans() {
        int recomputations = 0;
        for (long seed = 0; seed < 400; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 3 + (int) (seed % 8));
            Retention retention = Retention.required(problem);
            SplittableRandom random = new SplittableRandom(seed);
            for (int v = 0; v < problem.valueCount(); v++) {
                if (random.nextInt(3) == 0) {
                    retention.retain(v, RetainReason.CHOSEN);
                }
            }
            OperatorSequence sequence = SequenceBuilder.build("random", problem, retention);
            SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, sequence);
            assertThat(evaluation.violations()).as("seed %d", seed).isEmpty();
            assertThat(evaluation.peakBytes()).as("seed %d", seed).isEqualTo(BruteForce.peak(problem, sequence));
            recomputations += evaluation.recomputations();
        }
        assertThat(recomputations).isGreaterThan(400);
    }
}
