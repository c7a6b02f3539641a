package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.memory.LaneChecker;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.plan.Tier;
import dev.remat.runtime.cpu.CpuTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Where a batch is cut, what lives below comes in every round that reads it and for its update behind all of them, with
 * the bits of a step whose state stays; what has been freed is poisoned.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class HomesInSectionsTest {
    /** As fast as kernels of this size, so that some of it is waited for. */
    private static final List<Tier> TIERS = List.of(new Tier("disk", 1L << 40, 3_000_000_000L, 7_000_000_000L, 2_000));

    private static final String GPT = "B=8,T=4,vocab=11,width=128,depth=2,heads=2,context=4,drop=0.1";

    private final CpuTarget target = new CpuTarget();

    private static Compilation compile(String name, String settings, int parts, CompileOptions options)
            throws IOException {
        ElaboratedModel model = TrialRun.cut(TrialRun.sample(name), settings, Purpose.TRAIN, parts, DType.F32);
        return TrialRun.compile(model, options.with(Effort.QUICK));
    }

    private static CompileOptions below(Movable movable) {
        return CompileOptions.defaults().with(new Below(TIERS, movable));
    }

    /** Clipped gradients, statistics of batches, momentum, targets that are counted first, averages of parameters. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt | " + GPT + " | 2",
                "gpt | " + GPT + " | 4",
                "bert | B=8,T=4,vocab=11,width=128,depth=1,heads=2,hidden=128,context=4 | 2",
                "lstm | B=8,T=2,features=8,width=128,depth=1,classes=5 | 4",
                "resnet-cifar | B=8,depth=20,classes=3,width=32,image=8 | 2"
            })
    void leaveTheBitsAsTheyAre(String name, String settings, int parts) throws IOException {
        Compilation still = compile(name, settings, parts, CompileOptions.defaults());
        String expected = MovingRun.train(still.plan(), transfer -> {});
        Compilation state = compile(name, settings, parts, below(Movable.STATE));
        assertThat(state.plan().arenaBytes())
                .as("arena")
                .isLessThan(still.plan().arenaBytes());
        List<Compilation> plans = List.of(
                state,
                compile(name, settings, parts, below(Movable.ALL)),
                compile(
                        name,
                        settings,
                        parts,
                        below(Movable.STATE).withBudget(state.plan().arenaBytes() * 3 / 2)),
                compile(
                        name,
                        settings,
                        parts,
                        below(Movable.AUTO).withBudget(state.plan().arenaBytes())));
        Random random = new Random(name.hashCode() + parts);
        for (Compilation moving : plans) {
            requireMoved(moving.plan());
            Consumer<Transfer> late = transfer -> LockSupport.parkNanos(random.nextInt(300_000));
            assertThat(MovingRun.train(moving.plan(), late)).isEqualTo(expected);
        }
    }

    /** Each round fetches what it reads and stores none of it; the update stores all that it changes. */
    private static void requireMoved(ExecutionPlan plan) {
        assertThat(plan.isInSections()).isTrue();
        Set<String> living = plan.inputs().stream()
                .filter(input -> !input.isInArena())
                .map(ArenaTensor::name)
                .collect(Collectors.toSet());
        assertThat(living).isNotEmpty();
        assertThat(plan.inputs()).anyMatch(input -> input.kind() == InputKind.PARAMETER && !input.isInArena());
        Section update = plan.sections().getLast();
        for (TransferEvent event : plan.transfers().events()) {
            if (event instanceof Begin(int before, Transfer transfer)
                    && transfer.isStore()
                    && living.contains(transfer.name())) {
                assertThat(before).isGreaterThan(update.from());
            }
        }
        assertThat(names(plan, 0, update.from(), false)).as("fetched in rounds").isNotEmpty();
        assertThat(names(plan, update.from(), update.to() + 1, false)).containsAll(living);
        assertThat(names(plan, update.from(), update.to() + 1, true)).containsAll(living);
    }

    private static Set<String> names(ExecutionPlan plan, int from, int to, boolean stores) {
        return plan.transfers().events().stream()
                .filter(event -> from <= event.before() && event.before() < to)
                .filter(Begin.class::isInstance)
                .map(event -> ((Begin) event).transfer())
                .filter(transfer -> transfer.isStore() == stores)
                .map(Transfer::name)
                .collect(Collectors.toSet());
    }

    /** What a step is said to take is what its plan takes on a clock, to the nanosecond. */
    @ParameterizedTest
    @CsvSource({"2, STATE", "4, STATE", "2, ALL"})
    void takeAsLongAsTheCompilerSays(int parts, Movable movable) throws IOException {
        Compilation moving = compile("gpt", GPT, parts, below(movable));
        long[] nanos = PlanClock.kernelNanos(moving.search().plan());
        assertThat(PlanClock.run(moving.plan(), nanos, TIERS))
                .isEqualTo(moving.cost())
                .isGreaterThan(moving.baselineCost());
    }

    /** A step that follows another takes no longer than one alone, and what it takes is what it takes on a clock. */
    @ParameterizedTest
    @CsvSource({"1, STATE", "1, ALL", "2, STATE"})
    void theNextStepTakesAsLongAsTheCompilerSays(int parts, Movable movable) throws IOException {
        Compilation moving = compile("gpt", GPT.replace("vocab=11", "vocab=300"), parts, below(movable));
        assertThat(moving.plan().transfers().runningOn()).isNotEmpty();
        long[] nanos = PlanClock.kernelNanos(moving.search().plan());
        long alone = PlanClock.run(moving.plan(), nanos, TIERS);
        PlanAccount view = PlanAccount.of(moving);
        assertThat(view.period(view.times(moving.costs())))
                .isEqualTo(PlanClock.run(moving.plan(), nanos, TIERS, 2) - alone)
                .isLessThan(alone);
    }

    @Test
    void stepsThatStayTakeTheSameTime() throws IOException {
        Compilation still = compile("gpt", GPT, 1, CompileOptions.defaults());
        PlanAccount view = PlanAccount.of(still);
        assertThat(still.plan().transfers().runningOn()).isEmpty();
        assertThat(view.period(view.times(still.costs()))).isEqualTo(still.cost());
    }

    /** Updates are brought ahead where a budget has room for it. */
    @Test
    void aBudgetIsSpentOnTime() throws IOException {
        String small = "B=2,T=16,vocab=20,width=256,depth=2,heads=4,context=16";
        CompileOptions options = below(Movable.STATE).withStrategy("offload-state");
        Compilation least = compile("gpt", small, 2, options);
        long budget = least.plan().arenaBytes() * 3 / 2;
        Compilation wide = compile("gpt", small, 2, options.withBudget(budget));
        assertThat(wide.plan().arenaBytes()).isLessThanOrEqualTo(budget);
        assertThat(wide.cost()).isLessThan(least.cost());
    }

    /** The checkers see every transfer in every section that is another, and a section that waits for none. */
    @Test
    void noMistakeStaysHidden() throws IOException {
        ExecutionPlan plan = TransferEdits.endingWithTheStep(
                compile("gpt", GPT, 2, below(Movable.STATE)).plan());
        Transfers transfers = plan.transfers();
        for (int e = 0; e < transfers.events().size(); e++) {
            List<TransferEvent> events = new ArrayList<>(transfers.events());
            if (transfers.events().get(e) instanceof Begin(int before, Transfer transfer)) {
                events.set(e, new Begin(before, TransferEdits.elsewhere(transfer)));
                assertThat(isRefused(plan, events)).as(transfer.name()).isTrue();
            }
        }
        int waiting = 0;
        for (Section section : plan.sections()) {
            List<TransferEvent> events = new ArrayList<>(transfers.events());
            if (events.removeIf(event -> event instanceof Await && section.contains(event.before()))) {
                assertThat(isRefused(plan, events)).as(plan.nameOf(section)).isTrue();
                waiting++;
            }
        }
        assertThat(waiting).isGreaterThan(1);
        assertThat(isRefused(plan, transfers.events())).isFalse();
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
}
