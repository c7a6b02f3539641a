package dev.remat.codegen.cuda.cabi;

import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.execution.ExecutionPlan;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * {@code step.h} and {@code step.cc}: what loads an artifact's cubins and launches its step through the driver alone.
 * The text is that of resources; launches, tensors and hashes are tables in it.
 */
public final class StepSource {
    private static final String MARK = "// remat: ";
    private static final String TABLES = "tables";

    private final String tables;

    private StepSource(String tables) {
        this.tables = tables;
    }

    /** Contents by file name. */
    public static SequencedMap<String, String> files(
            BuildInfo build, ExecutionPlan plan, List<ArtifactKernel> kernels, List<DeviceCode> devices) {
        StepSource source = new StepSource(new StepTables(build, plan, kernels, devices).text());
        SequencedMap<String, String> files = new LinkedHashMap<>();
        files.put("step.h", resource("step.h"));
        files.put("step.cc", source.composed("step.cc"));
        return files;
    }

    /** A resource with others, and the tables, in place of the lines that name them. */
    private String composed(String name) {
        StringBuilder text = new StringBuilder();
        resource(name).lines().forEach(line -> {
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

    private static String resource(String name) {
        try (InputStream in = StepSource.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalArgumentException("no resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
