package dev.remat.cli.lsp.model;

import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.PathConverter;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.SettingOptions;
import dev.remat.cli.option.TargetOption;
import dev.remat.cli.option.WholeNumber;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** The options of {@code remat plan} that an editor's model is planned with. */
@Command(name = "plan")
public final class PlanAsked {
    @Mixin
    private SettingOptions settings;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private PlanOptions planning;

    @Mixin
    private TargetOption target;

    private boolean quickFirst;

    private PlanAsked() {}

    /** @throws ParameterException for what is no such option, and for those by which files would be written */
    static PlanAsked of(List<String> words) {
        PlanAsked asked = parse(words);
        asked.quickFirst = words.stream().anyMatch(word -> word.startsWith("--budget"))
                && words.stream().noneMatch(word -> word.startsWith("--effort"));
        return asked;
    }

    /** The same by a search that is soon over. */
    static PlanAsked quick(List<String> words) {
        List<String> quick = new ArrayList<>(words);
        quick.add("--effort=quick");
        return parse(quick);
    }

    private static PlanAsked parse(List<String> words) {
        PlanAsked asked = new PlanAsked();
        CommandLine line = new CommandLine(asked);
        line.registerConverter(Path.class, new PathConverter());
        WholeNumber.registerFor(line);
        line.setExpandAtFiles(false);
        line.parseArgs(words.toArray(String[]::new));
        refuse(line, "--dump-dir", "");
        refuse(line, "--disk", "--disk-rates");
        return asked;
    }

    /** Whoever opens a model has not asked for anything to be written. */
    private static void refuse(CommandLine line, String option, String unless) {
        boolean given = line.getParseResult().hasMatchedOption(option);
        if (given && (unless.isEmpty() || !line.getParseResult().hasMatchedOption(unless))) {
            throw new ParameterException(
                    line,
                    option + " writes files, which an editor does not"
                            + (unless.isEmpty() ? "" : "; with " + unless + " nothing is measured"));
        }
    }

    SettingOptions settings() {
        return settings;
    }

    MicroBatchOptions batches() {
        return batches;
    }

    PlanOptions planning() {
        return planning;
    }

    TargetOption target() {
        return target;
    }

    /** Whether a quick search is worth showing before the one that was asked for. */
    boolean quickFirst() {
        return quickFirst;
    }
}
