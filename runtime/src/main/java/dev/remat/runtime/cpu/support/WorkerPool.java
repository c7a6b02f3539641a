package dev.remat.runtime.cpu.support;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A fixed set of threads that share the tasks of one kernel at a time. Who runs a task is left to chance, so kernels
 * partition their work by shape alone and each task writes only what is its own: results do not depend on the number
 * of threads. The calling thread works too.
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

    private final Scratch[] scratches;
    private final List<Worker> workers = new ArrayList<>();
    private volatile Job job;
    private volatile boolean closed;

    /** @throws IllegalArgumentException if {@code threads} is not positive */
    public WorkerPool(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1, not " + threads);
        }
        scratches = new Scratch[threads];
        for (int i = 0; i < threads; i++) {
            scratches[i] = new Scratch(i);
        }
        for (int i = 1; i < threads; i++) {
            Worker worker = new Worker(scratches[i]);
            workers.add(worker);
            worker.start();
        }
    }

    /** How many threads run tasks, the caller included; the slots of their scratches are 0 to this less 1. */
    public int slots() {
        return scratches.length;
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
        if (tasks <= 1 || workers.isEmpty()) {
            for (int i = 0; i < tasks; i++) {
                body.run(i, scratches[0]);
            }
            return;
        }
        Job next = new Job(tasks, body);
        job = next;
        for (Worker worker : workers) {
            if (worker.parked) {
                LockSupport.unpark(worker);
            }
        }
        next.work(scratches[0]);
        next.await();
    }

    @Override
    public void close() {
        closed = true;
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

        void work(Scratch scratch) {
            for (int task = next.getAndIncrement(); task < tasks; task = next.getAndIncrement()) {
                try {
                    body.run(task, scratch);
                } catch (RuntimeException | Error thrown) {
                    failure.accumulateAndGet(
                            new Failure(task, thrown),
                            (first, other) -> first == null || other.task < first.task ? other : first);
                } finally {
                    done.incrementAndGet();
                }
            }
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
            Job seen = null;
            while (!closed) {
                Job current = awaitJobAfter(seen);
                if (current != null && current != seen) {
                    current.work(scratch);
                    seen = current;
                }
            }
        }

        private Job awaitJobAfter(Job seen) {
            for (int spins = 0; spins < SPINS_BEFORE_PARK; spins++) {
                Job current = job;
                if (current != seen) {
                    return current;
                }
                Thread.onSpinWait();
            }
            parked = true;
            while (job == seen && !closed) {
                LockSupport.park(this);
            }
            parked = false;
            return job;
        }
    }
}
