package dev.remat.cli.console;

import java.util.SequencedMap;
import java.util.stream.Collectors;

/** How titles name what a plan is of. */
public final class ModelTitle {
    private ModelTitle() {}

    /**
     * Such as {@code Gpt with B=16, T=128 in 8 micro-batches}.
     *
     * @param microBatches that a batch is cut into; nothing is said of one
     */
    public static String of(String model, SequencedMap<String, Long> symbols, int microBatches) {
        String bound = symbols.entrySet().stream()
                .map(symbol -> symbol.getKey() + "=" + symbol.getValue())
                .collect(Collectors.joining(", "));
        return model
                + (bound.isEmpty() ? "" : " with " + bound)
                + (microBatches == 1 ? "" : " in " + microBatches + " micro-batches");
    }
}
