package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.Executable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.runtime.train.GradientEvaluation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every function of f32 and its gradient at numbers of every exponent and both signs, held to doubles. */
class EveryExponentTest {
    /** Of a slope, or of 1 where it is less: it may be a difference of numbers near 1. */
    private static final double SLOPE_ERROR = 6e-7;

    private static final float[] POINTS = points();

    private static float[] points() {
        List<Float> points =
                new ArrayList<>(List.of(0f, -0f, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN));
        for (int exponent = -149; exponent <= 127; exponent++) {
            for (float mantissa : new float[] {1, 1.28f, 1.71f}) {
                float x = Math.scalb(mantissa, exponent);
                points.add(x);
                points.add(-x);
            }
        }
        float[] all = new float[points.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = points.get(i);
        }
        return all;
    }

    private static ExecutionPlan plan(TargetModel target) {
        StringBuilder body = new StringBuilder();
        List<String> sums = new ArrayList<>();
        List<String> outputs = new ArrayList<>();
        for (int i = 0; i < RealFunction.ALL.size(); i++) {
            body.append("param x%d: f32[%d] = zeros\n".formatted(i, POINTS.length));
            body.append("y%d = %s\n".formatted(i, RealFunction.ALL.get(i).text().replaceAll("\\bx\\b", "x" + i)));
            sums.add("sum(y" + i + ")");
            outputs.add("y" + i);
        }
        String text = "remat 1\nmodel Functions {\n" + body + "loss = " + String.join(" + ", sums) + "\noutput "
                + String.join(", ", outputs) + "\n}\ntrain { minimize loss; optimizer sgd(lr = 0.1) }\n";
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(
                        Elaborator.elaborate(
                                ModelParser.parse(new Source("functions.model", text), IncludeResolver.NONE),
                                Bindings.NONE,
                                Purpose.GRADIENTS),
                        CompileOptions.defaults().withStrategy("keep-all"))
                .plan();
    }

    private static Map<String, float[]> run(Executable executable) {
        GradientEvaluation evaluation = new GradientEvaluation(executable);
        List<StoredTensor> given = new ArrayList<>();
        for (int i = 0; i < RealFunction.ALL.size(); i++) {
            given.add(new StoredTensor(
                    "x" + i, StoredType.F32, List.of((long) POINTS.length), MemorySegment.ofArray(POINTS)));
        }
        evaluation.load(given);
        evaluation.run(1);
        Map<String, float[]> outputs = new HashMap<>();
        for (StoredTensor output : evaluation.outputs()) {
            outputs.put(output.name(), output.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED));
        }
        return outputs;
    }

    private static void check(Map<String, float[]> outputs) {
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < RealFunction.ALL.size(); i++) {
            RealFunction function = RealFunction.ALL.get(i);
            float[] values = outputs.get("y" + i);
            // What is constant piece by piece has no gradient.
            float[] slopes = outputs.getOrDefault("grad.x" + i, new float[POINTS.length]);
            for (int k = 0; k < POINTS.length; k++) {
                double value = function.value().applyAsDouble(POINTS[k]);
                // Of an infinity a reference may be 0 times infinity.
                boolean hasValue = !Double.isNaN(value) || !Float.isInfinite(POINTS[k]);
                if (hasValue && !isNear(values[k], value, function.error(POINTS[k], value))) {
                    wrong.add(function.text() + " at " + POINTS[k] + " is " + values[k] + ", not " + value);
                }
                double slope = function.slope().applyAsDouble(POINTS[k]);
                boolean hasSlope = !Float.isNaN((float) value) && !Float.isInfinite((float) value);
                if (hasSlope && !isNear(slopes[k], slope, SLOPE_ERROR * Math.max(1, Math.abs(slope)))) {
                    wrong.add(
                            "slope of " + function.text() + " at " + POINTS[k] + " is " + slopes[k] + ", not " + slope);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static boolean isNear(float found, double expected, double error) {
        return Float.compare(found, (float) expected) == 0 || Math.abs(found - expected) <= error;
    }

    @Test
    void onTheCpu() {
        try (CpuExecutable executable = new CpuExecutable(plan(new CpuTarget()), new CpuExecutable.Options(1, false))) {
            check(run(executable));
        }
    }

    @Test
    @Tag("slow")
    void byKernelsForGpus() {
        ExecutionPlan plan = plan(new CudaTarget(Architecture.SM_80));
        KernelProgram program = CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
        ShimPool pool = new ShimPool(program.kernels(), 1, KernelBuild.PLAIN);
        check(pool.with(library -> {
            try (ShimExecutable executable =
                    new ShimExecutable(plan, program, library, ShimOrder.FORWARD, Poison.QUIET)) {
                return run(executable);
            }
        }));
    }
}
