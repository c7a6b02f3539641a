package dev.remat.runtime.cpu.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WorkerPoolTest {
    @Test
    void runsEveryTaskOnce() {
        try (WorkerPool pool = new WorkerPool(4)) {
            for (int round = 0; round < 2000; round++) {
                int tasks = round % 37;
                int[] runs = new int[tasks];
                pool.run(tasks, (task, scratch) -> runs[task]++);
                assertThat(Arrays.stream(runs).allMatch(count -> count == 1)).isTrue();
            }
        }
    }

    @Test
    void handsOnAFailure() {
        try (WorkerPool pool = new WorkerPool(2)) {
            assertThatThrownBy(() -> pool.run(5, (task, scratch) -> {
                        if (task == 3) {
                            throw new IllegalStateException("task 3");
                        }
                    }))
                    .hasMessage("task 3");
            AtomicInteger failed = new AtomicInteger();
            assertThatThrownBy(() -> pool.run(4, (task, scratch) -> {
                        while (task == 1 && failed.get() < 2) {
                            Thread.onSpinWait();
                        }
                        if (task > 0) {
                            failed.incrementAndGet();
                            throw new IllegalStateException("task " + task);
                        }
                    }))
                    .hasMessage("task 1");
            int[] runs = new int[3];
            pool.run(3, (task, scratch) -> runs[task]++);
            assertThat(runs).containsExactly(1, 1, 1);
        }
    }
}
