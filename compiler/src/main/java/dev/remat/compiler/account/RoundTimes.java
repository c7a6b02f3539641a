package dev.remat.compiler.account;

import dev.remat.compiler.ranks.RankTraffic;
import dev.remat.compiler.ranks.RankTraffic.Sent;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.plan.Lane;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.Link;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * When everything in a round of a section runs, counted from its begin in the unit of its kernels' times: kernels one
 * after the other, and each lane's transfers and exchanges beside them. All ranks are taken to come to an exchange at
 * once.
 *
 * @param from number of the section's first kernel
 * @param begins of its kernels, and of exchanges where kernels come to them
 * @param transfers in the order in which they begin
 * @param exchanges in the order in which they begin
 * @param end when all lanes are done
 */
public record RoundTimes(int from, List<Long> begins, List<Slice> transfers, List<Exchanged> exchanges, long end) {
    /** A transfer from when it runs until it has ended. */
    public record Slice(Transfer transfer, long begin, long end) {}

    /**
     * An exchange from when it runs until it has ended.
     *
     * @param awaited the step in front of which kernels wait for it; the section's end if it has to end with the round
     * @param waited how long they do
     */
    public record Exchanged(Sent sent, int awaited, long begin, long end, long waited) {}

    /**
     * What else but kernels a plan is reckoned with.
     *
     * @param tiers that the plan's places are of; what is moved between kernels without a unit of time takes none
     * @param link of ranks; without one an exchange takes what kernels cost that copy as much in memory
     */
    record Lanes(ExecutionPlan plan, List<Tier> tiers, Optional<Link> link) {
        /** What kernels lose to an exchange beside them, each time. */
        long lostTo(Sent sent, StepTimes kernels) {
            return link.filter(_ -> kernels.isTime())
                    .map(by -> by.lostToExchange(sent.bytes()))
                    .orElse(0L);
        }
    }

    public RoundTimes {
        begins = List.copyOf(begins);
        transfers = List.copyOf(transfers);
        exchanges = List.copyOf(exchanges);
    }

    static RoundTimes of(Lanes lanes, Section section, StepTimes kernels) {
        return new Reckoning(lanes, kernels).run(section);
    }

    /** When all lanes are done with as many steps, of which each begins when the kernels of the one before are done. */
    static long ofSteps(int steps, Lanes lanes, StepTimes kernels) {
        Reckoning reckoning = new Reckoning(lanes, kernels);
        long end = 0;
        for (int step = 0; step < steps; step++) {
            for (Section section : lanes.plan().sections()) {
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
        private record Open(ExchangeWindow window, Sent sent, long begin, long end) {}

        private final Lanes lanes;
        private final Transfers transfers;
        private final StepTimes kernels;
        private final RankTraffic traffic;
        /** By the step that an exchange is. */
        private final SortedMap<Integer, ExchangeWindow> windows = new TreeMap<>();

        private final SortedMap<Integer, Sent> sent = new TreeMap<>();
        private final SortedSet<Integer> runningOn;
        /** When what has begun ends, by number; of what runs on from the step before until it begins again. */
        private final Map<Integer, Long> ends = new LinkedHashMap<>();

        private final Map<Integer, Long> stores = new LinkedHashMap<>();
        private final Map<Integer, Long> fetches = new LinkedHashMap<>();
        private final List<Slice> slices = new ArrayList<>();
        private final Deque<Open> open = new ArrayDeque<>();
        private final List<Exchanged> exchanges = new ArrayList<>();
        private long exchangeFree;
        private long now;
        /** When all that has to end with the round has ended. */
        private long settled;

        Reckoning(Lanes lanes, StepTimes kernels) {
            this.lanes = lanes;
            this.transfers = lanes.plan().transfers();
            this.kernels = kernels;
            this.traffic = RankTraffic.of(lanes.plan());
            this.runningOn = transfers.runningOn();
            ExchangeWindow.of(lanes.plan()).forEach(window -> windows.put(window.begin(), window));
            traffic.exchanges().forEach(each -> sent.put(each.step(), each));
        }

        /** A round that begins when the one before it is over. */
        RoundTimes run(Section section) {
            slices.clear();
            exchanges.clear();
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
            return new RoundTimes(section.from(), begins, slices, exchanges, end);
        }

        private int pass(int kernel, List<Long> begins) {
            begins.add(now);
            ExchangeWindow window = windows.get(kernel);
            if (window == null) {
                now += kernels.cost(kernel);
            } else {
                begin(window, sent.get(kernel));
            }
            awaitExchanges(kernel + 1);
            return kernel + 1;
        }

        private void begin(ExchangeWindow window, Sent what) {
            long begin = Math.max(now, exchangeFree);
            exchangeFree = begin + nanos(what);
            open.add(new Open(window, what, begin, exchangeFree));
            now += lanes.lostTo(what, kernels);
        }

        private long nanos(Sent what) {
            return lanes.link()
                    .filter(_ -> kernels.isTime())
                    .map(link -> Math.round(link.nanos(traffic.ranks(), what.bytes())))
                    .orElseGet(() -> kernels.cost(what.step()));
        }

        /** They end in the order in which they have begun. */
        private void awaitExchanges(int step) {
            while (open.stream().anyMatch(each -> each.window().end() <= step)) {
                Open first = open.remove();
                long wait = Math.max(0, first.end() - now);
                now += wait;
                exchanges.add(new Exchanged(
                        first.sent(), Math.min(first.window().end(), step), first.begin(), first.end(), wait));
            }
        }

        private boolean isLast(Section section) {
            return section.to() == lanes.plan().steps().size();
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
            for (Tier tier : lanes.tiers()) {
                if (tier.name().equals(place)) {
                    return tier;
                }
            }
            throw new IllegalArgumentException("no tier of the name '" + place + "'");
        }
    }
}
