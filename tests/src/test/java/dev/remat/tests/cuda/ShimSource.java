package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.emit.ComposeSource;
import dev.remat.codegen.cuda.emit.KernelSource;
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

/** Translation units for the system's compiler out of kernels: the generator's text with the shim's {@code ptx.cuh}. */
final class ShimSource {
    private static final String PTX = "ptx.cuh";
    private static final List<String> HEADERS =
            List.of("builtins.h", "context.h", "copies.h", "faults.h", "fibre.h", "launch.h", "memory.h", "shim.h");
    private static final String BEFORE = "shared_begin.cc";
    private static final List<String> AFTER = List.of("shared_end.cc", "runtime.cc");

    private ShimSource() {}

    /**
     * Writes the shim and {@code units} files with the kernels, each kernel once.
     *
     * @return what has to be compiled, and linked in this order
     */
    static List<Path> write(List<KernelSource> kernels, int units, Path folder) {
        Map<String, KernelSource> distinct = new LinkedHashMap<>();
        kernels.forEach(kernel -> distinct.putIfAbsent(kernel.symbol(), kernel));
        List<List<KernelSource>> shares = share(List.copyOf(distinct.values()), units);
        List<Path> sources = new ArrayList<>();
        try {
            for (String header : HEADERS) {
                Files.writeString(folder.resolve(header), shim(header));
            }
            sources.add(Files.writeString(folder.resolve(BEFORE), shim(BEFORE)));
            for (int i = 0; i < shares.size(); i++) {
                sources.add(Files.writeString(folder.resolve("kernels" + i + ".cc"), unit(shares.get(i))));
            }
            for (String name : AFTER) {
                sources.add(Files.writeString(folder.resolve(name), shim(name)));
            }
        } catch (IOException thrown) {
            throw new UncheckedIOException(thrown);
        }
        return sources;
    }

    /** Kernels of one family stay together, for they use the same templates. */
    private static List<List<KernelSource>> share(List<KernelSource> kernels, int units) {
        Map<String, List<KernelSource>> families = new LinkedHashMap<>();
        kernels.forEach(k -> families.computeIfAbsent(k.entry().family(), f -> new ArrayList<>())
                .add(k));
        List<KernelSource> sorted =
                families.values().stream().flatMap(List::stream).toList();
        List<List<KernelSource>> shares = new ArrayList<>();
        for (int i = 0; i < units; i++) {
            int from = sorted.size() * i / units;
            int to = sorted.size() * (i + 1) / units;
            if (from < to) {
                shares.add(sorted.subList(from, to));
            }
        }
        return shares;
    }

    private static String unit(List<KernelSource> kernels) {
        List<KernelSource> marked = kernels.stream()
                .map(kernel ->
                        new KernelSource(kernel.entry(), kernel.headers(), line(1, kernel.symbol()) + kernel.text()))
                .toList();
        StringBuilder text = new StringBuilder("#include \"shim.h\"\nnamespace {\nnamespace remat {}\n");
        text.append(new ComposeSource(ShimSource::header).run(marked));
        text.append("}\nusing namespace remat;\n");
        kernels.forEach(
                kernel -> text.append("SHIM_KERNEL(").append(kernel.symbol()).append(")\n"));
        return text.toString();
    }

    /** Its first line stays first, for it may name what it needs. */
    private static String header(String name) {
        String own = name.equals(PTX) ? shim(PTX) : ComposeSource.resource(name);
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
