package dev.remat.compiler.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.sweep.MachineSweep.Way;
import org.junit.jupiter.api.Test;

class MachineSweepTest {
    /**
     * By hand: of two stages with two micro-batches each the first takes 0.6 of a micro-batch's cost and the second
     * 0.4, for then both end at 1.2: 2 × 0.6, and two thirds of 0.6 in which the second waits, and 2 × 0.4.
     */
    @Test
    void theLeastIsThatOfTheBestWayToFillAndDrainStages() {
        assertThat(new Way(1, 2, 8, Schedule.ONE_F_ONE_B).least(10)).isEqualTo(40, within(1e-9));
        assertThat(new Way(2, 1, 2, Schedule.ONE_F_ONE_B).least(10)).isEqualTo(12, within(1e-9));
        assertThat(new Way(2, 4, 8, Schedule.GPIPE).least(10)).isEqualTo(12, within(1e-9));
    }

    /** Whose stages may begin before all in front are done with a micro-batch. */
    @Test
    void partsThatOverlapAreNotTakenToWait() {
        assertThat(new Way(2, 1, 2, Schedule.ZERO_BUBBLE).least(10)).isEqualTo(10, within(1e-9));
        assertThat(new Way(2, 1, 2, Schedule.interleaved(2)).least(10)).isEqualTo(10, within(1e-9));
    }
}
