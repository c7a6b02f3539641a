package dev.remat.compiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ParallelMapTest {
    private static final List<Integer> NUMBERS = IntStream.range(0, 100).boxed().toList();

    @Test
    void resultsComeInOrder() {
        assertEquals(NUMBERS.stream().map(n -> n * n).toList(), ParallelMap.run(NUMBERS, n -> n * n));
        assertEquals(List.of(), ParallelMap.run(List.<Integer>of(), n -> n));
    }

    /** Again and again, since threads begin anywhere. */
    @Test
    void ofThoseThatFailTheFirstIsTold() {
        for (int round = 0; round < 200; round++) {
            Set<Integer> begun = ConcurrentHashMap.newKeySet();
            IllegalStateException failure = assertThrows(
                    IllegalStateException.class,
                    () -> ParallelMap.run(NUMBERS, n -> {
                        begun.add(n);
                        if (n % 10 == 7) {
                            throw new IllegalStateException("stage " + n);
                        }
                        return n;
                    }));

            assertEquals("stage 7", failure.getMessage());
            assertEquals(
                    NUMBERS.subList(0, 8),
                    begun.stream().sorted().filter(n -> n <= 7).toList());
        }
    }
}
