package dev.remat.compiler.plan.order;

import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.order.Precedence.Join;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/**
 * The order of the lowest peak for what is series-parallel: from the inside out, the best orders of two parts are
 * merged hump by hump, or follow each other (Abdel-Wahab and Kameda, 1978; for trees Liu, 1987; for flow graphs
 * Kayaaslan et al., 2018). Around parts that are not, what comes first among humps comes first.
 *
 * <p>Exact where each storage is freed by the same node in every order, as by its only reader or one that waits
 * for all others. Who else frees it is guessed: the last of its readers in an order before, again and again. In
 * no order is less in memory at any time than that guess says, for nothing is freed before its last reader ran;
 * so an order that takes no more than guessed is the best all the same.
 */
final class OrderByParts {
    private static final int MOST_GUESSES = 16;
    private static final int NOBODY = -1;

    /**
     * An order and what is known of all.
     *
     * @param order of all nodes, residents first
     * @param peakBytes in that order
     * @param leastBytes no order has a lower peak
     */
    record Found(int[] order, long peakBytes, long leastBytes) {
        boolean proven() {
            return peakBytes == leastBytes;
        }
    }

    private final RematProblem problem;
    private final OrderRules rules;
    private final Precedence precedence;
    /** Per storage: who reads it. */
    private final List<IntList> readers = new ArrayList<>();

    /** For a problem without a backward, whose forward would have to come first. */
    OrderByParts(RematProblem problem, OrderRules rules) {
        if (Retention.firstBackward(problem) < problem.nodeCount()) {
            throw new IllegalArgumentException(problem + " has a backward");
        }
        this.problem = problem;
        this.rules = rules;
        precedence = new Precedence(problem, rules);
        IntStream.range(0, problem.valueCount()).forEach(v -> readers.add(new IntList()));
        for (int n = 0; n < problem.nodeCount(); n++) {
            for (int k = 0; k < problem.inputCount(n); k++) {
                readers.get(problem.storage(problem.input(n, k))).add(n);
            }
        }
    }

    /** The best order of all guesses, the first of which is by the given order. */
    Found find() {
        int[] guessedBy = new int[0];
        int[] order = IntStream.range(0, problem.nodeCount()).toArray();
        Found best = new Found(order, Long.MAX_VALUE, 0);
        for (int guess = 0; guess < MOST_GUESSES && !best.proven() && !Arrays.equals(order, guessedBy); guess++) {
            guessedBy = order;
            List<List<Hump>> chains = chains(freedBy(guessedBy));
            order = follow(chains);
            long peak = new OrderDraft(problem, rules, order, 0).peakBytes();
            long least = Math.max(best.leastBytes, precedence.parts().size() == 1 ? peak(chains) : 0);
            best = peak < best.peakBytes ? new Found(order, peak, least) : new Found(best.order, best.peakBytes, least);
        }
        return best;
    }

    /** Per storage: its last reader in the order, who made it where nothing reads it, nobody for what stays. */
    private int[] freedBy(int[] order) {
        int[] position = new int[order.length];
        for (int p = 0; p < order.length; p++) {
            position[order[p]] = p;
        }
        int[] freedBy = new int[problem.valueCount()];
        for (int v = 0; v < freedBy.length; v++) {
            freedBy[v] = problem.producer(v);
            for (int k = 0; k < readers.get(v).size(); k++) {
                int reader = readers.get(v).get(k);
                freedBy[v] = position[reader] > position[freedBy[v]] ? reader : freedBy[v];
            }
        }
        problem.outputs().forEach(v -> freedBy[problem.storage(v)] = NOBODY);
        return freedBy;
    }

    /** Per part that is left, by the name it goes by: the humps of its best order. */
    private List<List<Hump>> chains(int[] freedBy) {
        long[] freed = new long[problem.nodeCount()];
        for (int v = 0; v < freedBy.length; v++) {
            if (owns(v) && freedBy[v] != NOBODY) {
                freed[freedBy[v]] += problem.bytes(v);
            }
        }
        List<List<Hump>> chains = new ArrayList<>();
        for (int n = 0; n < freed.length; n++) {
            long made = 0;
            for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                made += owns(v) ? problem.bytes(v) : 0;
            }
            long rise = made + problem.workspaceBytes(n) - inPlace(n, freedBy);
            chains.add(List.of(new Hump(rise, made - freed[n], new int[] {n})));
        }
        for (Join join : precedence.joins()) {
            List<Hump> first = chains.get(join.first());
            List<Hump> second = chains.get(join.second());
            chains.set(join.first(), join.series() ? Hump.series(first, second) : Hump.parallel(first, second));
        }
        return chains;
    }

    /** Bytes of results that lie where an input lay that the node frees. */
    private long inPlace(int node, int[] freedBy) {
        long bytes = 0;
        IntList taken = new IntList();
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            int replaced = problem.inPlaceOf(v) == ProblemValue.NONE ? NOBODY : problem.storage(problem.inPlaceOf(v));
            boolean fits = replaced != NOBODY
                    && owns(v)
                    && owns(replaced)
                    && freedBy[replaced] == node
                    && problem.bytes(replaced) == problem.bytes(v);
            if (fits && Arrays.stream(taken.toArray()).noneMatch(other -> other == replaced)) {
                taken.add(replaced);
                bytes += problem.bytes(v);
            }
        }
        return bytes;
    }

    private boolean owns(int value) {
        return problem.viewOf(value) == ProblemValue.NONE && !problem.resident(value);
    }

    /** All nodes: of the humps that may come next always that which comes first among them. */
    private int[] follow(List<List<Hump>> chains) {
        int[] missing = new int[chains.size()];
        int[] next = new int[chains.size()];
        PriorityQueue<Integer> ready = new PriorityQueue<>(
                Comparator.<Integer, Hump>comparing(part -> chains.get(part).get(next[part]), Hump.FIRST_COME)
                        .thenComparing(Comparator.naturalOrder()));
        for (int part : precedence.parts()) {
            missing[part] = precedence.before(part).size();
            if (missing[part] == 0) {
                ready.add(part);
            }
        }
        IntStream.Builder order = IntStream.builder();
        IntStream.range(0, chains.size()).filter(problem::residentNode).forEach(order::add);
        while (!ready.isEmpty()) {
            int part = ready.remove();
            Arrays.stream(chains.get(part).get(next[part]).nodes()).forEach(order::add);
            next[part]++;
            if (next[part] < chains.get(part).size()) {
                ready.add(part);
                continue;
            }
            for (int waiting : precedence.after(part)) {
                missing[waiting]--;
                if (missing[waiting] == 0) {
                    ready.add(waiting);
                }
            }
        }
        return order.build().toArray();
    }

    /** Of the chain of the only part. */
    private long peak(List<List<Hump>> chains) {
        long held = problem.residentBytes();
        long peak = held;
        for (Hump hump : chains.get(precedence.parts().getFirst())) {
            peak = Math.max(peak, held + hump.rise());
            held += hump.net();
        }
        return peak;
    }
}
