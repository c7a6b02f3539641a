package dev.remat.ir.target;

import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Unary;
import java.util.List;

/** Kernels made by hand. */
final class Kernels {
    private Kernels() {}

    static KernelStepBuilder step() {
        return new KernelStepBuilder("y", Role.FORWARD, Location.NONE);
    }

    /** The exponential of a product of {@code rows} by 4 and 4 by 2, the second of which lies transposed. */
    static KernelSignature product(long rows) {
        TensorType result = TensorType.of(DType.F32, rows, 2);
        StridedView turned = new StridedView(0, List.of(4L, 2L), List.of(1L, 4L));
        KernelStepBuilder step = step();
        Operand x = step.read(MemoryRead.dense(0, 0, TensorType.of(DType.F32, rows, 4)));
        Operand w = step.read(new MemoryRead(1, 1024, 32, DType.F32, turned));
        Operand product = step.add(new MatMul(false, false), List.of(result), List.of(x, w));
        step.write(2, "y", 2048, step.add(new Unary(Unary.Kind.EXP), List.of(result), List.of(product)));
        return new KernelSignature(step.body());
    }

    static KernelSignature negation(DType dtype, long elements) {
        TensorType type = TensorType.of(dtype, elements);
        KernelStepBuilder step = step();
        Operand x = step.read(MemoryRead.dense(0, 0, type));
        step.write(1, "y", 4096, step.add(new Unary(Unary.Kind.NEG), List.of(type), List.of(x)));
        return new KernelSignature(step.body());
    }
}
