package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.RealizedPlan;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.memory.LaneChecker;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.evaluate.TimelineEvaluator;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.plan.Lane;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tensors that are moved out of the arena and back at random, with recomputation beside, leave a run's bits as they
 * are, however late a lane is; what has been freed is poisoned.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class MovedTensorsTest {
    private static final List<Tier> TIERS = List.of(
            new Tier("host", 1L << 40, 2_000_000_000, 1_500_000_000, 500),
            new Tier("disk", 1L << 40, 300_000_000, 700_000_000, 2_000, 40_000));

    private final CpuTarget target = new CpuTarget();
    private final Compiler compiler = new Compiler(target, new RooflineCost(target.device()));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt | B=4,T=5,vocab=11,width=8,depth=2,heads=2,context=8 | keep-all",
                "gpt | B=4,T=5,vocab=11,width=8,depth=2,heads=2,context=8 | sqrt",
                "lstm | B=4,T=3,features=3,width=4,depth=2,classes=5 | recursive",
                "resnet | B=4,layers=14,classes=3,width=16,image=32 | sqrt",
                "unet | B=4,classes=3,width=2,image=16,pad=1 | peak-priority",
                "vae | B=16,pixels=24,hidden=12,latent=6 | keep-all",
                "vit | B=4,patch=2,width=8,depth=2,heads=2,hidden=24,image=8,classes=3,drop=0.1 | sqrt"
            })
    void leaveTheBitsAsTheyAre(String name, String settings, String strategy) throws IOException {
        String text = TrialRun.sample(name);
        ElaboratedModel model = TrialRun.elaborate(text, settings, Purpose.TRAIN);
        PreparedStep step = tiered(compiler.prepare(model, CompileOptions.defaults()));
        OperatorSequence still = TrialRun.compile(text, settings, strategy).sequence();
        String expected = MovingRun.train(plan(step, still), transfer -> {});
        for (int seed = 1; seed <= 4; seed++) {
            Random random = new Random(seed);
            OperatorSequence moving = moving(step.planning().problem(), still, random);
            ExecutionPlan plan = plan(step, moving);
            assertThat(plan.transfers().all())
                    .as("seed %d", seed)
                    .anyMatch(Transfer::isStore)
                    .anyMatch(transfer -> transfer.lane() == Lane.FETCH);
            requireAwaits(plan);
            Consumer<Transfer> late = transfer -> LockSupport.parkNanos(random.nextInt(400_000));
            assertThat(MovingRun.train(plan, late)).as("seed %d", seed).isEqualTo(expected);
        }
    }

    /** Some of the plan's awaits may be spared, but not each of them: the checker tells. */
    private static void requireAwaits(ExecutionPlan plan) {
        int needed = 0;
        int awaits = 0;
        for (TransferEvent event : plan.transfers().events()) {
            if (event instanceof TransferEvent.Await) {
                awaits++;
                needed += TransferEdits.isRace(without(plan, event)) ? 1 : 0;
            }
        }
        assertThat(needed).as("of %d awaits", awaits).isGreaterThan(awaits / 4);
    }

    private static ExecutionPlan without(ExecutionPlan plan, TransferEvent left) {
        List<TransferEvent> events = new ArrayList<>(plan.transfers().events());
        events.remove(left);
        return plan.withTransfers(new Transfers(plan.transfers().places(), events));
    }

    /** What a sequence is said to take is what its plan takes on a clock, to the nanosecond. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt | B=4,T=5,vocab=11,width=8,depth=2,heads=2,context=8",
                "lstm | B=4,T=3,features=3,width=4,depth=2,classes=5",
                "resnet-cifar | B=8,depth=20,classes=3,width=2,image=8",
                "unet | B=4,classes=3,width=2,image=16,pad=1"
            })
    void takeAsLongAsTheTimelineSays(String name, String settings) throws IOException {
        String text = TrialRun.sample(name);
        ElaboratedModel model = TrialRun.elaborate(text, settings, Purpose.TRAIN);
        PreparedStep step = tiered(compiler.prepare(model, CompileOptions.defaults()));
        RematProblem problem = step.planning().problem();
        OperatorSequence still = TrialRun.compile(text, settings, "keep-all").sequence();
        long alone = TimelineEvaluator.evaluate(problem, still).makespan();
        boolean waits = false;
        for (int seed = 1; seed <= 10; seed++) {
            OperatorSequence moving = moving(problem, still, new Random(seed));
            RealizedPlan realized = compiler.realize(step, Proposal.of(problem, moving));
            long said = TimelineEvaluator.evaluate(problem, moving).makespan();
            assertThat(PlanClock.run(plan(realized), PlanClock.kernelNanos(realized), TIERS))
                    .as("seed %d", seed)
                    .isEqualTo(said);
            waits |= said > alone;
        }
        assertThat(waits).as("some plan waits for a lane").isTrue();
    }

    private PreparedStep tiered(PreparedStep step) {
        return new PreparedStep(
                step.model(),
                step.options(),
                step.planning().onTiers(new Below(TIERS, Movable.AUTO), target.transferAlignment()),
                step.rounds(),
                step.before(),
                step.after(),
                step.chunked(),
                step.stages());
    }

    private ExecutionPlan plan(PreparedStep step, OperatorSequence sequence) {
        Proposal proposal = Proposal.of(step.planning().problem(), sequence);
        return plan(compiler.realize(step, proposal));
    }

    private ExecutionPlan plan(RealizedPlan realized) {
        ExecutionPlan plan = BuildExecutionPlan.run(realized.whole(), "00", target, 7, TIERS);
        ArenaChecker.check(plan, target.alignment());
        LaneChecker.check(plan);
        return plan;
    }

    /** Half of what is idle for a while is stored and fetched in between, in either tier, awaited or not. */
    private static OperatorSequence moving(RematProblem problem, OperatorSequence still, Random random) {
        List<List<SequenceStep>> before = new ArrayList<>();
        for (int t = 0; t <= still.length(); t++) {
            before.add(new ArrayList<>());
        }
        for (int value = 0; value < problem.valueCount(); value++) {
            if (problem.movable(value) && random.nextBoolean()) {
                move(problem, still, value, before, random);
            }
        }
        List<Integer> codes = new ArrayList<>();
        for (int t = 0; t <= still.length(); t++) {
            before.get(t).forEach(step -> codes.add(step.code()));
            if (t < still.length()) {
                codes.add(still.node(t));
            }
        }
        int[] steps = codes.stream().mapToInt(Integer::intValue).toArray();
        return new OperatorSequence("random", steps, List.of());
    }

    /** Within the longest time between two uses of an instance, if that is some steps. */
    private static void move(
            RematProblem problem, OperatorSequence still, int value, List<List<SequenceStep>> before, Random random) {
        int last = -1;
        int from = -1;
        int to = -1;
        for (int t = 0; t < still.length(); t++) {
            int node = still.node(t);
            boolean makes = problem.firstResult(node) <= value && value < problem.endResult(node);
            boolean reads = false;
            for (int k = 0; k < problem.inputCount(node); k++) {
                int input = problem.input(node, k);
                reads |= problem.storage(input) == value;
            }
            if (makes) {
                last = t;
            }
            if (reads && last >= 0) {
                if (t - last > to - from) {
                    from = last;
                    to = t;
                }
                last = t;
            }
        }
        if (to - from < 3) {
            return;
        }
        int store = from + 1;
        int fetch = store + 1 + random.nextInt(to - store);
        before.get(store).add(new SequenceStep.Store(value, random.nextInt(TIERS.size())));
        if (random.nextInt(4) > 0) {
            int await = store + 1 + random.nextInt(fetch - store);
            before.get(await).add(new SequenceStep.Await(value));
        }
        before.get(fetch).add(new SequenceStep.Fetch(value));
    }
}
