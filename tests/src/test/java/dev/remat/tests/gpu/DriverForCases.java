package dev.remat.tests.gpu;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.ArtifactReader;
import dev.remat.tests.cuda.TestDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Makes a CUDA driver that runs cases of a bundle on the CPU: {@code DriverForCases CASES SM FOLDER} writes {@code
 * libcuda.so.1} and {@code kernels.so}, the latter with all kernels of this architecture but those of steps that are
 * only timed, which have no place on a CPU.
 */
final class DriverForCases {
    private DriverForCases() {}

    public static void main(String[] args) throws IOException {
        Architecture architecture = Architecture.ofLabel(args[1]).orElseThrow();
        List<KernelSource> kernels = new ArrayList<>();
        try (Stream<Path> cases = Files.list(Path.of(args[0]))) {
            for (Path folder : cases.sorted().toList()) {
                for (int i = 0; isRun(folder) && Files.exists(folder.resolve(MakeCases.ARTIFACT + i)); i++) {
                    kernels.addAll(kernels(ArtifactReader.read(folder.resolve(MakeCases.ARTIFACT + i)), architecture));
                }
            }
        }
        Path folder = TestDriver.build(Path.of(args[2]));
        TestDriver.compile(kernels, folder);
    }

    private static boolean isRun(Path folder) {
        return !folder.getFileName().toString().startsWith(MakeCases.SPEED);
    }

    private static List<KernelSource> kernels(Artifact artifact, Architecture architecture) {
        List<String> options = artifact.manifest().build().options();
        return artifact.manifest().architectures().contains(architecture.label())
                ? CudaCodegen.generate(artifact.plan(), architecture, CodegenOptions.ofNames(options))
                        .kernels()
                : List.of();
    }
}
