package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.codegen.cuda.target.TilePolicy;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.DType;
import dev.remat.ir.target.RooflineCost;
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
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Training steps in bf16 with products and attention on tensor cores: what people train with. Rows as long as those of
 * GPT-2, tiles of every large kind, and more classes than a block of threads holds.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class MixedPrecisionTest {
    private static final Architecture ARCHITECTURE = Architecture.SM_90A;
    private static final List<String> STRATEGIES = List.of("keep-all", "segments=3");
    /** Two ways of rounding lie this much further apart than either lies from the exact numbers. */
    private static final double SENSITIVITY = 2;

    /** Of a bias of some hundred elements, when few of them change their sign. */
    private static final double TURNED = 0.15;

    private static final int UNITS = 4;

    /**
     * A model and how its products are computed.
     *
     * @param tile that every product takes; empty for the fastest
     * @param steps of training
     */
    record Row(String model, String settings, String tile, int steps) {
        ElaboratedModel elaborated() {
            return SampleModels.of(model).sized(settings).withPrecision(DType.BF16);
        }

        CodegenOptions options() {
            return new CodegenOptions(true, false, new TilePolicy(tile));
        }

        @Override
        public String toString() {
            return model + " " + settings + " " + tile;
        }
    }

    private static final String WIDE = "B=1,T=33,width=768,depth=1,heads=12,vocab=4104,context=64";

    private static final List<Row> ROWS =
            List.of(new Row("resnet", "B=2,layers=14,classes=10,width=16,image=32", "", 2));

    private static final List<Row> OTHERS = List.of(
            new Row("gpt", WIDE, "tensor_128x256", 1),
            new Row("gpt", WIDE, "warpgroup_128x256", 1),
            new Row("gpt", "B=2,T=64,width=128,depth=2,heads=2", "", 2),
            new Row("unet", "B=2,classes=3,width=8,image=16,pad=1", "", 1),
            new Row("gpt", "B=1,T=40,width=768,depth=1,heads=12,context=64", "tensor_128x128", 1),
            new Row("densenet", "B=2,layers=21,classes=3,growth=8,image=32", "", 1));

    static List<Row> rows() {
        List<Row> rows = new ArrayList<>(ROWS);
        rows.addAll(AllCases.asked() ? OTHERS : List.of());
        return rows;
    }

    private record Built(Compilation compilation, KernelProgram program) {}

    private static final Map<Row, List<Built>> BUILT = new LinkedHashMap<>();
    private static ShimPool pool;

    @BeforeAll
    static void compileAllKernelsAtOnce() {
        CudaTarget target = new CudaTarget(ARCHITECTURE);
        List<KernelSource> kernels = new ArrayList<>();
        for (Row row : rows()) {
            List<Built> plans = new ArrayList<>();
            for (String strategy : STRATEGIES) {
                Compilation compilation = new Compiler(target, new RooflineCost(target.device()))
                        .compile(row.elaborated(), CompileOptions.defaults().withStrategy(strategy));
                KernelProgram program = CudaCodegen.generate(compilation.plan(), ARCHITECTURE, row.options());
                kernels.addAll(program.kernels());
                plans.add(new Built(compilation, program));
            }
            BUILT.put(row, plans);
        }
        pool = new ShimPool(kernels, UNITS, KernelBuild.FAST);
    }

    private static TrainingTrace train(Built built, int steps, ShimOrder order, Poison poison) {
        return pool.with(library -> {
            try (ShimExecutable executable =
                    new ShimExecutable(built.compilation.plan(), built.program, library, order, poison)) {
                return TrainingTrace.of(executable, steps);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("rows")
    void bothPlansGiveTheSameBitsNearThoseOfTheCpu(Row row) {
        Built kept = BUILT.get(row).getFirst();
        Built recomputed = BUILT.get(row).getLast();
        assertThat(kept.program.kernels())
                .extracting(KernelSource::symbol)
                .anyMatch(symbol -> symbol.startsWith("gemm_tensor") || symbol.startsWith("gemm_warpgroup"))
                .noneMatch(symbol -> symbol.startsWith("gemm_plain"));
        assertThat(recomputed.compilation.evaluation().recomputations()).isPositive();
        TrainingTrace forward = train(kept, row.steps, ShimOrder.FORWARD, Poison.ONES);
        TrainingTrace shuffled = train(recomputed, row.steps, ShimOrder.shuffled(1), Poison.QUIET);
        assertThat(shuffled.losses()).isEqualTo(forward.losses());
        assertThat(shuffled.hash()).isEqualTo(forward.hash());
        CpuTraining.expectNear(row.elaborated(), DType.F32, SENSITIVITY, TURNED, forward);
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
