package dev.remat.runtime.cpu.conv;

import dev.remat.ir.op.ConvGeometry;
import dev.remat.runtime.cpu.support.OneDnn;
import dev.remat.runtime.cpu.support.OneDnnException;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * oneDNN's convolution of a few f32 images, or one of its gradients, with the reorders between our plain layout and the
 * one it wants. Addresses are absolute; {@code slot} is the calling thread's.
 */
public final class ConvPrimitive implements AutoCloseable {
    /** Which of the three tensors is computed from the other two. */
    public enum Pass {
        OUTPUT,
        INPUT_GRADIENT,
        WEIGHT_GRADIENT
    }

    /** One of the three tensors of a convolution. */
    enum Part {
        INPUT,
        WEIGHTS,
        OUTPUT
    }

    private static final Part[] PARTS = Part.values();

    private final Pass pass;
    private final long[] plain = new long[PARTS.length];
    private final long[] blocked = new long[PARTS.length];
    private final long[] reorders = new long[PARTS.length];
    private final boolean[] same = new boolean[PARTS.length];
    private final long scratchpad;
    private final long description;
    private final long primitive;
    private final Slot[] slots = new Slot[WorkerPool.MOST_THREADS];
    private final Arena arena = Arena.ofShared();

    private ConvPrimitive(ConvShape shape, Pass pass, int images) {
        OneDnn.stayOnThisThread();
        this.pass = pass;
        long[][] dims = dims(shape, images);
        long[] any = new long[PARTS.length];
        for (Part part : PARTS) {
            any[part.ordinal()] = OneDnn.describe(OneDnn.ANY_ORDER, dims[part.ordinal()]);
            boolean grouped = dims[part.ordinal()].length == 5;
            plain[part.ordinal()] = OneDnn.describe(grouped ? OneDnn.PLAIN_5D : OneDnn.PLAIN_4D, dims[part.ordinal()]);
        }
        OneDnn.Walk walk = walk(shape);
        long forward = OneDnn.forward(any[0], any[1], any[2], walk);
        this.description = switch (pass) {
            case OUTPUT -> forward;
            case INPUT_GRADIENT -> OneDnn.backwardData(any[0], any[1], any[2], walk, forward);
            case WEIGHT_GRADIENT -> OneDnn.backwardWeights(any[0], any[1], any[2], walk, forward);
        };
        for (Part part : PARTS) {
            blocked[part.ordinal()] = OneDnn.query(description, query(part));
            same[part.ordinal()] = OneDnn.equal(plain[part.ordinal()], blocked[part.ordinal()]);
            boolean result = part.ordinal() == resultOf(pass).ordinal();
            long from = (result ? blocked : plain)[part.ordinal()];
            long to = (result ? plain : blocked)[part.ordinal()];
            reorders[part.ordinal()] = OneDnn.reorder(from, to);
        }
        this.scratchpad = OneDnn.query(description, OneDnn.QUERY_SCRATCHPAD);
        this.primitive = OneDnn.primitive(description);
        if (pass != Pass.OUTPUT) {
            OneDnn.destroy("dnnl_primitive_desc_destroy", forward);
        }
        for (long order : any) {
            OneDnn.destroy("dnnl_memory_desc_destroy", order);
        }
    }

    /** Empty where oneDNN has no kernel of its own for this machine, or one that needs much memory. */
    static Optional<ConvPrimitive> of(ConvShape shape, Pass pass, int images, long mostScratch) {
        try {
            ConvPrimitive conv = new ConvPrimitive(shape, pass, images);
            String name = OneDnn.implementation(conv.description);
            if (name.startsWith("ref") || name.startsWith("gemm") || conv.scratchBytes() > mostScratch) {
                conv.close();
                return Optional.empty();
            }
            return Optional.of(conv);
        } catch (OneDnnException _) {
            return Optional.empty();
        }
    }

    private static Part resultOf(Pass pass) {
        return switch (pass) {
            case OUTPUT -> Part.OUTPUT;
            case INPUT_GRADIENT -> Part.INPUT;
            case WEIGHT_GRADIENT -> Part.WEIGHTS;
        };
    }

    private static long[][] dims(ConvShape shape, int images) {
        long[] weights = shape.groups() == 1
                ? new long[] {shape.filters(), shape.channels(), shape.filterH(), shape.filterW()}
                : new long[] {
                    shape.groups(), shape.groupFilters(), shape.groupChannels(), shape.filterH(), shape.filterW()
                };
        return new long[][] {
            {images, shape.channels(), shape.height(), shape.width()},
            weights,
            {images, shape.filters(), shape.outputHeight(), shape.outputWidth()}
        };
    }

    private static OneDnn.Walk walk(ConvShape shape) {
        ConvGeometry geometry = shape.geometry();
        return new OneDnn.Walk(
                new long[] {geometry.strideH(), geometry.strideW()},
                new long[] {geometry.dilationH() - 1, geometry.dilationW() - 1},
                new long[] {geometry.paddingH(), geometry.paddingW()},
                new long[] {geometry.paddingH(), geometry.paddingW()});
    }

    private int query(Part part) {
        boolean result = part == resultOf(pass);
        return switch (part) {
            case INPUT -> result ? OneDnn.QUERY_DIFF_SRC : OneDnn.QUERY_SRC;
            case WEIGHTS -> result ? OneDnn.QUERY_DIFF_WEIGHTS : OneDnn.QUERY_WEIGHTS;
            case OUTPUT -> pass == Pass.OUTPUT ? OneDnn.QUERY_DST : OneDnn.QUERY_DIFF_DST;
        };
    }

    private int argument(Part part) {
        boolean result = part == resultOf(pass);
        return switch (part) {
            case INPUT -> result ? OneDnn.ARG_DIFF_SRC : OneDnn.ARG_SRC;
            case WEIGHTS -> result ? OneDnn.ARG_DIFF_WEIGHTS : OneDnn.ARG_WEIGHTS;
            case OUTPUT -> pass == Pass.OUTPUT ? OneDnn.ARG_DST : OneDnn.ARG_DIFF_DST;
        };
    }

    /** Bytes of a part in the layout that oneDNN wants. */
    long blockedBytes(Part part) {
        return OneDnn.sizeOf(blocked[part.ordinal()]);
    }

    long scratchBytes() {
        return OneDnn.sizeOf(scratchpad);
    }

    /** Whether a part needs no reorder. */
    boolean isPlain(Part part) {
        return same[part.ordinal()];
    }

    /** An operand from the plain layout to oneDNN's, or a result back. */
    void reorder(Part part, long plainAddress, long blockedAddress, int slot) {
        Slot own = slots[slot];
        boolean result = part == resultOf(pass);
        OneDnn.point(own.plain[part.ordinal()], plainAddress);
        OneDnn.point(own.blocked[part.ordinal()], blockedAddress);
        OneDnn.execute(reorders[part.ordinal()], own.stream, 2, (result ? own.toPlain : own.toBlocked)[part.ordinal()]);
    }

    void execute(long input, long weights, long output, long scratch, int slot) {
        Slot own = slots[slot];
        OneDnn.point(own.blocked[0], input);
        OneDnn.point(own.blocked[1], weights);
        OneDnn.point(own.blocked[2], output);
        OneDnn.point(own.scratch, scratch);
        OneDnn.execute(primitive, own.stream, PARTS.length + 1, own.arguments);
    }

    /** Makes what the first {@code count} threads need, so that running allocates nothing. */
    void prepare(int count) {
        for (int i = 0; i < count; i++) {
            if (slots[i] == null) {
                slots[i] = new Slot();
            }
        }
    }

    /** The memory objects of one thread. */
    private final class Slot {
        private final long stream = OneDnn.newStream();
        private final long[] plain = new long[PARTS.length];
        private final long[] blocked = new long[PARTS.length];
        private final MemorySegment[] toBlocked = new MemorySegment[PARTS.length];
        private final MemorySegment[] toPlain = new MemorySegment[PARTS.length];
        private final long scratch = OneDnn.memory(scratchpad);
        private final MemorySegment arguments;

        Slot() {
            OneDnn.stayOnThisThread();
            long[] all = new long[2 * PARTS.length + 2];
            for (Part part : PARTS) {
                int i = part.ordinal();
                plain[i] = OneDnn.memory(ConvPrimitive.this.plain[i]);
                blocked[i] = OneDnn.memory(ConvPrimitive.this.blocked[i]);
                toBlocked[i] = OneDnn.arguments(arena, OneDnn.ARG_SRC, plain[i], OneDnn.ARG_DST, blocked[i]);
                toPlain[i] = OneDnn.arguments(arena, OneDnn.ARG_SRC, blocked[i], OneDnn.ARG_DST, plain[i]);
                all[2 * i] = argument(part);
                all[2 * i + 1] = blocked[i];
            }
            all[2 * PARTS.length] = OneDnn.ARG_SCRATCHPAD;
            all[2 * PARTS.length + 1] = scratch;
            arguments = OneDnn.arguments(arena, all);
        }

        void close() {
            for (int i = 0; i < PARTS.length; i++) {
                OneDnn.destroy("dnnl_memory_destroy", plain[i]);
                OneDnn.destroy("dnnl_memory_destroy", blocked[i]);
            }
            OneDnn.destroy("dnnl_memory_destroy", scratch);
            OneDnn.destroy("dnnl_stream_destroy", stream);
        }
    }

    @Override
    public void close() {
        for (Slot slot : slots) {
            if (slot != null) {
                slot.close();
            }
        }
        for (long reorder : reorders) {
            OneDnn.destroy("dnnl_primitive_destroy", reorder);
        }
        for (long order : plain) {
            OneDnn.destroy("dnnl_memory_desc_destroy", order);
        }
        OneDnn.destroy("dnnl_primitive_destroy", primitive);
        OneDnn.destroy("dnnl_primitive_desc_destroy", description);
        arena.close();
    }
}
