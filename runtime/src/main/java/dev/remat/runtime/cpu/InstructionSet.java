package dev.remat.runtime.cpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
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
        set("OPENBLAS_CORETYPE", core);
        set("ONEDNN_MAX_CPU_ISA", isa);
    }

    /** In the environment that libraries see; that of Java stays as it was. */
    private static void set(String variable, String value) {
        Linker linker = Linker.nativeLinker();
        MethodHandle set = linker.downcallHandle(
                linker.defaultLookup().find("setenv").orElseThrow(),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            int failed = (int) set.invokeExact(arena.allocateFrom(variable), arena.allocateFrom(value), 1);
            if (failed != 0) {
                throw new IllegalStateException("the environment takes no " + variable);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** The largest that all have. */
    public static InstructionSet common(List<InstructionSet> all) {
        return all.stream().min(InstructionSet::compareTo).orElseThrow();
    }
}
