package dev.remat.ir.execution;

import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Receive;
import dev.remat.ir.op.Send;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

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

    /** Ranges that a kernel reads, and those that it or what begins in front of it writes over. */
    private record Touched(List<ByteRange> read, List<ByteRange> written) {
        static Touched by(KernelStep step, List<Touch> moved) {
            List<ByteRange> read = new ArrayList<>();
            List<ByteRange> written = new ArrayList<>(step.freed());
            written.add(step.workspace());
            step.reads().forEach(each -> read.add(range(each)));
            step.writes().forEach(each -> written.add(range(each)));
            moved.forEach(touch -> (touch.writes() ? written : read).add(touch.range()));
            return new Touched(read, written);
        }

        boolean ends(ExchangeWindow open) {
            for (ByteRange range : written) {
                if (range.overlaps(open.sent) || range.overlaps(open.received)) {
                    return true;
                }
            }
            for (ByteRange range : read) {
                if (range.overlaps(open.received)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Of all exchanges of a plan, in the order in which they begin. */
    public static List<ExchangeWindow> of(ExecutionPlan plan) {
        List<ExchangeWindow> windows = new ArrayList<>();
        SortedMap<Integer, List<Touch>> moved = moved(plan.transfers());
        for (Section section : plan.sections()) {
            List<ExchangeWindow> open = new ArrayList<>();
            for (int step = section.from(); step < section.to(); step++) {
                KernelStep kernel = plan.steps().get(step);
                if (!open.isEmpty()) {
                    Touched touched = Touched.by(kernel, moved.getOrDefault(step, List.of()));
                    List<ExchangeWindow> ended =
                            open.stream().filter(touched::ends).toList();
                    end(ended, step, windows);
                    open.removeAll(ended);
                }
                begun(kernel, step).ifPresent(open::add);
            }
            end(open, section.to(), windows);
        }
        windows.sort(Comparator.comparingInt(ExchangeWindow::begin));
        return windows;
    }

    private static void end(List<ExchangeWindow> open, int step, List<ExchangeWindow> windows) {
        open.forEach(each -> windows.add(new ExchangeWindow(each.begin, step, each.sent, each.received)));
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

    /** Of the exchange that a step is, if it is one; it has not ended. */
    private static Optional<ExchangeWindow> begun(KernelStep kernel, int step) {
        Op op = kernel.body().instructions().getFirst().op();
        boolean sends = op instanceof Exchange || op instanceof Send;
        boolean receives = op instanceof Exchange || op instanceof Receive;
        if (!sends && !receives) {
            return Optional.empty();
        }
        ByteRange sent = sends ? range(kernel.read(0)) : ByteRange.EMPTY;
        ByteRange received = receives ? range(kernel.writes().getFirst()) : ByteRange.EMPTY;
        return Optional.of(new ExchangeWindow(step, Integer.MAX_VALUE, sent, received));
    }

    private static ByteRange range(MemoryRead read) {
        return new ByteRange(read.offset(), read.bytes());
    }

    private static ByteRange range(MemoryWrite write) {
        return new ByteRange(write.offset(), write.bytes());
    }
}
