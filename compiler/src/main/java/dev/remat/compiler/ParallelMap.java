package dev.remat.compiler;

import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/** The same work for several things at a time, which ends as one after another would. */
final class ParallelMap {
    private ParallelMap() {}

    /**
     * What {@code work} makes of each, in their order. Where some fail, the first of these in order is told, whichever
     * was first in time; what comes behind one that has failed is not begun.
     *
     * @param work called from several threads
     */
    static <T, R> List<R> run(List<T> all, Function<T, R> work) {
        ConcurrentNavigableMap<Integer, RuntimeException> failures = new ConcurrentSkipListMap<>();
        List<R> made = IntStream.range(0, all.size())
                .parallel()
                .mapToObj(i -> {
                    if (!failures.headMap(i).isEmpty()) {
                        return null;
                    }
                    try {
                        return work.apply(all.get(i));
                    } catch (RuntimeException e) {
                        failures.put(i, e);
                        return null;
                    }
                })
                .toList();
        if (!failures.isEmpty()) {
            throw failures.firstEntry().getValue();
        }
        return made;
    }
}
