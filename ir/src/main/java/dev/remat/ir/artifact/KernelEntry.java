package dev.remat.ir.artifact;

import java.util.List;

/**
 * One kernel of a program, as its callers see it.
 *
 * @param symbol name in the cubin, a C identifier
 * @param family which family of kernels it comes from: {@code elementwise}, {@code matmul}
 * @param parameters their types in order
 * @param threads most threads of a block that any launch uses
 * @param verified whether this family has run on a real GPU
 * @param location first model line that it computes, {@code file:line:column}; empty where there is none
 */
public record KernelEntry(
        String symbol, String family, List<ParameterType> parameters, int threads, boolean verified, String location) {
    private static final int MAX_THREADS = 1024;

    public KernelEntry {
        parameters = List.copyOf(parameters);
        if (!isIdentifier(symbol)) {
            throw new IllegalArgumentException("\"" + symbol + "\" is no name of a kernel");
        }
        if (family.isEmpty()) {
            throw new IllegalArgumentException("kernel " + symbol + " has no family");
        }
        if (threads < 1 || threads > MAX_THREADS) {
            throw new IllegalArgumentException("kernel " + symbol + " has blocks of " + threads + " threads");
        }
        if (location == null) {
            throw new IllegalArgumentException("kernel " + symbol + " has no location");
        }
    }

    private static boolean isIdentifier(String symbol) {
        for (int i = 0; i < symbol.length(); i++) {
            char c = symbol.charAt(i);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
            if (!letter && (i == 0 || c < '0' || c > '9')) {
                return false;
            }
        }
        return !symbol.isEmpty();
    }
}
