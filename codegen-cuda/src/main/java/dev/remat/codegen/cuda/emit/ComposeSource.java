package dev.remat.codegen.cuda.emit;

import dev.remat.ir.io.TextResource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Puts kernels and the headers they need into one text that includes nothing. Each header is there once, after those
 * that its first line asks for: {@code // needs: types.cuh math.cuh}.
 */
public final class ComposeSource {
    private static final String NEEDS = "// needs:";

    private final UnaryOperator<String> headers;

    /** @param headers from a header's name to its text */
    public ComposeSource(UnaryOperator<String> headers) {
        this.headers = headers;
    }

    /** Composes from the headers that this module holds. */
    public ComposeSource() {
        this(ComposeSource::resource);
    }

    public String run(List<KernelSource> kernels) {
        Set<String> placed = new LinkedHashSet<>();
        StringBuilder text = new StringBuilder();
        for (KernelSource kernel : kernels) {
            kernel.headers().forEach(header -> place(header, placed, text));
        }
        kernels.forEach(kernel -> text.append('\n').append(kernel.text()));
        return text.toString();
    }

    private void place(String header, Set<String> placed, StringBuilder text) {
        if (!placed.add(header)) {
            return;
        }
        String own = headers.apply(header);
        String first = own.lines().findFirst().orElse("");
        if (first.startsWith(NEEDS)) {
            for (String needed : first.substring(NEEDS.length()).strip().split(" +")) {
                place(needed, placed, text);
            }
        }
        text.append(own).append('\n');
    }

    /** Text of a header of this module. */
    public static String resource(String header) {
        return TextResource.read(ComposeSource.class.getResourceAsStream(header), header);
    }
}
