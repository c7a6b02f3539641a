package dev.remat.compiler.plan.bound;

import dev.remat.compiler.plan.bound.GapCover.Gap;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.compiler.plan.evaluate.WorkingSets;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the gaps of each storage: between its creation, those of its reads that are certain to follow one another, and
 * the end if it is an output. Every read in the line ends a gap, so that no working set counts what a gap counts.
 *
 * <p>Holds under {@link SequenceEvaluator} for any number of computations: storage that is read later is not reused,
 * and what a view shows stays as long as the view is read. A producer of several storages makes them at once, so each
 * gap pays only the share of its storage, by bytes.
 */
final class FindGaps {
    /** Of a read or a creation: positions as in {@link KnownOrder}. */
    private record Event(int last, int next) {
        boolean inLine() {
            return last == next;
        }

        boolean before(Event other) {
            return next <= other.last;
        }
    }

    private final RematProblem problem;
    private final KnownOrder order;
    private final StorageReads reads;
    private final List<Gap> gaps = new ArrayList<>();
    /** Per position, as differences: bytes that are in memory whatever is decided. */
    private final long[] kept;
    /** Per node: position by which the recomputation has run that its pin asks for; -1 if it asks for none. */
    private final int[] recomputedBy;

    private long pinnedRecomputations;

    private FindGaps(RematProblem problem, KnownOrder order) {
        this.problem = problem;
        this.order = order;
        reads = StorageReads.of(problem);
        kept = new long[order.line().length + 1];
        recomputedBy = new int[problem.nodeCount()];
        Arrays.fill(recomputedBy, -1);
    }

    /** For sequences in the order within so many bytes. */
    static GapCover of(RematProblem problem, KnownOrder order, long budget) {
        FindGaps find = new FindGaps(problem, order);
        find.findPinnedRecomputations();
        for (int v = 0; v < problem.valueCount(); v++) {
            if (problem.storage(v) == v && !problem.resident(v) && problem.bytes(v) > 0) {
                find.addGaps(v);
            }
        }
        return find.cover(budget - problem.residentBytes());
    }

    private GapCover cover(long free) {
        WorkingSets sets = new WorkingSets(problem);
        long[] room = new long[order.line().length];
        long always = 0;
        for (int p = 0; p < room.length; p++) {
            always += kept[p];
            room[p] = free - sets.of(order.line()[p]) - always;
        }
        return new GapCover(room, List.copyOf(gaps), problem.baselineCost() + pinnedRecomputations);
    }

    /**
     * Where a pin asks to recompute, every backward read sees a recomputation, so that there is one before the first.
     */
    private void findPinnedRecomputations() {
        for (int n = 0; n < problem.nodeCount(); n++) {
            for (int k = 0; k < problem.inputCount(n) && problem.role(n) == Role.BACKWARD; k++) {
                int producer = problem.producer(problem.input(n, k));
                if (problem.pin(producer) == Pin.RECOMPUTE) {
                    boolean more = recomputedBy[producer] >= 0;
                    pinnedRecomputations += more ? 0 : problem.cost(producer);
                    recomputedBy[producer] =
                            Math.min(order.next()[n], more ? recomputedBy[producer] : Integer.MAX_VALUE);
                }
            }
        }
    }

    private void addGaps(int storage) {
        List<Event> events = events(storage);
        Event end = events.isEmpty() ? null : events.getLast();
        Event[] following = new Event[events.size()];
        for (int i = events.size() - 1; i >= 0; i--) {
            following[i] = end;
            end = events.get(i).inLine() ? events.get(i) : end;
        }
        Event current = event(problem.producer(storage));
        for (int i = 0; i < following.length; i++) {
            Event event = events.get(i);
            boolean certain =
                    event.inLine() || i == following.length - 1 || current.before(event) && event.before(following[i]);
            if (certain) {
                addGap(storage, current, event);
                current = event;
            }
        }
    }

    /** Reads of the storage in the order of the last position before each, and the end if it is an output. */
    private List<Event> events(int storage) {
        List<Event> events = new ArrayList<>();
        int node = reads.next(storage, -1);
        while (node < problem.nodeCount()) {
            events.add(event(node));
            node = reads.next(storage, node);
        }
        events.sort(Comparator.comparingInt(Event::last).thenComparing(Event::inLine, Comparator.reverseOrder()));
        if (node == problem.nodeCount()) {
            events.add(new Event(order.line().length, order.line().length));
        }
        return events;
    }

    private Event event(int node) {
        return new Event(order.last()[node], order.next()[node]);
    }

    private void addGap(int storage, Event start, Event end) {
        int from = start.inLine() ? start.next() + 1 : start.next();
        int to = end.inLine() ? end.last() : end.last() + 1;
        if (from >= to) {
            return;
        }
        int producer = problem.producer(storage);
        boolean oneRun = problem.once(producer) || problem.pin(producer).isKept();
        if (oneRun && problem.movable(storage)) {
            gaps.add(new Gap(storage, from, to, problem.bytes(storage), GapCover.NEVER));
            return;
        }
        if (oneRun) {
            kept[from] += problem.bytes(storage);
            kept[to] -= problem.bytes(storage);
            return;
        }
        // A gap that may hold the recomputation which a pin asks for has nothing to pay beside it.
        long cost = start.last() < recomputedBy[producer] ? 0 : share(storage);
        if (cost > 0) {
            gaps.add(new Gap(storage, from, to, problem.bytes(storage), cost));
        }
    }

    /** What of the producer's cost the storage stands for: shares of a node add up to no more than its cost. */
    private long share(int storage) {
        int producer = problem.producer(storage);
        long all = 0;
        for (int v = problem.firstResult(producer); v < problem.endResult(producer); v++) {
            all += problem.bytes(v);
        }
        long bytes = problem.bytes(storage);
        return bytes == all
                ? problem.cost(producer)
                : BigInteger.valueOf(problem.cost(producer))
                        .multiply(BigInteger.valueOf(bytes))
                        .divide(BigInteger.valueOf(all))
                        .longValueExact();
    }
}
