package dev.remat.compiler.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MessageLeadTest {
    /** Unit of a visit: those of a stage are numbered from 1, behind what is known of the whole batch. */
    private static int unit(Schedule schedule, int stages, int stage, Phase phase, int microBatch) {
        return 1 + schedule.orders(stages, 16).get(stage).indexOf(new Visit(stage, phase, microBatch));
    }

    private static int lead(Schedule schedule, int stages, Phase phase, int microBatch, int from, int to) {
        return MessageLead.of(schedule, stages, 16, 1)
                .of(
                        from,
                        unit(schedule, stages, from, phase, microBatch),
                        to,
                        unit(schedule, stages, to, phase, microBatch));
    }

    /** A neighbour comes to a micro-batch one visit later, and so takes it while the next is computed; and one more. */
    @Test
    void twoUnitsDoBetweenNeighbours() {
        for (Schedule schedule : new Schedule[] {Schedule.GPIPE, Schedule.ONE_F_ONE_B}) {
            for (int microBatch = 0; microBatch < 16; microBatch++) {
                assertThat(lead(schedule, 4, Phase.FORWARD, microBatch, 1, 2)).isEqualTo(2);
                assertThat(lead(schedule, 4, Phase.BACKWARD, microBatch, 2, 1)).isEqualTo(2);
            }
        }
    }

    /**
     * By hand for {@code gpipe}, whose stage s begins its forward visit k at 2 (k + s), which is its unit k + 1: what
     * stage 0 makes of micro-batch k for stage 7 may be taken in unit k + 1 - a there, from 2 (k + 7 - a) on, and has
     * to be gone in unit k + 1 + a + 1 here, which begins at 2 (k + a + 1). So 7 - a is to be a + 1 at most: 3, and one
     * more.
     */
    @Test
    void whatSkipsStagesHasLonger() {
        assertThat(lead(Schedule.GPIPE, 8, Phase.FORWARD, 8, 0, 7)).isEqualTo(4);
        assertThat(lead(Schedule.GPIPE, 8, Phase.FORWARD, 8, 0, 3)).isEqualTo(2);
        assertThat(lead(Schedule.GPIPE, 8, Phase.FORWARD, 8, 0, 4)).isEqualTo(3);
    }

    @Test
    void scalesAllAlike() {
        assertThat(MessageLead.of(Schedule.GPIPE, 8, 16, 4).of(0, 9, 7, 9)).isEqualTo(16);
    }

    /** Rows of data wait at their home from the begin, whenever they are needed. */
    @Test
    void whatIsNeededAtOnceIsTakenAtOnce() {
        assertThat(MessageLead.of(Schedule.GPIPE, 2, 16, 1).of(0, 0, 1, 0)).isEqualTo(2);
    }
}
