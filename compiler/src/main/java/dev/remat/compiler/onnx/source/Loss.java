package dev.remat.compiler.onnx.source;

import java.util.Locale;
import java.util.Optional;

/** What an imported model may be trained to minimise. */
public enum Loss {
    CROSS_ENTROPY("cross_entropy", "softmax"),
    MSE("mse", ""),
    BCE("bce_with_logits", "sigmoid");

    private final String function;
    private final String last;

    Loss(String function, String last) {
        this.function = function;
        this.last = last;
    }

    /** As users say it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The builtin. */
    String function() {
        return function;
    }

    /** Name of what a text applies this loss's own last function to, if it does: {@code x} of {@code softmax(x)}. */
    Optional<String> before(String text) {
        String opening = text.startsWith("log_") && this == CROSS_ENTROPY ? "log_" + last : last;
        return !last.isEmpty() && text.matches(opening + "\\(\\w+\\)")
                ? Optional.of(text.substring(opening.length() + 1, text.length() - 1))
                : Optional.empty();
    }
}
