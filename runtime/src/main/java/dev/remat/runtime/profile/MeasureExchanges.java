package dev.remat.runtime.profile;

import dev.remat.ir.DType;
import dev.remat.ir.target.Link;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.ranks.Transport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * How long exchanges among ranks take that are processes, alone and beside kernels, and messages between two of them.
 * All ranks measure together; what is said of a time is the longest that any of them has taken.
 */
public final class MeasureExchanges {
    /** Sent to each other rank. */
    private static final List<Long> SIZES =
            List.of(8L, 512L, 1L << 12, 1L << 15, 1L << 18, 1L << 20, 1L << 22, 1L << 24, 1L << 26);

    private static final long MOST_BYTES = 1L << 27;
    /** After an exchange that takes longer, none is tried that is larger. */
    private static final double LONGEST_NANOS = 3e8;
    /** What all samples of a size take together, if there are not too many or too few. */
    private static final double TOGETHER_NANOS = 1.5e8;

    private static final int FEWEST = 3;
    private static final int MOST = 30;
    /** Those that take less are repeated within a sample, for ranks do not begin at one instant. */
    private static final double SAMPLE_NANOS = 1e6;

    private static final int MOST_REPEATED = 50;
    private static final int WARM_UPS = 300;
    private static final long SMALL = 1L << 12;
    private static final long PAIR_BYTES = 1L << 22;
    private static final double MEGABYTE = 1e6;
    private static final long MICRO = 1_000;
    /** Of kernels alone, of which the one in the middle counts. */
    private static final int TURNS = 5;

    /**
     * Exchanges of a size.
     *
     * @param bytes that go to each other rank
     * @param nanos of an exchange alone
     * @param besideNanos of one beside kernels
     */
    public record Size(long bytes, double nanos, double besideNanos) {}

    /**
     * Two ranks, of which one sends at a time.
     *
     * @param link what joins them
     */
    public record Pair(int first, int second, Link link) {}

    /**
     * What was measured.
     *
     * @param sizes from the smallest
     * @param lostPerMegabyte nanoseconds, of whole microseconds, that kernels lose to 10^6 bytes that their rank sends
     *     beside them
     */
    public record Times(int ranks, List<Size> sizes, List<Pair> pairs, long lostPerMegabyte) {
        /** The link that explains them best, and what kernels lose beside it. */
        public Link link() {
            Link alone = FitLink.run(ranks, points());
            return new Link(alone.bytesPerSecond(), alone.latencyNanos(), lostPerMegabyte);
        }

        /** What each rank sends in all, and how long that takes. */
        public List<FitLink.Point> points() {
            return sizes.stream()
                    .map(size -> new FitLink.Point((ranks - 1) * size.bytes(), size.nanos()))
                    .toList();
        }
    }

    private final ProcessGroup group;
    private final Transport transport;
    private final Arena arena;
    /** Of the kernels that ran beside exchanges: how long in all, what they would have taken, and what was sent. */
    private double besideNanos;

    private double aloneNanos;
    private double besideBytes;

    private MeasureExchanges(ProcessGroup group, Arena arena) {
        this.group = group;
        this.transport = group.transport();
        this.arena = arena;
    }

    /**
     * Takes some seconds, and as much memory as a few large messages to all ranks.
     *
     * @param options of the kernels beside
     * @param progress is told which part is measured next, from 1, of {@link #parts}
     */
    public static Times run(ProcessGroup group, CpuExecutable.Options options, IntConsumer progress) {
        try (Arena arena = Arena.ofShared();
                CpuExecutable product = KernelTrial.product(DType.F32, options);
                CpuExecutable stream = KernelTrial.stream(options)) {
            return new MeasureExchanges(group, arena).measure(List.of(product, stream), progress);
        }
    }

    /** How many parts there are at most. */
    public static int parts() {
        return SIZES.size() + 1;
    }

    private Times measure(List<CpuExecutable> kernels, IntConsumer progress) {
        int ranks = group.ranks();
        warmUp(kernels);
        List<Size> sizes = new ArrayList<>();
        for (long bytes : SIZES) {
            if (bytes * ranks > MOST_BYTES || sizes.stream().anyMatch(size -> size.nanos() > LONGEST_NANOS)) {
                break;
            }
            progress.accept(sizes.size() + 1);
            sizes.add(measure(bytes, kernels));
        }
        progress.accept(parts());
        List<Pair> pairs = new ArrayList<>();
        for (int first = 0; first < ranks; first++) {
            for (int second = first + 1; second < ranks; second++) {
                pairs.add(pair(first, second));
            }
        }
        double lost = besideBytes == 0 ? 0 : (besideNanos - aloneNanos) / (besideBytes / MEGABYTE);
        return new Times(ranks, sizes, pairs, Math.round(Math.max(0, longest(lost)) / MICRO) * MICRO);
    }

    /** So that code is compiled by then. */
    private void warmUp(List<CpuExecutable> kernels) {
        turn(kernels);
        MemorySegment own = arena.allocate(SMALL, Long.BYTES);
        MemorySegment all = arena.allocate(SMALL * group.ranks(), Long.BYTES);
        for (int k = 0; k < WARM_UPS; k++) {
            transport.gather(own, all).end();
        }
    }

    private Size measure(long bytes, List<CpuExecutable> kernels) {
        MemorySegment each = arena.allocate(bytes * group.ranks(), Long.BYTES);
        MemorySegment all = arena.allocate(bytes * group.ranks(), Long.BYTES);
        Runnable both = () -> {
            transport.scatter(each, all).end();
            transport.gather(each.asSlice(0, bytes), all).end();
        };
        sample(1, both);
        double first = sample(1, both) / 2;
        int repeats = (int) Math.clamp(SAMPLE_NANOS / first, 1, MOST_REPEATED);
        int samples = (int) Math.clamp(TOGETHER_NANOS / (2 * repeats * first), FEWEST, MOST);
        double alone = median(samples, repeats, both);
        double kernelNanos = Median.of(
                Stream.generate(() -> Math.round(turn(kernels))).limit(TURNS).toList());
        long sent = 2L * repeats * samples * (group.ranks() - 1) * bytes;
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            long begin = System.nanoTime();
            CompletableFuture<Integer> turns = CompletableFuture.supplyAsync(() -> keepTurning(kernels, over), thread);
            double beside;
            try {
                beside = median(samples, repeats, both);
            } finally {
                over.set(true);
            }
            int ran = turns.join();
            if (bytes >= PAIR_BYTES) {
                besideNanos += System.nanoTime() - begin;
                aloneNanos += ran * kernelNanos;
                besideBytes += sent;
            }
            return new Size(bytes, alone, beside);
        }
    }

    private static double turn(List<CpuExecutable> kernels) {
        long begin = System.nanoTime();
        kernels.forEach(kernel -> kernel.run(1));
        return System.nanoTime() - begin;
    }

    private static int keepTurning(List<CpuExecutable> kernels, AtomicBoolean over) {
        int turns = 0;
        while (!over.get()) {
            turn(kernels);
            turns++;
        }
        return turns;
    }

    /** Of one of the two exchanges, in nanoseconds. */
    private double median(int samples, int repeats, Runnable both) {
        List<Long> times = new ArrayList<>();
        for (int k = 0; k < samples; k++) {
            times.add(Math.round(sample(repeats, both)));
        }
        return Math.max(1, Median.of(times)) / (2.0 * repeats);
    }

    private double sample(int repeats, Runnable each) {
        group.any(false);
        long begin = System.nanoTime();
        for (int k = 0; k < repeats; k++) {
            each.run();
        }
        return longest(System.nanoTime() - begin);
    }

    /** Of all ranks. */
    private double longest(double own) {
        byte[] bytes = ByteBuffer.allocate(Double.BYTES).putDouble(own).array();
        return Collections.max(group.all(bytes).stream()
                .map(each -> ByteBuffer.wrap(each).getDouble())
                .toList());
    }

    /** Messages there and back, while others wait. */
    private Pair pair(int first, int second) {
        double small = thereAndBack(first, second, Long.BYTES, MOST);
        double large = thereAndBack(first, second, PAIR_BYTES, FEWEST);
        double rate = (PAIR_BYTES - Long.BYTES) * 1e9 / Math.max(1, large - small);
        return new Pair(first, second, new Link(Math.max(1, Math.round(rate)), Math.round(small)));
    }

    /** How long one way takes, in nanoseconds. */
    private double thereAndBack(int first, int second, long bytes, int times) {
        Transport pairs = group.pairs();
        MemorySegment room = arena.allocate(bytes, Long.BYTES);
        List<Long> nanos = new ArrayList<>();
        for (int k = 0; k <= times; k++) {
            long begin = System.nanoTime();
            if (group.rank() == first) {
                pairs.send(room, second).end();
                pairs.receive(room, second).end();
            } else if (group.rank() == second) {
                pairs.receive(room, first).end();
                pairs.send(room, first).end();
            }
            nanos.add(System.nanoTime() - begin);
        }
        double own = group.rank() == first ? Median.of(nanos.subList(1, nanos.size())) / 2.0 : 0;
        return longest(own);
    }
}
