package dev.remat.runtime.cpu.reduce;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Sums;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Folds all elements of several dense tensors of floats into one number, in f64: each part by itself, parts in order.
 * What the parts are follows from the shapes.
 */
public final class TensorFold {
    /** What becomes of the elements. */
    private enum Kind {
        SUM_OF_SQUARES,
        COUNT_OF_NOT_FINITE
    }

    private static final int PART = 64 * Scratch.CHUNK;

    private record Part(DType type, long address, int count) {}

    private final Kind kind;
    private final List<Part> parts = new ArrayList<>();

    /** @param addresses bytes of the tensors */
    private TensorFold(Kind kind, List<TensorType> types, List<Long> addresses) {
        this.kind = kind;
        for (int i = 0; i < types.size(); i++) {
            DType dtype = types.get(i).dtype();
            long elements = types.get(i).elements();
            for (long at = 0; at < elements; at += PART) {
                parts.add(new Part(dtype, addresses.get(i) + at * dtype.bytes(), (int) Math.min(PART, elements - at)));
            }
        }
    }

    public static CpuKernel of(SumOfSquares op, OpTypes types) {
        List<TensorType> tensors = op.tensors(types.operands());
        return new CpuKernel(workspaceBytes(tensors), in -> {
            TensorFold fold = new TensorFold(Kind.SUM_OF_SQUARES, tensors, addresses(in, tensors));
            long factor = op.scaled() ? in.dense(tensors.size()) : Elements.NONE;
            DType type = op.scaled() ? in.dtype(tensors.size()) : DType.F32;
            long output = in.output();
            long workspace = in.workspace();
            return frame -> {
                double scale = op.scaled() ? Elements.get(frame.arena(), type, factor) : 1;
                Elements.set(frame.arena(), DType.F32, output, fold.run(frame.pool(), frame.arena(), scale, workspace));
            };
        });
    }

    public static CpuKernel of(AllFinite op, OpTypes types) {
        List<TensorType> tensors = types.operands();
        return new CpuKernel(workspaceBytes(tensors), in -> {
            TensorFold fold = new TensorFold(Kind.COUNT_OF_NOT_FINITE, tensors, addresses(in, tensors));
            long output = in.output();
            long workspace = in.workspace();
            return frame -> {
                boolean finite = fold.run(frame.pool(), frame.arena(), 1, workspace) == 0;
                frame.arena().set(JAVA_BYTE, output, (byte) (finite ? 1 : 0));
            };
        });
    }

    private static List<Long> addresses(Binding in, List<TensorType> tensors) {
        return IntStream.range(0, tensors.size()).mapToObj(in::dense).toList();
    }

    /** Bytes of workspace; the same for any number of threads. */
    private static long workspaceBytes(List<TensorType> types) {
        return Double.BYTES
                * types.stream()
                        .mapToLong(type -> Math.ceilDiv(type.elements(), (long) PART))
                        .sum();
    }

    /** @param factor of every element before it is squared */
    private double run(WorkerPool pool, MemorySegment arena, double factor, long workspace) {
        pool.run(parts.size(), (task, scratch) -> {
            Part part = parts.get(task);
            double sum = 0;
            for (int at = 0; at < part.count(); at += Scratch.CHUNK) {
                int count = Math.min(Scratch.CHUNK, part.count() - at);
                double[] values = scratch.doubles;
                Elements.load(
                        arena,
                        part.type(),
                        part.address() + (long) at * part.type().bytes(),
                        values,
                        0,
                        count,
                        scratch);
                sum += fold(values, count, factor);
            }
            Elements.set(arena, DType.F64, workspace + (long) task * Double.BYTES, sum);
        });
        double total = 0;
        for (int i = 0; i < parts.size(); i++) {
            total += Elements.get(arena, DType.F64, workspace + (long) i * Double.BYTES);
        }
        return total;
    }

    private double fold(double[] values, int count, double factor) {
        for (int i = 0; i < count; i++) {
            values[i] = switch (kind) {
                case SUM_OF_SQUARES -> factor * values[i];
                case COUNT_OF_NOT_FINITE -> Double.isFinite(values[i]) ? 0 : 1;
            };
        }
        return switch (kind) {
            case SUM_OF_SQUARES -> Sums.ofSquares(values, 0, count);
            case COUNT_OF_NOT_FINITE -> Sums.of(values, 0, count);
        };
    }
}
