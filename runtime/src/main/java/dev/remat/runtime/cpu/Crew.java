package dev.remat.runtime.cpu;

import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.ArrayList;
import java.util.List;

/**
 * The worker pools of what runs side by side in one process, such as stages. A thread that has nothing to do, since its
 * stage waits for a message, runs tasks of the others; who runs a task changes no bit.
 */
public final class Crew {
    private final int pools;
    private final int threads;
    private final List<WorkerPool> joined = new ArrayList<>();

    /** Of one pool. */
    public Crew(int threads) {
        this(1, threads);
    }

    /**
     * @param pools how many there will be
     * @param threads of each; no more than {@link WorkerPool#MOST_THREADS} run a plan
     */
    public Crew(int pools, int threads) {
        this(pools, threads, Runtime.getRuntime().availableProcessors());
    }

    /** @param processors pools that have more threads together stay apart */
    public Crew(int pools, int threads, int processors) {
        this.threads = Math.min(threads, WorkerPool.MOST_THREADS);
        this.pools = pools * threads <= Math.min(processors, WorkerPool.MOST_THREADS) ? pools : 1;
    }

    /** How many threads may run tasks of each pool. */
    public int slots() {
        return pools * threads;
    }

    /** The next of its pools. Those that come when it is whole, for what runs while the first ones rest, are alone. */
    synchronized WorkerPool join() {
        if (joined.size() == pools) {
            return new WorkerPool(threads);
        }
        joined.add(new WorkerPool(threads, joined.size() * threads, slots()));
        if (joined.size() == pools) {
            for (WorkerPool pool : joined) {
                pool.standBeside(joined.stream().filter(other -> other != pool).toArray(WorkerPool[]::new));
            }
        }
        return joined.getLast();
    }
}
