package dev.remat.runtime.cpu.exchange;

import dev.remat.ir.op.OwnShare;
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
            return frame -> {
                long begin = frame.exchanges().transport().rank() * share;
                long before = 0;
                long copied = 0;
                for (int operand = 0; operand < operands; operand++) {
                    long first = Math.max(begin, before);
                    long end = Math.min(begin + share, before + bytes[operand]);
                    if (first < end) {
                        MemorySegment.copy(
                                frame.arena(),
                                from[operand] + first - before,
                                frame.arena(),
                                to + first - begin,
                                end - first);
                        copied = end - begin;
                    }
                    before += bytes[operand];
                }
                frame.arena().asSlice(to + copied, share - copied).fill((byte) 0);
            };
        });
    }
}
