package dev.remat.compiler.view;

import dev.remat.compiler.view.PlanDigest.Holding;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.function.Predicate;

/**
 * What tells a plan {@code b} from a plan {@code a}.
 *
 * @param changes tensors that are kept or recomputed otherwise, largest first; names break ties
 */
public record PlanDiff(PlanDigest a, PlanDigest b, List<Change> changes) {
    /** A tensor and what becomes of it; empty where a plan neither keeps nor recomputes it. */
    public record Change(String value, Optional<Holding> a, Optional<Holding> b) {
        public long bytes() {
            return a.or(() -> b).orElseThrow().bytes();
        }

        /** Milliseconds of its recomputation in {@code b}, less those in {@code a}; 0 where costs are no times. */
        public double millis() {
            return millis(b) - millis(a);
        }

        private static double millis(Optional<Holding> holding) {
            return holding.map(each -> each.millis().orElse(0)).orElse(0.0);
        }
    }

    /** Number and bytes of tensors. */
    public record Sum(int tensors, long bytes) {}

    public PlanDiff {
        changes = List.copyOf(changes);
    }

    public static PlanDiff of(PlanDigest a, PlanDigest b) {
        SequencedSet<String> names = new LinkedHashSet<>(a.holdings().sequencedKeySet());
        names.addAll(b.holdings().sequencedKeySet());
        List<Change> changes = new ArrayList<>();
        for (String name : names) {
            Optional<Holding> before = Optional.ofNullable(a.holdings().get(name));
            Optional<Holding> after = Optional.ofNullable(b.holdings().get(name));
            boolean same = before.map(Holding::state).equals(after.map(Holding::state))
                    && before.map(Holding::times).equals(after.map(Holding::times));
            if (!same) {
                changes.add(new Change(name, before, after));
            }
        }
        changes.sort(
                Comparator.comparingLong((Change change) -> -change.bytes()).thenComparing(Change::value));
        return new PlanDiff(a, b, changes);
    }

    /** What {@code a} keeps and {@code b} does not. */
    public Sum keptOnlyInA() {
        return sum(change -> keeps(change.a()) && !keeps(change.b()));
    }

    /** What {@code b} keeps and {@code a} does not. */
    public Sum keptOnlyInB() {
        return sum(change -> keeps(change.b()) && !keeps(change.a()));
    }

    /** Milliseconds of recomputation in {@code b}, less those in {@code a}. */
    public double recomputeMillis() {
        return changes.stream().mapToDouble(Change::millis).sum();
    }

    private static boolean keeps(Optional<Holding> holding) {
        return holding.filter(each -> each.state() == State.KEPT).isPresent();
    }

    private Sum sum(Predicate<Change> wanted) {
        List<Change> some = changes.stream().filter(wanted).toList();
        return new Sum(some.size(), some.stream().mapToLong(Change::bytes).sum());
    }
}
