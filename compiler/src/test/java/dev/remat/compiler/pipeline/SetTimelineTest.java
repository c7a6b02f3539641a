package dev.remat.compiler.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.pipeline.SetTimes.StageTimes;
import dev.remat.compiler.pipeline.SetTimes.Wait;
import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Exchange;
import dev.remat.compiler.pipeline.StageEvent.Receive;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.StageEvent.Send;
import dev.remat.compiler.pipeline.VisitPrograms.PartCosts;
import dev.remat.compiler.pipeline.VisitPrograms.Repeats;
import dev.remat.ir.target.Link;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SetTimelineTest {
    /** Forward 1, backward 2, repeat 1: what a simulation of its own gave when the schedules were designed. */
    @ParameterizedTest
    @CsvSource({
        "gpipe, 4,  8, 100, 33.6,  44.6, 41.6",
        "1f1b,  4,  8, 100, 34.6,  45.6, 41.6",
        "1f1b,  4,  4, 250, 23.5,  30.5, 26.5",
        "1f1b,  8, 16, 250, 79.0, 102.0, 88.5"
    })
    void early(String schedule, int stages, int microBatches, long link, double never, double late, double early) {
        assertThat(makespan(schedule, stages, microBatches, link, Repeats.NEVER))
                .isEqualTo(never, within(1e-9));
        assertThat(makespan(schedule, stages, microBatches, link, Repeats.LATE)).isEqualTo(late, within(1e-9));
        assertThat(makespan(schedule, stages, microBatches, link, Repeats.EARLY))
                .isEqualTo(early, within(1e-9));
    }

    private static double makespan(String schedule, int stages, int microBatches, long latency, Repeats repeats) {
        List<PartCosts> parts = Collections.nCopies(stages, new PartCosts(1000, 2000, 0, 1000, 0));
        return SetTimeline.of(
                                VisitPrograms.of(
                                        Schedule.parse(schedule).orElseThrow(), stages, microBatches, parts, repeats),
                                new Link(Long.MAX_VALUE, latency))
                        .makespan()
                / 1000.0;
    }

    /**
     * Stage 0 sends twice; stage 1 takes both at 5, the second behind the first. By hand: 100 bytes at 20 bytes a
     * nanosecond and 3 more take 8.
     */
    @Test
    void messagesOfTwoStagesGoOneBehindTheOther() {
        StageProgram first = new StageProgram(List.of(
                new Run(0, "a", 2),
                new Send(1, "x", 1, 100),
                new Run(2, "b", 4),
                new Send(3, "y", 1, 100),
                new Await(4, 0),
                new Run(4, "c", 1)));
        StageProgram second = new StageProgram(List.of(
                new Run(0, "d", 5),
                new Receive(1, "x", 0, 100),
                new Receive(2, "y", 0, 100),
                new Await(3, 1),
                new Run(3, "e", 10)));

        SetTimes times = SetTimeline.of(List.of(first, second), new Link(20_000_000_000L, 3));

        assertThat(times.makespan()).isEqualTo(31);
        assertThat(times.stages().getFirst().waits()).containsExactly(new Wait(4, new Send(1, "x", 1, 100), 7));
        assertThat(times.stages().getLast().waits()).containsExactly(new Wait(3, new Receive(2, "y", 0, 100), 16));
        assertThat(times.stages().getFirst().ends()).containsExactly(2L, 13L, 6L, 21L, 13L, 14L);
        assertThat(times.stages().getLast().begins()).containsExactly(0L, 5L, 5L, 5L, 21L);
        assertThat(times.bubble()).isEqualTo(1 - 22 / 62.0, within(1e-12));
    }

    /** By hand: the first exchange runs from 5 to 15, and the second, which is begun at 9, behind it until 18. */
    @Test
    void exchangesOfAStageGoOneBehindTheOtherBesideItsKernels() {
        StageProgram alone = new StageProgram(List.of(
                new Run(0, "a", 5),
                new Exchange(1, "x", 10, 7),
                new Run(2, "b", 4),
                new Exchange(3, "y", 3, 7),
                new Run(4, "c", 2),
                new Await(5, 0),
                new Run(5, "d", 1),
                new Await(6, 1)));
        StageTimes times =
                SetTimeline.of(List.of(alone), new Link(1, 0)).stages().getFirst();
        assertThat(times.ends()).containsExactly(5L, 15L, 9L, 18L, 11L, 15L, 16L, 18L);
        assertThat(times.busyNanos()).isEqualTo(12);
        assertThat(times.waits())
                .containsExactly(
                        new Wait(5, new Exchange(1, "x", 10, 7), 4), new Wait(6, new Exchange(3, "y", 3, 7), 2));
        assertThat(times.rankNanos()).isEqualTo(6).isEqualTo(times.waitedNanos());
    }

    /**
     * By hand, of a link that takes 2 ns from kernels for a byte each way: an exchange of 3 bytes takes 6 from the
     * first stage behind 5, and so do 6 bytes that go one way, from either stage. They arrive 2 behind the later end,
     * at 14.
     */
    @Test
    void kernelsLoseWhatMovesBytesBesideThem() {
        StageProgram first = new StageProgram(List.of(
                new Run(0, "a", 5),
                new Exchange(1, "x", 4, 3),
                new Run(2, "b", 1),
                new Send(3, "m", 1, 6),
                new Await(4, 0),
                new Run(4, "c", 1)));
        StageProgram second = new StageProgram(List.of(new Receive(0, "m", 0, 6), new Run(1, "d", 1), new Await(2, 0)));

        SetTimes times = SetTimeline.of(List.of(first, second), new Link(3_000_000_000L, 0, 2_000_000));

        assertThat(times.stages().getFirst().begins()).containsExactly(0L, 5L, 11L, 12L, 18L, 18L);
        assertThat(times.stages().getLast().begins()).containsExactly(0L, 6L, 7L);
        assertThat(times.stages().getFirst().ends()).containsExactly(5L, 9L, 12L, 14L, 18L, 19L);
        assertThat(times.stages().getLast().ends()).containsExactly(14L, 7L, 14L);
        assertThat(times.stages().getFirst().busyNanos()).isEqualTo(7);
        assertThat(times.stages()).extracting(StageTimes::lostNanos).containsExactly(12L, 6L);
        assertThat(times.stages()).extracting(StageTimes::waitedNanos).containsExactly(0L, 7L);
        assertThat(times.makespan()).isEqualTo(19);
        StageProgram last = new StageProgram(List.of(new Run(0, "a", 5), new Exchange(1, "x", 4, 3)));
        assertThat(SetTimeline.of(List.of(last), new Link(1, 0, 2_000_000)).makespan())
                .isEqualTo(11);
    }

    @Test
    void nothingTakesNoTime() {
        SetTimes times = SetTimeline.of(List.of(new StageProgram(List.of())), new Link(1, 0));
        assertThat(times.makespan()).isZero();
        assertThat(times.bubble()).isZero();
    }
}
