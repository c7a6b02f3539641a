package dev.remat.compiler.plan.price;

import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.price.Price.Change;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The cheapest single values to let go where memory is fullest.
 *
 * @param value what is let go
 * @param price whose peak is lower than the chosen one
 */
public record PeakRelief(int value, Price.Changed price) {
    /** At most so many values are priced, those first that may be cheapest; far above what plans have. */
    private static final int MOST_PRICED = 4096;

    private record Candidate(int value, double leastCostOfByte) {}

    /** Cost of each byte by which the peak falls. */
    public double costOfByte() {
        return price.cost() / (double) -price.peakBytes();
    }

    /**
     * Values whose drop lowers the peak, cheapest for a byte first, one for each node. Bounds save pricing most of
     * those that do not: where memory is as full while the value is needed anyway, the peak stays.
     *
     * @param most how many
     */
    public static List<PeakRelief> cheapest(RematProblem problem, Prices prices, SequenceEvaluation chosen, int most) {
        List<PeakRelief> best = new ArrayList<>();
        int priced = 0;
        for (Candidate candidate : candidates(problem, prices, chosen)) {
            boolean hopeless = best.size() == most && best.getLast().costOfByte() <= candidate.leastCostOfByte();
            if (hopeless || priced++ == MOST_PRICED) {
                break;
            }
            if (prices.of(candidate.value()).orElse(null) instanceof Price.Changed price && price.peakBytes() < 0) {
                insert(problem, best, new PeakRelief(candidate.value(), price));
                if (best.size() > most) {
                    best.removeLast();
                }
            }
        }
        return List.copyOf(best);
    }

    private static void insert(RematProblem problem, List<PeakRelief> best, PeakRelief relief) {
        int node = problem.producer(relief.value());
        int same = 0;
        while (same < best.size() && problem.producer(best.get(same).value()) != node) {
            same++;
        }
        if (same < best.size()) {
            if (best.get(same).costOfByte() <= relief.costOfByte()) {
                return;
            }
            best.remove(same);
        }
        int at = 0;
        while (at < best.size() && best.get(at).costOfByte() <= relief.costOfByte()) {
            at++;
        }
        best.add(at, relief);
    }

    private static List<Candidate> candidates(RematProblem problem, Prices prices, SequenceEvaluation chosen) {
        long[] live = chosen.liveBytes();
        long[] before = new long[live.length + 1];
        long[] after = new long[live.length + 1];
        for (int t = 0; t < live.length; t++) {
            before[t + 1] = Math.max(before[t], live[t]);
        }
        for (int t = live.length - 1; t >= 0; t--) {
            after[t] = Math.max(after[t + 1], live[t]);
        }
        List<Candidate> candidates = new ArrayList<>();
        SequenceRuns runs = prices.runs();
        for (int v = 0; v < problem.valueCount(); v++) {
            if (prices.change(v).filter(change -> change == Change.DROP).isEmpty()) {
                continue;
            }
            int node = problem.producer(v);
            int run = runs.step(node, 0);
            int from = lastReadBeforeRest(problem, runs, node, run);
            int to = runs.firstReadInRest(run, v);
            if (from == SequenceRuns.NEVER || prices.moves()) {
                // Its first run goes, and what that reads may leave earlier; or it runs while a lane is waited for
                // anyway: no bound holds.
                candidates.add(new Candidate(v, 0));
                continue;
            }
            long elsewhere = Math.max(before[from], after[to]);
            long gain = Math.min(bytes(problem, node), chosen.peakBytes() - elsewhere);
            if (gain > 0) {
                candidates.add(new Candidate(v, problem.cost(node) / (double) gain));
            }
        }
        candidates.sort(Comparator.comparingDouble(Candidate::leastCostOfByte));
        return candidates;
    }

    /** The first step at which one of the node's results may leave; never if nothing reads any before the rest. */
    private static int lastReadBeforeRest(RematProblem problem, SequenceRuns runs, int node, int run) {
        boolean read = false;
        int first = Integer.MAX_VALUE;
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            int last = runs.lastReadBeforeRest(run, v);
            read |= last != SequenceRuns.NEVER;
            first = Math.min(first, Math.max(run, last));
        }
        return read ? first : SequenceRuns.NEVER;
    }

    private static long bytes(RematProblem problem, int node) {
        long sum = 0;
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            sum += problem.bytes(v);
        }
        return sum;
    }
}
