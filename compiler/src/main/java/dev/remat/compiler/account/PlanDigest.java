package dev.remat.compiler.account;

import dev.remat.compiler.Compilation;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * As much of a plan as tells it from another: what {@code plan --json} prints of it.
 *
 * @param microBatches that a batch is cut into
 * @param budgetBytes upper bound on the arena
 * @param peakBytes largest sum of live bytes
 * @param atPeak what makes it up
 * @param millis of one step; empty where costs are no times
 * @param overhead recomputed cost over the step's cost without recomputation
 * @param holdings what is kept, moved or recomputed, by name
 */
public record PlanDigest(
        String model,
        String modelHash,
        SequencedMap<String, Long> symbols,
        int microBatches,
        String target,
        String strategy,
        OptionalLong budgetBytes,
        long arenaBytes,
        long peakBytes,
        AtPeak atPeak,
        OptionalDouble millis,
        double overhead,
        String costModel,
        int kernels,
        SequencedMap<String, Holding> holdings) {
    /** Bytes by what they are for; activations include statistics and the batch. */
    public record AtPeak(long parameters, long optimizer, long gradients, long activations, long workspace) {}

    /**
     * What a plan does with a tensor of the forward pass that the rest of the step needs.
     *
     * @param state {@link State#KEPT}, {@link State#MOVED} or {@link State#RECOMPUTED}
     * @param bytes of its elements
     * @param times how often it is fetched or computed again
     * @param millis that this takes; empty where costs are no times
     */
    public record Holding(State state, long bytes, int times, OptionalDouble millis) {
        public static Holding kept(long bytes) {
            return new Holding(State.KEPT, bytes, 0, OptionalDouble.empty());
        }

        /** What is kept so, but leaves the arena and comes back once more. */
        Holding moved() {
            return new Holding(State.MOVED, bytes, times + 1, millis);
        }

        public static Holding recomputed(long bytes, int times, OptionalDouble millis) {
            return new Holding(State.RECOMPUTED, bytes, times, millis);
        }
    }

    public PlanDigest {
        symbols = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(symbols));
        holdings = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(holdings));
    }

    public static PlanDigest of(PlanAccount account) {
        Compilation plan = account.compilation();
        SequencedMap<String, Holding> retained = new LinkedHashMap<>();
        for (RetainedTensor tensor : account.retained()) {
            retained.put(tensor.value().name(), Holding.kept(tensor.bytes()));
        }
        SequencedMap<String, Holding> recomputed = new LinkedHashMap<>();
        for (RecomputedTensor tensor : account.recomputed()) {
            OptionalDouble millis = plan.costs().millis(tensor.cost());
            recomputed.put(tensor.value().name(), Holding.recomputed(tensor.bytes(), tensor.times(), millis));
        }
        return new PlanDigest(
                plan.plan().model(),
                plan.plan().modelHash(),
                plan.model().extents(),
                plan.microBatches(),
                plan.plan().target(),
                plan.sequence().strategy(),
                plan.search().budgetBytes(),
                plan.memory().arenaBytes(),
                account.peakLiveBytes(),
                account.atPeak(),
                plan.costs().millis(plan.cost()),
                plan.overhead(),
                plan.costs().name(),
                account.stepCount(),
                holdings(
                        retained,
                        recomputed,
                        account.movement().map(StepMovement::tensors).orElse(List.of()).stream()
                                .map(tensor -> tensor.value().name())
                                .toList()));
    }

    /**
     * What a plan does with tensors, of what its report lists.
     *
     * @param moved names of what comes back, once for each time; also of what is not retained
     */
    public static SequencedMap<String, Holding> holdings(
            Map<String, Holding> retained, Map<String, Holding> recomputed, List<String> moved) {
        SequencedMap<String, Holding> holdings = new LinkedHashMap<>(retained);
        moved.forEach(name -> holdings.computeIfPresent(name, (_, holding) -> holding.moved()));
        holdings.putAll(recomputed);
        return holdings;
    }
}
