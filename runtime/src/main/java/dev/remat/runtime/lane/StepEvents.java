package dev.remat.runtime.lane;

import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.execution.Transfers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A plan's transfers by the steps that they stand in front of, and behind the last. */
public final class StepEvents {
    /**
     * Where kernels meet a transfer.
     *
     * @param number of the transfer
     * @param isAwait whether kernels wait for it, rather than let it begin
     * @param releases whether they are the first to wait for a store that frees what it copies
     */
    public record Meeting(int number, Transfer transfer, boolean isAwait, boolean releases) {}

    private final List<List<Meeting>> meetings = new ArrayList<>();

    /** @param steps of the plan */
    public StepEvents(Transfers transfers, int steps) {
        for (int step = 0; step <= steps; step++) {
            meetings.add(new ArrayList<>());
        }
        List<Transfer> all = transfers.all();
        int begun = 0;
        Set<Integer> awaited = new TreeSet<>();
        for (TransferEvent event : transfers.events()) {
            meetings.get(event.before())
                    .add(
                            switch (event) {
                                case Begin(int _, Transfer transfer) -> new Meeting(begun++, transfer, false, false);
                                case Await(int _, int number) -> {
                                    Transfer transfer = all.get(number);
                                    boolean frees = transfer.isStore() && transfer.frees();
                                    yield new Meeting(number, transfer, true, awaited.add(number) && frees);
                                }
                            });
        }
    }

    /** What stands in front of a step, in the plan's order; behind the last where {@code step} is their number. */
    public List<Meeting> before(int step) {
        return meetings.get(step);
    }
}
