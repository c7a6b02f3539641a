package dev.remat.compiler.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ReachableTopsTest {
    private record Item(int begin, int size) {}

    /** All heights that some of the items reach, by trying every order of them. */
    private static void stack(Item[] items, int used, int top, Set<Integer> reached) {
        reached.add(top);
        for (int i = 0; i < items.length; i++) {
            if ((used >> i & 1) == 0 && items[i].begin <= top) {
                stack(items, used | 1 << i, top + items[i].size, reached);
            }
        }
    }

    @Test
    void reachesWhatSomeOrderReaches() {
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 300; round++) {
            int bottom = random.nextInt(150);
            int largest = 1 << 1 + random.nextInt(7);
            Item[] items = new Item[6];
            Arrays.setAll(
                    items,
                    i -> new Item(bottom + random.nextInt(1 + random.nextInt(200)), 1 + random.nextInt(largest)));
            Arrays.sort(items, Comparator.comparingInt(Item::begin));
            TreeSet<Integer> expected = new TreeSet<>();
            stack(items, 0, bottom, expected);

            ReachableTops tops = new ReachableTops(1200);
            tops.clear(7);
            tops.add(7, 64);
            tops.clear(bottom);
            for (Item item : items) {
                tops.add(item.begin, item.size);
            }
            for (int height = bottom; height <= 1200; height++) {
                assertThat(tops.reaches(height))
                        .as("round %d, height %d", round, height)
                        .isEqualTo(expected.contains(height));
            }
            for (int height = bottom; height <= expected.last(); height++) {
                assertThat(tops.next(height)).isEqualTo(expected.ceiling(height).longValue());
            }
        }
    }

    @Test
    void countsNoHeightAboveTheCapacity() {
        ReachableTops tops = new ReachableTops(127);
        tops.clear(100);
        tops.add(100, 27);
        tops.add(110, 64);
        assertThat(tops.reaches(127)).isTrue();
        assertThat(tops.reaches(126)).isFalse();
    }
}
