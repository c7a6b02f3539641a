package dev.remat.compiler.solve;

import dev.remat.compiler.plan.evaluate.StepTimeline;
import dev.remat.compiler.plan.evaluate.StepTimeline.Wait;
import dev.remat.compiler.plan.evaluate.TierBytes;
import dev.remat.compiler.plan.evaluate.TimelineEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a sequence moves, and what of that is waited for.
 *
 * @param exposedNanos time of the step in which no node runs
 * @param interferenceNanos time that nodes lose to transfers beside them
 * @param tiers in the order of the problem's
 * @param waits longest first
 */
public record Movement(
        long storeBytes,
        long fetchBytes,
        long exposedNanos,
        long interferenceNanos,
        List<TierUse> tiers,
        List<ValueWait> waits) {
    /**
     * @param peakBytes most bytes in use at a step
     * @param storeNanos time that the lane which stores is busy
     */
    public record TierUse(String name, long peakBytes, long storeNanos, long fetchNanos) {}

    /** How long nodes wait for a value to be fetched, or to be stored so that its memory is free. */
    public record ValueWait(String value, boolean fetched, long nanos) {}

    public Movement {
        tiers = List.copyOf(tiers);
        waits = List.copyOf(waits);
    }

    /** Of a valid sequence for a problem with tiers. */
    public static Movement of(RematProblem problem, OperatorSequence sequence) {
        StepTimeline timeline = TimelineEvaluator.evaluate(problem, sequence);
        long[] busyStore = new long[problem.tiers().size()];
        long[] busyFetch = new long[problem.tiers().size()];
        long[] bytes = new long[2];
        int[] tierOf = new int[problem.valueCount()];
        for (int v = 0; v < tierOf.length; v++) {
            tierOf[v] = problem.home(v);
        }
        long computing = 0;
        for (int t = 0; t < sequence.length(); t++) {
            long nanos = timeline.end()[t] - timeline.begin()[t];
            switch (sequence.step(t)) {
                case SequenceStep.Run run -> computing += problem.cost(run.node());
                case SequenceStep.Store store -> {
                    tierOf[store.value()] = store.tier();
                    busyStore[store.tier()] += nanos;
                    bytes[0] += problem.bytes(store.value());
                }
                case SequenceStep.Await await -> {}
                case SequenceStep.Fetch fetch -> {
                    busyFetch[tierOf[fetch.value()]] += nanos;
                    bytes[1] += problem.bytes(fetch.value());
                }
            }
        }
        for (int n = 0; n < problem.nodeCount(); n++) {
            computing += problem.residentNode(n) ? problem.cost(n) : 0;
        }
        long[] peaks = TierBytes.peaks(problem, sequence);
        List<TierUse> tiers = new ArrayList<>();
        for (int k = 0; k < peaks.length; k++) {
            tiers.add(new TierUse(problem.tiers().get(k).name(), peaks[k], busyStore[k], busyFetch[k]));
        }
        return new Movement(
                bytes[0],
                bytes[1],
                timeline.makespan() - computing - timeline.interference(),
                timeline.interference(),
                tiers,
                waits(problem, sequence, timeline));
    }

    /** Of so many in a row. */
    public Movement times(int rounds) {
        return new Movement(
                rounds * storeBytes,
                rounds * fetchBytes,
                rounds * exposedNanos,
                rounds * interferenceNanos,
                tiers.stream()
                        .map(tier -> new TierUse(
                                tier.name(), tier.peakBytes(), rounds * tier.storeNanos(), rounds * tier.fetchNanos()))
                        .toList(),
                waits.stream()
                        .map(wait -> new ValueWait(wait.value(), wait.fetched(), rounds * wait.nanos()))
                        .toList());
    }

    /** With that of a sequence which follows on the same tiers. */
    public Movement and(Movement next) {
        List<TierUse> both = new ArrayList<>();
        for (int k = 0; k < tiers.size(); k++) {
            TierUse own = tiers.get(k);
            TierUse other = next.tiers().get(k);
            both.add(new TierUse(
                    own.name(),
                    Math.max(own.peakBytes(), other.peakBytes()),
                    own.storeNanos() + other.storeNanos(),
                    own.fetchNanos() + other.fetchNanos()));
        }
        Map<ValueWait, Long> sums = new LinkedHashMap<>();
        Stream.concat(waits.stream(), next.waits().stream())
                .forEach(wait -> sums.merge(new ValueWait(wait.value(), wait.fetched(), 0), wait.nanos(), Long::sum));
        return new Movement(
                storeBytes + next.storeBytes(),
                fetchBytes + next.fetchBytes(),
                exposedNanos + next.exposedNanos(),
                interferenceNanos + next.interferenceNanos(),
                both,
                longestFirst(sums));
    }

    private static List<ValueWait> waits(RematProblem problem, OperatorSequence sequence, StepTimeline timeline) {
        Map<ValueWait, Long> sums = new LinkedHashMap<>();
        for (Wait wait : timeline.waits()) {
            ValueWait cause = switch (sequence.step(wait.transfer())) {
                case SequenceStep.Fetch fetch -> new ValueWait(problem.valueId(fetch.value()), true, 0);
                case SequenceStep.Store store -> new ValueWait(problem.valueId(store.value()), false, 0);
                case SequenceStep.Run run -> throw new IllegalStateException(run + " is no transfer");
                case SequenceStep.Await await -> throw new IllegalStateException(await + " is no transfer");
            };
            sums.merge(cause, wait.nanos(), Long::sum);
        }
        return longestFirst(sums);
    }

    private static List<ValueWait> longestFirst(Map<ValueWait, Long> sums) {
        return sums.entrySet().stream()
                .map(each -> new ValueWait(each.getKey().value(), each.getKey().fetched(), each.getValue()))
                .sorted(Comparator.comparingLong(wait -> -wait.nanos()))
                .toList();
    }
}
