package dev.remat.tests.cpu;

import dev.remat.ir.DType;
import dev.remat.ir.Role;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Step;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Update;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.reference.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** One operation on the CPU, from tensors to tensors by a plan of one step; all memory around them holds NaN. */
final class SingleStep {
    static final long SEED = 5;

    private final List<MemoryRead> reads = new ArrayList<>();
    private final List<MemoryWrite> writes = new ArrayList<>();
    private long end;

    private SingleStep() {
    }

    static List<Tensor> run(Op op, List<Tensor> operands, int threads) {
        return new SingleStep().apply(op, operands, threads);
    }

    private long reserve(long bytes) {
        long at = end;
        end += bytes + 255 & ~255L;
        return at;
    }

    private List<Tensor> apply(Op op, List<Tensor> operands, int threads) {
        List<TensorType> types = operands.stream().map(Tensor::type).toList();
        List<TensorType> results = op.infer(types);
        List<Operand> sources = new ArrayList<>();
        for (int i = 0; i < operands.size(); i++) {
            TensorType type = types.get(i);
            if (type.dtype() == DType.SEED) {
                sources.add(new Operand.FromSeed((int) operands.get(i).data()[0]));
                continue;
            }
            sources.add(new Operand.FromMemory(reads.size()));
            reads.add(new MemoryRead(i, reserve(type.bytes()), type.bytes(), type.dtype(),
                    StridedView.dense(type.shape())));
        }
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).dtype() != DType.SEED) {
                writes.add(new MemoryWrite(100 + i, "result", place(op, i, results.get(i)), results.get(i), 0, i));
            }
        }
        long workspaceBytes = new CpuTarget().workspaceBytes(op, types, results);
        ByteRange workspace = new ByteRange(reserve(workspaceBytes), workspaceBytes);
        Step step = new Step("step", Role.FORWARD, Location.NONE, false,
                List.of(new Instruction(op, sources, results)), reads, writes, workspace, List.of());
        ExecutionPlan plan = new ExecutionPlan("test", "", "cpu", SEED, end, List.of(), List.of(step), List.of());
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(threads, false));
                Arena scratch = Arena.ofConfined()) {
            MemorySegment image = scratch.allocate(end, 64).fill((byte) 0xFF);
            for (MemoryRead read : reads) {
                encode(operands.get(read.value()), image, read.offset());
            }
            executable.write(0, image);
            executable.run(3);
            return writes.stream()
                    .map(write -> decode(write.type(), executable.read(write.offset(), write.bytes())))
                    .toList();
        }
    }

    private long place(Op op, int result, TensorType type) {
        if (op instanceof Update update) {
            for (Update.Write write : update.writes()) {
                if (write.result() == result) {
                    return reads.get(write.operand()).offset();
                }
            }
        }
        return reserve(type.bytes());
    }

    private static void encode(Tensor tensor, MemorySegment memory, long offset) {
        DType dtype = tensor.type().dtype();
        for (int i = 0; i < tensor.data().length; i++) {
            double value = tensor.data()[i];
            long at = offset + (long) i * dtype.bytes();
            switch (dtype) {
                case F32 -> memory.set(ValueLayout.JAVA_FLOAT, at, (float) value);
                case BF16 -> memory.set(ValueLayout.JAVA_SHORT, at,
                        (short) (Float.floatToRawIntBits((float) value) >>> 16));
                case F16 -> memory.set(ValueLayout.JAVA_SHORT, at, Float.floatToFloat16((float) value));
                case F64 -> memory.set(ValueLayout.JAVA_DOUBLE, at, value);
                case I32 -> memory.set(ValueLayout.JAVA_INT, at, (int) value);
                case I64 -> memory.set(ValueLayout.JAVA_LONG, at, (long) value);
                case BOOL -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                case SEED -> throw new IllegalArgumentException("seeds are not stored");
            }
        }
    }

    private static Tensor decode(TensorType type, MemorySegment memory) {
        double[] data = new double[Math.toIntExact(type.elements())];
        for (int i = 0; i < data.length; i++) {
            long at = (long) i * type.dtype().bytes();
            data[i] = switch (type.dtype()) {
                case F32 -> memory.get(ValueLayout.JAVA_FLOAT, at);
                case BF16 -> Float.intBitsToFloat(memory.get(ValueLayout.JAVA_SHORT, at) << 16);
                case F16 -> Float.float16ToFloat(memory.get(ValueLayout.JAVA_SHORT, at));
                case F64 -> memory.get(ValueLayout.JAVA_DOUBLE, at);
                case I32 -> memory.get(ValueLayout.JAVA_INT, at);
                case I64 -> memory.get(ValueLayout.JAVA_LONG, at);
                case BOOL -> memory.get(ValueLayout.JAVA_BYTE, at);
                case SEED -> throw new IllegalArgumentException("seeds are not stored");
            };
        }
        return new Tensor(type, data);
    }
}
