package dev.remat.compiler.view;

import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.plan.Lane;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * When everything in a round of a section runs, counted from its begin in the unit of its kernels' times: kernels one
 * after the other, and each lane's transfers beside them.
 *
 * @param from number of the section's first kernel
 * @param begins of its kernels
 * @param transfers in the order in which they begin
 * @param end when all lanes are done
 */
public record RoundTimes(int from, List<Long> begins, List<Slice> transfers, long end) {
    /** A transfer from when it runs until it has ended. */
    public record Slice(Transfer transfer, long begin, long end) {}

    public RoundTimes {
        begins = List.copyOf(begins);
        transfers = List.copyOf(transfers);
    }

    /** @param tiers that the plan's places are of; what is moved between kernels without a unit of time takes none */
    static RoundTimes of(Transfers transfers, Section section, StepTimes kernels, List<Tier> tiers) {
        return new Reckoning(transfers, kernels, tiers).run(section);
    }

    /** When a kernel begins. */
    public long begin(int kernel) {
        return begins.get(kernel - from);
    }

    private static final class Reckoning {
        private final Transfers transfers;
        private final StepTimes kernels;
        private final List<Tier> tiers;
        /** When what has begun ends, by number; what began in an earlier section has ended. */
        private final List<Long> ends = new ArrayList<>();

        private final Map<Integer, Long> stores = new LinkedHashMap<>();
        private final Map<Integer, Long> fetches = new LinkedHashMap<>();
        private final List<Slice> slices = new ArrayList<>();
        private long now;

        Reckoning(Transfers transfers, StepTimes kernels, List<Tier> tiers) {
            this.transfers = transfers;
            this.kernels = kernels;
            this.tiers = tiers;
        }

        RoundTimes run(Section section) {
            List<Long> begins = new ArrayList<>();
            List<TransferEvent> events = transfers.events();
            int next = 0;
            for (int kernel = section.from(); kernel < section.to(); kernel++) {
                while (next < events.size() && events.get(next).before() <= kernel) {
                    pass(events.get(next), section.from());
                    next++;
                }
                begins.add(now);
                now += kernels.cost(kernel);
            }
            // Behind the last kernel of all stands what only the lanes still have to do.
            while (next < events.size() && events.get(next).before() == section.to() && isLast(section)) {
                pass(events.get(next), section.from());
                next++;
            }
            long end = now;
            for (Slice slice : slices) {
                end = Math.max(end, slice.end());
            }
            return new RoundTimes(section.from(), begins, slices, end);
        }

        private boolean isLast(Section section) {
            return section.to() == kernels.costs().size();
        }

        private void pass(TransferEvent event, int from) {
            switch (event) {
                case TransferEvent.Begin(int before, Transfer transfer) -> {
                    if (before < from) {
                        ends.add(0L);
                    } else {
                        begin(transfer);
                    }
                }
                case TransferEvent.Await(int before, int transfer) -> {
                    if (before >= from) {
                        now = Math.max(now, ends.get(transfer));
                    }
                }
            }
        }

        private void begin(Transfer transfer) {
            Map<Integer, Long> lane = transfer.lane() == Lane.STORE ? stores : fetches;
            long begin = Math.max(now, lane.getOrDefault(transfer.place(), 0L));
            for (int other : transfer.waits()) {
                begin = Math.max(begin, ends.get(other));
            }
            long end = begin;
            if (kernels.isTime()) {
                Tier tier = tier(transfer);
                long bytes = transfer.range().bytes();
                end += transfer.isStore() ? tier.storeNanos(bytes) : tier.fetchNanos(bytes);
                now += tier.interferenceNanos(bytes);
            }
            lane.put(transfer.place(), end);
            ends.add(end);
            slices.add(new Slice(transfer, begin, end));
        }

        private Tier tier(Transfer transfer) {
            String place = transfers.places().get(transfer.place()).name();
            for (Tier tier : tiers) {
                if (tier.name().equals(place)) {
                    return tier;
                }
            }
            throw new IllegalArgumentException("no tier of the name '" + place + "'");
        }
    }
}
