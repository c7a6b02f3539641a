package dev.remat.runtime.cpu.elementwise;

import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Pad;
import dev.remat.runtime.cpu.kernel.BoundKernelStep;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.support.IterationSpace;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.TensorView;
import java.util.ArrayList;
import java.util.List;

/** Operations that only move elements, as elementwise kernels that write through strides. */
public final class Copies {
    private Copies() {}

    public static CpuKernel of(Concat op) {
        return new CpuKernel(in -> {
            int[] whole = Shapes.dims(in.resultType(0));
            long[] strides = IterationSpace.dense(whole);
            List<BoundKernelStep> parts = new ArrayList<>();
            long start = in.output();
            for (int i = 0; i < in.instruction().operands().size(); i++) {
                TensorView part = in.view(i);
                parts.add(copy(part, strides, start));
                start += part.dims()[op.axis()]
                        * strides[op.axis()]
                        * part.type().bytes();
            }
            return frame -> parts.forEach(part -> part.run(frame));
        });
    }

    public static CpuKernel of(Pad op) {
        return new CpuKernel(in -> {
            int[] whole = Shapes.dims(in.resultType(0));
            long[] strides = IterationSpace.dense(whole);
            TensorView x = in.view(0);
            long output = in.output();
            long first = output;
            for (int axis = 0; axis < whole.length; axis++) {
                first += op.low().get(axis).value() * strides[axis] * x.type().bytes();
            }
            EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
            Eltwise fill = Eltwise.dense(builder.build(builder.constant(x.type(), op.value())), whole, output);
            BoundKernelStep inside = copy(x, strides, first);
            return frame -> {
                fill.run(frame.pool(), frame.arena());
                inside.run(frame);
            };
        });
    }

    private static BoundKernelStep copy(TensorView from, long[] toStrides, long to) {
        TensorView placed = new TensorView(from.type(), to, from.dims(), toStrides);
        Eltwise kernel = new Eltwise(EltwiseProgram.copy(from.type()), from.dims(), List.of(from), List.of(placed));
        return frame -> kernel.run(frame.pool(), frame.arena());
    }
}
