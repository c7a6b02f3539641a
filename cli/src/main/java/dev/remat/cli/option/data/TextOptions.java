package dev.remat.cli.option.data;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.Console;
import dev.remat.cli.console.Progress;
import dev.remat.cli.option.TokenizerOption;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.text.data.LabelledText;
import dev.remat.runtime.text.data.TextColumns;
import dev.remat.runtime.text.data.TextDataset;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What becomes of text. */
public final class TextOptions extends CheckedOptions {
    private static final int MOST_TEXTS = 2;

    @Mixin
    private TokenizerOption tokenizer;

    @Option(
            names = "--text-column",
            paramLabel = "NAME",
            split = ",",
            description = "The column of --data FILE.csv or FILE.jsonl that holds text, or two with a comma between."
                    + " Default: text, sentence, or sentence1 and sentence2.")
    private List<String> texts = new ArrayList<>();

    @Option(
            names = "--label-column",
            paramLabel = "NAME",
            description = "The column with the label of a text. Default: label.")
    private String label;

    @Option(
            names = "--labels",
            paramLabel = "NAME",
            split = ",",
            description = "Names of labels in the order of their numbers. Default: the order of the alphabet.")
    private List<String> classes = new ArrayList<>();

    @Option(
            names = "--feed",
            paramLabel = "INPUT=WHAT",
            split = ",",
            description = "What an input reads: tokens, mask, types, label, or a column. Default: by its name.")
    private Map<String, String> feeds = new LinkedHashMap<>();

    /** @throws ParameterException if there are any */
    void refuse() {
        require(
                tokenizer.file().isEmpty() && !asksForColumns(),
                "--tokenizer is for --text and for --data with a .csv or .jsonl file of text, and --text-column,"
                        + " --label-column, --labels and --feed are for the latter");
    }

    private boolean asksForColumns() {
        return !texts.isEmpty() || label != null || !classes.isEmpty() || !feeds.isEmpty();
    }

    /** Whether a table has text in it, as far as its name and the options say. */
    boolean isTextIn(Path table) {
        String name = table.toString();
        return name.endsWith(".jsonl")
                || name.endsWith(".csv") && (tokenizer.file().isPresent() || asksForColumns());
    }

    /** A file of text. */
    Dataset text(Path place) throws IOException {
        require(
                !asksForColumns(),
                "--text-column, --label-column, --labels and --feed are for --data with a .csv or .jsonl file of text");
        return tokenizer.file().isPresent() ? TextDataset.open(place, tokenizer.open()) : TextDataset.open(place);
    }

    /** A table with text in it. */
    Dataset table(Path place, Console console) throws IOException {
        require(texts.size() <= MOST_TEXTS, "--text-column names one column or two, not " + texts.size());
        require(new HashSet<>(classes).size() == classes.size(), "--labels names a label twice");
        TextColumns columns = new TextColumns(texts, Optional.ofNullable(label), classes, feeds);
        try (Progress progress = new Progress(console)) {
            progress.tell("reading the rows of " + place);
            return LabelledText.open(place, tokenizer.open(), columns);
        }
    }
}
