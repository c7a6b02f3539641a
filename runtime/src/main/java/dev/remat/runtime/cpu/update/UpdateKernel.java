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
import dev.remat.runtime.cpu.support.Registers;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.update.UpdateLoop.Form;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
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
        List<Form> forms = new ArrayList<>(Collections.nCopies(types.size(), Form.SCALAR));
        dense.forEach(each -> forms.set(each.operand, Form.of(each.type)));
        repeated.forEach(each -> forms.set(each.operand, Form.of(each.view.type())));
        return new UpdateKernel(UpdateLoop.of(op, forms), types.size(), count, dense, repeated, scalars)::run;
    }

    private void run(Frame frame) {
        double[] numbers = new double[operands];
        for (Scalar scalar : scalars) {
            numbers[scalar.operand] = Elements.get(frame.arena(), scalar.type, scalar.offset);
        }
        long perTask = (long) Scratch.CHUNK * CHUNKS_PER_TASK;
        frame.pool().run(Math.toIntExact((count + perTask - 1) / perTask), (task, scratch) -> {
            scratch.registers.ensure(operands, operands, 0);
            long end = Math.min(count, (task + 1) * perTask);
            for (long at = task * perTask; at < end; at += Scratch.CHUNK) {
                run(frame.arena(), numbers, at, (int) Math.min(Scratch.CHUNK, end - at), scratch);
            }
        });
    }

    private void run(MemorySegment arena, double[] numbers, long at, int n, Scratch scratch) {
        Registers registers = scratch.registers;
        for (Dense each : dense) {
            long offset = each.offset + at * each.type.bytes();
            if (each.type == DType.F64) {
                Elements.load(arena, each.type, offset, registers.doubles[each.operand], 0, n, scratch);
            } else {
                Elements.load(arena, each.type, offset, registers.floats[each.operand], 0, n, scratch);
            }
        }
        for (Repeated each : repeated) {
            Input input = Input.element(each.view.type());
            StridedRuns.load(arena, input, each.view, at, n, each.operand, scratch);
        }
        loop.run(registers.floats, registers.doubles, numbers, n);
        for (Dense each : dense) {
            long offset = each.offset + at * each.type.bytes();
            if (each.stored && each.type == DType.F64) {
                Elements.store(arena, each.type, offset, registers.doubles[each.operand], 0, n, scratch);
            } else if (each.stored) {
                Elements.store(arena, each.type, offset, registers.floats[each.operand], 0, n, scratch);
            }
        }
    }
}
