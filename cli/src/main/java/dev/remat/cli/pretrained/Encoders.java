package dev.remat.cli.pretrained;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** Models that read all of a text or an image at once. */
final class Encoders {
    private static final List<Task> OF_TEXT = List.of(Task.MASKED_LM, Task.CLASSIFICATION, Task.FEATURES);
    private static final List<Task> OF_IMAGES = List.of(Task.CLASSIFICATION, Task.FEATURES);
    /** Numbers of positions, which older versions have stored. */
    private static final List<Pattern> NUMBERS = List.of(Pattern.compile("embeddings\\.(position|token_type)_ids"));

    private Encoders() {}

    static List<Family> families() {
        return List.of(
                family("bert", "bert", OF_TEXT, Encoders::bert, "cls", "classifier", "pooler", "qa_outputs"),
                family("roberta", "bert", OF_TEXT, Encoders::roberta, "lm_head", "classifier", "pooler", "qa_outputs"),
                family(
                        "distilbert",
                        "distilbert",
                        OF_TEXT,
                        Encoders::distilbert,
                        "vocab_transform",
                        "vocab_layer_norm",
                        "vocab_projector",
                        "pre_classifier",
                        "classifier",
                        "qa_outputs"),
                family("vit", "vit", OF_IMAGES, Encoders::vit, "classifier", "pooler"));
    }

    private static Family family(
            String type, String template, List<Task> tasks, BiConsumer<Config, Gaps> keys, String... heads) {
        return new Family(type, template, type, tasks, keys, List.of(heads), NUMBERS);
    }

    /** Devlin et al., 2019. */
    private static void bert(Config config, Gaps gaps) {
        width(config, gaps);
        text(config, gaps);
        gaps.when("after_padding", false);
        config.ignore(List.of(
                "directionality",
                "pooler_fc_size",
                "pooler_num_attention_heads",
                "pooler_num_fc_layers",
                "pooler_size_per_head",
                "pooler_type"));
    }

    /** Liu et al., 2019. */
    private static void roberta(Config config, Gaps gaps) {
        width(config, gaps);
        text(config, gaps);
        gaps.when("after_padding", true).put("pad", config.index("pad_token_id", 1));
    }

    /** What BERT and ViT call their sizes. */
    private static void width(Config config, Gaps gaps) {
        long width = config.size("hidden_size");
        long heads = config.size("num_attention_heads");
        gaps.put("width", width)
                .put("depth", config.size("num_hidden_layers"))
                .put("heads", heads)
                .put("hidden", config.size("intermediate_size"))
                .put("eps", config.positive("layer_norm_eps", 1e-12))
                .put("act", Activations.read(config, "hidden_act", "gelu"));
        shares(gaps, ", mask = mask", "mask");
        Decoders.headsOf(config, "num_attention_heads", width, heads, gaps);
    }

    private static void text(Config config, Gaps gaps) {
        double drop = config.rate("hidden_dropout_prob", 0.1);
        long types = config.size("type_vocab_size");
        gaps.put("vocab", config.size("vocab_size"))
                .put("positions", config.size("max_position_embeddings"))
                .put("types", types > 1 ? String.valueOf(types) : "")
                .put("drop", drop)
                .rate("attention_drop", config.rate("attention_probs_dropout_prob", 0.1));
        headDrop(config.rate("classifier_dropout", drop), drop, gaps);
        config.only("position_embedding_type", "absolute");
        config.only("tie_word_embeddings", true);
    }

    /** Sanh et al., 2019. */
    private static void distilbert(Config config, Gaps gaps) {
        long width = config.size("dim");
        long heads = config.size("n_heads");
        double drop = config.rate("dropout", 0.1);
        gaps.put("vocab", config.size("vocab_size"))
                .put("positions", config.size("max_position_embeddings"))
                .put("width", width)
                .put("depth", config.size("n_layers"))
                .put("heads", heads)
                .put("hidden", config.size("hidden_dim"))
                .put("act", Activations.read(config, "activation", "gelu"))
                .put("types", "")
                .put("drop", drop)
                .rate("attention_drop", config.rate("attention_dropout", 0.1));
        headDrop(config.rate("seq_classif_dropout", 0.2), drop, gaps);
        shares(gaps, ", mask = mask", "mask");
        Decoders.headsOf(config, "n_heads", width, heads, gaps);
        config.only("sinusoidal_pos_embds", false);
        config.only("tie_weights_", true);
        config.only("tie_word_embeddings", true);
        config.ignore(List.of("qa_dropout"));
    }

    /** Dosovitskiy et al., 2021. */
    private static void vit(Config config, Gaps gaps) {
        width(config, gaps);
        long image = config.size("image_size");
        long patch = config.size("patch_size");
        if (image % patch != 0) {
            config.wrong("patch_size", "is " + patch + ", which does not divide the image's " + image);
        }
        gaps.put("image", image)
                .put("patch", patch)
                .put("channels", config.findSize("num_channels").orElse(3))
                .put("qkv_bias", config.flag("qkv_bias", true))
                .put("drop", config.rate("hidden_dropout_prob", 0))
                .rate("attention_drop", config.rate("attention_probs_dropout_prob", 0));
        shares(gaps, "", "");
        OptionalLong pooled = config.findSize("pooler_output_size");
        if (pooled.isPresent() && pooled.getAsLong() != config.size("hidden_size")) {
            config.notUnderstood("pooler_output_size", "understood is \"hidden_size\"");
        }
        config.only("pooler_act", "tanh");
        config.ignore(List.of("encoder_stride"));
    }

    /**
     * Heads have keys and values of their own.
     *
     * @param which what says to {@code attention} what is seen
     * @param allowed the same as a mask; empty if all is
     */
    private static void shares(Gaps gaps, String which, String allowed) {
        gaps.put("which", which).put("allowed", allowed).when("grouped", false).when("tied", false);
    }

    private static void headDrop(double rate, double drop, Gaps gaps) {
        gaps.put("head_drop", rate == drop ? "drop" : String.valueOf(rate));
    }
}
