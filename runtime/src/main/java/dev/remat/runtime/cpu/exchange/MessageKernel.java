package dev.remat.runtime.cpu.exchange;

import dev.remat.ir.op.Message;
import dev.remat.ir.op.Receive;
import dev.remat.ir.op.Send;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import java.lang.foreign.MemorySegment;

/** Hands bytes to another stage or takes some, which come before what reads them runs. Tokens have no content. */
public final class MessageKernel {
    private MessageKernel() {}

    public static CpuKernel of(Message op) {
        return switch (op) {
            case Send send ->
                new CpuKernel(in -> {
                    long from = in.dense(0);
                    long bytes = in.operandType(0).bytes();
                    return frame -> {
                        MemorySegment own = frame.arena().asSlice(from, bytes);
                        frame.exchanges()
                                .addMessage(frame.exchanges().transport().send(own, send.stage()));
                    };
                });
            case Receive receive ->
                new CpuKernel(in -> {
                    long to = in.output();
                    return frame -> {
                        MemorySegment into =
                                frame.arena().asSlice(to, receive.type().bytes());
                        frame.exchanges()
                                .addMessage(frame.exchanges().transport().receive(into, receive.stage()));
                    };
                });
        };
    }
}
