package dev.remat.compiler.plan.order;

import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An order of low peak by beam search: of all sets of nodes that may run first, node by node, those go on that needed
 * the least memory so far, and hold the least now. A node that adds nothing and does not raise the peak runs at once.
 * Exact while no more sets than the beam is wide can be reached, as for parts of a graph in which few nodes can run
 * side by side (Ahn et al., 2020, on orders for inference).
 */
final class OrderBeam {
    static final int NARROW = 24;

    private static final int WIDEST = 8192;
    /** Nodes times nodes times prefixes of a wide beam: about a second. */
    private static final long MOST_WORK = 50_000_000;
    /** Nodes between two looks at the clock. */
    private static final int LOOK = 64;

    /** Nodes that ran, in an order of which only the last is known here. */
    private static final class Prefix {
        final Prefix before;
        final int last;
        final long peak;
        final long live;
        final long[] done;
        final int[] missing;
        final int[] readsLeft;
        final IntList ready;

        Prefix(
                Prefix before,
                int last,
                long peak,
                long live,
                long[] done,
                int[] missing,
                int[] readsLeft,
                IntList ready) {
            this.before = before;
            this.last = last;
            this.peak = peak;
            this.live = live;
            this.done = done;
            this.missing = missing;
            this.readsLeft = readsLeft;
            this.ready = ready;
        }
    }

    /** One node more after a prefix. */
    private record Extension(Prefix prefix, int node, long peak, long live) {
        boolean free() {
            return peak == prefix.peak && live <= prefix.live;
        }
    }

    private static final Comparator<Extension> LEAST_FIRST =
            Comparator.comparingLong(Extension::peak).thenComparingLong(Extension::live);

    private final RematProblem problem;
    private final OrderRules rules;
    private final SearchListener listener;
    private final int width;
    private final int firstBackward;

    /** @param width prefixes that go on */
    OrderBeam(RematProblem problem, OrderRules rules, SearchListener listener, int width) {
        this.problem = problem;
        this.rules = rules;
        this.listener = listener;
        this.width = width;
        firstBackward = Retention.firstBackward(problem);
    }

    /** As wide a beam as takes about a second. */
    static int wide(RematProblem problem) {
        long nodes = Math.max(1, problem.nodeCount());
        return Math.clamp(MOST_WORK / (nodes * nodes), NARROW, WIDEST);
    }

    /**
     * All nodes, the forward before the backward.
     *
     * @throws dev.remat.compiler.plan.TimeIsUpException if the search should end
     */
    int[] order() {
        List<Prefix> beam = List.of(start());
        for (int ran = 0; ran < problem.nodeCount(); ran++) {
            if (ran % LOOK == 0) {
                listener.check();
            }
            beam = next(beam, ran);
        }
        int[] order = new int[problem.nodeCount()];
        Prefix prefix = beam.getFirst();
        for (int i = order.length - 1; i >= 0; i--) {
            order[i] = prefix.last;
            prefix = prefix.before;
        }
        return order;
    }

    private Prefix start() {
        int nodes = problem.nodeCount();
        int[] missing = new int[nodes];
        int[] readsLeft = new int[problem.valueCount()];
        for (int n = 0; n < nodes; n++) {
            for (int other : rules.waiting(n)) {
                missing[other]++;
            }
            for (int k = 0; k < problem.inputCount(n); k++) {
                readsLeft[problem.storage(problem.input(n, k))]++;
            }
        }
        IntList ready = new IntList();
        for (int n = 0; n < nodes; n++) {
            if (missing[n] == 0) {
                ready.add(n);
            }
        }
        return new Prefix(null, -1, 0, 0, new long[(nodes + 63) / 64], missing, readsLeft, ready);
    }

    private List<Prefix> next(List<Prefix> beam, int ran) {
        List<Extension> extensions = new ArrayList<>();
        for (Prefix prefix : beam) {
            extend(prefix, ran, extensions);
        }
        extensions.sort(LEAST_FIRST);
        List<Prefix> next = new ArrayList<>();
        SortedSet<long[]> reached = new TreeSet<>(Arrays::compare);
        for (int i = 0; i < extensions.size() && next.size() < width; i++) {
            long[] done = done(extensions.get(i));
            if (reached.add(done)) {
                next.add(run(extensions.get(i), done));
            }
        }
        return next;
    }

    private void extend(Prefix prefix, int ran, List<Extension> extensions) {
        int first = extensions.size();
        for (int i = 0; i < prefix.ready.size(); i++) {
            int node = prefix.ready.get(i);
            if (node < firstBackward || ran >= firstBackward) {
                Extension extension = extension(prefix, node);
                if (extension.free()) {
                    extensions.subList(first, extensions.size()).clear();
                    extensions.add(extension);
                    return;
                }
                extensions.add(extension);
            }
        }
    }

    private Extension extension(Prefix prefix, int node) {
        long made = 0;
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            boolean owns = problem.viewOf(v) == ProblemValue.NONE && !problem.resident(v);
            made += owns && !runsInPlace(prefix, node, v) ? problem.bytes(v) : 0;
        }
        long peak = Math.max(prefix.peak, prefix.live + made + problem.workspaceBytes(node));
        return new Extension(prefix, node, peak, prefix.live + rules.addedBytes(node, prefix.readsLeft));
    }

    private boolean runsInPlace(Prefix prefix, int node, int value) {
        int other = problem.inPlaceOf(value);
        if (other == ProblemValue.NONE || problem.resident(other)) {
            return false;
        }
        int storage = problem.storage(other);
        boolean earlier = false;
        for (int v = problem.firstResult(node); v < value; v++) {
            earlier |= problem.inPlaceOf(v) != ProblemValue.NONE && problem.storage(problem.inPlaceOf(v)) == storage;
        }
        return !earlier
                && prefix.readsLeft[storage] == 1
                && !problem.output(storage)
                && problem.bytes(storage) == problem.bytes(value);
    }

    private static long[] done(Extension extension) {
        long[] done = extension.prefix.done.clone();
        done[extension.node >> 6] |= 1L << extension.node;
        return done;
    }

    private Prefix run(Extension extension, long[] done) {
        Prefix before = extension.prefix;
        int node = extension.node;
        int[] missing = before.missing.clone();
        int[] readsLeft = before.readsLeft.clone();
        IntList ready = new IntList();
        for (int i = 0; i < before.ready.size(); i++) {
            if (before.ready.get(i) != node) {
                ready.add(before.ready.get(i));
            }
        }
        for (int other : rules.waiting(node)) {
            if (--missing[other] == 0) {
                ready.add(other);
            }
        }
        for (int k = 0; k < problem.inputCount(node); k++) {
            readsLeft[problem.storage(problem.input(node, k))]--;
        }
        return new Prefix(before, node, extension.peak, extension.live, done, missing, readsLeft, ready);
    }
}
