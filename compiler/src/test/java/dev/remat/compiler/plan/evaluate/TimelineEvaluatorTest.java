package dev.remat.compiler.plan.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.LaneSimulation;
import dev.remat.compiler.plan.MemorySimulation;
import dev.remat.compiler.plan.RandomTransfers;
import dev.remat.compiler.plan.TransferChain;
import dev.remat.compiler.plan.evaluate.StepTimeline.Wait;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import dev.remat.ir.plan.Tier;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TimelineEvaluatorTest {
    private static final RematProblem CHAIN = TransferChain.PROBLEM;

    private static SequenceEvaluation evaluate(RematProblem problem, OperatorSequence sequence) {
        SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, sequence);
        assertThat(evaluation.violations()).isEmpty();
        return evaluation;
    }

    /** 4 · 10 forward, 4 · 20 backward; a b c d and a gradient at the fourth and third backward. */
    @Test
    void keepingAllTakesFiveValuesAndNoWait() {
        OperatorSequence kept = TransferChain.sequence("a b c d dd dc db da");
        SequenceEvaluation evaluation = evaluate(CHAIN, kept);
        assertThat(evaluation.cost()).isEqualTo(120);
        assertThat(evaluation.liveBytes()).containsExactly(100, 200, 300, 400, 500, 500, 400, 300);
        StepTimeline timeline = TimelineEvaluator.evaluate(CHAIN, kept);
        assertThat(timeline.begin()).containsExactly(0, 10, 20, 30, 40, 60, 80, 100);
        assertThat(timeline.waits()).isEmpty();
    }

    /** a leaves while b runs, and comes back while db runs, where for the first time there is room for it. */
    @Test
    void oneValueLeavesAndComesBackUnnoticed() {
        OperatorSequence moved = TransferChain.sequence("a >a b !a c d dd dc <a db da");
        SequenceEvaluation evaluation = evaluate(CHAIN, moved);
        assertThat(evaluation.liveBytes()).containsExactly(100, 100, 200, 200, 200, 300, 400, 400, 300, 400, 300);
        assertThat(evaluation.cost()).isEqualTo(120);
        StepTimeline timeline = TimelineEvaluator.evaluate(CHAIN, moved);
        assertThat(timeline.begin()).containsExactly(0, 10, 10, 20, 20, 30, 40, 60, 80, 80, 100);
        assertThat(timeline.end()).containsExactly(10, 20, 20, 20, 30, 40, 60, 80, 90, 100, 120);
        assertThat(timeline.waits()).isEmpty();
        assertThat(TierBytes.peaks(CHAIN, moved)).containsExactly(100);
    }

    /** With 300 bytes nothing can be fetched while a backward runs, so each fetch is waited for. */
    @Test
    void twoValuesThatHaveNoRoomToComeBackEarlyAreWaitedFor() {
        OperatorSequence moved = TransferChain.sequence("a >a b >b !a c d !b dd dc <b db <a da");
        SequenceEvaluation evaluation = evaluate(CHAIN, moved);
        assertThat(evaluation.peakBytes()).isEqualTo(300);
        assertThat(evaluation.cost()).isEqualTo(140);
        assertThat(evaluation.overhead()).isEqualTo(20.0 / 120);
        StepTimeline timeline = TimelineEvaluator.evaluate(CHAIN, moved);
        assertThat(timeline.begin()).containsExactly(0, 10, 10, 20, 20, 20, 30, 40, 40, 60, 80, 90, 110, 120);
        assertThat(timeline.waits()).containsExactly(new Wait(11, 10, 10), new Wait(13, 12, 10));
        assertThat(TierBytes.peaks(CHAIN, moved)).containsExactly(200);
    }

    /** Without an await the first computation of a stays, so that fetching it again takes more. */
    @Test
    void whatIsNotAwaitedStays() {
        OperatorSequence moved = TransferChain.sequence("a >a b c d dd dc <a db da");
        assertThat(evaluate(CHAIN, moved).peakBytes()).isEqualTo(500);
    }

    /** The store of a begins at 10 and takes 40, so that b has run 30 before. */
    @Test
    void anAwaitWaitsForItsStore() {
        RematProblem slow = CHAIN.withTiers(List.of(new Tier("disk", 1000, 2_500_000_000L, 10_000_000_000L, 0)));
        StepTimeline timeline =
                TimelineEvaluator.evaluate(slow, TransferChain.sequence("a >a b !a c d dd dc <a db da"));
        assertThat(timeline.waits()).containsExactly(new Wait(3, 1, 30));
        assertThat(timeline.makespan()).isEqualTo(150);
    }

    /** Each transfer of 100 bytes takes 3 from the nodes behind it, the fetch while it is waited for too. */
    @Test
    void nodesLoseTimeToWhatIsMovedBesideThem() {
        RematProblem busy =
                CHAIN.withTiers(List.of(new Tier("disk", 1000, 10_000_000_000L, 10_000_000_000L, 0, 30_000)));
        StepTimeline timeline =
                TimelineEvaluator.evaluate(busy, TransferChain.sequence("a >a b !a c d dd dc <a db da"));
        assertThat(timeline.begin()).containsExactly(0, 10, 13, 23, 23, 33, 43, 63, 83, 86, 106);
        assertThat(timeline.end()).containsExactly(10, 20, 23, 23, 33, 43, 63, 83, 93, 106, 126);
        assertThat(timeline.interference()).isEqualTo(6);
        assertThat(timeline.waits()).isEmpty();
        StepTimeline late = TimelineEvaluator.evaluate(busy, TransferChain.sequence("a >a b !a c d dd dc db <a da"));
        assertThat(late.waits()).containsExactly(new Wait(10, 9, 7));
        assertThat(late.makespan()).isEqualTo(133);
    }

    @Test
    void latencyCountsAndPartsOfANanosecondAreRoundedUp() {
        Tier tier = new Tier("host", 1000, 3_000_000_000L, 7_000_000_000L, 5);
        assertThat(tier.storeNanos(100)).isEqualTo(5 + 34);
        assertThat(tier.fetchNanos(100)).isEqualTo(5 + 15);
        assertThat(tier.fetchNanos(0)).isEqualTo(5);
        assertThat(tier.interferenceNanos(100)).isZero();
        assertThat(new Tier("disk", 1000, 1, 1, 5, 10_001).interferenceNanos(100))
                .isEqualTo(2);
        assertThat(new Tier("tape", 1L << 60, 1, 1, 0).storeNanos(1L << 60)).isEqualTo(1L << 60);
    }

    @Test
    void refusesTransfersThatCannotBe() {
        assertThat(wrong("a b c d dd dc <a db da")).containsExactly("step 6: 'a' is fetched and has no copy below");
        assertThat(wrong(">a a b c d dd dc db da")).containsExactly("step 0: 'a' is stored and not on the device");
        assertThat(wrong("a !a b c d dd dc db da")).containsExactly("step 1: 'a' is awaited and not being stored");
        assertThat(wrong("a >a >a b c d dd dc db da"))
                .containsExactly("step 2: 'a' is stored while it is being stored");
        assertThat(wrong("a >a !a <a <a b c d dd dc db da"))
                .containsExactly("step 4: 'a' is fetched twice and not read between");
        assertThat(wrong("a >a b c d dd dc db da <a")).containsExactly("'a' is fetched and never read");
        assertThat(wrong("a b c d dd >dd dc db da")).containsExactly("step 5: 'dd' may not be stored");
        assertThat(SequenceEvaluator.evaluate(CHAIN.withoutTiers(), TransferChain.sequence("a >a b c d dd dc db da"))
                        .violations())
                .containsExactly("step 1: there is no tier to move values to");
        RematProblem small = CHAIN.withTiers(List.of(new Tier("host", 199, 1, 1, 0)));
        assertThat(SequenceEvaluator.evaluate(small, TransferChain.sequence("a >a b >b !a c d !b dd dc <b db <a da"))
                        .violations())
                .containsExactly("tier 'host' has 199 bytes and needs 200");
    }

    private static List<String> wrong(String steps) {
        return SequenceEvaluator.evaluate(CHAIN, TransferChain.sequence(steps)).violations();
    }

    /** What lives below takes no memory of the device until it is fetched, and must be stored when it has changed. */
    @Test
    void whatLivesBelowComesAndIsStoredAfterItsUpdate() {
        RematProblem problem = TransferChain.WITH_PARAMETER_BELOW;
        OperatorSequence moved = TransferChain.sequence(problem, "<w x dx update >w");
        SequenceEvaluation evaluation = evaluate(problem, moved);
        assertThat(evaluation.liveBytes()).containsExactly(40, 50, 60, 50, 40);
        assertThat(TierBytes.peaks(problem, moved)).containsExactly(40);
        // Fetched in 4, x 10, dx 20, the update 5, stored in 4.
        assertThat(evaluation.cost()).isEqualTo(43);
        assertThat(SequenceEvaluator.evaluate(problem, TransferChain.sequence(problem, "x dx update"))
                        .violations())
                .contains("step 0: 'x' needs 'w', which lives below and was not fetched")
                .contains("'w' lives below, has changed, and is never stored");
    }

    @Test
    void stepsAreNumbersAndBack() {
        List<SequenceStep> steps = List.of(
                new SequenceStep.Run(0),
                new SequenceStep.Run(Integer.MAX_VALUE),
                new SequenceStep.Store(0, 0),
                new SequenceStep.Store(SequenceStep.MOST_VALUES - 1, SequenceStep.MOST_TIERS - 1),
                new SequenceStep.Await(7),
                new SequenceStep.Fetch(SequenceStep.MOST_VALUES - 1));
        assertThat(steps).allMatch(step -> SequenceStep.of(step.code()).equals(step));
        assertThat(steps).allMatch(step -> step.code() >= 0 == step instanceof SequenceStep.Run);
    }

    @Tag("slow")
    @Test
    void agreesWithASimulationOfLanesAndOfMemory() {
        int moved = 0;
        int waited = 0;
        int below = 0;
        for (int seed = 0; seed < 10_000; seed++) {
            RematProblem problem = RandomTransfers.problem(seed, 3 + seed % 8);
            OperatorSequence sequence = RandomTransfers.of(problem, new Random(seed), 12);
            SequenceEvaluation evaluation = evaluate(problem, sequence);
            LaneSimulation lanes = LaneSimulation.of(problem, sequence);
            StepTimeline timeline = TimelineEvaluator.evaluate(problem, sequence);
            assertThat(timeline.begin()).as("seed %d", seed).isEqualTo(lanes.begin());
            assertThat(timeline.end()).as("seed %d", seed).isEqualTo(lanes.end());
            assertThat(evaluation.cost()).as("seed %d", seed).isEqualTo(lanes.makespan());
            MemorySimulation memory = MemorySimulation.of(problem, sequence);
            assertThat(evaluation.peakBytes()).as("seed %d", seed).isEqualTo(memory.peakBytes());
            moved += sequence.movesValues() ? 1 : 0;
            waited += timeline.waits().isEmpty() ? 0 : 1;
            below += problem.residentBytes(0) > 0 ? 1 : 0;
        }
        assertThat(moved).isGreaterThan(8_000);
        assertThat(waited).isGreaterThan(2_000);
        assertThat(below).isGreaterThan(2_000);
    }
}
