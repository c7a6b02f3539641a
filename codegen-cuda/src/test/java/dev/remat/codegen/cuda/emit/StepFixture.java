package dev.remat.codegen.cuda.emit;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.SequentialArena;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Op;
import java.util.List;

/**
 * A plan of one step, written instruction by instruction; its number lies at offset 0, the seed at 256, the
 * micro-batch at 512.
 */
public final class StepFixture {
    private final SequentialArena arena = new SequentialArena(256);
    private final KernelStepBuilder step = new KernelStepBuilder("y", Role.FORWARD, Location.NONE);
    private final ArenaTensor number = ArenaTensor.ofStep(1000, InputKind.STEP, arena.place(Long.BYTES));
    private final ArenaTensor seed = ArenaTensor.ofStep(1001, InputKind.SEED, arena.place(Long.BYTES));
    private final ArenaTensor microBatch = ArenaTensor.ofStep(1002, InputKind.MICRO_BATCH, arena.place(Long.BYTES));
    private int values;

    /** A dense tensor in memory. */
    public Operand read(TensorType type) {
        return read(type.dtype(), StridedView.dense(type.shape()), type.bytes());
    }

    /** A view of a buffer of {@code bytes} bytes. */
    public Operand read(DType dtype, StridedView view, long bytes) {
        return step.read(new MemoryRead(values++, arena.place(bytes), bytes, dtype, view));
    }

    /** An instruction; its first result may be an operand of others. */
    public Operand apply(Op op, TensorType type, Operand... operands) {
        return apply(op, List.of(type), operands);
    }

    /** An instruction with several results, of which the first is returned. */
    public Operand apply(Op op, List<TensorType> types, Operand... operands) {
        return step.add(op, types, List.of(operands));
    }

    public void write(Operand operand) {
        long bytes = step.body().type(operand).bytes();
        step.write(values++, "y", arena.place(bytes), (Operand.FromInstruction) operand);
    }

    public void workspace(long bytes) {
        step.workspace(arena.range(bytes));
    }

    public KernelProgram program() {
        return program(Architecture.SM_80, CodegenOptions.DEFAULT);
    }

    public KernelProgram program(Architecture architecture, CodegenOptions options) {
        return CudaCodegen.generate(plan(architecture), architecture, options);
    }

    public ExecutionPlan plan(Architecture architecture) {
        return new ExecutionPlan(
                "test",
                "ab",
                architecture.label(),
                7,
                arena.bytes(),
                List.of(number, seed, microBatch),
                List.of(step.build()),
                List.of());
    }
}
