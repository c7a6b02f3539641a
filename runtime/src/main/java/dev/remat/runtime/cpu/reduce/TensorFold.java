package dev.remat.runtime.cpu.reduce;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.ChunkSquares;
import dev.remat.ir.op.SumOfChunks;
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

    /** @param folded whether it is the sums of chunks already */
    private record Part(DType type, long address, int count, boolean folded) {}

    private final Kind kind;
    private final List<Part> parts = new ArrayList<>();

    /** @param addresses bytes of the tensors */
    private TensorFold(Kind kind, List<TensorType> types, List<Long> addresses) {
        this(kind, types, addresses, List.of());
    }

    /** @param chunked which of them are sums of chunks */
    private TensorFold(Kind kind, List<TensorType> types, List<Long> addresses, List<Integer> chunked) {
        this.kind = kind;
        for (int i = 0; i < types.size(); i++) {
            DType dtype = types.get(i).dtype();
            long elements = types.get(i).elements();
            boolean folded = chunked.contains(i);
            int part = part(folded);
            for (long at = 0; at < elements; at += part) {
                long address = addresses.get(i) + at * dtype.bytes();
                parts.add(new Part(dtype, address, (int) Math.min(part, elements - at), folded));
            }
        }
    }

    /** Elements of a part of a tensor, or of its sums by chunks. */
    private static int part(boolean folded) {
        return folded ? PART / Scratch.CHUNK : PART;
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

    public static CpuKernel of(SumOfChunks op, OpTypes types) {
        List<TensorType> sums = op.sums(types.operands());
        long parts = IntStream.range(0, sums.size())
                .mapToLong(i -> Math.ceilDiv(
                        sums.get(i).elements(), (long) part(op.chunked().contains(i))))
                .sum();
        return new CpuKernel(Double.BYTES * parts, in -> {
            TensorFold fold = new TensorFold(Kind.SUM_OF_SQUARES, sums, addresses(in, sums), op.chunked());
            long factor = op.scaled() ? in.dense(sums.size()) : Elements.NONE;
            DType type = op.scaled() ? in.dtype(sums.size()) : DType.F32;
            long output = in.output();
            long workspace = in.workspace();
            return frame -> {
                double scale = op.scaled() ? Elements.get(frame.arena(), type, factor) : 1;
                Elements.set(frame.arena(), DType.F32, output, fold.run(frame.pool(), frame.arena(), scale, workspace));
            };
        });
    }

    /** Sums of squares of a rank's share, each chunk by itself. */
    public static CpuKernel of(ChunkSquares op) {
        return new CpuKernel(in -> {
            DType dtype = in.dtype(0);
            long share = in.operandType(0).elements();
            long address = in.dense(0);
            long factor = op.scaled() ? in.dense(1) : Elements.NONE;
            DType type = op.scaled() ? in.dtype(1) : DType.F32;
            long output = in.output();
            return frame -> {
                double scale = op.scaled() ? Elements.get(frame.arena(), type, factor) : 1;
                long begin =
                        op.areAll(share) ? 0 : frame.exchanges().transport().rank() * share;
                int chunks = Math.toIntExact(share / Scratch.CHUNK);
                frame.pool().run(chunks, (chunk, scratch) -> {
                    long at = (long) chunk * Scratch.CHUNK;
                    int count = count(op, begin + at);
                    double[] values = scratch.doubles;
                    Elements.load(frame.arena(), dtype, address + at * dtype.bytes(), values, 0, count, scratch);
                    double sum = squares(values, count, scale);
                    Elements.set(frame.arena(), DType.F64, output + (long) chunk * Double.BYTES, sum);
                });
            };
        });
    }

    /** How many elements of a tensor there are in the chunk that begins at an element of all that are shared. */
    private static int count(ChunkSquares op, long at) {
        for (int tensor = op.firsts().size() - 1; tensor >= 0; tensor--) {
            if (op.firsts().get(tensor) <= at) {
                long end = op.firsts().get(tensor) + op.elements().get(tensor);
                return Math.clamp(end - at, 0, Scratch.CHUNK);
            }
        }
        return 0;
    }

    private static double squares(double[] values, int count, double factor) {
        for (int i = 0; i < count; i++) {
            values[i] = factor * values[i];
        }
        return Sums.ofSquares(values, 0, count);
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
            for (int chunk = 0; part.folded() && chunk < part.count(); chunk++) {
                sum += Elements.get(arena, DType.F64, part.address() + (long) chunk * Double.BYTES);
            }
            for (int at = 0; !part.folded() && at < part.count(); at += Scratch.CHUNK) {
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
