package dev.remat.runtime.profile;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.CpuExecutable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What kernels on the CPU lose to transfers beside them, which want the same memory and processors: a matrix product
 * and a stream through memory run in turns, alone and beside a lane that is never idle.
 */
final class MeasureInterference {
    private static final int ROUNDS = 4;
    private static final long WINDOW_NANOS = 100_000_000;
    private static final double MEGABYTE = 1e6;

    /** Moves something, and says how many bytes that was. */
    @FunctionalInterface
    interface Transfer {
        long move() throws IOException;
    }

    /**
     * Kernels beside a lane.
     *
     * @param runs of all kernels, as many as there was time for
     * @param bytes that were moved in the meantime
     */
    record Window(long nanos, int runs, long bytes) {
        static final Window NONE = new Window(0, 0, 0);

        Window and(Window other) {
            return new Window(nanos + other.nanos, runs + other.runs, bytes + other.bytes);
        }

        /** What runs lost to each megabyte, by how long they take alone; zero where they lost nothing. */
        long lostPerMegabyte(Window alone) {
            double lost = nanos - (double) runs * alone.nanos / alone.runs;
            return bytes == 0 ? 0 : Math.max(0, Math.round(lost / (bytes / MEGABYTE)));
        }
    }

    private final List<CpuExecutable> kernels;

    private MeasureInterference(List<CpuExecutable> kernels) {
        this.kernels = kernels;
    }

    /**
     * Nanoseconds for each megabyte that is moved, the mean of all lanes.
     *
     * @param lanes what each moves again and again
     * @throws IOException if that fails
     */
    static long run(List<Transfer> lanes) throws IOException {
        CpuExecutable.Options options = CpuExecutable.Options.defaults();
        try (CpuExecutable product = KernelTrial.product(DType.F32, options);
                CpuExecutable stream = KernelTrial.stream(options)) {
            return new MeasureInterference(List.of(product, stream)).measure(lanes);
        }
    }

    /** In turns, so that a machine that becomes faster or slower meanwhile does so for all. */
    private long measure(List<Transfer> lanes) throws IOException {
        window(new AtomicLong());
        Window alone = Window.NONE;
        List<Window> beside =
                new ArrayList<>(lanes.stream().map(lane -> Window.NONE).toList());
        for (int round = 0; round < ROUNDS; round++) {
            for (int k = 0; k < lanes.size(); k++) {
                alone = alone.and(window(new AtomicLong()));
                beside.set(k, beside.get(k).and(beside(lanes.get(k))));
            }
        }
        long sum = 0;
        for (Window each : beside) {
            sum += each.lostPerMegabyte(alone);
        }
        return sum / lanes.size();
    }

    private Window beside(Transfer lane) throws IOException {
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong moved = new AtomicLong();
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            CompletableFuture<Void> moving = CompletableFuture.runAsync(() -> keepMoving(lane, moved, over), thread);
            try {
                return window(moved);
            } finally {
                over.set(true);
                moving.join();
            }
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException failed) {
                throw failed.getCause();
            }
            throw e;
        }
    }

    private static void keepMoving(Transfer lane, AtomicLong moved, AtomicBoolean over) {
        try {
            while (!over.get()) {
                moved.addAndGet(lane.move());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Window window(AtomicLong moved) {
        long bytes = moved.get();
        long begin = System.nanoTime();
        long now = begin;
        int runs = 0;
        while (now - begin < WINDOW_NANOS) {
            kernels.forEach(kernel -> kernel.run(1));
            runs++;
            now = System.nanoTime();
        }
        return new Window(now - begin, runs, moved.get() - bytes);
    }
}
