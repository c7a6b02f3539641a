package dev.remat.runtime.cpu;

import dev.remat.ir.natives.NativeCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What kernels of libraries ask of a processor; who has one has all before it. */
public enum InstructionSet {
    /** Of every processor that these libraries run on. */
    SSE4(List.of(), "Nehalem", "SSE41"),
    AVX(List.of("avx"), "Sandybridge", "AVX"),
    AVX2(List.of("avx2", "fma"), "Haswell", "AVX2"),
    AVX512(List.of("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"), "SkylakeX", "AVX512_CORE");

    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final String FLAGS = "flags";

    private final List<String> flags;
    private final String core;
    private final String isa;

    /**
     * @param flags that Linux tells of a processor that has it, but not of one that has only those before
     * @param core that OpenBLAS calls its kernels by
     * @param isa as oneDNN calls it
     */
    InstructionSet(List<String> flags, String core, String isa) {
        this.flags = flags;
        this.core = core;
        this.isa = isa;
    }

    /** The largest that this machine's processor has. */
    public static InstructionSet ofThisMachine() throws IOException {
        return of(Files.readString(PROCESSORS));
    }

    /** @param told as Linux tells of processors */
    static InstructionSet of(String told) {
        Set<String> has = told.lines()
                .filter(line -> line.startsWith(FLAGS))
                .findFirst()
                .<Set<String>>map(line -> new TreeSet<>(
                        List.of(line.substring(line.indexOf(':') + 1).strip().split("\\s+"))))
                .orElse(Set.of());
        InstructionSet largest = SSE4;
        for (InstructionSet next : values()) {
            if (!has.containsAll(next.flags)) {
                return largest;
            }
            largest = next;
        }
        return largest;
    }

    /** Has libraries that are loaded from now on take kernels for this one, whatever the processor has. */
    public void impose() {
        NativeCall.setVariable("OPENBLAS_CORETYPE", core, true);
        NativeCall.setVariable("ONEDNN_MAX_CPU_ISA", isa, true);
    }

    /** The largest that all have. */
    public static InstructionSet common(List<InstructionSet> all) {
        return all.stream().min(InstructionSet::compareTo).orElseThrow();
    }
}
