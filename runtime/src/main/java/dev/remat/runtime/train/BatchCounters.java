package dev.remat.runtime.train;

import java.util.Optional;
import java.util.function.Predicate;

/** What PyTorch's batch norm counts its steps in, beside the running mean; nothing reads it. */
public final class BatchCounters {
    private static final String COUNTER = ".num_batches_tracked";
    private static final String MEAN = ".running_mean";

    private BatchCounters() {}

    /** Name of the counter beside a tensor, if that is a running mean. */
    public static Optional<String> beside(String name) {
        return name.endsWith(MEAN)
                ? Optional.of(name.substring(0, name.length() - MEAN.length()) + COUNTER)
                : Optional.empty();
    }

    /** Whether a name is that of a counter beside one of a model's running means. */
    public static boolean isOf(String name, Predicate<String> model) {
        return name.endsWith(COUNTER) && model.test(name.substring(0, name.length() - COUNTER.length()) + MEAN);
    }
}
