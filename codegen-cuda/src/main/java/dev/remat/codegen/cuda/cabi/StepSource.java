package dev.remat.codegen.cuda.cabi;

import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.io.TextResource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * {@code step.h} and {@code step.cc}: what loads an artifact's cubins and launches its step through the driver alone.
 * The text is that of resources; launches, tensors and hashes are tables in it. Lines of them that begin with
 * {@code //moving:} are there where the plan moves tensors.
 */
public final class StepSource {
    private static final String MARK = "// remat: ";
    private static final String MOVING = "//moving:";
    private static final String TABLES = "tables";

    private final String tables;
    private final boolean moves;

    private StepSource(String tables, boolean moves) {
        this.tables = tables;
        this.moves = moves;
    }

    /** Contents by file name. */
    public static SequencedMap<String, String> files(
            BuildInfo build, ExecutionPlan plan, List<ArtifactKernel> kernels, List<DeviceCode> devices) {
        StepSource source = new StepSource(
                new StepTables(build, plan, kernels, devices).text(),
                !plan.transfers().isEmpty());
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

    /** The line, if it concerns the plan. */
    private Stream<String> ofPlan(String line) {
        if (!line.startsWith(MOVING)) {
            return Stream.of(line);
        }
        String text = line.substring(MOVING.length());
        return moves ? Stream.of(text.startsWith(" ") ? text.substring(1) : text) : Stream.empty();
    }
}
