package dev.remat.compiler.plan.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.RandomTransfers;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ShardsTest {
    private static final List<Tier> HOST = List.of(new Tier("host", 10_000, 10_000_000_000L, 10_000_000_000L, 0));

    /** Layers a, b, c and d, each with a parameter that lives below; the backward of each reads what it read. */
    private static final RematProblem CHAIN = RematProblem.of(
            "chain",
            List.of(
                    ProblemNode.resident("wa", 40).withHome(0),
                    ProblemNode.resident("wb", 40).withHome(0),
                    ProblemNode.resident("wc", 40).withHome(0),
                    ProblemNode.resident("wd", 40).withHome(0),
                    node("a", Role.FORWARD, 0),
                    node("b", Role.FORWARD, 1, 4),
                    node("c", Role.FORWARD, 2, 5),
                    node("d", Role.FORWARD, 3, 6),
                    node("loss", Role.FORWARD, 7),
                    node("dd", Role.BACKWARD, 3, 6, 8),
                    node("dc", Role.BACKWARD, 2, 5, 9),
                    node("db", Role.BACKWARD, 1, 4, 10),
                    node("da", Role.BACKWARD, 0, 11)),
            List.of(12),
            HOST);

    private static ProblemNode node(String id, Role role, int... inputs) {
        return ProblemNode.of(id, role).withCost(10).withInputs(inputs).withResult(ProblemValue.of(id, 100));
    }

    private static String steps(RematProblem problem, OperatorSequence sequence) {
        return sequence.steps()
                .mapToObj(SequenceStep::of)
                .map(step -> switch (step) {
                    case SequenceStep.Run(int node) -> problem.nodeId(node);
                    case SequenceStep.Store(int value, int _) -> "-" + problem.valueId(value);
                    case SequenceStep.Await _ -> "";
                    case SequenceStep.Fetch(int value) -> "+" + problem.valueId(value);
                })
                .filter(step -> !step.isEmpty())
                .collect(Collectors.joining(" "));
    }

    private static OperatorSequence plan(RematProblem problem, int shards) {
        OperatorSequence sequence = new Shards(shards).plan(problem, PlannerOptions.none());
        assertThat(Proposal.of(problem, sequence).evaluation().violations()).isEmpty();
        return sequence;
    }

    /** Shards {a, b} and {c, d}: b waits below, and c and a are computed again. */
    @Test
    void whatShardsHandOnIsMovedAndTheRestComputedAgain() {
        assertThat(steps(CHAIN, plan(CHAIN, 2)))
                .isEqualTo("+wa a +wb b -b +wc c +wd d loss +wc +b c +wd dd dc +wa a +wb db da");
    }

    /** A shard that is everything hands nothing on. */
    @Test
    void oneShardRecomputesAll() {
        String steps = steps(CHAIN, plan(CHAIN, 1));
        assertThat(steps).doesNotContain("-b", "-a", "-c", "+b").containsPattern("loss .*a .*b .*c .*dd");
    }

    /** Shards of one layer each move every activation, and compute none again. */
    @Test
    void asManyShardsAsLayersRecomputeNothing() {
        OperatorSequence sequence = plan(CHAIN, 4);
        assertThat(sequence.steps().filter(step -> step >= 0)).doesNotHaveDuplicates();
        assertThat(steps(CHAIN, sequence)).contains("-a", "-b", "-c", "+a", "+b", "+c");
    }

    /** The twin where nothing lies below keeps what shards hand on. */
    @Test
    void withoutTiersNothingIsMoved() {
        RematProblem still = CHAIN.withoutTiers();
        assertThat(steps(still, plan(still, 2))).isEqualTo("a b c d loss c dd dc a db da");
    }

    /** Graphs from elsewhere may say nothing of parameters. */
    @Test
    void withoutParametersTheForwardIsCutByWhatItMakes() {
        RematProblem problem = TrainingSteps.chain(8, 100).withTiers(HOST);
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            nodes.add(
                    node.resident()
                            ? node.withResults(List.of(
                                    ProblemValue.of(node.results().getFirst().id(), 0)))
                            : node);
        }
        RematProblem bare = RematProblem.of("bare", nodes, problem.outputs(), HOST);
        assertThat(plan(bare, 3).steps().filter(step -> step < 0)).isNotEmpty();
        assertThat(plan(bare, 1).steps().filter(step -> step < 0)).isEmpty();
    }

    @Test
    void takesLessThanKeepingAll() {
        long kept = Proposal.of(CHAIN, OnTiers.plan(new KeepAll(), CHAIN, PlannerOptions.none()))
                .evaluation()
                .peakBytes();
        assertThat(Proposal.of(CHAIN, plan(CHAIN, 2)).evaluation().peakBytes()).isLessThan(kept);
    }

    @Test
    void everyStepHasAValidPlan() {
        List<String> moving = new ArrayList<>();
        for (int seed = 0; seed < 100; seed++) {
            RematProblem problem = RandomTransfers.problem(seed, 3 + seed % 8);
            String steps = steps(problem, plan(problem, 1 + seed % 4));
            if (steps.contains("-")) {
                moving.add(steps);
            }
        }
        assertThat(moving).hasSizeGreaterThan(30);
    }

    @Test
    void thereIsAtLeastOneShard() {
        assertThatThrownBy(() -> new Shards(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
