package dev.remat.ir.execution;

import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import java.util.ArrayList;
import java.util.List;

/**
 * What a plan moves out of its arena and back, beside its kernels. When a section is over, or a round of it, all that
 * was begun in it has ended.
 *
 * @param places that tensors are moved to or live in
 * @param events in the order in which kernels come by
 */
public record Transfers(List<PlaceSize> places, List<TransferEvent> events) {
    /** Of a plan whose tensors stay in the arena. */
    public static final Transfers NONE = new Transfers(List.of(), List.of());

    /** @throws IllegalArgumentException if events are out of order, or name what has not begun or is not there */
    public Transfers {
        places = List.copyOf(places);
        events = List.copyOf(events);
        int begun = 0;
        int before = 0;
        for (TransferEvent event : events) {
            if (event.before() < before) {
                throw new IllegalArgumentException(
                        "an event before step " + event.before() + " stands behind one before " + before);
            }
            before = event.before();
            switch (event) {
                case Begin(int _, Transfer transfer) -> {
                    if (transfer.place() >= places.size()) {
                        throw new IllegalArgumentException("'" + transfer.name() + "' is moved to place "
                                + transfer.place() + " of " + places.size());
                    }
                    for (int other : transfer.waits()) {
                        requireBegun(other, begun);
                    }
                    begun++;
                }
                case Await(int _, int transfer) -> requireBegun(transfer, begun);
            }
        }
    }

    private static void requireBegun(int transfer, int begun) {
        if (transfer < 0 || transfer >= begun) {
            throw new IllegalArgumentException("transfer " + transfer + " is awaited when " + begun + " have begun");
        }
    }

    public boolean isEmpty() {
        return places.isEmpty();
    }

    /** All transfers in the order in which they begin: their numbers. */
    public List<Transfer> all() {
        List<Transfer> transfers = new ArrayList<>();
        for (TransferEvent event : events) {
            if (event instanceof Begin begin) {
                transfers.add(begin.transfer());
            }
        }
        return transfers;
    }
}
