package dev.remat.compiler.plan.order;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Nodes that run one after the other, and what they need: of a chain of nodes no more has to be known, to place
 * it among others, than where memory reaches a height or a depth that it does not reach again.
 *
 * @param rise bytes beyond those in memory before it, where most are; not negative
 * @param net bytes that it adds; negative where it frees more than it makes
 */
record Hump(long rise, long net, int[] nodes) {
    /**
     * Which of two that do not wait for each other goes first: what frees memory, first what takes least on its
     * way; then what takes it, first what leaves most of its way free again.
     */
    static final Comparator<Hump> FIRST_COME = Hump::compare;

    /** Chains of which the second waits for all of the first. */
    static List<Hump> series(List<Hump> first, List<Hump> second) {
        List<Hump> chain = new ArrayList<>(first);
        for (Hump hump : second) {
            Hump last = hump;
            while (!chain.isEmpty() && compare(chain.getLast(), last) > 0) {
                last = chain.removeLast().then(last);
            }
            chain.add(last);
        }
        return chain;
    }

    /** Chains of which neither waits for the other. */
    static List<Hump> parallel(List<Hump> one, List<Hump> other) {
        List<Hump> chain = new ArrayList<>(one.size() + other.size());
        int next = 0;
        for (Hump hump : one) {
            while (next < other.size() && compare(other.get(next), hump) < 0) {
                chain.add(other.get(next++));
            }
            chain.add(hump);
        }
        chain.addAll(other.subList(next, other.size()));
        return chain;
    }

    private static int compare(Hump one, Hump other) {
        boolean takes = one.net > 0;
        if (takes != other.net > 0) {
            return takes ? 1 : -1;
        }
        return takes ? Long.compare(other.rise - other.net, one.rise - one.net) : Long.compare(one.rise, other.rise);
    }

    private Hump then(Hump next) {
        int[] all = new int[nodes.length + next.nodes.length];
        System.arraycopy(nodes, 0, all, 0, nodes.length);
        System.arraycopy(next.nodes, 0, all, nodes.length, next.nodes.length);
        return new Hump(Math.max(rise, net + next.rise), net + next.net, all);
    }
}
