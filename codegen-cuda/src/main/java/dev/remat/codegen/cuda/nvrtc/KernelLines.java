package dev.remat.codegen.cuda.nvrtc;

import dev.remat.codegen.cuda.emit.KernelSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Which lines of a composed text belong to which kernel. Lines count from 1. */
final class KernelLines {
    private final List<KernelSource> kernels;
    /** The kernel of each first line. */
    private final TreeMap<Integer, KernelSource> starts = new TreeMap<>();

    /** @param text holds the kernels' texts in their order, after headers */
    KernelLines(List<KernelSource> kernels, String text) {
        this.kernels = kernels;
        int line = 1;
        int from = 0;
        for (KernelSource kernel : kernels) {
            int start = text.indexOf(kernel.text(), from);
            if (start < 0) {
                throw new IllegalArgumentException("the text does not hold kernel " + kernel.symbol());
            }
            line += newlines(text, from, start);
            starts.put(line, kernel);
            from = start;
        }
    }

    private static int newlines(String text, int from, int to) {
        int count = 0;
        for (int i = from; i < to; i++) {
            if (text.charAt(i) == '\n') {
                count++;
            }
        }
        return count;
    }

    /** The kernel that a line is part of; none if it is a header's. */
    Optional<KernelSource> at(int line) {
        return Optional.ofNullable(starts.floorEntry(line)).map(Map.Entry::getValue);
    }

    Optional<KernelSource> named(String symbol) {
        return kernels.stream().filter(kernel -> kernel.symbol().equals(symbol)).findFirst();
    }
}
