package dev.remat.ir.op;

import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;
import org.junit.jupiter.api.Test;

class LearningRateScheduleTest {
    @Test
    void warmupRisesInEqualSteps() {
        LearningRateSchedule schedule = new LearningRateSchedule.Warmup(0.8, 4);
        assertThat(schedule.at(1)).isEqualTo(0.2);
        assertThat(schedule.at(4)).isEqualTo(0.8);
        assertThat(schedule.at(1000)).isEqualTo(0.8);
        assertThat(new LearningRateSchedule.Warmup(0.8, 0).at(1)).isEqualTo(0.8);
    }

    @Test
    void linearFallsToItsFloor() {
        LearningRateSchedule schedule = new LearningRateSchedule.Linear(1, 10, 110, 0.2);
        assertThat(schedule.at(5)).isEqualTo(0.5);
        assertThat(schedule.at(10)).isEqualTo(1);
        assertThat(schedule.at(60)).isCloseTo(0.6, within(1e-15));
        assertThat(schedule.at(110)).isCloseTo(0.2, within(1e-15));
        assertThat(schedule.at(500)).isCloseTo(0.2, within(1e-15));
    }

    @Test
    void cosineFallsToItsFloor() {
        LearningRateSchedule schedule = new LearningRateSchedule.Cosine(1, 10, 110, 0.2);
        assertThat(schedule.at(5)).isEqualTo(0.5);
        assertThat(schedule.at(10)).isEqualTo(1);
        // A third of the way the cosine of 60° is 1/2, so that three quarters are left.
        assertThat(new LearningRateSchedule.Cosine(1, 0, 3, 0).at(1)).isCloseTo(0.75, within(1e-15));
        assertThat(schedule.at(60)).isCloseTo(0.6, within(1e-15));
        assertThat(schedule.at(110)).isEqualTo(0.2);
        assertThat(schedule.at(500)).isEqualTo(0.2);
    }

    @Test
    void stepsFallAfterEachPeriod() {
        LearningRateSchedule schedule = new LearningRateSchedule.Steps(1, 0, 3, 0.5);
        assertThat(schedule.at(3)).isEqualTo(1);
        assertThat(schedule.at(4)).isEqualTo(0.5);
        assertThat(schedule.at(7)).isEqualTo(0.25);
    }

    /** The rates of steps 1, 2, … are to be {@code expected}. */
    private static void follows(LearningRateSchedule schedule, double... expected) {
        for (int i = 0; i < expected.length; i++) {
            assertThat(schedule.at(i + 1)).as("step %d", i + 1).isCloseTo(expected[i], within(1e-12));
        }
    }

    /** MultiStepLR(milestones=[3, 6], gamma=0.1) and ExponentialLR(gamma=0.9) of PyTorch 2.13 from 0.5. */
    @Test
    void milestonesAndPowersFallAsInPyTorch() {
        follows(
                new LearningRateSchedule.Milestones(0.5, 0, List.of(6, 3), 0.1),
                0.5,
                0.5,
                0.5,
                0.05,
                0.05,
                0.05,
                0.005,
                0.005);
        follows(new LearningRateSchedule.Exponential(0.5, 0, 0.9), 0.5, 0.45, 0.405, 0.3645, 0.32805);
        follows(new LearningRateSchedule.Milestones(0.5, 2, List.of(2), 0.1), 0.25, 0.5, 0.05);
    }

    /** PolynomialLR(total_iters=8, power=2) of PyTorch 2.13 from 0.5, after its first scheduler step. */
    @Test
    void polynomialFallsAsInPyTorchOneStepLater() {
        follows(
                new LearningRateSchedule.Polynomial(0.5, 0, 8, 2, 0),
                0.3828125,
                0.28125,
                0.1953125,
                0.125,
                0.0703125,
                0.03125,
                0.0078125,
                0,
                0);
        follows(new LearningRateSchedule.Polynomial(1, 2, 6, 1, 0.5), 0.5, 1, 0.875, 0.75, 0.625, 0.5, 0.5);
    }

    @Test
    void inverseSquareRootHalvesInFourTimesTheSteps() {
        LearningRateSchedule schedule = new LearningRateSchedule.InverseSquareRoot(0.8, 4);
        assertThat(schedule.at(1)).isEqualTo(0.2);
        assertThat(schedule.at(4)).isEqualTo(0.8);
        assertThat(schedule.at(16)).isEqualTo(0.4);
        assertThat(schedule.at(64)).isEqualTo(0.2);
    }

    /** OneCycleLR(0.5, total_steps=10), and with pct_start=0.4, linear, 10 and 100, of PyTorch 2.13. */
    @Test
    void oneCycleRisesAndFallsAsInPyTorch() {
        follows(
                new LearningRateSchedule.OneCycle(0.5, 10, 0.3, 25, 1e4, true),
                0.02,
                0.26,
                0.5,
                0.47524231600673683,
                0.40587282697488153,
                0.30563101096814466,
                0.19437098903185537,
                0.09412917302511849,
                0.024759683993263143,
                2e-6,
                2e-6);
        follows(
                new LearningRateSchedule.OneCycle(0.5, 10, 0.4, 10, 100, false),
                0.05,
                0.2,
                0.35,
                0.5,
                0.41675,
                0.3335,
                0.25025,
                0.167,
                0.08375,
                0.0005);
    }

    @Test
    void refusesSchedulesThatRise() {
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.Cosine(0.1, 0, 10, 0.2));
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.Linear(0.1, 20, 10, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.Constant(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.Steps(1, 0, 0, 0.5));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LearningRateSchedule.Milestones(1, 0, List.of(), 0.5));
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.Exponential(1, 0, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.Polynomial(1, 0, 9, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.InverseSquareRoot(1, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LearningRateSchedule.OneCycle(1, 10, 1.5, 25, 1e4, true));
    }

    @Test
    void learningRateIsAScalar() {
        Op op = new LearningRate(new LearningRateSchedule.Constant(0.1));
        assertThat(infer(op, i64())).isEqualTo(TensorType.scalar(DType.F64));
        assertThatThrownBy(() -> infer(op, f32())).isInstanceOf(ShapeException.class);
    }
}
