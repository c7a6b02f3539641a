package dev.remat.runtime.cpu.reduce;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Reduce;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.elementwise.FusedProgram;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/** Sum, mean, maximum, minimum or product of an elementwise program's one output over some axes, written densely. */
public final class ReduceKernel {
    private final Reduce.Kind kind;
    private final DType type;
    private final long count;
    private final Reduction reduction;

    /**
     * Inputs have one stride for each of {@code dims}.
     *
     * @param type of the results
     */
    private ReduceKernel(
            Reduce.Kind kind,
            EltwiseProgram program,
            DType type,
            int[] dims,
            boolean[] reduced,
            List<TensorView> inputs) {
        this.kind = kind;
        this.type = type;
        this.reduction = new Reduction(program, List.of(kind(kind)), dims, reduced, inputs);
        this.count = count(dims, reduced);
    }

    public static CpuKernel of(Reduce op, OpTypes types) {
        TensorType x = types.operand(0);
        int[] dims = Shapes.dims(x);
        boolean[] axes = Shapes.flags(dims.length, op.axes());
        long workspaceBytes = Reduction.workspaceBytes(dims, axes, 1, !x.dtype().isFloat());
        return new CpuKernel(workspaceBytes, in -> {
            EltwiseProgram program;
            List<TensorView> inputs;
            switch (in.instruction().operands().getFirst()) {
                case Operand.FromMemory _ -> {
                    inputs = List.of(in.view(0));
                    program = EltwiseProgram.copy(x.dtype());
                }
                case Operand.FromInstruction made -> {
                    FusedProgram fused = new FusedProgram(in.step(), dims, Map.of());
                    inputs = fused.inputs();
                    program = fused.program(List.of(made));
                }
                case Operand.FromSeed _ -> throw new IllegalStateException("a seed cannot be reduced");
            }
            ReduceKernel kernel =
                    new ReduceKernel(op.kind(), program, types.result(0).dtype(), dims, axes, inputs);
            long output = in.denseResult(0);
            long workspace = in.workspace();
            return frame -> kernel.run(frame.pool(), frame.arena(), output, workspace, frame.randomBits());
        });
    }

    private static Reduction.Kind kind(Reduce.Kind kind) {
        return switch (kind) {
            case SUM, MEAN -> Reduction.Kind.SUM;
            case MAX -> Reduction.Kind.MAX;
            case MIN -> Reduction.Kind.MIN;
            case PROD -> Reduction.Kind.PROD;
        };
    }

    /** How many elements go into one result. */
    public static long count(int[] dims, boolean[] reduced) {
        long count = 1;
        for (int axis = 0; axis < dims.length; axis++) {
            count *= reduced[axis] ? dims[axis] : 1;
        }
        return count;
    }

    /** Offsets are bytes into the arena. */
    private void run(WorkerPool pool, MemorySegment arena, long output, long workspace, RandomBits randomBits) {
        reduction.run(pool, arena, workspace, randomBits, (position, totals, at, step) -> {
            double value = kind == Reduce.Kind.MEAN ? totals[at] / count : totals[at];
            long to = output + position * type.bytes();
            switch (type) {
                case F32, BF16, F16, F64 -> Elements.set(arena, type, to, value);
                case I32 -> arena.set(JAVA_INT, to, (int) (long) value);
                case I64 -> arena.set(JAVA_LONG, to, (long) value);
                case BOOL, BIT, SEED -> throw new IllegalArgumentException("no reduction of " + type);
            }
        });
    }
}
