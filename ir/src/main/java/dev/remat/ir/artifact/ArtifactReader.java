package dev.remat.ir.artifact;

import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.execution.CorruptPlanException;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.json.CorruptJsonException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Loads an artifact and believes nothing: sizes, hashes, and that plan, launches, kernels and images fit together. */
public final class ArtifactReader {
    private static final long MAX_MANIFEST_BYTES = 64L << 20;
    private static final long MAX_FILE_BYTES = 1L << 30;
    private static final String WAY_OUT = "; build it again with 'remat build'";

    private final Path folder;
    private final Map<String, byte[]> contents = new LinkedHashMap<>();

    private ArtifactReader(Path folder) {
        this.folder = folder;
    }

    /**
     * Reads the artifact in {@code folder}.
     *
     * @throws CorruptArtifactException if it is damaged, of another format version, or no artifact at all
     * @throws NoSuchFileException if there is no such folder
     */
    public static Artifact read(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        if (!Files.isDirectory(folder)) {
            throw new FileSystemException(folder.toString(), null, "is no folder, so no artifact");
        }
        return new ArtifactReader(folder).read();
    }

    private Artifact read() throws IOException {
        Path path = folder.resolve(ArtifactFile.MANIFEST);
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new CorruptArtifactException(folder, "is no artifact: it has no " + ArtifactFile.MANIFEST);
        }
        byte[] content = bytes(path, Files.size(path), MAX_MANIFEST_BYTES);
        Manifest manifest = manifest(content);
        for (ArtifactFile file : manifest.files()) {
            contents.put(file.name(), verified(file));
        }
        ExecutionPlan plan = plan(manifest);
        content(ArtifactFile.SOURCE);
        List<DeviceCode> devices = new ArrayList<>();
        for (String architecture : manifest.architectures()) {
            devices.add(device(architecture, manifest, plan));
        }
        return new Artifact(folder, manifest, plan, devices);
    }

    private byte[] verified(ArtifactFile file) throws IOException {
        Path path = folder.resolve(file.name());
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new CorruptArtifactException(path, "is missing" + WAY_OUT);
        }
        long size = Files.size(path);
        if (size != file.bytes()) {
            throw new CorruptArtifactException(
                    path, "has " + Count.bytes(size) + " instead of " + file.bytes() + WAY_OUT);
        }
        byte[] content = bytes(path, size, MAX_FILE_BYTES);
        String hash = ContentHash.of(content);
        if (!hash.equals(file.sha256())) {
            throw new CorruptArtifactException(
                    path,
                    "its content is not what was built (SHA-256 " + hash.substring(0, 12) + "… instead of "
                            + file.sha256().substring(0, 12) + "…)" + WAY_OUT);
        }
        return content;
    }

    private static byte[] bytes(Path path, long size, long cap) throws IOException {
        if (size > cap) {
            throw new CorruptArtifactException(
                    path, "has " + size + " bytes, more than the " + cap + " that remat reads");
        }
        return Files.readAllBytes(path);
    }

    private ExecutionPlan plan(Manifest manifest) throws IOException {
        byte[] content = content(ArtifactFile.PLAN);
        ExecutionPlan plan =
                asBuilt(manifest, ArtifactFile.PLAN, () -> ExecutionPlanJson.read(new ByteArrayInputStream(content)));
        require(ContentHash.of(content).equals(manifest.planHash()), "planHash");
        require(plan.model().equals(manifest.model()), "model");
        require(plan.modelHash().equals(manifest.modelHash()), "modelHash");
        require(plan.arenaBytes() == manifest.arenaBytes(), "arenaBytes");
        plan.steps().forEach(this::verify);
        return plan;
    }

    private void verify(KernelStep step) {
        try {
            step.body().verify();
            step.body().flops();
        } catch (IllegalArgumentException e) {
            throw new CorruptArtifactException(
                    folder.resolve(ArtifactFile.PLAN), "step " + step.name() + ": " + e.getMessage());
        } catch (ArithmeticException _) {
            throw new CorruptArtifactException(
                    folder.resolve(ArtifactFile.PLAN), "step " + step.name() + ": its operations are beyond counting");
        }
    }

    private DeviceCode device(String architecture, Manifest manifest, ExecutionPlan plan) throws IOException {
        LaunchChecks checks = new LaunchChecks(
                manifest.kernels().stream().map(ArtifactKernel::entry).toList(),
                plan.steps().size(),
                plan.arenaBytes(),
                SharedMemory.mostOfBlock(architecture));
        String name = ArtifactFile.launches(architecture);
        byte[] table = content(name);
        List<Launch> launches = asBuilt(manifest, name, () -> LaunchesJson.read(table, checks));
        ByteBuffer cubin = ByteBuffer.wrap(content(ArtifactFile.cubin(architecture)));
        List<Optional<LaunchUse>> uses = LaunchUse.of(manifest.kernels().size(), launches);
        for (int i = 0; i < uses.size(); i++) {
            ArtifactKernel kernel = manifest.kernels().get(i);
            Optional<KernelCode> code = kernel.on(architecture);
            require(
                    code.map(KernelCode::use).equals(uses.get(i)),
                    "the use of " + kernel.entry().symbol() + " on " + architecture);
        }
        return new DeviceCode(architecture, launches, cubin);
    }

    private byte[] content(String name) {
        byte[] content = contents.get(name);
        if (content == null) {
            throw new CorruptArtifactException(folder.resolve(ArtifactFile.MANIFEST), "lists no " + name + WAY_OUT);
        }
        return content;
    }

    private void require(boolean agrees, String what) {
        if (!agrees) {
            throw new CorruptArtifactException(
                    folder.resolve(ArtifactFile.MANIFEST), "does not suit the other files in " + what + WAY_OUT);
        }
    }

    private interface Parse<T> {
        T read() throws IOException;
    }

    private Manifest manifest(byte[] content) throws IOException {
        try {
            return ManifestReader.read(content);
        } catch (CorruptJsonException e) {
            throw new CorruptArtifactException(folder.resolve(ArtifactFile.MANIFEST), e.getMessage());
        }
    }

    /** Of a file whose hash is that of the manifest: what cannot be read there is no damage, but of another remat. */
    private <T> T asBuilt(Manifest manifest, String name, Parse<T> parse) throws IOException {
        try {
            return parse.read();
        } catch (CorruptJsonException | CorruptPlanException e) {
            throw new CorruptArtifactException(
                    folder.resolve(name),
                    "is as remat " + manifest.build().remat() + " built it, which this remat cannot read: "
                            + e.getMessage() + WAY_OUT);
        }
    }
}
