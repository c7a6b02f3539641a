package dev.remat.ir.execution;

import dev.remat.ir.op.Exchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where an exchange runs beside kernels: from its own step to the first that touches what it brings or writes over what
 * it sends, or to the end of the round. Kernels then wait until it has ended. It follows from where tensors lie, so
 * that a plan has it without saying so. In a plan that moves tensors below the arena kernels wait at once.
 *
 * @param begin the step of the exchange
 * @param end the step in front of which it has ended
 * @param sent what it reads
 * @param received what it writes
 */
public record ExchangeWindow(int begin, int end, ByteRange sent, ByteRange received) {
    /** Of all exchanges of a plan, in the order in which they begin. */
    public static List<ExchangeWindow> of(ExecutionPlan plan) {
        List<ExchangeWindow> windows = new ArrayList<>();
        for (Section section : plan.sections()) {
            for (int step = section.from(); step < section.to(); step++) {
                find(plan, section, step).ifPresent(windows::add);
            }
        }
        return windows;
    }

    /** Of the exchange that a step is, if it is one. */
    private static Optional<ExchangeWindow> find(ExecutionPlan plan, Section section, int step) {
        KernelStep kernel = plan.steps().get(step);
        if (!(kernel.body().instructions().getFirst().op() instanceof Exchange)) {
            return Optional.empty();
        }
        MemoryRead read = kernel.read(0);
        MemoryWrite write = kernel.writes().getFirst();
        ByteRange sent = new ByteRange(read.offset(), read.bytes());
        ByteRange received = new ByteRange(write.offset(), write.bytes());
        int end = step + 1;
        while (plan.transfers().isEmpty()
                && end < section.to()
                && !touches(plan.steps().get(end), sent, received)) {
            end++;
        }
        return Optional.of(new ExchangeWindow(step, end, sent, received));
    }

    private static boolean touches(KernelStep step, ByteRange sent, ByteRange received) {
        Stream<ByteRange> written = Stream.concat(
                step.writes().stream().map(write -> new ByteRange(write.offset(), write.bytes())),
                Stream.concat(Stream.of(step.workspace()), step.freed().stream()));
        return written.anyMatch(range -> range.overlaps(sent) || range.overlaps(received))
                || step.reads().stream()
                        .anyMatch(read -> new ByteRange(read.offset(), read.bytes()).overlaps(received));
    }
}
