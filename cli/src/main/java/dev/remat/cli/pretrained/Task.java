package dev.remat.cli.pretrained;

/** What a model is for. */
public enum Task {
    CAUSAL_LM("causal-lm"),
    MASKED_LM("masked-lm"),
    CLASSIFICATION("classification"),
    FEATURES("features");

    private final String label;

    Task(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }

    /** What an architecture's name, such as {@code GPT2LMHeadModel}, says. */
    static Task of(String architecture) {
        if (architecture.endsWith("ForCausalLM") || architecture.endsWith("LMHeadModel")) {
            return CAUSAL_LM;
        }
        if (architecture.endsWith("ForMaskedLM") || architecture.endsWith("ForPreTraining")) {
            return MASKED_LM;
        }
        return architecture.endsWith("Classification") && !architecture.contains("Token") ? CLASSIFICATION : FEATURES;
    }
}
