package dev.remat.codegen.cuda.family.norm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.SequentialArena;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NormalizedRowsTest {
    private static final List<Integer> ROWS = List.of(1);
    /** What rows need that blocks share. */
    private static final long WORKSPACE = 4096;

    private final List<KernelStep> steps = new ArrayList<>();
    private final SequentialArena arena = new SequentialArena(256);

    private MemoryRead tensor(DType dtype, long... extents) {
        TensorType type = TensorType.of(dtype, extents);
        return MemoryRead.dense(0, arena.place(type.bytes()), type);
    }

    /** Statistics of rows of {@code x}, written to two new tensors. */
    private List<MemoryRead> statistics(MemoryRead x) {
        List<MemoryRead> written = List.of(tensor(DType.F32, 6, 1), tensor(DType.F32, 6, 1));
        KernelStepBuilder step = new KernelStepBuilder("s", Role.FORWARD, Location.NONE);
        TensorType type = written.getFirst().type();
        Operand.FromInstruction mean =
                step.add(new NormStatistics(ROWS, true), List.of(type, type), List.of(step.read(x)));
        steps.add(step.write(1, "mean", written.get(0).address(), mean)
                .write(2, "variance", written.get(1).address(), new Operand.FromInstruction(mean.instruction(), 1))
                .workspace(new ByteRange(arena.place(WORKSPACE), WORKSPACE))
                .build());
        return written;
    }

    private void normalize(MemoryRead x, List<MemoryRead> statistics) {
        KernelStepBuilder step = new KernelStepBuilder("n", Role.FORWARD, Location.NONE);
        List<Operand> operands = new ArrayList<>();
        operands.add(step.read(x));
        statistics.forEach(each -> operands.add(step.read(each)));
        Operand normalized = step.add(new Normalize(ROWS, 1e-5, true, false, false), List.of(x.type()), operands);
        Operand.FromInstruction y = step.add(new Unary(Unary.Kind.RELU), List.of(x.type()), List.of(normalized));
        steps.add(step.write(3, "y", arena.place(x.type().bytes()), y).build());
    }

    private List<Integer> launchedSteps() {
        ExecutionPlan plan = new ExecutionPlan("test", "", "sm_80", 7, arena.bytes(), List.of(), steps, List.of());
        KernelProgram program = CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
        return program.launches().stream().map(Launch::step).toList();
    }

    @Test
    void statisticsAndWhatNormalizesByThemAreOneLaunch() {
        MemoryRead x = tensor(DType.BF16, 6, 768);
        normalize(x, statistics(x));
        assertThat(launchedSteps()).containsExactly(0);
        normalize(x, statistics(x));
        assertThat(launchedSteps()).containsExactly(0, 2);
    }

    @Test
    void rowsThatAreNormalizedAgainTakeKeptStatistics() {
        MemoryRead x = tensor(DType.BF16, 6, 768);
        List<MemoryRead> kept = statistics(x);
        normalize(x, kept);
        normalize(x, kept);
        assertThat(launchedSteps()).containsExactly(0, 2);
    }

    @Test
    void otherRowsOrOtherStatisticsAreNormalizedApart() {
        MemoryRead x = tensor(DType.BF16, 6, 768);
        MemoryRead other = tensor(DType.BF16, 6, 768);
        normalize(other, statistics(x));
        assertThat(launchedSteps()).containsExactly(0, 1);
        steps.clear();
        List<MemoryRead> before = statistics(x);
        statistics(x);
        normalize(x, before);
        assertThat(launchedSteps()).containsExactly(0, 1, 2);
    }

    @Test
    void rowsThatNoBlockHoldsAreReadTwice() {
        MemoryRead x = tensor(DType.F32, 6, 16_384);
        normalize(x, statistics(x));
        assertThat(launchedSteps()).startsWith(0).endsWith(1);
    }
}
