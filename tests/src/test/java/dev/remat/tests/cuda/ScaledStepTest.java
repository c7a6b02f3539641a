package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.reference.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Steps of which some overflow, through emitted kernels on the CPU. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class ScaledStepTest {
    private static final int STEPS = 14;
    private static final List<String> STATES =
            List.of("optimizer.step", "optimizer.loss_scale", "optimizer.growth_tracker");
    static final List<String> OPTIMIZERS = List.of(
            "adamw(lr = 0.01, clip_norm = 1.0)",
            "adafactor(lr = 0.01, clip_norm = 1.0)",
            "adafactor()",
            "nadam(lr = 0.01)");
    private static final List<String> STRATEGIES = List.of("keep-all", "sqrt");

    private static final int UNITS = 2;

    /** One plan of a step and its kernels. */
    private record Built(ExecutionPlan plan, KernelProgram program) {}

    private static final Map<String, List<Built>> BUILT = new LinkedHashMap<>();
    private static ShimPool pool;

    @BeforeAll
    static void compileAllKernelsAtOnce() {
        List<KernelSource> kernels = new ArrayList<>();
        for (String optimizer : OPTIMIZERS) {
            List<Built> plans = new ArrayList<>();
            for (String strategy : STRATEGIES) {
                ExecutionPlan plan = compile(optimizer, strategy, new CudaTarget(Architecture.SM_80))
                        .plan();
                KernelProgram program = CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
                kernels.addAll(program.kernels());
                plans.add(new Built(plan, program));
            }
            BUILT.put(optimizer, plans);
        }
        pool = new ShimPool(kernels, UNITS, KernelBuild.WATCHED);
    }

    private static Compilation compile(String optimizer, String strategy, TargetModel target) {
        String text = """
            remat 1

            model Narrow {
              input x: f32[64, 32]
              h = x
              repeat 3 { h = h + dropout(h |> linear(32) |> gelu, 0.1) }
              loss = mean(h ** 2)
            }

            train {
              minimize loss
              optimizer %s
              precision f16
              loss_scale dynamic(init_scale = 268435456.0, growth_interval = 3)
              average ema(decay = 0.5)
            }
            """.formatted(optimizer);
        ElaboratedModel model = Elaborator.elaborate(
                ModelParser.parse(new Source("narrow.model", text), IncludeResolver.NONE),
                Bindings.NONE,
                Purpose.TRAIN);
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(model, CompileOptions.defaults().withStrategy(strategy));
    }

    private static TrainingTrace onShim(Built built, ShimOrder order) {
        return pool.with(library -> {
            try (ShimExecutable executable =
                    new ShimExecutable(built.plan, built.program, library, order, Poison.QUIET)) {
                return TrainingTrace.of(executable, STEPS);
            }
        });
    }

    private static TrainingTrace onCpu(String optimizer) {
        Compilation compilation = compile(optimizer, "keep-all", new CpuTarget());
        try (CpuExecutable executable = new CpuExecutable(compilation.plan(), new CpuExecutable.Options(1, false))) {
            return TrainingTrace.of(executable, STEPS);
        }
    }

    @ParameterizedTest
    @FieldSource("OPTIMIZERS")
    void skipTheSameStepsAsTheCpuAndLeaveTheSameBitsByEveryPlan(String optimizer) {
        TrainingTrace expected = onCpu(optimizer);
        TrainingTrace actual = onShim(BUILT.get(optimizer).getFirst(), ShimOrder.FORWARD);
        double updates = expected.state().getLast().get("optimizer.step").scalar();
        assertThat(updates).isBetween(1.0, STEPS - 1.0);
        for (int step = 0; step < STEPS; step++) {
            Map<String, Tensor> want = expected.state().get(step);
            Map<String, Tensor> got = actual.state().get(step);
            for (String name : STATES) {
                assertThat(got.get(name).scalar())
                        .as(name + " of step " + step)
                        .isEqualTo(want.get(name).scalar());
            }
            assertThat(actual.losses().get(step)).isCloseTo(expected.losses().get(step), within(1e-2));
            if (step > 0 && counter(actual, step) == counter(actual, step - 1)) {
                Map<String, Tensor> before = actual.state().get(step - 1);
                got.forEach((name, tensor) -> {
                    if (!STATES.contains(name)) {
                        assertThat(tensor.data())
                                .as(name)
                                .isEqualTo(before.get(name).data());
                    }
                });
            }
        }
        assertThat(onShim(BUILT.get(optimizer).getLast(), ShimOrder.shuffled(3)).hash())
                .isEqualTo(actual.hash());
    }

    private static double counter(TrainingTrace trace, int step) {
        return trace.state().get(step).get("optimizer.step").scalar();
    }
}
