package dev.remat.runtime.cpu.exchange;

import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.op.ScatterShares;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.ranks.Transport;
import java.lang.foreign.MemorySegment;

/** Hands bytes to other ranks and takes theirs, which come before what reads them runs. */
public final class ExchangeKernel {
    private ExchangeKernel() {}

    public static CpuKernel of(Exchange op) {
        return new CpuKernel(in -> {
            long from = in.dense(0);
            long sent = in.operandType(0).bytes();
            long to = in.output();
            long received = in.resultType(0).bytes();
            return frame -> {
                MemorySegment own = frame.arena().asSlice(from, sent);
                MemorySegment all = frame.arena().asSlice(to, received);
                Transport transport = frame.exchanges().transport();
                frame.exchanges()
                        .add(
                                switch (op) {
                                    case GatherShares _ -> transport.gather(own, all);
                                    case ScatterShares _ -> transport.scatter(own, all);
                                });
            };
        });
    }
}
