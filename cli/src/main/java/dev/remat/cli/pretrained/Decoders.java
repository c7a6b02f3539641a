package dev.remat.cli.pretrained;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** Models that continue tokens: GPT-2 and what descends from Llama. */
final class Decoders {
    private static final List<Task> TASKS = List.of(Task.CAUSAL_LM, Task.CLASSIFICATION, Task.FEATURES);
    private static final List<String> HEADS = List.of("lm_head", "score", "multiple_choice_head");

    private Decoders() {}

    static List<Family> families() {
        return List.of(
                // Masks of each layer, which older versions have stored.
                new Family(
                        "gpt2",
                        "gpt2",
                        "transformer",
                        TASKS,
                        Decoders::gpt2,
                        HEADS,
                        List.of(Pattern.compile("h\\.\\d+\\.attn\\.(masked_)?bias"))),
                llama("llama", Decoders::ofLlama),
                llama("mistral", Decoders::ofMistral),
                llama("qwen2", Decoders::ofQwen2));
    }

    private static Family llama(String type, BiConsumer<Config, Gaps> own) {
        return new Family(
                type,
                "llama",
                "model",
                TASKS,
                (config, gaps) -> {
                    llama(config, gaps);
                    own.accept(config, gaps);
                    gaps.put("which", gaps.get("window").isEmpty() ? ", causal = true" : ", causal = true, mask = near")
                            .put(
                                    "allowed",
                                    gaps.get("window").isEmpty() ? "causal_mask(T)" : "(near and causal_mask(T))");
                },
                HEADS,
                List.of(Pattern.compile("(layers\\.\\d+\\.self_attn\\.)?rotary_emb\\.inv_freq")));
    }

    /** Radford et al., 2019. */
    private static void gpt2(Config config, Gaps gaps) {
        long width = config.size("n_embd");
        long heads = config.size("n_head");
        OptionalLong inner = config.findSize("n_inner");
        double drop = config.rate("resid_pdrop", 0.1);
        double embeddingDrop = config.rate("embd_pdrop", 0.1);
        gaps.put("vocab", config.size("vocab_size"))
                .put("positions", config.size("n_positions"))
                .put("width", width)
                .put("depth", config.size("n_layer"))
                .put("heads", heads)
                .put("hidden", inner.isPresent() ? String.valueOf(inner.getAsLong()) : "4 * width")
                .put("eps", config.positive("layer_norm_epsilon", 1e-5))
                .put("act", Activations.read(config, "activation_function", "gelu_new"))
                .put("drop", drop)
                .put("embedding_drop", embeddingDrop == drop ? "drop" : String.valueOf(embeddingDrop))
                .rate("attention_drop", config.rate("attn_pdrop", 0.1))
                .put("which", ", causal = true")
                .put("allowed", "causal_mask(T)")
                .put("table", "transformer.wte.weight")
                .when("grouped", false)
                .when("tied", config.flag("tie_word_embeddings", true));
        headsOf(config, "n_head", width, heads, gaps);
        config.only("n_ctx", (int) config.size("n_positions"));
        config.only("scale_attn_weights", true);
        config.only("scale_attn_by_inverse_layer_idx", false);
        config.ignore(List.of(
                "reorder_and_upcast_attn",
                "summary_activation",
                "summary_first_dropout",
                "summary_proj_to_labels",
                "summary_type",
                "summary_use_proj"));
    }

    /** Touvron et al., 2023, and what others have of it. */
    private static void llama(Config config, Gaps gaps) {
        long width = config.size("hidden_size");
        long heads = config.size("num_attention_heads");
        long shared = config.findSize("num_key_value_heads").orElse(heads);
        OptionalLong size = config.findSize("head_dim");
        if (size.isEmpty()) {
            headsOf(config, "num_attention_heads", width, heads, gaps);
        }
        long each = size.orElse(Math.max(1, width / heads));
        if (heads % shared != 0) {
            config.wrong("num_key_value_heads", "does not divide the " + heads + " heads");
        }
        if (each % 2 != 0) {
            config.wrong(size.isEmpty() ? "hidden_size" : "head_dim", "gives heads of odd size, which do not turn");
        }
        gaps.put("vocab", config.size("vocab_size"))
                .put("width", width)
                .put("depth", config.size("num_hidden_layers"))
                .put("heads", heads)
                .put("kv_heads", shared)
                .put("size", each)
                .put("scale", "size ** -0.5")
                .put("hidden", config.size("intermediate_size"))
                .put("eps", config.positive("rms_norm_eps", 1e-6))
                .put("act", Activations.read(config, "hidden_act", "silu"))
                .put("theta", theta(config))
                .put("drop", "")
                .rate("attention_drop", config.rate("attention_dropout", 0))
                .put("window", "")
                .put("table", "table")
                .put("qkv_bias", false)
                .put("o_bias", false)
                .put("mlp_bias", false)
                .when("grouped", shared != heads)
                .when("tied", config.flag("tie_word_embeddings", false));
        config.only("rope_scaling", Map.of("rope_type", "default"), Map.of("type", "default"));
        config.only("partial_rotary_factor", 1.0, 1);
        config.only("pretraining_tp", 1);
    }

    /** Newer files have it in {@code rope_parameters}. */
    private static double theta(Config config) {
        if (config.find("rope_parameters").orElse(null) instanceof Map<?, ?> rope
                && "default".equals(rope.get("rope_type"))
                && rope.size() == 2
                && rope.get("rope_theta") instanceof Number theta) {
            return theta.doubleValue();
        }
        config.only("rope_parameters");
        return config.positive("rope_theta", 10_000);
    }

    private static void ofLlama(Config config, Gaps gaps) {
        boolean biased = config.flag("attention_bias", false);
        gaps.put("qkv_bias", biased).put("o_bias", biased).put("mlp_bias", config.flag("mlp_bias", false));
        config.findSize("max_position_embeddings");
    }

    /** Jiang et al., 2023: each token sees a window of those before it, which counts where it is the shorter. */
    private static void ofMistral(Config config, Gaps gaps) {
        OptionalLong window = config.findSize("sliding_window");
        OptionalLong longest = config.findSize("max_position_embeddings");
        if (window.isPresent() && (longest.isEmpty() || window.getAsLong() < longest.getAsLong())) {
            gaps.put("window", window.getAsLong());
        }
    }

    /** Yang et al., 2024: queries, keys and values have biases. */
    private static void ofQwen2(Config config, Gaps gaps) {
        gaps.put("qkv_bias", true);
        config.only("use_sliding_window", false);
        config.only("use_mrope", false);
        config.ignore(List.of("sliding_window", "max_window_layers"));
        config.findSize("max_position_embeddings");
        if (config.find("layer_types").orElse(List.of()) instanceof List<?> types
                && !types.stream().allMatch("full_attention"::equals)) {
            config.notUnderstood("layer_types", "understood is \"full_attention\" for every layer");
        }
    }

    /** Heads share the width. */
    static void headsOf(Config config, String key, long width, long heads, Gaps gaps) {
        if (width % heads != 0) {
            config.wrong(key, "is " + heads + ", which does not divide the width " + width);
        }
        gaps.put("scale", "(width / heads) ** -0.5");
    }
}
