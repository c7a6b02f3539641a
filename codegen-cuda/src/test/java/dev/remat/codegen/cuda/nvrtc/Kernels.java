package dev.remat.codegen.cuda.nvrtc;

import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.ParameterType;
import java.util.List;

/** Small kernels with one parameter, {@code float* x}. */
final class Kernels {
    /** Keeps 64 values alive over a loop. */
    private static final String CROWDED = """
        float v[64];
        #pragma unroll
        for (int i = 0; i < 64; i++) v[i] = x[i];
        for (int k = 0; k < int(x[64]); k++)
        #pragma unroll
            for (int i = 0; i < 64; i++) v[i] = fmaf(v[i], v[(7 * i + 3) % 64], v[(i + 1) % 64]);
        #pragma unroll
        for (int i = 0; i < 64; i++) x[i] = v[i];
        """;

    private Kernels() {}

    static KernelSource of(String symbol, String body) {
        return of(symbol, "", "__launch_bounds__(256)", body, "");
    }

    /** @param before text before the kernel, such as device functions */
    static KernelSource of(String symbol, String before, String bounds, String body, String location) {
        KernelEntry entry = new KernelEntry(symbol, "test", List.of(ParameterType.POINTER), 256, true, location);
        String head = before + "extern \"C\" __global__ void " + bounds + " " + symbol;
        String text = head + "(float* x) {\n" + body + "\n}\n";
        return new KernelSource(entry, List.of(), text);
    }

    /** Doubles every element. */
    static KernelSource twice(String symbol) {
        return of(symbol, "x[threadIdx.x] *= 2.0f;");
    }

    /** Has more values than registers. */
    static KernelSource spilling(String symbol) {
        return of(symbol, "", "__maxnreg__(24)", CROWDED, "");
    }

    /** Computes the same with as many registers as it likes. */
    static KernelSource roomy(String symbol) {
        return of(symbol, CROWDED);
    }
}
