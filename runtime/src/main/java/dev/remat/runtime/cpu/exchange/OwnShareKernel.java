package dev.remat.runtime.cpu.exchange;

import dev.remat.ir.op.OwnShare;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/** Copies what lies in a rank's share, and fills it up with zeros. */
public final class OwnShareKernel {
    private OwnShareKernel() {}

    public static CpuKernel of(OwnShare op) {
        return new CpuKernel(in -> {
            int operands = in.instruction().operands().size();
            long[] from = IntStream.range(0, operands).mapToLong(in::dense).toArray();
            long[] bytes = IntStream.range(0, operands)
                    .mapToLong(operand -> in.operandType(operand).bytes())
                    .toArray();
            long to = in.output();
            long share = in.resultType(0).bytes();
            long[] begins = begins(op, in, bytes);
            return frame -> {
                MemorySegment out = frame.arena().asSlice(to, share);
                long begin = frame.exchanges().transport().rank() * share;
                out.fill((byte) 0);
                for (int operand = 0; operand < operands; operand++) {
                    long first = Math.max(begin, begins[operand]);
                    long end = Math.min(begin + share, begins[operand] + bytes[operand]);
                    if (first < end) {
                        long at = from[operand] + first - begins[operand];
                        MemorySegment.copy(frame.arena(), at, out, first - begin, end - first);
                    }
                }
            };
        });
    }

    /** Where each operand begins among all, in bytes. */
    private static long[] begins(OwnShare op, Binding in, long[] bytes) {
        int width = in.dtype(0).bytes();
        long[] begins = new long[bytes.length];
        long before = 0;
        for (int operand = 0; operand < bytes.length; operand++) {
            begins[operand] = op.first(before) * width;
            before = op.first(before) + bytes[operand] / width;
        }
        return begins;
    }
}
