package dev.remat.runtime.gloo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.process.Messages;
import dev.remat.runtime.process.Messages.Channel;
import dev.remat.runtime.ranks.Transport.Begun;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Ranks that are threads here, each with connections of its own. */
class GlooMessagesTest {
    private static final int RANKS = 3;

    @FunctionalInterface
    private interface Rank<T> {
        T run(Messages messages, Arena arena) throws Exception;
    }

    private static <T> List<T> run(Rank<T> each) throws Exception {
        byte[][] said = new byte[RANKS][];
        CyclicBarrier all = new CyclicBarrier(RANKS);
        CyclicBarrier done = new CyclicBarrier(RANKS);
        try (ExecutorService threads = Executors.newFixedThreadPool(RANKS);
                Arena arena = Arena.ofShared()) {
            List<Callable<T>> ranks = new ArrayList<>();
            for (int i = 0; i < RANKS; i++) {
                int rank = i;
                ranks.add(() -> {
                    Messages messages = new Gloo().join(rank, RANKS, "lo", own -> {
                        said[rank] = own;
                        try {
                            all.await();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                        return Arrays.asList(said);
                    });
                    T end = each.run(messages, arena);
                    done.await();
                    messages.close();
                    return end;
                });
            }
            List<T> ends = new ArrayList<>();
            for (Future<T> end : threads.invokeAll(ranks)) {
                ends.add(end.get());
            }
            return ends;
        }
    }

    @Test
    void messagesComeInTheOrderOfSendingEachWay() throws Exception {
        int messages = 200;
        List<Boolean> inOrder = run((group, arena) -> {
            MemorySegment own = arena.allocate(messages);
            List<Begun> begun = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
                own.set(ValueLayout.JAVA_BYTE, i, (byte) (group.rank() * 71 + i));
            }
            MemorySegment taken = arena.allocate((long) RANKS * messages);
            for (int i = 0; i < messages; i++) {
                for (int other = 0; other < RANKS; other++) {
                    if (other != group.rank()) {
                        begun.add(group.send(own.asSlice(i, 1), other, Channel.GROUP));
                        begun.add(group.receive(taken.asSlice((long) other * messages + i, 1), other, Channel.GROUP));
                    }
                }
            }
            begun.forEach(Begun::end);
            boolean same = true;
            for (int other = 0; other < RANKS; other++) {
                for (int i = 0; i < messages && other != group.rank(); i++) {
                    same &= taken.get(ValueLayout.JAVA_BYTE, (long) other * messages + i) == (byte) (other * 71 + i);
                }
            }
            return same;
        });
        assertThat(inOrder).hasSize(RANKS).containsOnly(true);
    }

    @Test
    void largeMessagesPassEachOther() throws Exception {
        long bytes = 32 << 20;
        assertThat(run((group, arena) -> {
                    int next = (group.rank() + 1) % RANKS;
                    int before = (group.rank() + RANKS - 1) % RANKS;
                    MemorySegment own = arena.allocate(bytes);
                    own.fill((byte) (group.rank() + 1));
                    MemorySegment taken = arena.allocate(bytes);
                    List<Begun> begun =
                            List.of(group.receive(taken, before, Channel.GROUP), group.send(own, next, Channel.GROUP));
                    begun.forEach(Begun::end);
                    own.fill((byte) (before + 1));
                    return taken.mismatch(own);
                }))
                .hasSize(RANKS)
                .containsOnly(-1L);
    }

    @Test
    void whoWaitsIsToldWhyAllStop() throws Exception {
        List<String> told = run((group, arena) -> {
            RuntimeException why = new IllegalStateException("rank 1 has ended");
            if (group.rank() != 1) {
                Begun never = group.receive(arena.allocate(8), 1, Channel.GROUP);
                Begun beside = group.receive(arena.allocate(8), 1, Channel.GROUP);
                Thread later = Thread.ofPlatform().start(() -> {
                    try {
                        TimeUnit.MILLISECONDS.sleep(200);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    group.abort(why);
                });
                String first = message(never);
                later.join();
                return first + ", " + message(beside);
            }
            return "rank 1 has ended, rank 1 has ended";
        });
        assertThat(told).hasSize(RANKS).containsOnly("rank 1 has ended, rank 1 has ended");
    }

    private static String message(Begun begun) {
        try {
            begun.end();
            return "ended";
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }
}
