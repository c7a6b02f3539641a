package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.emit.KernelSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedSet;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import java.util.stream.Stream;

/** Kernels compiled once and loaded twice, so that two threads may run launches at the same time. */
final class ShimPool {
    private static final int COPIES = 2;

    private final List<ShimLibrary> libraries = new ArrayList<>();
    private final BlockingQueue<ShimLibrary> free = new LinkedBlockingQueue<>();

    /** @param units how many files the kernels are spread over */
    ShimPool(List<KernelSource> kernels, int units, KernelBuild build) {
        try {
            Path folder = Files.createTempDirectory("remat-shim");
            try {
                Path file = ShimLibrary.compile(kernels, units, build, folder);
                for (int i = 0; i < COPIES; i++) {
                    Path copy = Files.copy(file, folder.resolve("copy" + i + ".so"));
                    libraries.add(ShimLibrary.load(copy, kernels));
                }
            } finally {
                try (Stream<Path> files = Files.list(folder)) {
                    for (Path file : files.toList()) {
                        Files.delete(file);
                    }
                }
                Files.delete(folder);
            }
        } catch (IOException thrown) {
            throw new UncheckedIOException(thrown);
        }
        free.addAll(libraries);
    }

    /** Does something with a library that nobody else uses meanwhile. */
    <R> R with(Function<ShimLibrary, R> task) {
        try {
            ShimLibrary library = free.take();
            try {
                return task.apply(library);
            } finally {
                free.add(library);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a library", interrupted);
        }
    }

    /** Symbols of the kernels that have run. */
    SequencedSet<String> executed() {
        SequencedSet<String> executed = new TreeSet<>();
        libraries.forEach(library -> executed.addAll(library.executed()));
        return executed;
    }
}
