package dev.remat.cli.passes;

import java.util.List;

/**
 * What runs for the steps of a plan.
 *
 * @param language of the texts
 * @param texts each once
 * @param launches by step
 */
record StepCode(String language, List<String> texts, List<List<Launched>> launches) {
    /**
     * A text of code that runs in a step.
     *
     * @param text index
     * @param how it is launched, in words
     */
    record Launched(int text, String how) {}

    StepCode {
        texts = List.copyOf(texts);
        launches = launches.stream().map(List::copyOf).toList();
    }
}
