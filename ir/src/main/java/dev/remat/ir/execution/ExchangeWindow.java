package dev.remat.ir.execution;

import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Receive;
import dev.remat.ir.op.Send;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Where an exchange or a message runs beside kernels: from its own step to the first that
 * touches what it brings or writes over what
 * it sends, be it a kernel or a transfer that begins there, or to the end of the round. Kernels then wait until it has
 * ended. It follows from where tensors lie, so that a plan has it without saying so.
 *
 * @param begin the step of the exchange
 * @param end the step in front of which it has ended
 * @param sent what it reads; empty of what only receives
 * @param received what it writes; empty of what only sends
 */
public record ExchangeWindow(int begin, int end, ByteRange sent, ByteRange received) {
    /** Bytes of the arena that something beside kernels touches from an event on. */
    private record Touch(ByteRange range, boolean writes) {}

    /** Of all exchanges of a plan, in the order in which they begin. */
    public static List<ExchangeWindow> of(ExecutionPlan plan) {
        List<ExchangeWindow> windows = new ArrayList<>();
        SortedMap<Integer, List<Touch>> moved = moved(plan.transfers());
        for (Section section : plan.sections()) {
            for (int step = section.from(); step < section.to(); step++) {
                find(plan, moved, section, step).ifPresent(windows::add);
            }
        }
        return windows;
    }

    /** What transfers touch in front of each step: where they begin, and where a store is awaited that frees. */
    private static SortedMap<Integer, List<Touch>> moved(Transfers transfers) {
        List<Transfer> begun = transfers.events().stream()
                .filter(Begin.class::isInstance)
                .map(event -> ((Begin) event).transfer())
                .toList();
        SortedMap<Integer, List<Touch>> moved = new TreeMap<>();
        for (TransferEvent event : transfers.events()) {
            Optional<Touch> touch = switch (event) {
                case Begin(int _, Transfer transfer) -> Optional.of(new Touch(transfer.range(), !transfer.isStore()));
                case Await(int _, int number) ->
                    Optional.of(begun.get(number))
                            .filter(transfer -> transfer.isStore() && transfer.frees())
                            .map(transfer -> new Touch(transfer.range(), true));
            };
            touch.ifPresent(found -> moved.computeIfAbsent(event.before(), _ -> new ArrayList<>())
                    .add(found));
        }
        return moved;
    }

    /** Of the exchange that a step is, if it is one. */
    private static Optional<ExchangeWindow> find(
            ExecutionPlan plan, SortedMap<Integer, List<Touch>> moved, Section section, int step) {
        KernelStep kernel = plan.steps().get(step);
        Op op = kernel.body().instructions().getFirst().op();
        boolean sends = op instanceof Exchange || op instanceof Send;
        boolean receives = op instanceof Exchange || op instanceof Receive;
        if (!sends && !receives) {
            return Optional.empty();
        }
        ByteRange sent = sends ? range(kernel.read(0)) : ByteRange.EMPTY;
        ByteRange received = receives ? range(kernel.writes().getFirst()) : ByteRange.EMPTY;
        int end = step + 1;
        while (end < section.to()
                && !touches(plan.steps().get(end), sent, received)
                && moved.getOrDefault(end, List.of()).stream().noneMatch(touch -> touches(touch, sent, received))) {
            end++;
        }
        return Optional.of(new ExchangeWindow(step, end, sent, received));
    }

    private static ByteRange range(MemoryRead read) {
        return new ByteRange(read.offset(), read.bytes());
    }

    private static ByteRange range(MemoryWrite write) {
        return new ByteRange(write.offset(), write.bytes());
    }

    private static boolean touches(Touch touch, ByteRange sent, ByteRange received) {
        return touch.range().overlaps(received)
                || touch.writes() && touch.range().overlaps(sent);
    }

    private static boolean touches(KernelStep step, ByteRange sent, ByteRange received) {
        Stream<ByteRange> written = Stream.concat(
                step.writes().stream().map(ExchangeWindow::range),
                Stream.concat(Stream.of(step.workspace()), step.freed().stream()));
        return written.anyMatch(range -> range.overlaps(sent) || range.overlaps(received))
                || step.reads().stream().anyMatch(read -> range(read).overlaps(received));
    }
}
