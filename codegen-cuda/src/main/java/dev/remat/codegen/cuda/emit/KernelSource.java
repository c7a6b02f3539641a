package dev.remat.codegen.cuda.emit;

import dev.remat.ir.artifact.KernelEntry;
import java.util.List;

/**
 * A kernel as CUDA C++.
 *
 * @param headers resources whose device functions it calls
 * @param text its definition; two kernels of one symbol have one text
 */
public record KernelSource(KernelEntry entry, List<String> headers, String text) {
    public KernelSource {
        headers = List.copyOf(headers);
    }

    public String symbol() {
        return entry.symbol();
    }
}
