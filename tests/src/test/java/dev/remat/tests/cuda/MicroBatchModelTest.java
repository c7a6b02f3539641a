package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.Section;
import dev.remat.ir.target.RooflineCost;
import dev.remat.tests.promises.TrialRun;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Training steps that run in rounds, or layer by layer, through emitted kernels: near those of the CPU, the same bits
 * by each plan.
 */
@Tag("slow")
class MicroBatchModelTest {
    private static final Architecture ARCHITECTURE = Architecture.SM_80;
    private static final List<String> STRATEGIES = List.of("keep-all", "segments=3");
    private static final int STEPS = 3;
    private static final int UNITS = 4;

    /**
     * A model whose batch is cut, and how near to the CPU it has to stay: as {@link CudaModelTest} has it in f32, and
     * {@link MixedPrecisionTest} in 16 bits.
     *
     * @param rounds of each section, in order
     */
    record Row(String sample, String settings, DType precision, List<Integer> rounds) {
        ElaboratedModel elaborated() {
            int microBatches = rounds.stream().max(Integer::compare).orElseThrow();
            return TrialRun.cut(text(), settings, Purpose.TRAIN, microBatches, precision);
        }

        /** With what micro-batches add up in three ways: gradients, counts and statistics. */
        boolean goesByLayers() {
            return List.of("gpt", "resnet-cifar").contains(sample);
        }

        private String text() {
            try {
                String text = TrialRun.sample(sample);
                return precision == DType.F16 ? text.replace("precision f32", "loss_scale dynamic") : text;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void expectNearCpu(TrainingTrace trace) {
            if (precision == DType.F32) {
                CpuTraining.expectNear(elaborated(), DType.F64, 20, 0, trace);
            } else {
                CpuTraining.expectNear(elaborated(), DType.F32, 2, 0.15, trace);
            }
        }
    }

    private static final String GPT = "B=4,T=5,vocab=11,width=8,depth=2,heads=2,context=8";

    static final List<Row> ROWS = List.of(
            new Row("gpt", GPT, DType.F32, List.of(2, 2, 1)),
            new Row("gpt", GPT, DType.BF16, List.of(4, 4, 1)),
            new Row(
                    "bert",
                    "B=4,T=5,vocab=11,width=8,depth=2,heads=2,hidden=12,context=8,sentences=3",
                    DType.F32,
                    List.of(2, 2, 1)),
            new Row("dcgan", "B=4,channels=1,noise=3,width=1", DType.F32, List.of(2, 1)),
            new Row("mlp", "B=8,features=6,width=8,depth=4,classes=3", DType.F16, List.of(4, 4, 1)),
            new Row("resnet-cifar", "B=4,depth=11,classes=3,width=2,image=8", DType.F32, List.of(2, 2, 1)));

    private record Built(ExecutionPlan plan, KernelProgram program) {}

    private static final Map<Row, List<Built>> BUILT = new LinkedHashMap<>();
    private static ShimPool pool;

    private static ExecutionPlan plan(Row row, String strategy) {
        return plan(row.elaborated(), strategy);
    }

    private static ExecutionPlan plan(ElaboratedModel model, String strategy) {
        CudaTarget target = new CudaTarget(ARCHITECTURE);
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(model, CompileOptions.defaults().withStrategy(strategy))
                .plan();
    }

    @BeforeAll
    static void compileAllKernelsAtOnce() {
        List<KernelSource> kernels = new ArrayList<>();
        for (Row row : ROWS) {
            List<Built> plans = new ArrayList<>();
            List<ExecutionPlan> compiled = new ArrayList<>();
            STRATEGIES.forEach(strategy -> compiled.add(plan(row, strategy)));
            if (row.goesByLayers()) {
                compiled.add(plan(row.elaborated().with(MicroBatchOrder.BREADTH), STRATEGIES.getLast()));
            }
            for (ExecutionPlan plan : compiled) {
                KernelProgram program = CudaCodegen.generate(plan, ARCHITECTURE, CodegenOptions.DEFAULT);
                kernels.addAll(program.kernels());
                plans.add(new Built(plan, program));
            }
            BUILT.put(row, plans);
        }
        pool = new ShimPool(kernels, UNITS, KernelBuild.PLAIN);
    }

    /** Twice as many micro-batches of as many rows: other numbers in the plan, and nothing more. */
    @Test
    void plansAndLaunchesDoNotGrowWithTheNumberOfMicroBatches() throws IOException {
        ExecutionPlan four = plan(new Row("gpt", GPT.replace("B=4", "B=8"), DType.F32, List.of(4)), "sqrt");
        ExecutionPlan eight = plan(new Row("gpt", GPT.replace("B=4", "B=16"), DType.F32, List.of(8)), "sqrt");
        assertThat(eight.microBatches()).isEqualTo(2 * four.microBatches());
        assertThat(eight.arenaBytes()).isEqualTo(four.arenaBytes());
        assertThat(withoutNumbers(eight)).isEqualTo(withoutNumbers(four));
        KernelProgram ofFour = CudaCodegen.generate(four, ARCHITECTURE, CodegenOptions.DEFAULT);
        KernelProgram ofEight = CudaCodegen.generate(eight, ARCHITECTURE, CodegenOptions.DEFAULT);
        assertThat(ofEight.kernels()).hasSameSizeAs(ofFour.kernels());
        assertThat(ofEight.launches())
                .usingElementComparator(Comparator.comparing(MicroBatchModelTest::shape))
                .isEqualTo(ofFour.launches());
    }

    private static String withoutNumbers(ExecutionPlan plan) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ExecutionPlanJson.write(plan, out);
        return out.toString(StandardCharsets.UTF_8).replaceAll("-?[0-9]+(\\.[0-9]+)?(E-?[0-9]+)?", "0");
    }

    private static String shape(Launch launch) {
        return List.of(
                        launch.step(),
                        launch.kernel(),
                        launch.grid(),
                        launch.block(),
                        launch.sharedBytes(),
                        launch.arguments().size())
                .toString();
    }

    private static TrainingTrace train(Built built, ShimOrder order, Poison poison) {
        return pool.with(library -> {
            try (ShimExecutable executable = new ShimExecutable(built.plan, built.program, library, order, poison)) {
                TrainingTrace trace = TrainingTrace.of(executable, STEPS);
                assertThat(executable.highWaterBytes()).isLessThanOrEqualTo(built.plan.arenaBytes());
                return trace;
            }
        });
    }

    @ParameterizedTest
    @FieldSource("ROWS")
    void bothPlansGiveTheSameBitsNearThoseOfTheCpu(Row row) {
        Built kept = BUILT.get(row).getFirst();
        Built recomputed = BUILT.get(row).get(1);
        assertThat(kept.plan.sections()).extracting(Section::times).isEqualTo(row.rounds());
        assertThat(recomputed.plan.steps()).anyMatch(KernelStep::recomputed);
        TrainingTrace forward = train(kept, ShimOrder.FORWARD, Poison.ONES);
        TrainingTrace shuffled = train(recomputed, ShimOrder.shuffled(1), Poison.QUIET);
        assertThat(shuffled.losses()).isEqualTo(forward.losses());
        assertThat(shuffled.hash()).isEqualTo(forward.hash());
        row.expectNearCpu(forward);
        for (Built byLayers : BUILT.get(row).subList(2, BUILT.get(row).size())) {
            assertThat(byLayers.plan.isInSections()).isFalse();
            TrainingTrace backward = train(byLayers, ShimOrder.BACKWARD, Poison.QUIET);
            assertThat(backward.losses()).isEqualTo(forward.losses());
            assertThat(backward.hash()).isEqualTo(forward.hash());
        }
    }
}
