package dev.remat.compiler.plan.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.RandomTransfers;
import dev.remat.compiler.plan.TransferChain;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AnnealLabelsTest {
    private static long time(RematProblem problem, long budget) {
        PlannerOptions asked = PlannerOptions.withBudget(budget).with(Effort.QUICK);
        Proposal found = Proposal.of(problem, new AnnealLabels().plan(problem, asked));
        assertThat(found.fits(asked)).isTrue();
        return found.evaluation().cost();
    }

    /**
     * With 300 bytes two of a, b and c are away when dd runs. To compute a again costs 10 and so does to fetch it,
     * unless it is fetched beside something: no node of the backward leaves room for it.
     */
    @Test
    void findsTheOptimaOfTheChain() {
        assertThat(time(TransferChain.PROBLEM, 500)).isEqualTo(120);
        assertThat(time(TransferChain.PROBLEM, 400)).isEqualTo(120);
        assertThat(time(TransferChain.PROBLEM, 300)).isLessThanOrEqualTo(140);
    }

    /** Over a slow link a is computed again, at 10; over a fast one it is moved at nothing. */
    @Test
    void choosesTheCheaperOfRecomputingAndMoving() {
        RematProblem slow = TransferChain.PROBLEM.withTiers(List.of(new Tier("tape", 1000, 1000, 1000, 0)));
        assertThat(time(slow, 400)).isEqualTo(130);
        RematProblem small = TransferChain.PROBLEM.withTiers(List.of(new Tier("host", 99, 1L << 40, 1L << 40, 0)));
        assertThat(time(small, 400)).isEqualTo(130);
    }

    /** Where nothing fits the budget, what is found exceeds that and never a tier. */
    @Test
    @Tag("slow")
    void keepsWithinTiersWhereNothingFits() {
        int moved = 0;
        for (int seed = 0; seed < 75; seed++) {
            RematProblem problem = RandomTransfers.problem(seed, 3 + seed % 20);
            List<Tier> tiers = problem.tiers().stream()
                    .map(tier -> new Tier(tier.name(), 70, 1L << 40, 1L << 40, 0))
                    .toList();
            boolean below = IntStream.range(0, tiers.size()).anyMatch(k -> problem.residentBytes(k) > 70);
            if (!below) {
                RematProblem small = problem.withTiers(tiers);
                PlannerOptions asked =
                        PlannerOptions.withBudget(Floor.of(small).bytes()).with(Effort.QUICK);
                Proposal found = Proposal.of(small, new AnnealLabels().plan(small, asked));
                moved += found.sequence().movesValues() ? 1 : 0;
            }
        }
        assertThat(moved).isGreaterThan(10);
    }

    @Test
    void theSameInputHasTheSameAnswer() {
        RematProblem problem = RandomTransfers.problem(5, 9);
        PlannerOptions asked =
                PlannerOptions.withBudget(problem.residentBytes() + 90).with(Effort.QUICK);
        OperatorSequence one = new AnnealLabels().plan(problem, asked);
        assertThat(new AnnealLabels().plan(problem, asked).sameSteps(one)).isTrue();
    }

    /** No sequence takes less than the bound for its own peak, however it came about. */
    @Test
    void boundsHoldForEverySequence() {
        int sharp = 0;
        for (int seed = 0; seed < 400; seed++) {
            RematProblem problem = RandomTransfers.problem(seed, 3 + seed % 8);
            Proposal any = Proposal.of(problem, byChance(problem, seed));
            long budget = any.evaluation().peakBytes();
            LowerBound bound =
                    LowerBounds.of(problem, PlannerOptions.withBudget(budget).with(Effort.QUICK));
            if (bound.scope().covers(problem, any.sequence())) {
                assertThat(any.evaluation().cost()).as("seed %d", seed).isGreaterThanOrEqualTo(bound.cost());
            }
            sharp += bound.cost() > problem.baselineCost() ? 1 : 0;
        }
        assertThat(sharp).isGreaterThan(40);
    }

    /** What half of the gaps drop or move. */
    private static OperatorSequence byChance(RematProblem problem, int seed) {
        Random random = new Random(seed);
        StorageGaps gaps = StorageGaps.of(problem);
        int[] labels = gaps.keepAll();
        for (int gap = 0; gap < labels.length; gap++) {
            int kind = random.nextInt(StorageGaps.OFFLOAD + problem.tiers().size());
            labels[gap] = random.nextBoolean() && gaps.allows(gap, kind) ? StorageGaps.label(kind, true) : labels[gap];
        }
        LabelledRuns runs = new LabelledRuns(problem, gaps);
        PlaceTransfers places = new PlaceTransfers(problem, runs, 0);
        return runs.follow(labels)
                ? places.sequence("by chance")
                : OnTiers.plan(new KeepAll(), problem, PlannerOptions.none());
    }

    /** Nor does the best that a search finds within a budget. */
    @Test
    @Tag("slow")
    void boundsHoldForWhatIsFound() {
        int met = 0;
        for (int seed = 0; seed < 12; seed++) {
            RematProblem problem = RandomTransfers.problem(100 + seed, 8);
            PlannerOptions all = PlannerOptions.none();
            Proposal kept = Proposal.of(problem, OnTiers.plan(new KeepAll(), problem, all));
            PlannerOptions asked = PlannerOptions.withBudget(kept.evaluation().peakBytes() * 7 / 10)
                    .with(Effort.QUICK);
            Proposal found = Proposal.of(problem, new AnnealLabels().plan(problem, asked));
            LowerBound bound = LowerBounds.of(problem, asked);
            if (found.fits(asked) && bound.scope().covers(problem, found.sequence())) {
                assertThat(found.evaluation().cost()).as("seed %d", seed).isGreaterThanOrEqualTo(bound.cost());
                met++;
            }
        }
        assertThat(met).isGreaterThan(4);
    }

    /** What recomputing alone finds is among what the portfolio chooses from. */
    @Tag("slow")
    @Test
    void thePortfolioIsNeverWorseThanWithoutTiers() {
        for (int seed = 0; seed < 4; seed++) {
            RematProblem moving = RandomTransfers.problem(200 + seed, 7);
            RematProblem problem =
                    moving.withoutTiers().withTiers(List.of(new Tier("host", 500, 1L << 32, 1L << 32, 2)));
            long kept = Proposal.of(problem, OnTiers.plan(new KeepAll(), problem, PlannerOptions.none()))
                    .evaluation()
                    .peakBytes();
            PlannerOptions asked = PlannerOptions.withBudget(kept * 8 / 10).with(Effort.QUICK);
            Proposal joint = Proposal.of(problem, Strategies.auto().plan(problem, asked));
            Proposal alone = Proposal.of(problem, Strategies.auto().plan(problem.withoutTiers(), asked));
            assertThat(Proposal.bestFirst(asked).compare(joint, alone))
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(0);
        }
    }
}
