package dev.remat.codegen.cuda.family.attention;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Extents of one attention.
 *
 * @param type of queries, keys and values
 * @param heads of queries
 * @param group neighbouring heads of queries that share one of keys and values
 * @param depth elements of a query
 * @param width elements of a value
 */
record AttentionShape(DType type, long batch, long heads, long group, long queries, long keys, long depth, long width) {
    AttentionShape {
        if (Math.max(queries, keys) >= 1L << 31 || Math.max(depth, width) >= 1L << 31) {
            throw new IllegalArgumentException("no attention between " + queries + " queries of " + depth + " and "
                    + keys + " keys of " + width + ": each must be below 2^31");
        }
    }

    /** @param inputs queries, keys, values and what else attention reads */
    static AttentionShape of(List<TensorType> inputs) {
        TensorType q = inputs.get(0);
        TensorType v = inputs.get(2);
        return new AttentionShape(
                q.dtype(),
                q.dim(0).value(),
                q.dim(1).value(),
                q.dim(1).divideExact(v.dim(1)).orElseThrow().value(),
                q.dim(2).value(),
                v.dim(2).value(),
                q.dim(3).value(),
                v.dim(3).value());
    }

    long flatHeads() {
        return Math.multiplyExact(batch, heads);
    }

    /** Heads of keys and values over the whole batch. */
    long flatKeyHeads() {
        return flatHeads() / group;
    }

    /** Rows of the log-sum-exp. */
    long rows() {
        return Math.multiplyExact(flatHeads(), queries);
    }

    boolean isEmpty() {
        return rows() == 0 || keys == 0 || depth == 0 || width == 0;
    }

    /** Bytes of one number a query: a log-sum-exp or a delta. */
    long rowBytes() {
        return rows() * type.accumulator().bytes();
    }

    /** Declares the extents. */
    String declare(KernelCall call) {
        return "AttentionExtents{" + call.u32(heads) + ", " + call.u32(queries) + ", " + call.u32(keys) + ", "
                + call.u32(depth) + ", " + call.u32(width) + (group == 1 ? "" : ", " + call.u32(group)) + "}";
    }

    /** Declares an operand of four axes, perhaps repeated along some, with its strides. */
    static String heads(KernelCall call, MemoryRead read) {
        List<String> members = new ArrayList<>();
        members.add(call.input(read.dtype(), read.address()));
        int missing = 4 - read.view().rank();
        for (int axis = 0; axis < 4; axis++) {
            boolean repeats = axis < missing || read.view().extents().get(axis - missing) == 1;
            members.add(call.u64(repeats ? 0 : read.view().strides().get(axis - missing)));
        }
        return "Heads<" + CudaType.of(read.dtype()) + ">{" + String.join(", ", members) + "}";
    }

    /** Declares result {@code result} of the step's operation with its strides. */
    static String results(KernelCall call, KernelStepBinding step, int result) {
        TensorType type = step.resultType(result);
        StridedView view = step.stored(result).map(MemoryWrite::view).orElseGet(() -> StridedView.dense(type.shape()));
        long address = step.stored(result).map(MemoryWrite::address).orElse(ParameterType.NULL);
        List<String> members = new ArrayList<>();
        members.add(call.output(type.dtype(), address));
        view.strides().forEach(stride -> members.add(call.u64(stride)));
        return "HeadsOut<" + CudaType.of(type.dtype()) + ">{" + String.join(", ", members) + "}";
    }

    /** Whether rows of all these operands can be fetched in 16 bytes each. */
    static boolean isAligned(KernelStepBinding step, int... operands) {
        return Arrays.stream(operands)
                .mapToObj(step::read)
                .allMatch(read -> isAligned(read.address(), read.view(), read.dtype()));
    }

    /** Whether rows of all these results can be written in 16 bytes each. */
    static boolean writesAligned(KernelStepBinding step, int... results) {
        return Arrays.stream(results)
                .mapToObj(step::stored)
                .flatMap(Optional::stream)
                .allMatch(write ->
                        isAligned(write.address(), write.view(), write.type().dtype()));
    }

    private static boolean isAligned(long address, StridedView view, DType dtype) {
        int bytes = dtype.bytes();
        boolean aligned = address % 16 == 0
                && view.extents().get(3) * bytes % 16 == 0
                && view.strides().get(3) == 1;
        for (int axis = 0; axis < 3; axis++) {
            aligned &= view.extents().get(axis) == 1 || view.strides().get(axis) * bytes % 16 == 0;
        }
        return aligned;
    }

    /** What stands for the mask where there is none. */
    static String unmasked() {
        return "Heads<u8>{nullptr, 0, 0, 0, 0}";
    }
}
