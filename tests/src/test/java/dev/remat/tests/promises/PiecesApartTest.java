package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Section;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Op;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import dev.remat.runtime.train.TrainingState;
import dev.remat.tests.steps.AllCases;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Bits of kernels depend on shapes alone. Micro-batches of a step run in several arenas that begin elsewhere, each with
 * another number of threads and other things lying about; what they leave is added up here, in their order. Every arena
 * then has the state that one alone has.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class PiecesApartTest {
    private static final int PIECES = 4;
    private static final int STEPS = 2;
    private static final int[] ARENAS = AllCases.asked() ? new int[] {1, 2, 4} : new int[] {2};

    /** An arena, and what brings data into it. */
    private record Rank(CpuExecutable executable, TrainingState state, InputFeed feed) {}

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bert | B=8,T=12,vocab=11,width=8,depth=1,heads=2,hidden=12,context=12 | F32",
                "ddpm | B=8,steps=5,width=4,factors=[1],units=1,attends=[true],groups=2,image=8 | F32",
                "gpt | B=8,T=5,vocab=37,width=40,depth=2,heads=2,context=8 | F32",
                "gpt | B=8,T=5,vocab=11,width=8,depth=2,heads=2,context=8 | BF16",
                "llama | B=8,T=12,vocab=11,width=8,depth=1,heads=2,kv_heads=1,hidden=24 | F32",
                "lstm | B=8,T=3,features=3,width=4,depth=2,classes=5 | F64",
                "mobilenet | B=8,classes=3,width=1,image=32 | F32",
                "resnet-cifar | B=8,depth=20,classes=3,width=5,image=8 | F32",
                "unet | B=8,classes=3,width=2,image=16,pad=1 | F32",
                "vae | B=8,pixels=24,hidden=12,latent=6 | F32",
                "vit | B=8,patch=2,width=8,depth=1,heads=2,hidden=24,image=8,classes=3,drop=0.1 | F32"
            })
    void everyArenaHasTheStateOfOne(String name, String settings, DType precision) throws IOException {
        ExecutionPlan plan = plan(name, settings, precision);
        String alone = alone(plan);
        for (int arenas : ARENAS) {
            assertThat(apart(plan, arenas, turn -> turn))
                    .as("%s in %d arenas", name, arenas)
                    .containsOnly(alone)
                    .hasSize(arenas);
        }
    }

    /** Otherwise the test above would say nothing of the order. */
    @Test
    void sumsInAnotherOrderAreOthers() throws IOException {
        ExecutionPlan plan = plan("gpt", "B=8,T=5,vocab=37,width=40,depth=2,heads=2,context=8", DType.F32);
        assertThat(apart(plan, 2, turn -> PIECES - 1 - turn)).doesNotContain(alone(plan));
    }

    private static ExecutionPlan plan(String name, String settings, DType precision) throws IOException {
        ExecutionPlan plan = TrialRun.compile(
                        TrialRun.cut(TrialRun.sample(name), settings, Purpose.TRAIN, PIECES, precision),
                        CompileOptions.defaults().withStrategy("peak-priority").with(Effort.QUICK))
                .plan();
        assertThat(plan.microBatches()).isEqualTo(PIECES);
        return plan;
    }

    private static String alone(ExecutionPlan plan) {
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, false));
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            for (int step = 0; step < STEPS; step++) {
                trainer.step();
            }
            return trainer.state().hash();
        }
    }

    /** Hashes of the states that the arenas end with. */
    private static List<String> apart(ExecutionPlan plan, int arenas, IntUnaryOperator order) {
        List<Rank> ranks = new ArrayList<>();
        try (SyntheticDataset data = new SyntheticDataset()) {
            for (int rank = 0; rank < arenas; rank++) {
                ExecutionPlan shifted = ShiftPlan.run(plan, (2 * rank + 1) * Alignment.CACHE_LINE);
                CpuExecutable executable =
                        new CpuExecutable(shifted, new CpuExecutable.Options(arenas - rank, rank % 2 == 0));
                TrainingState state = new TrainingState(executable);
                state.initialize();
                ranks.add(new Rank(
                        executable,
                        state,
                        new InputFeed(executable, data.training(InputFeed.specs(plan), plan.seed()))));
            }
            for (int step = 1; step <= STEPS; step++) {
                for (Section section : plan.sections()) {
                    run(ranks, step, section, order);
                }
            }
            return ranks.stream().map(rank -> rank.state().hash()).toList();
        } finally {
            ranks.forEach(rank -> rank.executable().close());
        }
    }

    /**
     * Rounds in turn in one arena after another, or what runs once in all of them.
     *
     * @param order from turns to the micro-batches that they run
     */
    private static void run(List<Rank> ranks, int step, Section section, IntUnaryOperator order) {
        if (section.times() == 1) {
            ranks.forEach(rank -> runRound(rank, step, 0, section));
            return;
        }
        List<byte[]> sums = new ArrayList<>();
        for (int turn = 0; turn < section.times(); turn++) {
            int piece = order.applyAsInt(turn);
            Rank rank = ranks.get(piece % ranks.size());
            List<Accumulator> accumulators = accumulators(rank.executable().plan(), section);
            for (int i = 0; i < accumulators.size(); i++) {
                Accumulator accumulator = accumulators.get(i);
                boolean combined = turn > 0 && !accumulator.isSum();
                write(rank, accumulator, combined ? sums.get(i) : new byte[accumulator.bytes()]);
            }
            runRound(rank, step, piece, section);
            for (int i = 0; i < accumulators.size(); i++) {
                Accumulator accumulator = accumulators.get(i);
                byte[] part = read(rank, accumulator);
                if (turn == 0) {
                    sums.add(part);
                } else {
                    sums.set(i, accumulator.isSum() ? add(accumulator.dtype(), sums.get(i), part) : part);
                }
            }
        }
        for (Rank rank : ranks) {
            List<Accumulator> accumulators = accumulators(rank.executable().plan(), section);
            for (int i = 0; i < accumulators.size(); i++) {
                write(rank, accumulators.get(i), sums.get(i));
            }
        }
    }

    private static void runRound(Rank rank, int step, int piece, Section section) {
        if (section.from() == 0 || section.times() > 1) {
            rank.feed().feed((step - 1L) * PIECES + piece, step, piece);
        }
        rank.executable().run(step, piece, section.from(), section.to());
    }

    /** What a round adds to, or combines with what it holds. */
    private record Accumulator(DType dtype, long address, int bytes, boolean isSum) {}

    private static List<Accumulator> accumulators(ExecutionPlan plan, Section section) {
        List<Accumulator> accumulators = new ArrayList<>();
        for (KernelStep step : plan.steps().subList(section.from(), section.to())) {
            for (MemoryWrite write : step.writes()) {
                Op op = step.body().instructions().get(write.instruction()).op();
                if (op instanceof MicroBatchUpdate) {
                    accumulators.add(new Accumulator(
                            write.type().dtype(),
                            write.address(),
                            Math.toIntExact(write.type().bytes()),
                            op instanceof Accumulate));
                }
            }
        }
        assertThat(accumulators).isNotEmpty();
        return accumulators;
    }

    private static byte[] read(Rank rank, Accumulator accumulator) {
        return rank.executable()
                .read(accumulator.address(), accumulator.bytes())
                .toArray(ValueLayout.JAVA_BYTE);
    }

    private static void write(Rank rank, Accumulator accumulator, byte[] bytes) {
        rank.executable().write(accumulator.address(), MemorySegment.ofArray(bytes));
    }

    private static byte[] add(DType dtype, byte[] sum, byte[] part) {
        byte[] added = new byte[sum.length];
        MemorySegment into = MemorySegment.ofArray(added);
        MemorySegment a = MemorySegment.ofArray(sum);
        MemorySegment b = MemorySegment.ofArray(part);
        for (long at = 0; at < added.length; at += dtype.bytes()) {
            switch (dtype) {
                case F32 ->
                    into.set(
                            ValueLayout.JAVA_FLOAT_UNALIGNED,
                            at,
                            a.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at) + b.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at));
                case F64 ->
                    into.set(
                            ValueLayout.JAVA_DOUBLE_UNALIGNED,
                            at,
                            a.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at)
                                    + b.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at));
                case I64 ->
                    into.set(
                            ValueLayout.JAVA_LONG_UNALIGNED,
                            at,
                            a.get(ValueLayout.JAVA_LONG_UNALIGNED, at) + b.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
                default -> throw new IllegalArgumentException("nothing adds up " + dtype.label());
            }
        }
        return added;
    }
}
