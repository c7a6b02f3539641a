package dev.remat.compiler.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.pipeline.VisitPrograms.PartCosts;
import dev.remat.compiler.pipeline.VisitPrograms.Repeats;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final Link NO_TIME = new Link(Long.MAX_VALUE, 0);
    private static final List<Schedule> ALL = List.of(
            Schedule.GPIPE,
            Schedule.ONE_F_ONE_B,
            Schedule.ZERO_BUBBLE,
            Schedule.interleaved(2),
            Schedule.interleaved(3));

    @Test
    void readsWhatItWrites() {
        for (Schedule schedule : ALL) {
            assertThat(Schedule.parse(schedule.toString())).contains(schedule);
        }
        assertThat(Schedule.parse("interleaved=12")).contains(Schedule.interleaved(12));
        for (String other : List.of("", "gpipe=2", "interleaved", "interleaved=1", "interleaved=x", "GPipe")) {
            assertThat(Schedule.parse(other)).isEmpty();
        }
        assertThatThrownBy(() -> Schedule.interleaved(1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ordersOfTwoStagesAndThreeMicroBatches() {
        assertThat(text(Schedule.GPIPE, 2, 3))
                .containsExactly("[F0@0, F1@0, F2@0, B0@0, B1@0, B2@0]", "[F0@1, F1@1, F2@1, B0@1, B1@1, B2@1]");
        assertThat(text(Schedule.ONE_F_ONE_B, 2, 3))
                .containsExactly("[F0@0, F1@0, B0@0, F2@0, B1@0, B2@0]", "[F0@1, B0@1, F1@1, B1@1, F2@1, B2@1]");
        // Megatron's: part 2 of stage 0 follows when both micro-batches of the group have been through part 0.
        assertThat(text(Schedule.interleaved(2), 2, 2))
                .containsExactly(
                        "[F0@0, F1@0, F0@2, F1@2, B0@2, B1@2, B0@0, B1@0]",
                        "[F0@1, F1@1, F0@3, F1@3, B0@3, B1@3, B0@1, B1@1]");
    }

    private static List<String> text(Schedule schedule, int stages, int microBatches) {
        return schedule.orders(stages, microBatches).stream()
                .map(List::toString)
                .toList();
    }

    @Test
    void everyVisitIsThereOnceWhereItsPartIsAndMicroBatchesAreInOrder() {
        for (Schedule schedule : ALL) {
            for (int stages = 1; stages <= 5; stages++) {
                for (int microBatches = 1; microBatches <= 9; microBatches++) {
                    List<List<Visit>> orders = schedule.orders(stages, microBatches);
                    assertThat(orders).hasSize(stages);
                    for (int stage = 0; stage < stages; stage++) {
                        assertThat(orders.get(stage))
                                .containsExactlyInAnyOrderElementsOf(visits(schedule, stage, stages, microBatches));
                        for (int part = stage; part < stages * schedule.partsEach(); part += stages) {
                            for (Phase phase : Phase.values()) {
                                int own = part;
                                assertThat(orders.get(stage).stream()
                                                .filter(v -> v.part() == own && v.phase() == phase)
                                                .map(Visit::microBatch))
                                        .isSorted();
                            }
                        }
                    }
                }
            }
        }
    }

    private static List<Visit> visits(Schedule schedule, int stage, int stages, int microBatches) {
        List<Visit> visits = new ArrayList<>();
        for (int part = stage; part < stages * schedule.partsEach(); part += stages) {
            for (int k = 0; k < microBatches; k++) {
                visits.add(new Visit(part, Phase.FORWARD, k));
                visits.add(new Visit(part, Phase.BACKWARD, k));
                if (schedule.splitsBackward()) {
                    visits.add(new Visit(part, Phase.WEIGHTS, k));
                }
            }
        }
        return visits;
    }

    /** What papers say of equal parts and messages that take no time. */
    @Test
    void makespansAreThoseOfThePapers() {
        int stages = 4;
        int microBatches = 8;
        // m + S - 1 visits forward of 1, and as many backward of 2.
        assertThat(makespan(Schedule.GPIPE, stages, microBatches)).isEqualTo(3L * (microBatches + stages - 1));
        assertThat(makespan(Schedule.ONE_F_ONE_B, stages, microBatches)).isEqualTo(3L * (microBatches + stages - 1));
        // The bubble divided by v (Narayanan et al., 2021); a part of v takes 1 and 2 here, so everything times v.
        assertThat(makespan(Schedule.interleaved(2), stages, microBatches))
                .isEqualTo(2L * 3 * microBatches + 3L * (stages - 1));
        // (S - 1)(F + B - W) (Qi et al., 2024)
        assertThat(makespan(Schedule.ZERO_BUBBLE, stages, microBatches)).isEqualTo(3L * microBatches + stages - 1);
    }

    private static long makespan(Schedule schedule, int stages, int microBatches) {
        boolean split = schedule.splitsBackward();
        PartCosts costs = new PartCosts(1, split ? 1 : 2, split ? 1 : 0, 0, 0);
        List<PartCosts> parts = Collections.nCopies(stages * schedule.partsEach(), costs);
        return SetTimeline.of(VisitPrograms.of(schedule, stages, microBatches, parts, Repeats.NEVER), NO_TIME)
                .makespan();
    }

    @Test
    void zeroBubbleHasNoMoreUnderWayThanItsMemoryAllows() {
        int stages = 4;
        List<List<Visit>> orders = Schedule.ZERO_BUBBLE.orders(stages, 9);
        for (List<Visit> order : orders) {
            int most = IntStream.range(0, order.size())
                    .map(k -> (int) order.subList(0, k + 1).stream()
                            .mapToLong(v -> v.phase() == Phase.FORWARD ? 1 : v.phase() == Phase.WEIGHTS ? -1 : 0)
                            .sum())
                    .max()
                    .orElseThrow();
            assertThat(most).isLessThanOrEqualTo(stages);
        }
    }

    /** Any number of micro-batches, fewer than stages among them, by any schedule comes to an end. */
    @Test
    void noScheduleStandsStill() {
        for (Schedule schedule : ALL) {
            for (int stages = 1; stages <= 6; stages++) {
                for (int microBatches = 1; microBatches <= 13; microBatches++) {
                    List<PartCosts> parts =
                            Collections.nCopies(stages * schedule.partsEach(), new PartCosts(3, 4, 2, 1, 5));
                    for (Repeats repeats : Repeats.values()) {
                        SetChecker.check(VisitPrograms.of(schedule, stages, microBatches, parts, repeats));
                    }
                }
            }
        }
    }
}
