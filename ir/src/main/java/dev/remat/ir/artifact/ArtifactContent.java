package dev.remat.ir.artifact;

import dev.remat.ir.execution.ExecutionPlan;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * What {@link ArtifactWriter} makes an artifact of.
 *
 * @param source CUDA C++ of all kernels
 * @param devices one for each architecture
 * @param extras further files by their names
 */
public record ArtifactContent(
        BuildInfo build,
        ExecutionPlan plan,
        List<ArtifactKernel> kernels,
        String source,
        List<DeviceCode> devices,
        SequencedMap<String, String> extras) {
    public ArtifactContent {
        kernels = List.copyOf(kernels);
        devices = List.copyOf(devices);
        extras = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(extras));
    }

    /** The same with one more file. */
    public ArtifactContent with(String name, String text) {
        SequencedMap<String, String> one = new LinkedHashMap<>();
        one.put(name, text);
        return with(one);
    }

    /** The same with more files. */
    public ArtifactContent with(SequencedMap<String, String> files) {
        SequencedMap<String, String> more = new LinkedHashMap<>(extras);
        more.putAll(files);
        return new ArtifactContent(build, plan, kernels, source, devices, more);
    }
}
