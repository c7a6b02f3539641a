package dev.remat.tests.ranks;

import dev.remat.runtime.process.ProcessGrid;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.Stop;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Ranks that know nothing of each other but by messages, as processes do. */
final class Processes {
    /** What one of them does. */
    @FunctionalInterface
    interface Rank<T> {
        T run(ProcessGroup group) throws Exception;
    }

    private Processes() {}

    /** What each returns, or has thrown. What one throws, it tells the others, as the command does. */
    static <T> List<Object> run(int ranks, Rank<T> each) throws Exception {
        return run(new ProcessGrid(1, ranks), each);
    }

    /** The same of stages, too. */
    static <T> List<Object> run(ProcessGrid grid, Rank<T> each) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(grid.processes())) {
            List<Future<Object>> ends = new ArrayList<>();
            for (QueueMessages messages : QueueMessages.of(grid.processes())) {
                Callable<Object> rank = () -> {
                    ProcessGroup group = ProcessGroup.of(
                            messages,
                            grid.stages(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            ProcessGroup.SILENCE);
                    try {
                        T end = each.run(group);
                        group.close();
                        return end;
                    } catch (Exception e) {
                        group.stop(new Stop(group.rank(), 1, String.valueOf(e.getMessage())));
                        return e;
                    }
                };
                ends.add(threads.submit(rank));
            }
            return all(ends);
        }
    }

    private static List<Object> all(List<Future<Object>> ends) throws InterruptedException, ExecutionException {
        List<Object> all = new ArrayList<>();
        for (Future<Object> end : ends) {
            all.add(end.get());
        }
        return all;
    }
}
