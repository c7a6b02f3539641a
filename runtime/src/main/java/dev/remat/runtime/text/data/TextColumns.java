package dev.remat.runtime.text.data;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What of a table is read as what.
 *
 * @param texts columns of one text or two; none for those that usually hold them
 * @param label column of the label; empty for the one that usually does
 * @param classes names of the labels in the order of their numbers; none where labels are numbers, or for the order
 *     of the alphabet
 * @param feeds by input what it is fed with, where that does not follow from its name
 */
public record TextColumns(List<String> texts, Optional<String> label, List<String> classes, Map<String, String> feeds) {
    static final String TOKENS = "tokens";
    static final String MASK = "mask";
    static final String TYPES = "types";
    static final String LABEL = "label";

    private static final List<List<String>> USUAL_TEXTS = List.of(
            List.of("text"),
            List.of("text", "text_pair"),
            List.of("sentence"),
            List.of("sentence1", "sentence2"),
            List.of("premise", "hypothesis"),
            List.of("question", "context"));
    private static final List<String> USUAL_LABELS = List.of("label", "labels", "target", "targets");
    private static final Map<String, String> USUAL_INPUTS = usualInputs();

    /** Nothing but what is usual. */
    public static final TextColumns USUAL = new TextColumns(List.of(), Optional.empty(), List.of(), Map.of());

    public TextColumns {
        texts = List.copyOf(texts);
        classes = List.copyOf(classes);
        feeds = Map.copyOf(feeds);
    }

    private static Map<String, String> usualInputs() {
        Map<String, String> usual = new LinkedHashMap<>();
        List.of("tokens", "input_ids").forEach(name -> usual.put(name, TOKENS));
        List.of("attention_mask", "mask").forEach(name -> usual.put(name, MASK));
        List.of("token_type_ids", "segments", "segment_ids").forEach(name -> usual.put(name, TYPES));
        List.of("labels", "label", "targets", "target").forEach(name -> usual.put(name, LABEL));
        return usual;
    }

    /** The columns of texts among those of a table; empty if there are no usual ones. */
    Optional<List<String>> texts(Collection<String> columns) {
        if (!texts.isEmpty()) {
            return Optional.of(texts);
        }
        List<List<String>> there = new ArrayList<>(USUAL_TEXTS);
        there.removeIf(usual -> !columns.containsAll(usual));
        // Where there is a text and a second one beside it, both are meant.
        return there.stream().reduce((one, two) -> two.containsAll(one) ? two : one);
    }

    /** The column of the label, which may not be there. */
    String label(Collection<String> columns) {
        return label.orElseGet(() ->
                USUAL_LABELS.stream().filter(columns::contains).findFirst().orElse(USUAL_LABELS.getFirst()));
    }

    /** What an input is fed with: {@link #TOKENS}, {@link #MASK}, {@link #TYPES}, {@link #LABEL} or a column. */
    String feed(String input) {
        return feeds.getOrDefault(input, USUAL_INPUTS.getOrDefault(input, input));
    }
}
