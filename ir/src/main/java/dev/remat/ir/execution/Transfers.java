package dev.remat.ir.execution;

import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a plan moves out of its arena and back, beside its kernels. When a section is over, or a round of it, all that
 * was begun in it has ended, but for stores that {@linkplain #runningOn run on} beside the next step.
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
        SortedSet<Integer> runningOn = runningOn(events);
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
                        requireBegun(other, begun, runningOn);
                    }
                    if (runningOn.remove(begun) && !transfer.isStore()) {
                        throw new IllegalArgumentException("'" + transfer.name() + "' is awaited before it is fetched");
                    }
                    begun++;
                }
                case Await(int _, int transfer) -> requireBegun(transfer, begun, runningOn);
            }
        }
        if (!runningOn.isEmpty()) {
            throw new IllegalArgumentException(
                    "transfer " + runningOn.getFirst() + " is awaited when " + begun + " have begun");
        }
    }

    /** @param runningOn those of the step before that may be awaited */
    private static void requireBegun(int transfer, int begun, SortedSet<Integer> runningOn) {
        if (transfer < 0 || transfer >= begun && !runningOn.contains(transfer)) {
            throw new IllegalArgumentException("transfer " + transfer + " is awaited when " + begun + " have begun");
        }
    }

    /**
     * Numbers of stores that need not have ended when the step is over. Kernels of the next step await each of them in
     * front of where it begins again; an await and a wait that stand there are for the transfer of the step before.
     */
    public SortedSet<Integer> runningOn() {
        return Collections.unmodifiableSortedSet(runningOn(events));
    }

    private static SortedSet<Integer> runningOn(List<TransferEvent> events) {
        SortedSet<Integer> early = new TreeSet<>();
        int begun = 0;
        for (TransferEvent event : events) {
            if (event instanceof Await await && await.transfer() >= begun) {
                early.add(await.transfer());
            }
            begun += event instanceof Begin ? 1 : 0;
        }
        return early;
    }

    /** How many lanes move something, which {@link Transfer#laneNumber} counts through. */
    public int lanes() {
        return 2 * places.size();
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
