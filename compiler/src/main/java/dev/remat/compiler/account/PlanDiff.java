package dev.remat.compiler.account;

import dev.remat.compiler.account.PlanDigest.Holding;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What tells a plan {@code b} from a plan {@code a}.
 *
 * @param changes tensors that are kept or recomputed otherwise, largest first; names break ties
 */
public record PlanDiff(PlanDigest a, PlanDigest b, List<Change> changes) {
    /**
     * A tensor and what becomes of it; empty where a plan neither keeps nor recomputes it.
     *
     * @param otherwiseInA what {@code a} would come to with another decision, where that was asked; all else stays
     * @param otherwiseInB the same of {@code b}
     */
    public record Change(
            String value,
            Optional<Holding> a,
            Optional<Holding> b,
            List<OtherDecision> otherwiseInA,
            List<OtherDecision> otherwiseInB) {
        public Change {
            otherwiseInA = List.copyOf(otherwiseInA);
            otherwiseInB = List.copyOf(otherwiseInB);
        }

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
                changes.add(new Change(name, before, after, List.of(), List.of()));
            }
        }
        changes.sort(
                Comparator.comparingLong((Change change) -> -change.bytes()).thenComparing(Change::value));
        return new PlanDiff(a, b, changes);
    }

    /**
     * The same with prices, which take longer than all else.
     *
     * @param most of the largest changes to be priced
     * @param inA what the plan would come to with another decision about the tensor of that name; none of what it takes
     *     no decision about, or where nothing but its report is known
     */
    public PlanDiff priced(
            int most, Function<String, List<OtherDecision>> inA, Function<String, List<OtherDecision>> inB) {
        List<Change> priced = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            Change change = changes.get(i);
            String value = change.value();
            priced.add(
                    i < most ? new Change(value, change.a(), change.b(), inA.apply(value), inB.apply(value)) : change);
        }
        return new PlanDiff(a, b, priced);
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
