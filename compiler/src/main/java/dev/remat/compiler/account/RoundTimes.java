package dev.remat.compiler.account;

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
import java.util.SortedSet;

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

    /** When all lanes are done with as many steps, of which each begins when the kernels of the one before are done. */
    static long ofSteps(int steps, Transfers transfers, List<Section> sections, StepTimes kernels, List<Tier> tiers) {
        Reckoning reckoning = new Reckoning(transfers, kernels, tiers);
        long end = 0;
        for (int step = 0; step < steps; step++) {
            for (Section section : sections) {
                for (int round = 0; round < section.times(); round++) {
                    end = Math.max(end, reckoning.run(section).end());
                }
            }
        }
        return end;
    }

    /** When a kernel begins. */
    public long begin(int kernel) {
        return begins.get(kernel - from);
    }

    private static final class Reckoning {
        private final Transfers transfers;
        private final StepTimes kernels;
        private final List<Tier> tiers;
        private final SortedSet<Integer> runningOn;
        /** When what has begun ends, by number; of what runs on from the step before until it begins again. */
        private final Map<Integer, Long> ends = new LinkedHashMap<>();

        private final Map<Integer, Long> stores = new LinkedHashMap<>();
        private final Map<Integer, Long> fetches = new LinkedHashMap<>();
        private final List<Slice> slices = new ArrayList<>();
        private long now;
        /** When all that has to end with the round has ended. */
        private long settled;

        Reckoning(Transfers transfers, StepTimes kernels, List<Tier> tiers) {
            this.transfers = transfers;
            this.kernels = kernels;
            this.tiers = tiers;
            this.runningOn = transfers.runningOn();
        }

        /** A round that begins when the one before it is over. */
        RoundTimes run(Section section) {
            slices.clear();
            List<Long> begins = new ArrayList<>();
            int kernel = section.from();
            int number = 0;
            for (TransferEvent event : transfers.events()) {
                while (kernel < Math.min(event.before(), section.to())) {
                    kernel = pass(kernel, begins);
                }
                // Behind the last kernel of all stands what only the lanes still have to do.
                if (section.contains(event.before()) || event.before() == section.to() && isLast(section)) {
                    pass(event, number);
                }
                number += event instanceof TransferEvent.Begin ? 1 : 0;
            }
            while (kernel < section.to()) {
                kernel = pass(kernel, begins);
            }
            long end = now;
            for (Slice slice : slices) {
                end = Math.max(end, slice.end());
            }
            now = Math.max(now, settled);
            return new RoundTimes(section.from(), begins, slices, end);
        }

        private int pass(int kernel, List<Long> begins) {
            begins.add(now);
            now += kernels.cost(kernel);
            return kernel + 1;
        }

        private boolean isLast(Section section) {
            return section.to() == kernels.costs().size();
        }

        private void pass(TransferEvent event, int number) {
            switch (event) {
                case TransferEvent.Begin(int _, Transfer transfer) -> begin(transfer, number);
                case TransferEvent.Await(int _, int transfer) -> now = Math.max(now, end(transfer));
            }
        }

        private long end(int transfer) {
            return ends.getOrDefault(transfer, 0L);
        }

        private void begin(Transfer transfer, int number) {
            Map<Integer, Long> lane = transfer.lane() == Lane.STORE ? stores : fetches;
            long begin = Math.max(now, lane.getOrDefault(transfer.place(), 0L));
            for (int other : transfer.waits()) {
                begin = Math.max(begin, end(other));
            }
            long end = begin;
            if (kernels.isTime()) {
                Tier tier = tier(transfer);
                long bytes = transfer.range().bytes();
                end += transfer.isStore() ? tier.storeNanos(bytes) : tier.fetchNanos(bytes);
                now += tier.interferenceNanos(bytes);
            }
            lane.put(transfer.place(), end);
            ends.put(number, end);
            settled = runningOn.contains(number) ? settled : Math.max(settled, end);
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
