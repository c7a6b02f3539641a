package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.plan.BufferLifetime;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is kept of each section while a layout grows and shrinks is what its buffers and their offsets say. */
class SectionLevelsTest {
    /** A choice that was made: what to go back to, and which buffer it placed, or -1. */
    private record Choice(int mark, int buffer) {}

    private final Deque<Choice> choices = new ArrayDeque<>();
    private int placed;
    private int failed;

    @Test
    void levelsFollowEveryChangeAndWhatIsTakenBack() {
        for (long seed = 0; seed < 20; seed++) {
            grow(TightInstances.cut(seed, 60, 40, 120, 0.3), 120 + seed % 3 * 20, seed);
        }
        assertThat(placed).isGreaterThan(1000);
        assertThat(failed).isGreaterThan(100);
    }

    /** Sums of sizes are not all aligned, so that what is lifted may come to lie higher than what lifts it. */
    @Test
    void levelsFollowAlignedOffsets() {
        for (long seed = 0; seed < 20; seed++) {
            List<BufferLifetime> buffers = TightInstances.cut(seed, 60, 40, 120, 0.3).stream()
                    .map(b -> new BufferLifetime(b.id(), b.lower(), b.upper(), b.size(), 1L << b.lower() % 3))
                    .toList();
            grow(buffers, 200, seed);
        }
        assertThat(placed).isGreaterThan(1000);
    }

    private void grow(List<BufferLifetime> buffers, long capacity, long seed) {
        Sections sections = new Sections(
                Intervals.unrounded(buffers), IntStream.range(0, buffers.size()).toArray());
        PartialLayout layout = new PartialLayout(sections, capacity / sections.unit);
        assertThat(layout.begin()).isTrue();
        boolean[] down = new boolean[sections.buffers()];
        choices.clear();
        Random random = new Random(seed);
        for (int step = 0; step < 200; step++) {
            check(sections, layout, down, capacity / sections.unit);
            if (random.nextInt(5) == 0) {
                takeBack(layout, down, random.nextInt(4));
            } else {
                choose(sections, layout, down, random);
            }
        }
    }

    /** Places a buffer that may lie on a floor, or rules out that any does. */
    private void choose(Sections sections, PartialLayout layout, boolean[] down, Random random) {
        int[] floors = IntStream.range(0, sections.count())
                .filter(s -> layout.isFloor(layout.stretchFrom(s), layout.stretchTo(s)))
                .toArray();
        if (floors.length == 0) {
            return;
        }
        int section = floors[random.nextInt(floors.length)];
        int[] options = Arrays.stream(sections.live(section))
                .filter(b -> layout.mayLieAtLevel(b, section))
                .toArray();
        int mark = layout.mark();
        int option = random.nextInt(4) == 0 ? -1 : options[random.nextInt(options.length)];
        if (option < 0 ? layout.raise(section) : layout.place(option)) {
            choices.push(new Choice(mark, option));
            placed++;
            if (option >= 0) {
                down[option] = true;
            }
        } else {
            failed++;
            layout.undoTo(mark);
        }
    }

    private void takeBack(PartialLayout layout, boolean[] down, int count) {
        for (int i = 0; i < count && !choices.isEmpty(); i++) {
            Choice last = choices.pop();
            layout.undoTo(last.mark);
            if (last.buffer >= 0) {
                down[last.buffer] = false;
            }
        }
    }

    private static void check(Sections sections, PartialLayout layout, boolean[] down, long capacity) {
        for (int s = 0; s < sections.count(); s++) {
            int[] toCome = Arrays.stream(sections.live(s)).filter(b -> !down[b]).toArray();
            long level = Arrays.stream(toCome).mapToLong(layout::offset).min().orElse(Long.MAX_VALUE);
            assertThat(layout.level(s)).isEqualTo(level);
            assertThat(layout.choices(s))
                    .isEqualTo(Arrays.stream(toCome)
                            .filter(b -> layout.offset(b) == level)
                            .count());
            assertThat(stacked(sections, layout, toCome, 0)).isLessThanOrEqualTo(capacity);
            assertThat(layout.maySkipLevel(s))
                    .isEqualTo(toCome.length == 0 || stacked(sections, layout, toCome, level + 1) <= capacity);
        }
    }

    /** Height of buffers on one another in the order in which they may begin, none below {@code least}. */
    private static long stacked(Sections sections, PartialLayout layout, int[] buffers, long least) {
        long top = 0;
        for (int b : Arrays.stream(buffers)
                .boxed()
                .sorted(Comparator.comparingLong(layout::offset))
                .mapToInt(Integer::intValue)
                .toArray()) {
            top = Math.max(top, Math.max(least, layout.offset(b))) + sections.size[b];
        }
        return top;
    }
}
