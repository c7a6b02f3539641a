package dev.remat.codegen.cuda.family;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.SequentialArena;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.LearningRateSchedule;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.RunningStatistics;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Casts and statistics in one launch; UpdateGroupTest has the optimizers' updates. */
class StepGroupsTest {
    private static final TensorType SMALL = TensorType.of(DType.F32, 100);

    private final List<KernelStep> steps = new ArrayList<>();
    private final SequentialArena arena = new SequentialArena(256);

    private MemoryRead tensor(TensorType type) {
        return MemoryRead.dense(0, arena.place(type.bytes()), type);
    }

    private StepGroupsTest step(Role role, Op op, List<MemoryRead> reads, List<Long> written) {
        KernelStepBuilder step = new KernelStepBuilder("s", role, Location.NONE);
        List<Operand> operands = new ArrayList<>();
        reads.forEach(read -> operands.add(step.read(read)));
        List<TensorType> types = op.infer(reads.stream().map(MemoryRead::type).toList());
        Operand.FromInstruction made = step.add(op, types, operands);
        for (int r = 0; r < written.size(); r++) {
            step.write(1 + r, "y", written.get(r), new Operand.FromInstruction(made.instruction(), r));
        }
        steps.add(step.build());
        return this;
    }

    private StepGroupsTest cast(MemoryRead from, DType to, long place) {
        return step(Role.FORWARD, new Cast(to), List.of(from), List.of(place));
    }

    private StepGroupsTest cast(TensorType from, DType to) {
        return cast(tensor(from), to, tensor(from.with(to)).offset());
    }

    private StepGroupsTest statistics(double momentum, long samples, MemoryRead mean) {
        MemoryRead variance = tensor(mean.type());
        return step(
                Role.UPDATE,
                new RunningStatistics(momentum, Dim.of(samples)),
                List.of(mean, variance, tensor(mean.type()), tensor(mean.type())),
                List.of(mean.offset(), variance.offset()));
    }

    private StepGroupsTest joined(MemoryRead mean, MemoryRead microBatch) {
        MemoryRead variance = tensor(mean.type());
        return step(
                Role.UPDATE,
                new CombineStatistics(),
                List.of(mean, variance, tensor(mean.type()), tensor(mean.type()), microBatch),
                List.of(mean.offset(), variance.offset()));
    }

    private KernelProgram program() {
        return program(new Section(0, steps.size(), 1));
    }

    private KernelProgram program(Section... sections) {
        ExecutionPlan plan = new ExecutionPlan(
                "test", "", "sm_80", 7, arena.bytes(), List.of(), steps, List.of(sections), List.of(), Transfers.NONE);
        return CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
    }

    private List<Integer> launchedSteps() {
        return program().launches().stream().map(Launch::step).toList();
    }

    @Test
    void copiesOfParametersAreOneLaunch() {
        cast(SMALL, DType.BF16).cast(TensorType.of(DType.F32, 3000), DType.BF16).cast(SMALL, DType.BF16);
        assertThat(launchedSteps()).containsExactly(0);
        assertThat(program().launches().getFirst().grid().x())
                .as("8 elements a thread, 256 threads: 13, 375 and 13 threads")
                .isEqualTo(1 + 2 + 1);
    }

    @Test
    void whatRunsInOtherRoundsStaysApart() {
        cast(SMALL, DType.BF16).cast(SMALL, DType.BF16).cast(SMALL, DType.BF16);
        assertThat(program(new Section(0, 2, 4), new Section(2, 3, 1)).launches())
                .extracting(Launch::step)
                .containsExactly(0, 2);
        assertThat(program(new Section(0, 1, 4), new Section(1, 3, 4)).launches())
                .extracting(Launch::step)
                .containsExactly(0, 1);
    }

    /** Each may read what one before it has made. */
    @Test
    void numbersAreComputedByOneThread() {
        MemoryRead number = tensor(TensorType.scalar(DType.I64));
        MemoryRead wide = tensor(TensorType.scalar(DType.F64));
        MemoryRead rate = tensor(wide.type());
        step(
                        Role.BACKWARD,
                        new LearningRate(new LearningRateSchedule.Constant(0.1)),
                        List.of(number),
                        List.of(rate.offset()))
                .cast(number, DType.F64, wide.offset())
                .step(
                        Role.BACKWARD,
                        new Binary(Binary.Kind.MUL),
                        List.of(wide, rate),
                        List.of(tensor(wide.type()).offset()));
        Launch launch = program().launches().getFirst();
        assertThat(launchedSteps()).containsExactly(0);
        assertThat(launch.grid().count() * launch.block().count()).isOne();
        String text = program().kernels().get(launch.kernel()).text();
        assertThat(text.split("__syncthreads\\(\\);"))
                .as("three steps in order")
                .hasSize(3);
    }

    @Test
    void aTensorBetweenNumbersStaysApart() {
        TensorType number = TensorType.scalar(DType.F32);
        cast(number, DType.F64).cast(SMALL, DType.F64).cast(number, DType.F64).cast(number, DType.BF16);
        assertThat(launchedSteps()).containsExactly(0, 1, 2);
    }

    @Test
    void otherCastsStayApart() {
        cast(SMALL, DType.BF16).cast(SMALL, DType.F16).cast(TensorType.of(DType.BF16, 100), DType.F32);
        assertThat(launchedSteps()).containsExactly(0, 1, 2);
    }

    @Test
    void aCopyInThePlaceOfWhatTheFirstReadsIsMadeAfterIt() {
        MemoryRead first = tensor(SMALL);
        cast(first, DType.BF16, tensor(SMALL).offset()).cast(tensor(SMALL), DType.BF16, first.offset());
        assertThat(launchedSteps()).containsExactly(0, 1);
    }

    @Test
    void statisticsMoveInOneLaunchEachByItsSamples() {
        statistics(0.1, 64, tensor(SMALL)).statistics(0.1, 16, tensor(TensorType.of(DType.F32, 300)));
        assertThat(launchedSteps()).containsExactly(0);
        assertThat(program().launches().getFirst().grid().x()).isEqualTo(1 + 2);
        statistics(0.2, 16, tensor(SMALL));
        assertThat(launchedSteps()).containsExactly(0, 2);
    }

    @Test
    void statisticsOfMicroBatchesAreJoinedInOneLaunch() {
        MemoryRead number = tensor(TensorType.scalar(DType.I64));
        MemoryRead mean = tensor(SMALL);
        joined(mean, number).joined(tensor(TensorType.of(DType.F32, 300)), number);
        assertThat(launchedSteps()).containsExactly(0);
        assertThat(program().launches().getFirst().grid().x()).isEqualTo(1 + 2);
        joined(tensor(SMALL.with(DType.F64)), number).joined(tensor(SMALL), number);
        assertThat(launchedSteps()).as("another dtype").containsExactly(0, 2, 3);
        statistics(0.1, 64, tensor(SMALL)).joined(tensor(SMALL), number);
        assertThat(launchedSteps()).as("another rule").containsExactly(0, 2, 3, 4, 5);
        joined(tensor(SMALL), tensor(TensorType.scalar(DType.I64)));
        assertThat(launchedSteps()).as("another number").containsExactly(0, 2, 3, 4, 5, 6);
    }

    @Test
    void statisticsOfALayerThatIsUsedTwiceMoveTwice() {
        MemoryRead mean = tensor(SMALL);
        statistics(0.1, 64, mean).statistics(0.1, 64, mean);
        assertThat(launchedSteps()).containsExactly(0, 1);
    }
}
