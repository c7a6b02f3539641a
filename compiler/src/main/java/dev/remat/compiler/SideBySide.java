package dev.remat.compiler;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;

/** The same work for several things at a time, which ends as one after another would. */
final class SideBySide {
    private SideBySide() {}

    /**
     * What {@code work} makes of each, in their order. Where some fail, the first of these in order is told, whichever
     * was first in time; what comes behind one that has failed is not begun.
     *
     * @param work called from several threads
     */
    static <T, R> List<R> map(List<T> all, Function<T, R> work) {
        AtomicInteger failed = new AtomicInteger(all.size());
        List<Optional<Ended<R>>> ended = IntStream.range(0, all.size())
                .parallel()
                .mapToObj(i -> {
                    if (failed.get() < i) {
                        return Optional.<Ended<R>>empty();
                    }
                    try {
                        return Optional.of(new Ended<>(work.apply(all.get(i)), null));
                    } catch (RuntimeException e) {
                        failed.accumulateAndGet(i, Math::min);
                        return Optional.of(new Ended<R>(null, e));
                    }
                })
                .toList();
        return ended.stream().map(Optional::orElseThrow).map(Ended::result).toList();
    }

    private record Ended<R>(R value, RuntimeException failure) {
        R result() {
            if (failure != null) {
                throw failure;
            }
            return value;
        }
    }
}
