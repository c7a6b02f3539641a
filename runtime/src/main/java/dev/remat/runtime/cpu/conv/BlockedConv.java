package dev.remat.runtime.cpu.conv;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.conv.ConvPrimitive.Part;
import dev.remat.runtime.cpu.conv.ConvPrimitive.Pass;
import dev.remat.runtime.cpu.support.OneDnn;
import dev.remat.runtime.cpu.support.PartialSums;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * f32 convolutions by oneDNN, a few images a task, reordered into its layout on the way in and back on the way out. The
 * sizes that a plan relies on are bounds which hold for every layout that oneDNN may choose.
 *
 * @param primitive for {@link #images} images
 */
public record BlockedConv(ConvShape shape, ConvPrimitive primitive) {
    /** A primitive that wants more is not used. */
    static final long SCRATCH_BYTES = 128 << 10;

    private static final int BLOCK = 16;
    private static final long SMALLEST_FLOPS = 1L << 22;
    private static final long TASK_BYTES = 512 << 10;
    private static final int MOST_IMAGES = 4;
    private static final int FEWEST_TASKS = 8;
    private static final int MOST_PARTS = 8;
    private static final long PART_BYTES = 32L << 20;
    /** All lanes' shares together stay below this, but two lanes there are always. */
    private static final long LANE_BYTES = 32L << 20;
    /** An image that needs more is better computed in blocks of rows. */
    private static final long MOST_SHARE_BYTES = 16L << 20;

    /** Whether a convolution is one for oneDNN at all, as far as its shape tells. */
    public static boolean suits(ConvShape shape) {
        return shape.type() == DType.F32
                && 2 * shape.weights() * shape.positions() * shape.n() >= SMALLEST_FLOPS
                && shareBytes(shape) <= MOST_SHARE_BYTES;
    }

    /** How many images one task computes; divides all. */
    static int images(ConvShape shape) {
        long perImage =
                blockedBytes(1, shape.channels(), shape.area()) + blockedBytes(1, shape.filters(), shape.positions());
        int images = 1;
        for (int some = 2; some <= MOST_IMAGES; some++) {
            if (shape.n() % some == 0 && shape.n() / some >= FEWEST_TASKS && some * perImage <= TASK_BYTES) {
                images = some;
            }
        }
        return images;
    }

    private static long roundUp(long channels) {
        return (channels + BLOCK - 1) / BLOCK * BLOCK;
    }

    private static long blockedBytes(int images, int channels, int positions) {
        return images * roundUp(channels) * positions * Float.BYTES;
    }

    private static long weightBytes(ConvShape shape) {
        boolean depthwise = shape.groupChannels() == 1 && shape.groupFilters() == 1;
        long pairs = depthwise
                ? roundUp(shape.groups())
                : shape.groups() * roundUp(shape.groupChannels()) * roundUp(shape.groupFilters());
        return pairs * shape.taps() * Float.BYTES;
    }

    /** Whether what oneDNN chose keeps to the bounds. */
    static boolean fits(ConvShape shape, ConvPrimitive primitive) {
        int images = images(shape);
        return primitive.blockedBytes(Part.INPUT) <= blockedBytes(images, shape.channels(), shape.area())
                && primitive.blockedBytes(Part.OUTPUT) <= blockedBytes(images, shape.filters(), shape.positions())
                && primitive.blockedBytes(Part.WEIGHTS) <= weightBytes(shape)
                && primitive.scratchBytes() <= SCRATCH_BYTES;
    }

    /** How many tasks share the images; each has memory of its own. */
    private static int lanes(ConvShape shape) {
        long affordable = Math.max(2, LANE_BYTES / shareBytes(shape));
        return (int) Math.min(Math.min(shape.n() / images(shape), affordable), WorkerPool.MOST_THREADS);
    }

    /** Into how many fixed parts the images fall whose weight gradients are summed apart. */
    private static int parts(ConvShape shape) {
        int tasks = shape.n() / images(shape);
        long affordable = Math.max(2, PART_BYTES / (weightBytes(shape) + shareBytes(shape)));
        return (int) Math.min(Math.min(tasks, MOST_PARTS), affordable);
    }

    private static long shareBytes(ConvShape shape) {
        int images = images(shape);
        return blockedBytes(images, shape.channels(), shape.area())
                + blockedBytes(images, shape.filters(), shape.positions())
                + SCRATCH_BYTES;
    }

    /** Bytes of workspace, 0 where the shape does not suit. */
    public static long workspaceBytes(ConvShape shape, Pass pass) {
        if (!suits(shape)) {
            return 0;
        }
        return switch (pass) {
            case OUTPUT, INPUT_GRADIENT -> weightBytes(shape) + lanes(shape) * shareBytes(shape);
            case WEIGHT_GRADIENT ->
                parts(shape) * (weightBytes(shape) + shareBytes(shape)) + terms(shape) * weightBytes(shape);
        };
    }

    /** How many parts need workspace for what is added to their sums: one has it where the result will be. */
    private static int terms(ConvShape shape) {
        int parts = parts(shape);
        return parts == shape.n() / images(shape) ? 0 : parts - (resultHoldsATerm(shape) ? 1 : 0);
    }

    private static boolean resultHoldsATerm(ConvShape shape) {
        return weightBytes(shape) <= shape.weights() * Float.BYTES;
    }

    /** Output from input and weights; offsets are bytes. */
    public void run(WorkerPool pool, MemorySegment arena, long input, long weights, long output, long workspace) {
        transform(pool, arena.address(), new Images(input, output), weights, workspace, Part.INPUT, Part.OUTPUT);
    }

    /** Input from output and weights; offsets are bytes. */
    public void runTransposed(
            WorkerPool pool, MemorySegment arena, long output, long weights, long input, long workspace) {
        transform(pool, arena.address(), new Images(input, output), weights, workspace, Part.OUTPUT, Part.INPUT);
    }

    /** Where the images of both sides lie. */
    private record Images(long input, long output) {}

    private void transform(WorkerPool pool, long base, Images plain, long weights, long workspace, Part from, Part to) {
        int images = images(shape);
        int chunks = shape.n() / images;
        int lanes = lanes(shape);
        long blockedWeights = primitive.isPlain(Part.WEIGHTS) ? base + weights : base + workspace;
        pool.run(1, (task, scratch) -> {
            OneDnn.stayOnThisThread();
            reorderUnlessPlain(Part.WEIGHTS, base + weights, blockedWeights, scratch);
        });
        pool.run(lanes, (lane, scratch) -> {
            OneDnn.stayOnThisThread();
            long share = base + workspace + weightBytes(shape) + lane * shareBytes(shape);
            for (int chunk = lane; chunk < chunks; chunk += lanes) {
                long plainInput = base + plain.input + (long) chunk * images * planeBytes(Part.INPUT);
                long plainOutput = base + plain.output + (long) chunk * images * planeBytes(Part.OUTPUT);
                long in = address(Part.INPUT, plainInput, share);
                long out = address(Part.OUTPUT, plainOutput, share);
                reorderUnlessPlain(
                        from, from == Part.INPUT ? plainInput : plainOutput, from == Part.INPUT ? in : out, scratch);
                primitive.execute(in, blockedWeights, out, scratchAt(share), scratch.slot());
                reorderUnlessPlain(
                        to, to == Part.INPUT ? plainInput : plainOutput, to == Part.INPUT ? in : out, scratch);
            }
        });
    }

    /** Weight gradient from input and output gradient; offsets are bytes. */
    public void runWeightGradient(
            WorkerPool pool, MemorySegment arena, long input, long output, long weights, long workspace) {
        int images = images(shape);
        int chunks = shape.n() / images;
        int parts = parts(shape);
        long base = arena.address();
        long size = weightBytes(shape);
        int elements = Math.toIntExact(primitive.blockedBytes(Part.WEIGHTS) / Float.BYTES);
        pool.run(parts, (part, scratch) -> {
            OneDnn.stayOnThisThread();
            long sum = workspace + part * size;
            long share = workspace + parts * size + part * shareBytes(shape);
            long terms = workspace + parts * (size + shareBytes(shape));
            int apart = resultHoldsATerm(shape) ? part - 1 : part;
            long term = apart < 0 ? weights : terms + apart * size;
            int first = (int) ((long) chunks * part / parts);
            int end = (int) ((long) chunks * (part + 1) / parts);
            for (int chunk = first; chunk < end; chunk++) {
                long plainInput = base + input + (long) chunk * images * planeBytes(Part.INPUT);
                long plainOutput = base + output + (long) chunk * images * planeBytes(Part.OUTPUT);
                long in = address(Part.INPUT, plainInput, base + share);
                long out = address(Part.OUTPUT, plainOutput, base + share);
                reorderUnlessPlain(Part.INPUT, plainInput, in, scratch);
                reorderUnlessPlain(Part.OUTPUT, plainOutput, out, scratch);
                primitive.execute(
                        in, base + (chunk == first ? sum : term), out, scratchAt(base + share), scratch.slot());
                if (chunk > first) {
                    PartialSums one = new PartialSums(DType.F32, term, 0, 1);
                    for (int at = 0; at < elements; at += Scratch.CHUNK) {
                        one.addTo(arena, sum, at, Math.min(Scratch.CHUNK, elements - at), scratch);
                    }
                }
            }
        });
        new PartialSums(DType.F32, workspace + size, size, parts - 1).addTo(pool, arena, workspace, elements);
        pool.run(1, (task, scratch) -> {
            OneDnn.stayOnThisThread();
            primitive.reorder(Part.WEIGHTS, base + weights, base + workspace, scratch.slot());
        });
    }

    /** Bytes of one image in the plain layout. */
    private long planeBytes(Part part) {
        return Float.BYTES
                * (part == Part.INPUT
                        ? (long) shape.channels() * shape.area()
                        : (long) shape.filters() * shape.positions());
    }

    private long address(Part part, long plain, long share) {
        if (primitive.isPlain(part)) {
            return plain;
        }
        return part == Part.INPUT ? share : share + blockedBytes(images(shape), shape.channels(), shape.area());
    }

    private long scratchAt(long share) {
        return share + shareBytes(shape) - SCRATCH_BYTES;
    }

    private void reorderUnlessPlain(Part part, long plain, long blocked, Scratch scratch) {
        if (!primitive.isPlain(part)) {
            primitive.reorder(part, plain, blocked, scratch.slot());
        }
    }
}
