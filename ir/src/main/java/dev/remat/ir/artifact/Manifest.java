package dev.remat.ir.artifact;

import java.util.List;
import java.util.regex.Pattern;

/**
 * {@code manifest.json}: what an artifact is, and what each of its files must contain.
 *
 * @param model name of the model
 * @param modelHash SHA-256 of the model's canonical form
 * @param planHash SHA-256 of {@code plan.json}
 * @param arenaBytes size of the arena; the step needs no other memory of the device
 * @param architectures which have code here, as compilers name them: {@code sm_90a}
 * @param files every file but the manifest
 */
public record Manifest(
        BuildInfo build,
        String model,
        String modelHash,
        String planHash,
        long arenaBytes,
        List<String> architectures,
        List<ArtifactKernel> kernels,
        List<ArtifactFile> files) {
    /** What the field {@code format} begins with; the version's number follows. */
    public static final String FORMAT = "remat-artifact/";

    public static final int VERSION = 1;

    private static final Pattern ARCHITECTURE = Pattern.compile("sm_[1-9][0-9]{1,2}[af]?");

    public Manifest {
        architectures = List.copyOf(architectures);
        kernels = List.copyOf(kernels);
        files = List.copyOf(files);
        ContentHash.require(planHash);
        if (arenaBytes < 0) {
            throw new IllegalArgumentException("an arena of " + arenaBytes + " bytes");
        }
        if (architectures.isEmpty() || architectures.stream().distinct().count() < architectures.size()) {
            throw new IllegalArgumentException("architectures " + architectures + " are none or not distinct");
        }
        for (String architecture : architectures) {
            if (!ARCHITECTURE.matcher(architecture).matches()) {
                throw new IllegalArgumentException("\"" + architecture + "\" is no architecture");
            }
        }
        for (ArtifactKernel kernel : kernels) {
            List<String> compiled =
                    kernel.code().stream().map(KernelCode::architecture).toList();
            if (!compiled.equals(
                    architectures.stream().filter(compiled::contains).toList())) {
                throw new IllegalArgumentException(
                        "kernel " + kernel.entry().symbol() + " is compiled for " + compiled + " of " + architectures);
            }
        }
        for (ArtifactKernel kernel : kernels) {
            kernel.code().forEach(code -> demandShared(kernel.entry().symbol(), code));
        }
        distinct(
                "kernel",
                kernels.stream().map(kernel -> kernel.entry().symbol()).toList());
        distinct("file", files.stream().map(ArtifactFile::name).toList());
    }

    private static void demandShared(String symbol, KernelCode code) {
        if (code.sharedBytes() > SharedMemory.mostOfBlock(code.architecture())) {
            throw new IllegalArgumentException("kernel " + symbol + " has " + code.sharedBytes()
                    + " bytes of shared memory in a block, more than " + code.architecture() + " allows");
        }
    }

    private static void distinct(String what, List<String> names) {
        String last = null;
        for (String name : names.stream().sorted().toList()) {
            if (name.equals(last)) {
                throw new IllegalArgumentException(what + " " + name + " stands there twice");
            }
            last = name;
        }
    }

    /** Launches of one step on {@code architecture}. */
    public long launches(String architecture) {
        return kernels.stream()
                .flatMap(kernel -> kernel.on(architecture).stream())
                .mapToLong(code -> code.use().launches())
                .sum();
    }

    /** Bytes of all files but the manifest. */
    public long bytes() {
        return files.stream().mapToLong(ArtifactFile::bytes).reduce(0, Math::addExact);
    }
}
