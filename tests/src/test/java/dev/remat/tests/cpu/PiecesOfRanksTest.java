package dev.remat.tests.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.Op;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.SingleStep;
import dev.remat.tests.steps.StepSample;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What ranks have computed is added in the order of micro-batches. */
class PiecesOfRanksTest {
    private static List<Tensor> run(Op op, Tensor... operands) {
        SingleStep step = SingleStep.of(StepSample.of(op, List.of(operands)), new CpuTarget());
        try (CpuExecutable executable = new CpuExecutable(step.plan(), new CpuExecutable.Options(2, false))) {
            return step.run(executable, 1);
        }
    }

    private static Tensor f32(double... values) {
        return Tensor.of(TensorType.of(DType.F32, values.length), values);
    }

    private static Tensor number(int microBatch) {
        return Tensor.of(TensorType.scalar(DType.I64), microBatch);
    }

    /** 2^24 and two ones: from the left each is lost, and in another order they are not. */
    @Test
    void fromTheLeft() {
        double large = 1 << 24;
        Tensor pieces = Tensor.of(TensorType.of(DType.F32, 3, 2), large, 1, 1, 1, 1, large);
        for (int microBatch = 0; microBatch < 3; microBatch++) {
            assertThat(run(new Accumulate(), f32(Double.NaN, Double.NaN), pieces, number(microBatch))
                            .getFirst()
                            .data())
                    .as("micro-batch %d of the first round", microBatch)
                    .containsExactly(large, large + 2);
        }
        assertThat(run(new Accumulate(), f32(-large, 1), pieces, number(3))
                        .getFirst()
                        .data())
                .containsExactly(2, large + 4);
    }

    /** Each piece is widened, and then added. */
    @Test
    void narrowPiecesAreAddedInF32() {
        Tensor pieces = Tensor.of(TensorType.of(DType.BF16, 2, 2), 256, 1, 1, 0.0078125);
        assertThat(run(new Accumulate(), f32(0, 0), pieces, number(0))
                        .getFirst()
                        .data())
                .containsExactly(257, 1.0078125);
    }

    /** Of 1 and 3, then of 5 and 7: means 2 and 6, deviations of 1 within, of 2 between. */
    @Test
    void statisticsAreThoseOfAllSamples() {
        Tensor means = Tensor.of(TensorType.of(DType.F32, 2, 1), 2, 6);
        Tensor variances = Tensor.of(TensorType.of(DType.F32, 2, 1), 1, 1);
        List<Tensor> first =
                run(new CombineStatistics(), f32(Double.NaN), f32(Double.NaN), means, variances, number(1));
        assertThat(first.getFirst().data()).containsExactly(4);
        assertThat(first.getLast().data()).containsExactly(5);
        List<Tensor> again = run(new CombineStatistics(), f32(4), f32(5), means, variances, number(2));
        assertThat(again.getFirst().data()).containsExactly(4);
        assertThat(again.getLast().data()).containsExactly(5);
    }
}
