package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.RooflineCost;
import dev.remat.tests.ptx.PtxBlock;
import dev.remat.tests.ptx.PtxKernel;
import dev.remat.tests.ptx.PtxMemory;
import dev.remat.tests.ptx.PtxParser;
import dev.remat.tests.samples.SampleModels;
import dev.remat.tests.steps.AllCases;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What NVRTC makes of the kernels of whole training steps, its own {@code ptx.cuh} included, interpreted: two blocks of
 * each kernel write the same bits as the text compiled for the CPU.
 */
@Tag("slow")
class PtxKernelsTest {
    private static final Architecture ARCHITECTURE = Architecture.SM_90A;

    static List<Arguments> steps() {
        Arguments small = Arguments.of("gpt", DType.BF16, "B=1,T=24,width=64,depth=1,heads=1,vocab=136,context=64");
        return !AllCases.asked()
                ? List.of(small)
                : List.of(
                        small,
                        Arguments.of("gpt", DType.BF16, "B=1,T=40,width=384,depth=1,heads=6,vocab=4104,context=64"),
                        Arguments.of("gpt", DType.F32, "B=1,T=40,width=128,depth=1,heads=4,vocab=300,context=64"),
                        Arguments.of("resnet", DType.BF16, "B=2,layers=14,classes=10,width=16,image=32"));
    }

    @ParameterizedTest
    @MethodSource("steps")
    void writesTheBitsOfTheTextOnTheCpu(String model, DType precision, String settings) {
        CudaTarget target = new CudaTarget(ARCHITECTURE);
        ExecutionPlan plan = new Compiler(target, new RooflineCost(target.device()))
                .compile(
                        SampleModels.of(model).sized(settings).withPrecision(precision),
                        CompileOptions.defaults().withStrategy("keep-all"))
                .plan();
        KernelProgram program = CudaCodegen.generate(plan, ARCHITECTURE, new CodegenOptions(true, true));
        Map<String, PtxKernel> interpreted =
                PtxParser.parse(new CompileKernels(message -> {}).ptx(ARCHITECTURE, program.kernels()));
        ShimLibrary library = ShimLibrary.of(program.kernels(), 2);
        SequencedSet<String> seen = new TreeSet<>();
        try (ShimExecutable executable = new ShimExecutable(
                plan,
                program,
                library,
                ShimOrder.FORWARD,
                Poison.ONES,
                (kernel, launch, arena) -> seen.add(kernel.symbol())
                        ? compare(interpreted.get(kernel.symbol()), kernel, launch, arena)
                        : () -> {})) {
            TrainingTrace.of(executable, 1);
        }
        assertThat(seen).isEqualTo(new TreeSet<>(interpreted.keySet()));
    }

    /** Interprets the first block and the last; afterwards the arena must hold what they wrote. */
    private static Runnable compare(PtxKernel interpreted, KernelSource kernel, Launch launch, MemorySegment arena) {
        List<Boolean> pointers = kernel.entry().parameters().stream()
                .map(type -> type == ParameterType.POINTER)
                .toList();
        long blocks =
                (long) launch.grid().x() * launch.grid().y() * launch.grid().z();
        PtxMemory memory = PtxBlock.arena(arena);
        LongStream.of(0, blocks - 1)
                .distinct()
                .forEach(block -> PtxBlock.run(interpreted, launch, pointers, memory, block));
        return () -> {
            assertThat(memory.written()).as(kernel.symbol()).isNotEmpty();
            memory.written().forEach((offset, own) -> {
                if (arena.get(ValueLayout.JAVA_BYTE, offset) != own) {
                    throw new AssertionError("%s: byte %d is %d, by PTX %d"
                            .formatted(kernel.symbol(), offset, arena.get(ValueLayout.JAVA_BYTE, offset), own));
                }
            });
        };
    }
}
