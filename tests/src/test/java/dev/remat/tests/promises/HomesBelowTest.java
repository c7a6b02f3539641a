package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.RealizedPlan;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.memory.LaneChecker;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.evaluate.TimelineEvaluator;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.plan.transfer.OnTiers;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.remat.GiveHomes;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.Executable;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.checkpoint.RunFolder.Existing;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.lane.DiskPlace;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.log.LearningRates;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.NotANumberException;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Parameters and optimizer state that live below the arena, and come for their readers and updates, give a run the bits
 * that it has without, however late a lane is; what has been freed is poisoned.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class HomesBelowTest {
    private static final List<Tier> TIERS = List.of(new Tier("disk", 1L << 40, 300_000_000, 700_000_000, 2_000));
    private static final String GPT = "B=4,T=5,vocab=11,width=8,depth=2,heads=2,context=8,drop=0.1";

    private final CpuTarget target = new CpuTarget();
    private final Compiler compiler = new Compiler(target, new RooflineCost(target.device()));

    @Test
    @EnabledIfSystemProperty(named = "remat.cases", matches = "all")
    void leaveTheBitsOfAveragesAsTheyAre() throws IOException {
        leaveTheBitsAsTheyAre(
                "ddpm", "B=2,steps=5,width=4,factors=[1,2],units=1,attends=[false,true],groups=2,image=8");
    }

    /** Tied weights and clipped gradients, statistics of batches, momentum, dropout. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt | " + GPT,
                "lstm | B=4,T=3,features=3,width=4,depth=2,classes=5",
                "resnet-cifar | B=8,depth=20,classes=3,width=2,image=8",
                "vit | B=4,patch=2,width=8,depth=2,heads=2,hidden=24,image=8,classes=3,drop=0.1"
            })
    void leaveTheBitsAsTheyAre(String name, String settings) throws IOException {
        String text = TrialRun.sample(name);
        PreparedStep step = homeless(text, settings);
        String expected =
                MovingRun.train(plan(step, Strategies.named("keep-all"), PlannerOptions.none()), transfer -> {});
        PreparedStep below = below(step);
        PlannerOptions unbounded = PlannerOptions.none().with(Effort.QUICK);
        ExecutionPlan least = plan(below, Strategies.named("offload-state"), unbounded);
        long peak = peak(below, Strategies.named("offload-state"), unbounded);
        List<ExecutionPlan> plans = List.of(
                plan(below, Strategies.named("keep-all"), unbounded),
                plan(below, Strategies.named("sqrt"), unbounded),
                least,
                plan(below, Strategies.named("offload-state"), unbounded.within(peak * 9 / 8)),
                plan(below, Strategies.named("anneal-labels"), unbounded.within(peak * 3 / 4)));
        Random random = new Random(name.hashCode());
        for (ExecutionPlan plan : plans) {
            requireMoved(plan);
            Consumer<Transfer> late = transfer -> LockSupport.parkNanos(random.nextInt(300_000));
            assertThat(MovingRun.train(plan, late)).isEqualTo(expected);
        }
        assertThat(least.arenaBytes()).as("arena").isLessThan(plans.getFirst().arenaBytes());
        assertThat(least.transfers().runningOn()).isNotEmpty();
    }

    /** Without clipping each update follows its gradient. */
    @Test
    void updatesMayComeOneByOne() throws IOException {
        String text = TrialRun.sample("gpt").replace(", clip_norm = 1.0", "");
        PreparedStep step = homeless(text, GPT);
        String expected =
                MovingRun.train(plan(step, Strategies.named("keep-all"), PlannerOptions.none()), transfer -> {});
        ExecutionPlan plan = plan(below(step), Strategies.named("offload-state"), PlannerOptions.none());
        requireMoved(plan);
        assertThat(MovingRun.train(plan, transfer -> {})).isEqualTo(expected);
    }

    /** The update of a parameter that comes from below tells by which rate it moves. */
    @Test
    void learningRatesAreKnown() throws IOException {
        PreparedStep step = homeless(TrialRun.sample("gpt"), GPT);
        ExecutionPlan kept = plan(step, Strategies.named("keep-all"), PlannerOptions.none());
        ExecutionPlan below = plan(below(step), Strategies.named("offload-state"), PlannerOptions.none());
        assertThat(LearningRates.of(below)).isEqualTo(LearningRates.of(kept));
        assertThat(LearningRates.of(below).schedules()).hasSize(1);
    }

    /** What lives on a disk is begun, saved and loaded from there, piece by piece, to the byte. */
    @Test
    void aRunGoesOnFromWhatIsBelow(@TempDir Path folder) throws IOException {
        String large = "B=1,T=4,vocab=70000,width=16,depth=1,heads=2,context=4";
        PreparedStep step = homeless(TrialRun.sample("gpt"), large);
        ExecutionPlan kept = plan(step, Strategies.named("keep-all"), PlannerOptions.none());
        ExecutionPlan below = plan(below(step), Strategies.named("offload-state"), PlannerOptions.none());
        assertThat(below.inputs())
                .anyMatch(input -> !input.isInArena() && input.type().bytes() > Executable.PIECE_BYTES);
        Path files = Files.createDirectory(folder.resolve("disk"));
        List<String> runs = new ArrayList<>();
        for (ExecutionPlan plan : List.of(kept, below)) {
            Path checkpoint = folder.resolve("run" + runs.size());
            runs.add(save(plan, 2, checkpoint, checkpoint, files));
            runs.add(save(plan, 1, checkpoint, folder.resolve("on" + runs.size()), files));
        }
        assertThat(runs.subList(2, 4)).isEqualTo(runs.subList(0, 2));
        assertThat(runs.get(1)).isNotEqualTo(runs.getFirst());
        assertThat(save(below, 1, folder.resolve("run0"), folder.resolve("crossed"), files))
                .isEqualTo(runs.get(1));
        assertThat(files).isEmptyDirectory();
    }

    /** Trains on from a checkpoint if there is one, and writes one: its tensors' file, whose name has its hash. */
    private static String save(ExecutionPlan plan, int steps, Path from, Path to, Path disk) throws IOException {
        Lanes.Options lanes = new Lanes.Options(size -> new DiskPlace(disk, size.bytes()), true, transfer -> {});
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, true, lanes));
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            if (Files.exists(from)) {
                try (Checkpoint saved = Checkpoint.open(from)) {
                    trainer.resume(from, saved);
                }
            }
            for (int i = 0; i < steps; i++) {
                trainer.step();
            }
            try (RunFolder folder = RunFolder.open(to, Existing.CONTINUE, "test")) {
                trainer.save(folder, RunFacts.none().with(Part.SEED, String.valueOf(plan.seed())));
            }
        }
        try (Stream<Path> written = Files.list(to)) {
            return written.map(path -> path.getFileName().toString())
                    .filter(name -> name.startsWith("state-"))
                    .collect(Collectors.joining());
        }
    }

    /** What a sequence is said to take is what its plan takes on a clock, to the nanosecond. */
    @ParameterizedTest
    @CsvSource({"gpt, keep-all", "gpt, sqrt", "gpt, offload-state", "gpt, offload", "lstm, offload-state"})
    void takeAsLongAsTheTimelineSays(String name, String strategy) throws IOException {
        String settings = name.equals("gpt") ? GPT : "B=4,T=3,features=3,width=4,depth=2,classes=5";
        PreparedStep below = below(homeless(TrialRun.sample(name), settings));
        RematProblem problem = below.planning().problem();
        OperatorSequence sequence = OnTiers.plan(Strategies.named(strategy), problem, PlannerOptions.none());
        RealizedPlan realized = compiler.realize(below, Proposal.of(problem, sequence));
        assertThat(PlanClock.run(plan(realized), PlanClock.kernelNanos(realized), TIERS))
                .isEqualTo(TimelineEvaluator.evaluate(problem, sequence).makespan())
                .isGreaterThan(problem.baselineCost());
    }

    /** What went wrong is found again, in an update that was stored and before it. */
    @ParameterizedTest
    @CsvSource({"exp(100), 1", "1, 3"})
    void notANumberIsFoundAsWithoutPlaces(String factor, int lastStep) {
        String text = """
            remat 1

            model Diverging {
              symbol B
              input x: f32[B, 32]

              param w: f32[32, 32] = normal(std = 1)
              y = batch_norm(x @ w) as norm
              z = exp(y * (%s))
              loss = mean(z * z)
            }

            train {
              minimize loss
              optimizer sgd(lr = 1e38, momentum = 0.9)
            }
            """.formatted(factor);
        PreparedStep step = homeless(text, "B=64");
        ExecutionPlan kept = plan(step, Strategies.named("keep-all"), PlannerOptions.none());
        ExecutionPlan below = plan(below(step), Strategies.named("offload-state"), PlannerOptions.none());
        NotANumberException expected =
                catchThrowableOfType(NotANumberException.class, () -> MovingRun.train(kept, any -> {}));
        assertThat(expected.step()).isEqualTo(lastStep);
        assertThatThrownBy(() -> MovingRun.train(below, any -> {})).hasMessage(expected.getMessage());
    }

    /** The checkers see every store that is left out, and every fetch, await and home that is another. */
    @Test
    void noMistakeStaysHidden() throws IOException {
        PreparedStep below = below(homeless(TrialRun.sample("gpt"), GPT));
        ExecutionPlan plan =
                TransferEdits.endingWithTheStep(plan(below, Strategies.named("offload-state"), PlannerOptions.none()));
        Transfers transfers = plan.transfers();
        for (int e = 0; e < transfers.events().size(); e++) {
            if (transfers.events().get(e) instanceof Begin(int before, Transfer transfer)) {
                List<TransferEvent> events = new ArrayList<>(transfers.events());
                events.set(e, new Begin(before, TransferEdits.elsewhere(transfer)));
                assertThat(isRefused(plan, events)).as(transfer.name()).isTrue();
                if (transfer.isStore()) {
                    events.set(e, new Begin(plan.steps().size(), transfer));
                    events.add(events.remove(e));
                    events.removeIf(event -> event instanceof TransferEvent.Await);
                    assertThat(isRefused(plan, events)).as(transfer.name()).isTrue();
                }
            }
        }
    }

    /** Kernels that come to the memory of what runs on wait in front of it, and a fetch of what it stores does. */
    @Test
    void whatRunsOnIsAwaitedInTime() throws IOException {
        PreparedStep below = below(homeless(TrialRun.sample("gpt"), GPT));
        ExecutionPlan plan = plan(below, Strategies.named("keep-all"), PlannerOptions.none());
        List<TransferEvent> events = plan.transfers().events();
        SortedSet<Integer> runningOn = plan.transfers().runningOn();
        int awaits = 0;
        int fetches = 0;
        int begun = 0;
        for (int e = 0; e < events.size(); e++) {
            List<TransferEvent> mutated = new ArrayList<>(events);
            if (events.get(e) instanceof TransferEvent.Await(int before, int store) && store >= begun) {
                mutated.remove(e);
                mutated.addFirst(new TransferEvent.Await(before + 1, store));
                mutated.sort(Comparator.comparingInt(TransferEvent::before));
                // Kernels may wait for a later store in time, or for a fetch that does, which ends behind it.
                awaits += isRefused(plan, mutated) ? 1 : 0;
            }
            if (events.get(e) instanceof Begin(int before, Transfer transfer)) {
                List<Integer> own = new ArrayList<>(transfer.waits());
                own.removeAll(runningOn);
                if (fetches == 0 && own.size() < transfer.waits().size()) {
                    mutated.set(e, new Begin(before, transfer.with(own, transfer.frees())));
                    assertThat(isRefused(plan, mutated)).as(transfer.name()).isTrue();
                    fetches++;
                }
                begun++;
            }
        }
        assertThat(awaits).isPositive();
        assertThat(fetches).isPositive();
        assertThat(isRefused(plan, events)).isFalse();
    }

    /** Without a store, what is at home is what was there before the step. */
    @Test
    void aStateThatIsNotStoredIsRefused() throws IOException {
        PreparedStep below = below(homeless(TrialRun.sample("gpt"), GPT));
        ExecutionPlan plan =
                TransferEdits.endingWithTheStep(plan(below, Strategies.named("keep-all"), PlannerOptions.none()));
        int last = plan.transfers().all().size() - 1;
        List<TransferEvent> events = new ArrayList<>(plan.transfers().events());
        events.removeIf(event -> event instanceof TransferEvent.Await await && await.transfer() == last);
        assertThat(events.removeLast()).isInstanceOf(Begin.class);
        assertThat(isRefused(plan, events)).isTrue();
        assertThat(isRefused(plan, plan.transfers().events())).isFalse();
    }

    private boolean isRefused(ExecutionPlan plan, List<TransferEvent> events) {
        ExecutionPlan other = plan.withTransfers(new Transfers(plan.transfers().places(), events));
        try {
            ArenaChecker.check(other, target.alignment());
            LaneChecker.check(other);
            return false;
        } catch (PlanViolationException e) {
            return true;
        }
    }

    private PreparedStep homeless(String text, String settings) {
        ElaboratedModel model = TrialRun.elaborate(text, settings, Purpose.TRAIN);
        PreparedStep step = compiler.prepare(model, CompileOptions.defaults());
        return with(step, step.planning().onTiers(new Below(TIERS, Movable.AUTO), target.transferAlignment()));
    }

    private PreparedStep below(PreparedStep step) {
        return with(step, GiveHomes.run(step.planning(), 0, 1, target.transferAlignment()));
    }

    private static PreparedStep with(PreparedStep step, PlanningProblem planning) {
        return new PreparedStep(
                step.model(),
                step.options(),
                planning,
                step.rounds(),
                step.before(),
                step.after(),
                step.chunked(),
                step.stages());
    }

    private static long peak(PreparedStep step, Planner planner, PlannerOptions options) {
        RematProblem problem = step.planning().problem();
        return SequenceEvaluator.evaluate(problem, OnTiers.plan(planner, problem, options))
                .peakBytes();
    }

    private ExecutionPlan plan(PreparedStep step, Planner planner, PlannerOptions options) {
        RematProblem problem = step.planning().problem();
        OperatorSequence sequence = OnTiers.plan(planner, problem, options);
        return plan(compiler.realize(step, Proposal.of(problem, sequence)));
    }

    private ExecutionPlan plan(RealizedPlan realized) {
        ExecutionPlan plan = BuildExecutionPlan.run(realized.whole(), "00", target, 7, TIERS);
        ArenaChecker.check(plan, target.alignment());
        LaneChecker.check(plan);
        return plan;
    }

    private static void requireMoved(ExecutionPlan plan) {
        List<String> parameters = plan.inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER && !input.isInArena())
                .map(ArenaTensor::name)
                .toList();
        assertThat(parameters).isNotEmpty();
        for (boolean store : new boolean[] {true, false}) {
            assertThat(plan.transfers().all())
                    .as(store ? "stores" : "fetches")
                    .filteredOn(transfer -> transfer.isStore() == store)
                    .extracting(Transfer::name)
                    .containsAll(parameters);
        }
    }
}
