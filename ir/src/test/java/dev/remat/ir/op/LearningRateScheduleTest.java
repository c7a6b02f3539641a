package dev.remat.ir.op;

import static dev.remat.ir.op.Types.f32;
import static dev.remat.ir.op.Types.i64;
import static dev.remat.ir.op.Types.infer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

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

    @Test
    void refusesSchedulesThatRise() {
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.Cosine(0.1, 0, 10, 0.2));
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.Linear(0.1, 20, 10, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.Constant(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> new LearningRateSchedule.Steps(1, 0, 0, 0.5));
    }

    @Test
    void learningRateIsAScalar() {
        Op op = new LearningRate(new LearningRateSchedule.Constant(0.1));
        assertThat(infer(op, i64())).isEqualTo(f32());
        assertThatThrownBy(() -> infer(op, f32())).isInstanceOf(ShapeException.class);
    }
}
