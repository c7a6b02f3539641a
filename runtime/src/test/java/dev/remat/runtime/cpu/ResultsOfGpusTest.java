package dev.remat.runtime.cpu;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Kernels of GPUs store results in ways that those of the CPU do not; plans of theirs are refused. */
class ResultsOfGpusTest {
    private static final TensorType TYPE = TensorType.of(DType.F32, 4, 4);

    /** A product, and its root in the same kernel. */
    private static KernelStepBuilder step() {
        KernelStepBuilder step = new KernelStepBuilder("product", Role.FORWARD, Location.NONE);
        Operand a = step.read(MemoryRead.dense(0, 0, TYPE));
        Operand b = step.read(MemoryRead.dense(1, 256, TYPE));
        Operand product = step.add(new MatMul(false, false), List.of(TYPE), List.of(a, b));
        step.add(new Unary(Unary.Kind.SQRT), List.of(TYPE), List.of(product));
        return step;
    }

    private static void load(KernelStep step) {
        ExecutionPlan plan = new ExecutionPlan("m", "", "sm_80", 1, 2048, List.of(), List.of(step), List.of());
        new CpuExecutable(plan, new CpuExecutable.Options(1, false)).close();
    }

    @Test
    void whatSeveralOperationsMake() {
        Operand.FromInstruction product = new Operand.FromInstruction(0, 0);
        Operand.FromInstruction root = new Operand.FromInstruction(1, 0);
        load(step().write(2, "root", 512, root).build());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> load(step().write(2, "root", 512, root)
                        .write(3, "product", 768, product)
                        .build()))
                .withMessage("step product of a plan for sm_80 stores what 2 operations make, as no kernel of the CPU"
                        + " does");
    }

    @Test
    void whatGoesIntoTheOperation() {
        KernelStepBuilder step = new KernelStepBuilder("moments", Role.FORWARD, Location.NONE);
        Operand x = step.read(MemoryRead.dense(0, 0, TYPE));
        Operand root = step.add(new Unary(Unary.Kind.SQRT), List.of(TYPE), List.of(x));
        step.add(new Reduce(Reduce.Kind.SUM, List.of(1)), List.of(TensorType.of(DType.F32, 4)), List.of(root));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> load(step.write(2, "root", 512, new Operand.FromInstruction(0, 0))
                        .build()))
                .withMessage("step moments of a plan for sm_80 stores what its operation reads, as no kernel of the"
                        + " CPU does");
    }

    @Test
    void whatIsStoredTwice() {
        Operand.FromInstruction product = new Operand.FromInstruction(0, 0);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> load(step().write(2, "product", 512, product)
                        .write(3, "copy", 768, product)
                        .build()))
                .withMessage("step product of a plan for sm_80 stores a result twice, as no kernel of the CPU does");
    }

    @Test
    void whatLiesInStrides() {
        StridedView rows = new StridedView(0, List.of(4L, 4L), List.of(8L, 1L));
        MemoryWrite strided = new MemoryWrite(2, "root", 512, 128, TYPE, rows, 1, 0);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> load(step().write(strided).build()))
                .withMessage("step product of a plan for sm_80 stores root through strides, as no kernel of the CPU"
                        + " does");
    }
}
