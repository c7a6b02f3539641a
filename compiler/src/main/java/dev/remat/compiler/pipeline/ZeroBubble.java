package dev.remat.compiler.pipeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Orders in which gradients of parameters fill gaps (Qi et al., 2024), with as many micro-batches under way as
 * {@code 1f1b} has: what each stage would do if a visit took one unit of time and a message none. A stage goes
 * forward as far as others need it, else backward, and where neither can be computes gradients of parameters.
 */
final class ZeroBubble {
    private final int stages;
    private final int microBatches;
    /** By stage: how many visits of each phase are done. */
    private final int[] forward;

    private final int[] backward;
    private final int[] weights;

    private ZeroBubble(int stages, int microBatches) {
        this.stages = stages;
        this.microBatches = microBatches;
        this.forward = new int[stages];
        this.backward = new int[stages];
        this.weights = new int[stages];
    }

    static List<List<Visit>> orders(int stages, int microBatches) {
        return new ZeroBubble(stages, microBatches).run();
    }

    private List<List<Visit>> run() {
        List<List<Visit>> orders = new ArrayList<>();
        for (int stage = 0; stage < stages; stage++) {
            orders.add(new ArrayList<>());
        }
        while (Arrays.stream(weights).min().orElseThrow() < microBatches) {
            List<Optional<Visit>> next = new ArrayList<>();
            for (int stage = 0; stage < stages; stage++) {
                next.add(next(stage));
            }
            for (int stage = 0; stage < stages; stage++) {
                next.get(stage).ifPresent(orders.get(stage)::add);
                next.get(stage).ifPresent(this::count);
            }
        }
        return orders.stream().map(List::copyOf).toList();
    }

    /** By what has been done before this unit of time. */
    private Optional<Visit> next(int stage) {
        boolean given = forward[stage] < (stage == 0 ? microBatches : forward[stage - 1]);
        boolean wanted = forward[stage] - backward[stage] < stages - stage && forward[stage] - weights[stage] < stages;
        if (given && wanted) {
            return Optional.of(new Visit(stage, Phase.FORWARD, forward[stage]));
        }
        boolean last = stage == stages - 1;
        if (backward[stage] < (last ? forward[stage] : backward[stage + 1])) {
            return Optional.of(new Visit(stage, Phase.BACKWARD, backward[stage]));
        }
        return weights[stage] < backward[stage]
                ? Optional.of(new Visit(stage, Phase.WEIGHTS, weights[stage]))
                : Optional.empty();
    }

    private void count(Visit visit) {
        int[] done = switch (visit.phase()) {
            case FORWARD -> forward;
            case BACKWARD -> backward;
            case WEIGHTS -> weights;
        };
        done[visit.part()]++;
    }
}
