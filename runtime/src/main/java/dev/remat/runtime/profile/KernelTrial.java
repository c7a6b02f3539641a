package dev.remat.runtime.profile;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.SequentialArena;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Unary;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import java.util.ArrayList;
import java.util.List;

/** Steps of one kernel on the CPU, whose operands are zeros, to see how long it takes; to be closed. */
final class KernelTrial {
    /** Side of the matrices of a product: it takes far longer than reading them. */
    static final int SIDE = 768;
    /** What is streamed: no cache holds it. */
    static final TensorType STREAM = TensorType.of(DType.F32, 1 << 24);

    private static final CpuTarget TARGET = new CpuTarget();

    private KernelTrial() {}

    static CpuExecutable product(DType dtype, CpuExecutable.Options options) {
        TensorType matrix = TensorType.of(dtype, SIDE, SIDE);
        return of(new MatMul(false, false), List.of(matrix, matrix), options);
    }

    /** Through memory, and back. */
    static CpuExecutable stream(CpuExecutable.Options options) {
        return of(new Unary(Unary.Kind.NEG), List.of(STREAM), options);
    }

    /** Next to nothing. */
    static CpuExecutable launch(CpuExecutable.Options options) {
        return of(new Unary(Unary.Kind.NEG), List.of(TensorType.of(DType.F32, 1)), options);
    }

    private static CpuExecutable of(Op op, List<TensorType> operands, CpuExecutable.Options options) {
        return new CpuExecutable(plan(op, operands), options);
    }

    private static ExecutionPlan plan(Op op, List<TensorType> operands) {
        TensorType result = op.infer(operands).getFirst();
        SequentialArena arena = new SequentialArena(TARGET.alignment());
        KernelStepBuilder step = new KernelStepBuilder("result", Role.FORWARD, Location.NONE);
        List<Operand> sources = new ArrayList<>();
        for (TensorType operand : operands) {
            sources.add(step.read(MemoryRead.dense(sources.size(), arena.place(operand.bytes()), operand)));
        }
        Operand.FromInstruction made = step.add(op, List.of(result), sources);
        step.write(operands.size(), "result", arena.place(result.bytes()), made);
        step.workspace(arena.range(TARGET.workspaceBytes(step.body())));
        return new ExecutionPlan(
                "rates", "", TARGET.name(), 0, arena.bytes(), List.of(), List.of(step.build()), List.of());
    }
}
