package dev.remat.tests.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.OpCases;
import dev.remat.tests.steps.RangeCases;
import dev.remat.tests.steps.SingleStep;
import dev.remat.tests.steps.SumCases;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kernel of the CPU against the plain loops of the reference. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class CpuOpTest {
    /** What may be computed in the place of an operand is the same there. */
    private static List<Tensor> run(OpCase sample, int threads) {
        List<Tensor> apart = run(SingleStep.of(sample.sample(), new CpuTarget()), threads);
        List<Tensor> inPlace = run(SingleStep.beforePages(sample.sample(), new CpuTarget()), threads);
        assertThat(inPlace.stream().map(Tensor::data).toArray())
                .as(sample.toString())
                .isEqualTo(apart.stream().map(Tensor::data).toArray());
        return apart;
    }

    private static List<Tensor> run(SingleStep step, int threads) {
        try (CpuExecutable executable = new CpuExecutable(step.plan(), new CpuExecutable.Options(threads, false))) {
            return step.run(executable);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F64", "F32", "BF16", "F16"})
    void agreesOnTheExamplesOfEveryOperation(DType dtype) {
        OpCases.examples(dtype).forEach(sample -> sample.check(run(sample, 3)));
    }

    static List<OpCase> larger() {
        List<OpCase> cases = new ArrayList<>();
        for (DType dtype : List.of(DType.F32, DType.F64, DType.BF16)) {
            cases.addAll(OpCases.larger(dtype));
            cases.addAll(OpCases.normalizations(dtype));
            cases.addAll(OpCases.aligned(dtype));
            cases.addAll(OpCases.labelled(dtype));
            cases.addAll(SumCases.lists(dtype));
            cases.addAll(SumCases.frequent(dtype));
            cases.addAll(RangeCases.all(dtype));
        }
        cases.addAll(OpCases.edges());
        cases.add(OpCases.manyClasses(DType.F32, false));
        cases.add(OpCases.manyClasses(DType.F32, true));
        cases.add(OpCases.manyClasses(DType.F64, false));
        cases.add(OpCases.manyClasses(DType.F64, true));
        return cases;
    }

    @ParameterizedTest
    @MethodSource("larger")
    void agreesOnLargerShapes(OpCase sample) {
        sample.check(run(sample, 3));
    }

    static Stream<OpCase> singlePrecision() {
        return OpCases.larger(DType.F32).stream();
    }

    @ParameterizedTest
    @MethodSource("singlePrecision")
    void bitsDoNotDependOnThreads(OpCase sample) {
        List<Tensor> alone = run(sample, 1);
        List<Tensor> together = run(sample, 5);
        for (int r = 0; r < alone.size(); r++) {
            assertThat(together.get(r).data()).isEqualTo(alone.get(r).data());
        }
    }
}
