package dev.remat.cli.report;

import dev.remat.compiler.solve.Movement;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What is told of values that are moved.
 *
 * @param nanos that the whole takes
 */
record MovementText(Movement movement, long nanos) {
    private static final int MOST_WAITS = 3;

    /** How busy the lanes of a tier are. */
    String lanes(Movement.TierUse tier) {
        return String.format(
                Locale.ROOT,
                "storing %.1f %% of the time, fetching %.1f %%",
                share(tier.storeNanos()),
                share(tier.fetchNanos()));
    }

    /** How much of the time nothing runs, and what is waited for longest. */
    String exposed() {
        String waits = movement.waits().stream()
                .limit(MOST_WAITS)
                .map(wait -> String.format(
                        Locale.ROOT,
                        "%.3f %% until '%s' is %s",
                        share(wait.nanos()),
                        wait.value(),
                        wait.fetched() ? "fetched" : "stored"))
                .collect(Collectors.joining(", "));
        return String.format(Locale.ROOT, "%.3f %% of the time", share(movement.exposedNanos()))
                + (waits.isEmpty() ? "" : ": " + waits);
    }

    /** How much of the time nodes lose to transfers. */
    String interference() {
        return String.format(
                Locale.ROOT, "%.3f %% of the time, taken from kernels", share(movement.interferenceNanos()));
    }

    /** How much of the time the last stores take that a step which follows does not wait for. */
    String besideNext(long part) {
        return String.format(Locale.ROOT, "%.3f %% of the time, stored beside the next step", share(part));
    }

    private double share(long part) {
        return nanos == 0 ? 0 : 100.0 * part / nanos;
    }
}
