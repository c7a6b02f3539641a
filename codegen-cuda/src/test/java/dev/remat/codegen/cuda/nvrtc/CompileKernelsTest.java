package dev.remat.codegen.cuda.nvrtc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.nvrtc.KernelCompilationException.Problem;
import dev.remat.codegen.cuda.sass.Cubin;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.artifact.KernelUsage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompileKernelsTest {
    @TempDir
    Path folder;

    private final List<String> progress = new ArrayList<>();

    private CompiledProgram compile(Architecture architecture, KernelSource... kernels) {
        return compile("cubins", architecture, kernels);
    }

    private CompiledProgram compile(String cache, Architecture architecture, KernelSource... kernels) {
        return new CompileKernels(Optional.of(folder.resolve(cache)), progress::add)
                .run(Map.of(architecture, program(kernels)))
                .getFirst();
    }

    private static KernelProgram program(KernelSource... kernels) {
        return new KernelProgram(List.of(kernels), List.of());
    }

    private List<Problem> problems(KernelSource... kernels) {
        return catchThrowableOfType(KernelCompilationException.class, () -> compile(Architecture.SM_80, kernels))
                .problems();
    }

    @Test
    void compilesForEveryArchitectureSideBySide() {
        Map<Architecture, KernelProgram> programs = new EnumMap<>(Architecture.class);
        for (Architecture architecture : Architecture.values()) {
            KernelSource add = Kernels.of("add", "x[threadIdx.x] += 1.0f;");
            programs.put(architecture, program(Kernels.twice("twice"), add));
        }
        List<CompiledProgram> compiled =
                new CompileKernels(Optional.of(folder.resolve("cubins")), progress::add).run(programs);
        assertThat(compiled).extracting(CompiledProgram::architecture).containsExactly(Architecture.values());
        assertThat(compiled).allSatisfy(one -> {
            assertThat(Cubin.of(one.cubin()).symbols()).containsExactlyInAnyOrder("add", "twice");
            assertThat(one.usages()).hasSize(2).allSatisfy(usage -> {
                assertThat(usage.registers()).isBetween(4, 32);
                assertThat(usage.spills()).isFalse();
            });
        });
    }

    @Test
    void tellsWhatEachKernelTakes() {
        KernelSource shared = Kernels.of(
                "shared",
                "__shared__ float s[128]; s[threadIdx.x % 128] = x[0]; __syncthreads(); x[1] = s[int(x[2])];");
        List<KernelUsage> usages = compile(Architecture.SM_90A, Kernels.spilling("a"), shared, Kernels.roomy("b"))
                .usages();
        assertThat(usages.get(0).registers()).isEqualTo(24);
        assertThat(usages.get(0).spills()).isTrue();
        assertThat(usages.get(0).stackBytes()).isPositive();
        assertThat(usages.get(1).sharedBytes()).isEqualTo(128 * Float.BYTES);
        assertThat(usages.get(1).barriers()).isEqualTo(1);
        assertThat(usages.get(2).registers()).isGreaterThan(64);
        assertThat(usages.get(2).spills()).isFalse();
    }

    /** Why kernels may share a text: what one takes does not depend on its neighbours, out-of-line division or not. */
    @Test
    void givesAKernelTheSameRegistersAloneAndInCompany() {
        KernelSource divide = Kernels.of("divide", "x[threadIdx.x] = sqrtf(x[threadIdx.x + 1] / x[threadIdx.x + 2]);");
        KernelUsage alone = compile(Architecture.SM_80, divide).usages().getFirst();
        assertThat(compile(Architecture.SM_80, Kernels.twice("twice"), divide, Kernels.roomy("roomy"))
                        .usages()
                        .get(1))
                .isEqualTo(alone);
    }

    @Test
    void givesTheSameBytesEachTime() {
        KernelSource[] kernels = IntStream.range(0, 20)
                .mapToObj(i -> Kernels.of("k" + i, "x[threadIdx.x] = x[threadIdx.x + " + i + "] / x[0];"))
                .toArray(KernelSource[]::new);
        ByteBuffer first = compile("one", Architecture.SM_90A, kernels).cubin();
        assertThat(compile("another", Architecture.SM_90A, kernels).cubin()).isEqualTo(first);
        assertThat(progress).filteredOn(line -> line.startsWith("compiling")).hasSize(2);
    }

    @Test
    void compilesOnlyWhatIsNew() {
        CompiledProgram first = compile(Architecture.SM_80, Kernels.twice("twice"));
        progress.clear();
        CompiledProgram second = compile(Architecture.SM_80, Kernels.twice("twice"));
        assertThat(progress).containsExactly("1 kernel for sm_80: compiled before");
        assertThat(second.cubin()).isEqualTo(first.cubin());
        assertThat(second.usages()).isEqualTo(first.usages());
        progress.clear();
        compile(Architecture.SM_86, Kernels.twice("twice"));
        compile(Architecture.SM_80, Kernels.twice("twice"), Kernels.twice("again"));
        assertThat(progress)
                .containsExactly(
                        "loading NVRTC",
                        "compiling 1 kernel for sm_86",
                        "loading NVRTC",
                        "compiling 2 kernels for sm_80");
    }

    @Test
    void compilesAgainWhatWasDamaged() throws IOException {
        ByteBuffer whole = compile(Architecture.SM_80, Kernels.twice("twice")).cubin();
        try (Stream<Path> files = Files.list(folder.resolve("cubins"))) {
            Path file = files.findFirst().orElseThrow();
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] ^= 1;
            Files.write(file, bytes);
        }
        progress.clear();
        assertThat(compile(Architecture.SM_80, Kernels.twice("twice")).cubin()).isEqualTo(whole);
        assertThat(progress).contains("compiling 1 kernel for sm_80");
    }

    @Test
    void compilesWithoutACache() throws IOException {
        Files.writeString(folder.resolve("cubins"), "no folder");
        assertThat(compile(Architecture.SM_80, Kernels.twice("twice")).usages()).hasSize(1);
        assertThat(progress).anyMatch(line -> line.startsWith("kernels are compiled anew each time"));
    }

    @Test
    void leadsAnErrorToItsKernelAndModelLine() {
        KernelSource wrong = Kernels.of("wrong", "", "", "    x->missing();", "gpt.model:21:5");
        List<Problem> problems = problems(Kernels.twice("twice"), wrong, Kernels.twice("again"));
        assertThat(problems).singleElement().satisfies(problem -> {
            assertThat(problem.symbol()).isEqualTo("wrong");
            assertThat(problem.location()).isEqualTo("gpt.model:21:5");
            // Three lines of the first kernel, an empty one before each kernel.
            assertThat(problem.message()).startsWith("kernels.cu:7: ");
            assertThat(problem.toString()).startsWith("kernel wrong (gpt.model:21:5): kernels.cu:7: ");
        });
    }

    @Test
    void leadsWhatTheAssemblerRefusesToItsKernel() {
        KernelSource wrong = Kernels.of("wrong", "asm volatile(\"frobnicate.b32 %0;\" :: \"r\"(1));");
        List<Problem> problems = problems(Kernels.twice("twice"), wrong, Kernels.twice("again"));
        assertThat(problems).singleElement().satisfies(problem -> {
            assertThat(problem.symbol()).isEqualTo("wrong");
            assertThat(problem.message()).contains("frobnicate");
        });
    }

    @Test
    void namesTheKernelThatDeclaresTooMuchSharedMemory() {
        String body = "__shared__ float s[%d]; s[threadIdx.x] = x[0]; __syncthreads(); x[1] = s[int(x[2])];";
        assertThat(problems(Kernels.of("fits", body.formatted(12288)), Kernels.of("large", body.formatted(12289))))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.symbol()).isEqualTo("large");
                    assertThat(problem.message()).contains("49156").contains("49152");
                });
    }

    @Test
    void keepsNothingThatFailed() {
        KernelSource wrong = Kernels.of("wrong", "x->missing();");
        assertThat(problems(wrong)).isNotEmpty();
        assertThat(folder.resolve("cubins")).isEmptyDirectory();
    }
}
