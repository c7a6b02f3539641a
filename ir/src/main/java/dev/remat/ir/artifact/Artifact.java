package dev.remat.ir.artifact;

import dev.remat.ir.execution.ExecutionPlan;
import java.nio.file.Path;
import java.util.List;

/**
 * An artifact as {@link ArtifactReader} found it: whole, and what its manifest says.
 *
 * @param folder where it lies
 * @param devices one for each of the manifest's architectures, in that order
 */
public record Artifact(Path folder, Manifest manifest, ExecutionPlan plan, List<DeviceCode> devices) {
    public Artifact {
        devices = List.copyOf(devices);
    }

    /**
     * What runs on {@code architecture}.
     *
     * @throws CorruptArtifactException if it was not built for that
     */
    public DeviceCode device(String architecture) {
        return devices.stream()
                .filter(device -> device.architecture().equals(architecture))
                .findFirst()
                .orElseThrow(() -> new CorruptArtifactException(
                        folder,
                        "was built for " + String.join(", ", manifest.architectures()) + ", not for " + architecture
                                + "; build it again with --arch " + architecture));
    }
}
