package dev.remat.codegen.cuda.cabi;

import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.StageMessages;
import dev.remat.ir.io.TextResource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code step.h} and {@code step.cc}: what loads an artifact's cubins and launches its step through the driver alone.
 * The text is that of resources; launches, tensors and hashes are tables in it. Lines of them that begin with
 * {@code //moving:} are there where the plan moves tensors, and so on of a stage, of a step that is none, and of a plan
 * that knows the loss or does not.
 */
public final class StepSource {
    private static final String MARK = "// remat: ";
    /** A line that is there for some plans alone. */
    private static final Pattern CONDITIONAL = Pattern.compile("//(moving|staged|whole|lossy|lossless):(?: (.*)|)");

    private static final String TABLES = "tables";

    private final String tables;
    /** Conditions that the plan meets. */
    private final List<String> met;

    private StepSource(String tables, List<String> met) {
        this.tables = tables;
        this.met = met;
    }

    /** Contents by file name. */
    public static SequencedMap<String, String> files(
            BuildInfo build, ExecutionPlan plan, List<ArtifactKernel> kernels, List<DeviceCode> devices) {
        StepSource source = new StepSource(
                new StepTables(build, plan, kernels, devices).text(),
                List.of(
                        plan.transfers().isEmpty() ? "" : "moving",
                        StageMessages.of(plan).isEmpty() ? "whole" : "staged",
                        plan.findOutput(ExecutionPlan.LOSS).isPresent() ? "lossy" : "lossless"));
        SequencedMap<String, String> files = new LinkedHashMap<>();
        files.put("step.h", source.composed("step.h"));
        files.put("step.cc", source.composed("step.cc"));
        return files;
    }

    /** A resource with others, and the tables, in place of the lines that name them. */
    private String composed(String name) {
        StringBuilder text = new StringBuilder();
        String all = TextResource.read(StepSource.class.getResourceAsStream(name), name);
        all.lines().flatMap(this::ofPlan).forEach(line -> {
            if (!line.startsWith(MARK)) {
                text.append(line).append('\n');
            } else if (line.equals(MARK + TABLES)) {
                text.append(tables);
            } else {
                text.append(composed(line.substring(MARK.length())));
            }
        });
        return text.toString();
    }

    /** The line, if it concerns the plan; one may begin with several conditions. */
    private Stream<String> ofPlan(String line) {
        Matcher conditional = CONDITIONAL.matcher(line);
        if (!conditional.matches()) {
            return Stream.of(line);
        }
        String rest = conditional.group(2) == null ? "" : conditional.group(2);
        return met.contains(conditional.group(1)) ? ofPlan(rest) : Stream.empty();
    }
}
