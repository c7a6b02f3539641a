package dev.remat.tests.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The system's C++ compiler, with options that leave arithmetic as IEEE 754 has it: one rounding an operation. */
final class CppCompiler {
    private static final String COMMAND = "c++";
    private static final int PROCESSES = 2;
    private static final List<String> OPTIONS = List.of(
            "-std=c++17",
            "-march=native",
            "-fPIC",
            "-fvisibility=hidden",
            "-ffp-contract=off",
            "-fno-fast-math",
            "-fno-math-errno",
            "-fno-strict-aliasing",
            "-U_FORTIFY_SOURCE",
            "-fsanitize=alignment,bounds",
            "-fsanitize-undefined-trap-on-error",
            // Offsets of 64 bits may not be cut to 32: no test is large enough to show it.
            "-Werror=conversion");

    /** A file to compile, and how. */
    record CppSource(Path file, KernelBuild build) {}

    /** Objects of the shim by the names of what they are compiled of, of which there is but one. */
    private static final Map<String, byte[]> ONCE = new ConcurrentHashMap<>();

    private CppCompiler() {}

    /**
     * Compiles every source, two at a time, and links them to a shared library.
     *
     * @throws IllegalStateException if there is no compiler, or with its messages if it refuses a source
     */
    static void buildLibrary(List<CppSource> sources, Path library) {
        List<String> link = new ArrayList<>(List.of(COMMAND, "-shared", "-o", library.toString()));
        try (ExecutorService workers = Executors.newFixedThreadPool(PROCESSES)) {
            List<Future<Path>> objects = new ArrayList<>();
            for (CppSource source : sources) {
                objects.add(workers.submit(() -> compile(source)));
            }
            for (Future<Path> object : objects) {
                link.add(object.get().toString());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while compiling " + sources, interrupted);
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed.getCause().getMessage(), failed.getCause());
        }
        run(link);
    }

    private static Path compile(CppSource source) throws IOException {
        Path object = Path.of(source.file + ".o");
        if (source.build == KernelBuild.SHIM) {
            return Files.write(
                    object, ONCE.computeIfAbsent(source.file.getFileName().toString(), name -> bytes(source, object)));
        }
        compile(source, object);
        return object;
    }

    private static byte[] bytes(CppSource source, Path object) {
        compile(source, object);
        try {
            return Files.readAllBytes(object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void compile(CppSource source, Path object) {
        List<String> command = new ArrayList<>(List.of(COMMAND));
        command.addAll(OPTIONS);
        command.addAll(source.build.options());
        command.addAll(List.of("-c", source.file.toString(), "-o", object.toString()));
        run(command);
    }

    private static void run(List<String> command) {
        try {
            Path log = Files.createTempFile("remat-shim", ".log");
            Process process = start(command, log);
            int status = process.waitFor();
            String messages;
            try (InputStream in = Files.newInputStream(log)) {
                messages = new String(in.readNBytes(1 << 14), StandardCharsets.UTF_8);
            }
            Files.delete(log);
            if (status != 0) {
                throw new IllegalStateException(String.join(" ", command) + "\n" + messages);
            }
        } catch (IOException thrown) {
            throw new UncheckedIOException(thrown);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted: " + command, interrupted);
        }
    }

    private static Process start(List<String> command, Path log) {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException missing) {
            throw new IllegalStateException(
                    "the tests run CUDA kernels on the CPU and need a C++17 compiler as " + COMMAND
                            + " on the PATH (Debian: apt install g++)",
                    missing);
        }
    }
}
