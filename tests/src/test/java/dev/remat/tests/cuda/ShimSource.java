package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.emit.ComposeSource;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.tests.cuda.CppCompiler.CppSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Translation units for the system's compiler out of kernels: the generator's text with the shim's {@code ptx.cuh}. */
final class ShimSource {
    private static final String PTX = "ptx.cuh";
    private static final List<String> HEADERS = List.of(
            "builtins.h",
            "context.h",
            "copies.h",
            "faults.h",
            "fibre.h",
            "launch.h",
            "memory.h",
            "operands.h",
            "products.h",
            "races.h",
            "shim.h");
    private static final String BEFORE = "shared_begin.cc";
    private static final List<String> AFTER = List.of("shared_end.cc", "runtime.cc");

    /**
     * Kernels of one file.
     *
     * @param headers from a header's name to its text
     */
    record Unit(List<KernelSource> kernels, UnaryOperator<String> headers) {}

    private ShimSource() {}

    /**
     * Writes the shim and {@code units} files with the kernels, each kernel once.
     *
     * @return what has to be compiled, and linked in this order
     */
    static List<CppSource> write(List<KernelSource> kernels, int units, KernelBuild build, Path folder) {
        return write(share(kernels, units, ComposeSource::resource), build, folder);
    }

    /** At most so many units, each kernel once; those of one family together, for they use the same templates. */
    static List<Unit> share(List<KernelSource> kernels, int units, UnaryOperator<String> headers) {
        Map<String, KernelSource> distinct = new LinkedHashMap<>();
        kernels.forEach(kernel -> distinct.putIfAbsent(kernel.symbol(), kernel));
        Map<String, List<KernelSource>> families = new LinkedHashMap<>();
        distinct.values()
                .forEach(k -> families.computeIfAbsent(k.entry().family(), f -> new ArrayList<>())
                        .add(k));
        List<KernelSource> sorted =
                families.values().stream().flatMap(List::stream).toList();
        List<Unit> shares = new ArrayList<>();
        for (int i = 0; i < units; i++) {
            int from = sorted.size() * i / units;
            int to = sorted.size() * (i + 1) / units;
            if (from < to) {
                shares.add(new Unit(sorted.subList(from, to), headers));
            }
        }
        return shares;
    }

    /**
     * Writes the shim and a file of each unit, whose kernels have names of their own.
     *
     * @return what has to be compiled, and linked in this order
     */
    static List<CppSource> write(List<Unit> units, KernelBuild build, Path folder) {
        List<CppSource> sources = new ArrayList<>();
        try {
            for (String header : HEADERS) {
                Files.writeString(folder.resolve(header), shim(header));
            }
            sources.add(new CppSource(Files.writeString(folder.resolve(BEFORE), shim(BEFORE)), KernelBuild.SHIM));
            for (int i = 0; i < units.size(); i++) {
                Path file = folder.resolve("kernels" + i + ".cc");
                sources.add(new CppSource(Files.writeString(file, text(units.get(i))), build));
            }
            for (String name : AFTER) {
                sources.add(new CppSource(Files.writeString(folder.resolve(name), shim(name)), KernelBuild.SHIM));
            }
        } catch (IOException thrown) {
            throw new UncheckedIOException(thrown);
        }
        return sources;
    }

    private static String text(Unit unit) {
        List<KernelSource> kernels = unit.kernels;
        List<KernelSource> marked = kernels.stream()
                .map(kernel ->
                        new KernelSource(kernel.entry(), kernel.headers(), line(1, kernel.symbol()) + kernel.text()))
                .toList();
        StringBuilder text = new StringBuilder("#include \"shim.h\"\nnamespace {\nnamespace remat {}\n");
        text.append(new ComposeSource(name -> header(name, unit.headers)).run(marked));
        text.append("}\nusing namespace remat;\n");
        kernels.forEach(
                kernel -> text.append("SHIM_KERNEL(").append(kernel.symbol()).append(")\n"));
        return text.toString();
    }

    /** Its first line stays first, for it may name what it needs. */
    private static String header(String name, UnaryOperator<String> headers) {
        String own = name.equals(PTX) ? shim(PTX) : headers.apply(name);
        int end = own.indexOf('\n') + 1;
        return own.substring(0, end) + line(2, name) + own.substring(end);
    }

    private static String line(int number, String file) {
        return "#line " + number + " \"" + file + "\"\n";
    }

    private static String shim(String name) {
        return resource("shim/" + name);
    }

    /** Text of a file beside this class. */
    static String resource(String name) {
        try (InputStream in = ShimSource.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalArgumentException("no resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
