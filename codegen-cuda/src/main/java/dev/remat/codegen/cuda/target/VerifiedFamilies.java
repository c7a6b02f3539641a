package dev.remat.codegen.cuda.target;

import dev.remat.ir.io.TextResource;
import java.util.List;

/**
 * Families of kernels that have run on a real GPU and agreed with the CPU. The tests execute every kernel, but on a
 * CPU; a family enters the list {@code verified-families} when the GPU tests of a bundle have passed it, and {@code
 * docs/measurements.md} tells what the run gave. A family that has run on one card counts for all: its text is the same
 * for every architecture, instructions included, and what differs, machine code and tiles, the compiler and the tests
 * answer for on each; {@code tests/gpu} on a card of another architecture says whether they are right.
 */
public final class VerifiedFamilies {
    private static final String LIST = "verified-families";
    private static final List<String> NAMES =
            names(TextResource.read(VerifiedFamilies.class.getResourceAsStream(LIST), LIST));

    private VerifiedFamilies() {}

    /** The first word of every line that is no comment. */
    static List<String> names(String list) {
        return list.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> line.split(" ", 2)[0])
                .toList();
    }

    public static boolean contains(String family) {
        return NAMES.contains(family);
    }
}
