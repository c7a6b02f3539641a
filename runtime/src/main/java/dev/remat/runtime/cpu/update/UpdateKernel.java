package dev.remat.runtime.cpu.update;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.UpdateRows;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Input;
import dev.remat.runtime.cpu.elementwise.StridedRuns;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.kernel.BoundKernelStep;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.Frame;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.TensorView;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Updates of a parameter and its states in place, computed in f64 and rounded once.
 *
 * @param count elements that are updated
 * @param dense tensors of so many elements, by operands: those with their own place are stored again
 * @param repeated tensors that repeat to the parameter's shape
 */
record UpdateKernel(
        UpdateLoop loop, int operands, long count, List<Dense> dense, List<Repeated> repeated, List<Scalar> scalars) {
    private static final int CHUNKS_PER_TASK = 16;

    private record Dense(int operand, DType type, long offset, boolean stored) {}

    private record Repeated(int operand, TensorView view) {}

    private record Scalar(int operand, DType type, long offset) {}

    static CpuKernel of(ElementwiseUpdate op) {
        return new CpuKernel(in -> bind(op, in, 0, in.operandType(0).elements()));
    }

    static CpuKernel of(UpdateRows op) {
        return new CpuKernel(in -> {
            long count = op.rows(in.operandType(0)).elements();
            return bind(op.update(), in, count / (op.to() - op.from()) * op.from(), count);
        });
    }

    private static BoundKernelStep bind(ElementwiseUpdate op, Binding in, long from, long count) {
        List<Dense> dense = new ArrayList<>();
        List<Repeated> repeated = new ArrayList<>();
        List<Scalar> scalars = new ArrayList<>();
        List<TensorType> types = in.operandTypes();
        for (int operand = 0; operand < types.size(); operand++) {
            DType type = types.get(operand).dtype();
            if (operand < op.others()) {
                long skipped = UpdateRows.isWhole(operand) ? type.bytesOf(from) : 0;
                dense.add(new Dense(operand, type, in.dense(operand) + skipped, operand != 1));
            } else if (types.get(operand).rank() > 0) {
                repeated.add(new Repeated(operand, in.view(operand).over(Shapes.dims(types.getFirst()))));
            } else if (type.isFloat()) {
                scalars.add(new Scalar(operand, type, in.dense(operand)));
            }
        }
        boolean[] tensors = new boolean[types.size()];
        dense.forEach(each -> tensors[each.operand] = true);
        repeated.forEach(each -> tensors[each.operand] = true);
        return new UpdateKernel(UpdateLoop.of(op, tensors), types.size(), count, dense, repeated, scalars)::run;
    }

    private void run(Frame frame) {
        double[] numbers = new double[operands];
        for (Scalar scalar : scalars) {
            numbers[scalar.operand] = Elements.get(frame.arena(), scalar.type, scalar.offset);
        }
        long perTask = (long) Scratch.CHUNK * CHUNKS_PER_TASK;
        frame.pool().run(Math.toIntExact((count + perTask - 1) / perTask), (task, scratch) -> {
            scratch.registers.ensure(1, operands, 0);
            long end = Math.min(count, (task + 1) * perTask);
            for (long at = task * perTask; at < end; at += Scratch.CHUNK) {
                run(frame.arena(), numbers, at, (int) Math.min(Scratch.CHUNK, end - at), scratch);
            }
        });
    }

    private void run(MemorySegment arena, double[] numbers, long at, int n, Scratch scratch) {
        double[][] staged = scratch.registers.doubles;
        for (Dense each : dense) {
            Elements.load(arena, each.type, each.offset + at * each.type.bytes(), staged[each.operand], 0, n, scratch);
        }
        for (Repeated each : repeated) {
            boolean wide = each.view.type() == DType.F64;
            int register = wide ? each.operand : 0;
            StridedRuns.load(arena, Input.element(each.view.type()), each.view, at, n, register, scratch);
            if (!wide) {
                Elements.widen(scratch.registers.floats[0], 0, staged[each.operand], 0, n);
            }
        }
        loop.run(staged, numbers, n);
        for (Dense each : dense) {
            if (each.stored) {
                long offset = each.offset + at * each.type.bytes();
                Elements.store(arena, each.type, offset, staged[each.operand], 0, n, scratch);
            }
        }
    }
}
