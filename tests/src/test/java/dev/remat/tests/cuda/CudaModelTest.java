package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.ir.DType;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.tests.samples.SampleModel;
import dev.remat.tests.samples.SampleModels;
import dev.remat.tests.steps.AllCases;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Whole training steps of samples that have every kind, of all if asked for, through emitted kernels, launch by launch
 * over one arena, on the CPU.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class CudaModelTest {
    private static final List<String> EVERY_KIND =
            List.of("ddpm", "gpt", "llama", "lstm", "transformer-encdec", "unet");

    static final List<SampleModel> SAMPLES = SampleModels.ALL.stream()
            .filter(sample -> AllCases.asked() || EVERY_KIND.contains(sample.name()))
            .toList();

    private static final Architecture ARCHITECTURE = Architecture.SM_80;
    private static final List<String> STRATEGIES = List.of("keep-all", "sqrt", "segments=3");
    private static final int STEPS = 2;
    /** Of the distance between f32 and f64 on the CPU, which tells how much the model amplifies rounding. */
    private static final double SENSITIVITY = 20;

    private static final int UNITS = 8;

    /** One plan of a sample and its kernels. */
    private record Built(Compilation compilation, KernelProgram program) {}

    private static final Map<SampleModel, List<Built>> BUILT = new LinkedHashMap<>();
    private static ShimPool pool;

    @BeforeAll
    static void compileAllKernelsAtOnce() {
        List<KernelSource> kernels = new ArrayList<>();
        for (SampleModel sample : SAMPLES) {
            List<Built> plans = new ArrayList<>();
            for (String strategy : STRATEGIES) {
                Compilation compilation =
                        compile(sample, CompileOptions.defaults().withStrategy(strategy), new CudaTarget(ARCHITECTURE));
                KernelProgram program = CudaCodegen.generate(compilation.plan(), ARCHITECTURE, CodegenOptions.DEFAULT);
                kernels.addAll(program.kernels());
                plans.add(new Built(compilation, program));
            }
            BUILT.put(sample, plans);
        }
        pool = new ShimPool(kernels, UNITS, KernelBuild.PLAIN);
    }

    private static Compilation compile(SampleModel sample, CompileOptions options, TargetModel target) {
        return new Compiler(target, new RooflineCost(target.device())).compile(sample.tinyModel(), options);
    }

    private static TrainingTrace train(Built built, ShimOrder order, Poison poison) {
        return pool.with(library -> {
            try (ShimExecutable executable =
                    new ShimExecutable(built.compilation.plan(), built.program, library, order, poison)) {
                return TrainingTrace.of(executable, STEPS);
            }
        });
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void everyPlanAndOrderGivesTheSameBits(SampleModel sample) {
        List<Built> plans = BUILT.get(sample);
        TrainingTrace kept = train(plans.getFirst(), ShimOrder.FORWARD, Poison.ONES);
        List<ShimOrder> orders = List.of(ShimOrder.BACKWARD, ShimOrder.shuffled(1), ShimOrder.shuffled(2));
        for (int i = 0; i < plans.size(); i++) {
            TrainingTrace other = train(plans.get(i), orders.get(i), Poison.QUIET);
            assertThat(other.losses()).as(STRATEGIES.get(i)).isEqualTo(kept.losses());
            assertThat(other.hash()).as(STRATEGIES.get(i)).isEqualTo(kept.hash());
        }
        assertThat(plans.get(1).compilation.evaluation().recomputations()
                        + plans.get(2).compilation.evaluation().recomputations())
                .isPositive();
        CpuTraining.expectNear(sample.tinyModel(), DType.F64, SENSITIVITY, 0, kept);
    }

    @AfterAll
    static void everyKernelWasExecuted() {
        TreeSet<String> emitted = new TreeSet<>();
        BUILT.values()
                .forEach(plans -> plans.forEach(
                        built -> built.program.kernels().forEach(kernel -> emitted.add(kernel.symbol()))));
        assertThat(pool.executed()).isEqualTo(emitted);
    }
}
