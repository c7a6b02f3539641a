package dev.remat.cli.passes;

import java.util.List;

/**
 * What runs for the steps of a plan.
 *
 * @param language of the texts
 * @param texts each once, with a {@link dev.remat.compiler.trace.IrLine#GAP} for each part that a step fills in
 * @param launches by step
 */
record StepCode(String language, List<String> texts, List<List<Launched>> launches) {
    /**
     * A text of code that runs in a step.
     *
     * @param text index
     * @param how it is launched, in words
     * @param parts that fill the gaps of the text
     */
    record Launched(int text, String how, List<String> parts) {
        Launched {
            parts = List.copyOf(parts);
        }
    }

    StepCode {
        texts = List.copyOf(texts);
        launches = launches.stream().map(List::copyOf).toList();
    }
}
