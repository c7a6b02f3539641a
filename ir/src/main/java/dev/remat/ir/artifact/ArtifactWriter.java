package dev.remat.ir.artifact;

import dev.remat.ir.execution.ExecutionPlanJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Writes artifacts whole or not at all. Equal contents give equal bytes. */
public final class ArtifactWriter {
    private ArtifactWriter() {}

    /**
     * Writes an artifact to {@code folder}: beside it, synced, then renamed. An artifact that is there is replaced.
     *
     * @throws java.nio.file.FileAlreadyExistsException if something else is there
     */
    public static Manifest write(Path folder, ArtifactContent content) throws IOException {
        SequencedMap<String, byte[]> files = files(content);
        Manifest manifest = manifest(content, files);
        files.putLast(ArtifactFile.MANIFEST, ManifestWriter.bytes(manifest));
        FolderReplacement.replace(folder, fresh -> {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                write(fresh.resolve(file.getKey()), file.getValue());
            }
        });
        return manifest;
    }

    /** Whether {@link #write} could write there, as far as that can be told before. */
    public static void check(Path folder) throws IOException {
        FolderReplacement.check(folder);
    }

    private static SequencedMap<String, byte[]> files(ArtifactContent content) throws IOException {
        SequencedMap<String, byte[]> files = new LinkedHashMap<>();
        ByteArrayOutputStream plan = new ByteArrayOutputStream();
        ExecutionPlanJson.write(content.plan(), plan);
        files.put(ArtifactFile.PLAN, plan.toByteArray());
        files.put(ArtifactFile.SOURCE, content.source().getBytes(StandardCharsets.UTF_8));
        for (DeviceCode device : content.devices()) {
            files.put(ArtifactFile.launches(device.architecture()), LaunchesJson.bytes(device.launches()));
            byte[] cubin = new byte[device.cubin().remaining()];
            device.cubin().get(cubin);
            files.put(ArtifactFile.cubin(device.architecture()), cubin);
        }
        content.extras().forEach((name, text) -> files.put(name, text.getBytes(StandardCharsets.UTF_8)));
        return files;
    }

    private static Manifest manifest(ArtifactContent content, Map<String, byte[]> files) {
        List<ArtifactFile> described = files.entrySet().stream()
                .map(file -> ArtifactFile.of(file.getKey(), file.getValue()))
                .toList();
        return new Manifest(
                content.build(),
                content.plan().model(),
                content.plan().modelHash(),
                described.getFirst().sha256(),
                content.plan().arenaBytes(),
                content.devices().stream().map(DeviceCode::architecture).toList(),
                content.kernels(),
                described);
    }

    private static void write(Path file, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
    }
}
