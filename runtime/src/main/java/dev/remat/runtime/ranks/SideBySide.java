package dev.remat.runtime.ranks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;

/** Threads that ranks or stages run on, one each. */
final class SideBySide implements AutoCloseable {
    private final int count;
    private final ExecutorService threads;

    /** @param name of threads, in front of their number */
    SideBySide(int count, String name) {
        this.count = count;
        this.threads = Executors.newFixedThreadPool(
                count, Thread.ofPlatform().daemon().name(name, 0).factory());
    }

    /** Does something on each, and throws what stopped the first that did not only wait for another. */
    void run(IntConsumer each) {
        List<Future<?>> runs = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            int own = k;
            runs.add(threads.submit(() -> each.accept(own)));
        }
        rethrow(runs.stream().map(SideBySide::ended).toList());
    }

    /** What one has thrown, if it has. */
    private static Optional<Throwable> ended(Future<?> run) {
        try {
            run.get();
            return Optional.empty();
        } catch (ExecutionException e) {
            return Optional.of(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(e);
        }
    }

    private static void rethrow(List<Optional<Throwable>> ends) {
        Optional<Throwable> cause =
                ends.stream().flatMap(Optional::stream).min(Comparator.comparing(RankLostException.class::isInstance));
        switch (cause.orElse(null)) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
