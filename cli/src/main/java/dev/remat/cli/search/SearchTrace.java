package dev.remat.cli.search;

import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.known.PlanStore;
import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.ForwardingListener;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Which part of a search found what, when, and what it was worth: every sequence within the budget that costs less than
 * all before it, every higher bound, and what was laid out. Follows the search for a budget; while it runs, what is
 * being tried is told with what is found and what a longer search might save.
 */
public final class SearchTrace {
    /**
     * Something that was found.
     *
     * @param seconds since the search began
     * @param who found it
     * @param overhead that it has, as people read it
     * @param what more there is to say; may be empty
     */
    public record Line(double seconds, String who, String overhead, String what) {}

    private static final double NANOS = 1e9;

    private final LongSupplier nanos;
    private final List<Line> lines = new ArrayList<>();
    /** What was told for this budget: a plan that two parts of a search come by is told once. */
    private final Set<List<String>> told = new HashSet<>();

    private long begin;
    private long budget;
    private long baselineCost;
    private long leastCost;
    private long leastFitting;
    /** Of any order; and of any scope. */
    private long bound;

    private long highest;
    private boolean known;

    public SearchTrace() {
        this(System::nanoTime);
    }

    /** With another clock. */
    SearchTrace(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A listener that tells {@code behind} as well. */
    public SearchListener following(SearchListener behind) {
        return new Follower(behind);
    }

    /** In the order of time; none where there was nothing to search, or the plan was {@linkplain #isKnown known}. */
    public synchronized List<Line> lines() {
        return List.copyOf(lines);
    }

    /** A store that is {@code behind}; what comes from it needs no search. */
    public PlanStore noticing(PlanStore behind) {
        return behind.equals(PlanStore.NONE) ? behind : new Noticed(behind);
    }

    /** Whether the plan that was asked for last came from a {@linkplain #noticing store}. */
    public synchronized boolean isKnown() {
        return known;
    }

    private synchronized void know(boolean found) {
        known = found;
    }

    private synchronized void begin(long bytes) {
        if (bytes != budget) {
            told.clear();
        }
        begin = nanos.getAsLong();
        budget = bytes;
        leastCost = Long.MAX_VALUE;
        leastFitting = Long.MAX_VALUE;
        bound = 0;
        highest = 0;
    }

    private synchronized void note(Proposal proposal) {
        long cost = proposal.evaluation().cost();
        baselineCost = proposal.evaluation().baselineCost();
        if (proposal.evaluation().peakBytes() <= budget && cost < leastCost) {
            leastCost = cost;
            row(proposal.sequence().strategy(), percent(cost), "");
        }
    }

    private synchronized void note(Proposal proposal, long bytes) {
        baselineCost = proposal.evaluation().baselineCost();
        if (budget == 0) {
            return;
        }
        note(proposal);
        long cost = proposal.evaluation().cost();
        boolean fits = bytes <= budget;
        String room = fits ? "within the budget" : ByteSize.format(bytes - budget) + " over the budget";
        row(proposal.sequence().strategy(), percent(cost), "takes " + ByteSize.format(bytes) + ", " + room);
        leastFitting = fits ? Math.min(leastFitting, cost) : leastFitting;
    }

    private synchronized void note(LowerBound proved) {
        long known = Math.max(baselineCost, proved.scope().equals(BoundScope.ANY_ORDER) ? bound : highest);
        if (budget > 0 && proved.cost() > known) {
            highest = Math.max(highest, proved.cost());
            bound = proved.scope().equals(BoundScope.ANY_ORDER) ? proved.cost() : bound;
            row(
                    "bound",
                    percent(proved.cost()),
                    "no plan costs less: " + proved.scope().text());
        }
    }

    private void row(String who, String overhead, String what) {
        if (told.add(List.of(who, overhead, what))) {
            lines.add(new Line((nanos.getAsLong() - begin) / NANOS, who, overhead, what));
        }
    }

    /** What is tried, with what is known by now. */
    private synchronized String withState(String what) {
        if (budget == 0 || leastFitting == Long.MAX_VALUE) {
            return what;
        }
        long least = Math.max(bound, baselineCost);
        String more = least >= leastFitting
                ? "which nothing beats"
                : "of which more search may save " + points(leastFitting - least) + " points at most";
        return what + ", have " + percent(leastFitting) + ", " + more;
    }

    private String percent(long cost) {
        return points(cost - baselineCost) + " %";
    }

    private String points(long cost) {
        return String.format(Locale.ROOT, "%.2f", baselineCost == 0 ? 0 : 100.0 * cost / baselineCost);
    }

    private final class Noticed implements PlanStore {
        private final PlanStore behind;

        Noticed(PlanStore behind) {
            this.behind = behind;
        }

        @Override
        public Optional<byte[]> find(String key) {
            Optional<byte[]> found = behind.find(key);
            know(found.isPresent());
            return found;
        }

        @Override
        public void keep(String key, byte[] plan) {
            behind.keep(key, plan);
        }

        @Override
        public boolean keepsWhatWasEnded() {
            return behind.keepsWhatWasEnded();
        }

        @Override
        public void drop(String key, String why) {
            know(false);
            behind.drop(key, why);
        }
    }

    private final class Follower extends ForwardingListener {
        Follower(SearchListener behind) {
            super(behind);
        }

        @Override
        public void within(long budgetBytes) {
            begin(budgetBytes);
            super.within(budgetBytes);
        }

        @Override
        public void trying(String what) {
            super.trying(withState(what));
        }

        @Override
        public void found(Proposal proposal) {
            if (budget > 0) {
                note(proposal);
            }
            super.found(proposal);
        }

        @Override
        public void measured(Proposal proposal, long bytes) {
            note(proposal, bytes);
            super.measured(proposal, bytes);
        }

        @Override
        public void proved(LowerBound proved) {
            note(proved);
            super.proved(proved);
        }
    }
}
