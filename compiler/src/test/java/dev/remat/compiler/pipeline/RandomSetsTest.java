package dev.remat.compiler.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.pipeline.StageEvent.Await;
import dev.remat.compiler.pipeline.StageEvent.Beside;
import dev.remat.compiler.pipeline.StageEvent.Exchange;
import dev.remat.compiler.pipeline.StageEvent.Receive;
import dev.remat.compiler.pipeline.StageEvent.Run;
import dev.remat.compiler.pipeline.StageEvent.Send;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Times and refusals of sets made by chance, against stages that are run with a clock. */
class RandomSetsTest {
    private static final int SETS = 10_000;

    @Test
    void timesAreThoseOfAnExecutorAndRefusedIsWhatStandsStill() {
        Random random = new Random(34);
        int refused = 0;
        for (int set = 0; set < SETS; set++) {
            List<StageProgram> programs = programs(random);
            long latency = random.nextInt(4);
            long lost = random.nextInt(3);
            Optional<Long> expected = new VirtualStages(programs, latency, 2, lost).run();
            // Of bytes that go one way each end loses half.
            Optional<Long> found = makespan(programs, new Link(500_000_000, latency, 2_000_000 * lost));
            assertThat(found).as("set %d: %s", set, programs).isEqualTo(expected);
            refused += expected.isEmpty() ? 1 : 0;
        }
        assertThat(refused).isBetween(SETS / 5, SETS * 4 / 5);
    }

    private static Optional<Long> makespan(List<StageProgram> programs, Link link) {
        try {
            return Optional.of(SetTimeline.of(programs, link).makespan());
        } catch (SetViolationException _) {
            return Optional.empty();
        }
    }

    /** Both ends of messages in one order of all, which comes to an end; then some stages' events out of order. */
    private static List<StageProgram> programs(Random random) {
        int stages = 2 + random.nextInt(3);
        List<List<StageEvent>> events = new ArrayList<>();
        for (int stage = 0; stage < stages; stage++) {
            events.add(new ArrayList<>());
        }
        int messages = 1 + random.nextInt(10);
        for (int k = 0; k < messages; k++) {
            int from = random.nextInt(stages);
            int to = (from + 1 + random.nextInt(stages - 1)) % stages;
            long bytes = random.nextInt(5);
            boolean other = random.nextInt(60) == 0;
            events.get(from).add(new Send(k, "m" + k, to, bytes));
            events.get(to).add(new Receive(k, "m" + k, from, other ? bytes + 1 : bytes));
            int busy = random.nextInt(stages);
            events.get(busy).add(new Run(k, "r" + k, random.nextInt(7)));
            if (random.nextInt(3) == 0) {
                events.get(random.nextInt(stages)).add(new Exchange(k, "x" + k, random.nextInt(6), random.nextInt(5)));
            }
        }
        List<StageProgram> programs = new ArrayList<>();
        for (List<StageEvent> each : events) {
            for (int swaps = random.nextInt(4); swaps > 0 && each.size() > 1; swaps--) {
                int at = random.nextInt(each.size() - 1);
                Collections.swap(each, at, at + 1);
            }
            programs.add(new StageProgram(withAwaits(each, random)));
        }
        return programs;
    }

    private static List<StageEvent> withAwaits(List<StageEvent> events, Random random) {
        List<StageEvent> all = new ArrayList<>();
        int begun = 0;
        for (StageEvent event : events) {
            all.add(event);
            begun += event instanceof Beside ? 1 : 0;
            if (begun > 0 && random.nextInt(3) == 0) {
                all.add(new Await(event.step(), random.nextInt(begun)));
            }
        }
        return all;
    }
}
