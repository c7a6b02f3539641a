package dev.remat.runtime.cpu.support;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A fixed set of threads that share the tasks of one kernel at a time. Who runs a task is left to chance, so kernels
 * partition their work by shape alone and each task writes only what is its own: results do not depend on the number
 * of threads. The calling thread works too, and so do threads with nothing to do of pools that stand beside this one.
 */
public final class WorkerPool implements AutoCloseable {
    /** One piece of a kernel; {@code scratch} belongs to the thread that runs it. */
    @FunctionalInterface
    public interface Task {
        void run(int task, Scratch scratch);
    }

    /** More threads than this never run a plan; each has its share of a workspace. */
    public static final int MOST_THREADS = 16;

    private static final int SPINS_BEFORE_PARK = 20_000;

    private final int slots;
    private final Scratch own;
    private final List<Worker> workers = new ArrayList<>();
    private volatile WorkerPool[] others = {};
    private volatile Job job;
    /** The thread that calls, while it has nothing to do. */
    private volatile Thread waiting;

    private volatile boolean closed;

    /** @throws IllegalArgumentException if {@code threads} is not positive */
    public WorkerPool(int threads) {
        this(threads, 0, threads);
    }

    /**
     * @param first slot of its threads
     * @param slots of all threads that may run its tasks
     */
    public WorkerPool(int threads, int first, int slots) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1, not " + threads);
        }
        this.slots = slots;
        own = new Scratch(first);
        for (int i = 1; i < threads; i++) {
            Worker worker = new Worker(new Scratch(first + i));
            workers.add(worker);
            worker.start();
        }
    }

    /** From now on threads of these run its tasks, too, and its threads theirs. */
    public void standBeside(WorkerPool... pools) {
        others = pools;
    }

    /** How many threads may run tasks, the caller included; the slots of their scratches are 0 to this less 1. */
    public int slots() {
        return slots;
    }

    /** How many of them are its own. */
    int threads() {
        return 1 + workers.size();
    }

    /** Shares of a workspace that {@code tasks} tasks on at most {@code threads} threads need; see {@link #share}. */
    public static int shares(int threads, int tasks) {
        return Math.min(threads, tasks);
    }

    /** Which share of a kernel's workspace is the running task's alone. */
    public int share(int tasks, int task, Scratch scratch) {
        return tasks < slots() ? task : scratch.slot();
    }

    /**
     * Runs tasks 0 to {@code tasks} − 1 and returns when all are done. Calls come from one thread at a time, never
     * from within a task. Of what tasks threw, what the first of them did is thrown.
     */
    public void run(int tasks, Task body) {
        if (tasks <= 1 || slots == 1) {
            for (int i = 0; i < tasks; i++) {
                body.run(i, own);
            }
            return;
        }
        Job next = new Job(tasks, body);
        job = next;
        wake();
        for (WorkerPool other : others) {
            other.wake();
        }
        next.work(own);
        next.await();
    }

    private void wake() {
        LockSupport.unpark(waiting);
        for (Worker worker : workers) {
            if (worker.parked) {
                LockSupport.unpark(worker);
            }
        }
    }

    /**
     * Runs tasks of the pools beside this one, if there are any, until something has happened. Called by the thread
     * that calls {@link #run}.
     *
     * @param event takes what is to be run when it has
     */
    public void workUntil(Consumer<Runnable> event) {
        if (others.length == 0) {
            return;
        }
        AtomicBoolean happened = new AtomicBoolean();
        Thread caller = Thread.currentThread();
        event.accept(() -> {
            happened.set(true);
            LockSupport.unpark(caller);
        });
        for (int spins = 0; !happened.get(); spins++) {
            if (helpOthers(own)) {
                spins = 0;
            } else if (spins < SPINS_BEFORE_PARK) {
                Thread.onSpinWait();
            } else {
                waiting = caller;
                if (!happened.get() && !othersNeedHelp()) {
                    LockSupport.park(this);
                }
                waiting = null;
            }
        }
    }

    /** Runs one of their tasks, if there is any. */
    private boolean helpOthers(Scratch scratch) {
        for (WorkerPool other : others) {
            Job current = other.job;
            if (current != null && current.workOnOne(scratch)) {
                return true;
            }
        }
        return false;
    }

    private boolean othersNeedHelp() {
        for (WorkerPool other : others) {
            Job current = other.job;
            if (current != null && current.hasTasks()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        closed = true;
        own.close();
        for (Worker worker : workers) {
            LockSupport.unpark(worker);
        }
    }

    /** What a task threw: an error or an unchecked exception. */
    private record Failure(int task, Throwable thrown) {}

    /** One kernel's tasks. A worker that comes late finds none left, and never touches a later kernel's. */
    private static final class Job {
        private final int tasks;
        private final Task body;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger done = new AtomicInteger();
        private final AtomicReference<Failure> failure = new AtomicReference<>();

        Job(int tasks, Task body) {
            this.tasks = tasks;
            this.body = body;
        }

        boolean hasTasks() {
            return next.get() < tasks;
        }

        void work(Scratch scratch) {
            while (workOnOne(scratch)) {
                // Until none is left.
            }
        }

        /** Whether there was one. */
        boolean workOnOne(Scratch scratch) {
            if (!hasTasks()) {
                return false;
            }
            int task = next.getAndIncrement();
            if (task >= tasks) {
                return false;
            }
            try {
                body.run(task, scratch);
            } catch (RuntimeException | Error thrown) {
                failure.accumulateAndGet(
                        new Failure(task, thrown),
                        (first, other) -> first == null || other.task < first.task ? other : first);
            } finally {
                done.incrementAndGet();
            }
            return true;
        }

        /** Yields in the end: the tasks still running may need this thread's core. */
        @SuppressWarnings("ThreadPriorityCheck")
        void await() {
            for (int spins = 0; done.get() < tasks; spins++) {
                if (spins < SPINS_BEFORE_PARK) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
            Failure first = failure.get();
            if (first == null) {
                return;
            }
            if (first.thrown instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) first.thrown;
        }
    }

    private final class Worker extends Thread {
        private final Scratch scratch;
        private volatile boolean parked;

        Worker(Scratch scratch) {
            super("remat-worker-" + scratch.slot());
            this.scratch = scratch;
            setDaemon(true);
        }

        @Override
        public void run() {
            try (scratch) {
                Job seen = null;
                while (!closed) {
                    Job current = job;
                    if (current != seen) {
                        current.work(scratch);
                        seen = current;
                    } else if (!helpOthers(scratch)) {
                        awaitJobAfter(seen);
                    }
                }
            }
        }

        private void awaitJobAfter(Job seen) {
            for (int spins = 0; spins < SPINS_BEFORE_PARK; spins++) {
                if (job != seen || othersNeedHelp()) {
                    return;
                }
                Thread.onSpinWait();
            }
            parked = true;
            while (job == seen && !closed && !othersNeedHelp()) {
                LockSupport.park(this);
            }
            parked = false;
        }
    }
}
