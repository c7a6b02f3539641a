package dev.remat.runtime.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.cpu.support.WorkerPool;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CrewTest {
    private final Crew crew = new Crew(2, 1, 2);
    private final WorkerPool busy = crew.join();
    private final WorkerPool idle = crew.join();
    private final CompletableFuture<Void> message = new CompletableFuture<>();

    /** The thread of a stage that waits for a message. */
    private final Thread waits = Thread.ofPlatform().unstarted(() -> idle.workUntil(this::tell));

    @AfterEach
    void close() throws InterruptedException {
        message.complete(null);
        waits.join();
        busy.close();
        idle.close();
    }

    @Test
    void aThreadThatWaitsRunsTasksOfTheOther() {
        waits.start();
        CountDownLatch together = new CountDownLatch(2);
        Set<Integer> slots = ConcurrentHashMap.newKeySet();
        busy.run(2, (_, scratch) -> {
            slots.add(scratch.slot());
            meet(together);
        });
        assertThat(slots).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void oneThatSleepsIsWokenForThem() {
        startAndSleep();
        CountDownLatch together = new CountDownLatch(2);
        busy.run(2, (_, _) -> meet(together));
        assertThat(waits.isAlive()).isTrue();
    }

    @Test
    void oneThatComputesDoesNot() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        busy.run(100, (_, _) -> threads.add(Thread.currentThread()));
        assertThat(threads).containsExactly(Thread.currentThread());
    }

    @Test
    void itWaitsNoLongerThanItHasTo() throws InterruptedException {
        startAndSleep();
        message.complete(null);
        assertThat(waits.join(Duration.ofSeconds(30))).isTrue();
    }

    @Test
    void tasksAreRunOnceWhoeverRunsThem() {
        waits.start();
        for (int round = 0; round < 5_000; round++) {
            int[] runs = new int[round % 37];
            busy.run(runs.length, (task, _) -> runs[task]++);
            assertThat(Arrays.stream(runs).allMatch(count -> count == 1)).isTrue();
        }
    }

    @Test
    void whatATaskThrowsIsTheOthersToThrow() {
        waits.start();
        CountDownLatch together = new CountDownLatch(2);
        assertThatThrownBy(() -> busy.run(2, (_, scratch) -> {
                    meet(together);
                    if (scratch.slot() == 1) {
                        throw new IllegalStateException("by the thread that waits");
                    }
                }))
                .hasMessage("by the thread that waits");
        assertThat(waits.isAlive()).isTrue();
    }

    @Test
    void workersHelpToo() {
        Crew large = new Crew(2, 2, 4);
        try (WorkerPool first = large.join();
                WorkerPool second = large.join()) {
            CountDownLatch together = new CountDownLatch(3);
            first.run(3, (_, _) -> meet(together));
            assertThat(second.slots()).isEqualTo(4);
        }
    }

    @Test
    void threadsThatHaveNoProcessorsStayApart() {
        Crew crowded = new Crew(4, 1, 2);
        assertThat(crowded.slots()).isEqualTo(1);
        IntStream.range(0, 4).forEach(_ -> {
            try (WorkerPool pool = crowded.join()) {
                assertThat(pool.slots()).isEqualTo(1);
            }
        });
    }

    /** As the model is evaluated on while its stages rest. */
    @Test
    void whoComesLaterIsAlone() {
        try (WorkerPool later = crew.join()) {
            assertThat(later.slots()).isEqualTo(1);
        }
    }

    /** For there is nothing to do. */
    private void startAndSleep() {
        waits.start();
        while (waits.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    private void tell(Runnable waiting) {
        var _ = message.thenRun(waiting);
    }

    private static void meet(CountDownLatch together) {
        together.countDown();
        try {
            if (!together.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody helps");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
