package dev.remat.cli.pretrained;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Models of one architecture.
 *
 * @param type what {@code model_type} calls it
 * @param template of its models
 * @param base what the names of all but heads begin with in models that have one
 * @param tasks in the order of how common they are
 * @param keys reads what is particular to it of a configuration into the gaps of the template
 * @param heads what names of the heads begin with, which may be new or left over
 * @param leftovers patterns of whole names, without {@code base}, of tensors that need not be used
 */
record Family(
        String type,
        String template,
        String base,
        List<Task> tasks,
        BiConsumer<Config, Gaps> keys,
        List<String> heads,
        List<Pattern> leftovers) {
    private static final Map<String, Family> BY_TYPE = new TreeMap<>();

    /** Keys of any configuration that change nothing of what is computed here. */
    private static final List<String> IGNORED =
            List.of(("_name_or_path _num_labels _commit_hash _attn_implementation attn_implementation"
                + " _attn_implementation_autoset _flash_attn_2_enabled architectures begin_suppress_tokens"
                + " bad_words_ids bos_token_id chunk_size_feed_forward cls_token_id decoder_start_token_id"
                + " diversity_penalty do_sample dtype early_stopping encoder_no_repeat_ngram_size eos_token_id"
                + " exponential_decay_length_penalty finetuning_task forced_bos_token_id forced_eos_token_id"
                + " gradient_checkpointing id2label initializer_factor keys_to_ignore_at_inference label2id"
                + " length_penalty mask_token_id max_length min_length model_type no_repeat_ngram_size num_beam_groups"
                + " num_beams num_labels num_return_sequences output_attentions output_hidden_states output_past"
                + " output_scores pad_token_id prefix remove_invalid_values repetition_penalty return_dict"
                + " return_dict_in_generate sep_token_id suppress_tokens task_specific_params temperature"
                + " tf_legacy_loss tokenizer_class top_k top_p torch_dtype torchscript transformers_version typical_p"
                + " unk_token_id use_bfloat16 use_cache")
                    .split(" "));

    static {
        Stream.of(Decoders.families(), Encoders.families())
                .flatMap(List::stream)
                .forEach(family -> BY_TYPE.put(family.type(), family));
    }

    static Optional<Family> find(String type) {
        return Optional.ofNullable(BY_TYPE.get(type));
    }

    /** Of all families, in order. */
    static List<String> types() {
        return List.copyOf(BY_TYPE.keySet());
    }

    /** Fills the gaps that the configuration says, and keeps what is wrong with it. */
    void read(Config config, Gaps gaps) {
        config.ignore(IGNORED);
        config.only("is_encoder_decoder", false);
        config.only("is_decoder", false);
        config.only("add_cross_attention", false);
        config.only("pruned_heads", Map.of());
        config.only("tie_encoder_decoder", false);
        gaps.put("std", config.positive("initializer_range", 0.02));
        keys.accept(config, gaps);
    }

    /** What a model of the task has before all names but those of heads. */
    String prefix(Task task) {
        return task == Task.FEATURES ? "" : base + ".";
    }
}
