package dev.remat.compiler.plan.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.BruteForce;
import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.IrregularGraphs;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.compiler.plan.local.SequenceMoves.Focus;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SequenceDraftTest {
    private static SequenceDraft draft(RematProblem problem) {
        int[] all = new KeepAll().plan(problem, PlannerOptions.none()).steps().toArray();
        return new SequenceDraft(problem, StorageReads.of(problem), Overwrites.of(problem), all);
    }

    private static OperatorSequence sequence(SequenceDraft draft) {
        return new OperatorSequence("draft", draft.toSteps(), List.of());
    }

    /** Views, in-place results, several results, pins, updates: whatever moves do, the draft knows peak and cost. */
    @ParameterizedTest
    @EnumSource
    void agreesWithTheEvaluatorAfterEveryMove(Focus focus) {
        for (int seed = 1; seed <= 60; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 4 + seed % 20);
            SequenceDraft draft = draft(problem);
            SplittableRandom random = new SplittableRandom(seed);
            SequenceMoves moves = new SequenceMoves(problem, draft, random, focus);
            for (int i = 0; i < 200 && moves.possible(); i++) {
                int[] before = draft.toSteps();
                boolean kept = moves.make(Double.POSITIVE_INFINITY, random.nextInt(60)) && random.nextInt(4) > 0;
                if (kept) {
                    draft.keep();
                } else {
                    draft.takeBack();
                    assertThat(draft.toSteps()).isEqualTo(before);
                }
                SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, sequence(draft));
                assertThat(evaluation.violations()).isEmpty();
                assertThat(draft.peakBytes()).isEqualTo(evaluation.peakBytes());
                assertThat(draft.cost()).isEqualTo(evaluation.cost());
            }
        }
    }

    /** Two updates of w, of which the first has room after the second and the second before the first. */
    @ParameterizedTest
    @EnumSource
    void neverMovesAWriterPastAnother(Focus focus) {
        RematProblem problem = RematProblem.of(
                "writers",
                List.of(
                        ProblemNode.resident("w", 2),
                        node("x", Role.FORWARD, 0),
                        node("y", Role.FORWARD, 1),
                        ProblemNode.of("first", Role.UPDATE).withInputs(1).withWrites(0),
                        ProblemNode.of("second", Role.UPDATE).withInputs(2).withWrites(0),
                        node("dy", Role.BACKWARD, 2),
                        node("dx", Role.BACKWARD, 1)),
                List.of());
        SequenceDraft draft = draft(problem);
        SequenceMoves moves = new SequenceMoves(problem, draft, new SplittableRandom(5), focus);
        int moved = 0;
        for (int i = 0; i < 2000; i++) {
            if (moves.make(Double.POSITIVE_INFINITY, 0)) {
                draft.keep();
                moved++;
            } else {
                draft.takeBack();
            }
            assertThat(SequenceEvaluator.evaluate(problem, sequence(draft)).violations())
                    .isEmpty();
        }
        assertThat(moved).isGreaterThan(100);
    }

    private static ProblemNode node(String id, Role role, int... inputs) {
        return ProblemNode.of(id, role).withCost(1).withInputs(inputs).withResult(ProblemValue.of(id, 3));
    }

    /** The definition itself, asked anew for every storage and step. */
    @ParameterizedTest
    @EnumSource
    void agreesWithBruteForce(Focus focus) {
        for (int seed = 1; seed <= 30; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 6);
            SequenceDraft draft = draft(problem);
            SequenceMoves moves = new SequenceMoves(problem, draft, new SplittableRandom(seed), focus);
            for (int i = 0; i < 40 && moves.possible(); i++) {
                if (moves.make(Double.POSITIVE_INFINITY, StepLine.NONE)) {
                    draft.keep();
                } else {
                    draft.takeBack();
                }
            }
            assertThat(draft.peakBytes()).isEqualTo(BruteForce.peak(problem, sequence(draft)));
        }
    }

    private static int[] wander(RematProblem problem, SequenceDraft draft) {
        SequenceMoves moves = new SequenceMoves(problem, draft, new SplittableRandom(3), Focus.PLACES);
        for (int i = 0; i < 500; i++) {
            if (moves.make(0, StepLine.NONE)) {
                draft.keep();
            } else {
                draft.takeBack();
            }
        }
        return draft.toSteps();
    }

    /** Where nothing may cost more, first computations are all that there is to move; in a chain none can. */
    @Test
    void movesFirstComputationsBetweenWhatTheyReadAndWhatReadsThem() {
        RematProblem irregular = IrregularGraphs.of(30, 60, 1);
        SequenceDraft draft = draft(irregular);
        int[] before = draft.toSteps();
        int[] after = wander(irregular, draft);
        assertThat(after).isNotEqualTo(before).containsExactlyInAnyOrder(before);
        assertThat(SequenceEvaluator.evaluate(irregular, sequence(draft)).violations())
                .isEmpty();

        List<ProblemNode> nodes = new ArrayList<>(List.of(node("n0", Role.FORWARD)));
        for (int n = 1; n < 10; n++) {
            nodes.add(node("n" + n, Role.FORWARD, n - 1));
        }
        RematProblem chain = RematProblem.of("chain", nodes, List.of(9));
        SequenceDraft rigid = draft(chain);
        int[] given = rigid.toSteps();
        assertThat(wander(chain, rigid)).isEqualTo(given);
    }

    @Test
    void makesRoomWhereThereIsNone() {
        RematProblem problem = Chains.equal(6);
        SequenceDraft draft = draft(problem);
        int node = draft.line().node(draft.line().stepAfter(-1));
        int[] before = draft.toSteps();
        int reader = draft.line().node(draft.line().stepAfter(draft.line().first(node)));
        for (int i = 0; i < 20; i++) {
            draft.insert(node, draft.roomBefore(draft.line().first(reader)));
        }
        int[] expected = new int[before.length + 20];
        for (int t = 0; t < expected.length; t++) {
            expected[t] = before[Math.max(0, t - 20)];
        }
        assertThat(draft.toSteps()).isEqualTo(expected);
        draft.takeBack();
        assertThat(draft.toSteps()).isEqualTo(before);
    }
}
