package dev.remat.codegen.cuda.family.reduce;

import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * How a dense tensor is reduced over some axes by blocks of {@link #THREADS} threads: a function of its type and the
 * axes alone, so that the order of a sum is too. Neighbouring axes that are all kept or all reduced count as one;
 * elements are taken in groups of {@code width} neighbours.
 *
 * @param rows whether the innermost axis is reduced, so that a group is of one output, else of {@code width} outputs
 * @param kept axes of the outputs (rows) or groups of them, innermost first
 * @param reduced axes of the groups that each output reduces, innermost first
 * @param across outputs or groups of them that a block makes
 * @param splits blocks that share an output; more than one needs a second pass
 * @param chunk groups that a block reduces
 * @param narrow whether 32-bit indices suffice
 */
public record ReductionShape(
        boolean rows,
        int width,
        List<Axis> kept,
        List<Axis> reduced,
        int across,
        long splits,
        long chunk,
        boolean narrow) {
    public static final int THREADS = 256;
    /** Blocks that keep a GPU busy. */
    private static final long BLOCKS = 512;
    /** Groups that a thread loads before it reduces them. */
    private static final int AHEAD = 4;

    /** Indices and the elements from one to the next. */
    record Axis(long extent, long stride) {}

    /** The reduction of a tensor of {@code dims} over {@code axes}. */
    public static ReductionShape of(long[] dims, List<Integer> axes, DType type) {
        ReductionShape whole = unsplit(dims, axes, type);
        long blocks = Math.ceilDiv(count(whole.kept), whole.across);
        int sharing = THREADS / whole.across;
        long groups = count(whole.reduced);
        if (blocks >= BLOCKS / 2 || whole.rows && whole.across > 1) {
            return whole;
        }
        long wanted = Math.min(Math.ceilDiv(BLOCKS, blocks), Math.ceilDiv(groups, (long) sharing * AHEAD));
        long each = Math.ceilDiv(groups, wanted * sharing) * sharing;
        return whole.split(Math.ceilDiv(groups, each), each);
    }

    private static ReductionShape unsplit(long[] dims, List<Integer> axes, DType type) {
        List<Long> extents = new ArrayList<>();
        List<Boolean> isReduced = new ArrayList<>();
        long elements = 1;
        for (int axis = 0; axis < dims.length; axis++) {
            elements *= dims[axis];
            boolean reduced = axes.contains(axis);
            if (dims[axis] == 1) {
                continue;
            }
            if (!isReduced.isEmpty() && isReduced.getLast() == reduced) {
                extents.set(extents.size() - 1, extents.getLast() * dims[axis]);
            } else {
                extents.add(dims[axis]);
                isReduced.add(reduced);
            }
        }
        boolean rows = isReduced.isEmpty() || isReduced.getLast();
        int width = extents.isEmpty() ? 1 : (int) Math.min(16 / type.bytes(), Long.lowestOneBit(extents.getLast()));
        List<Axis> kept = new ArrayList<>();
        List<Axis> folded = new ArrayList<>();
        long stride = 1;
        for (int axis = extents.size() - 1; axis >= 0; axis--) {
            boolean innermost = axis == extents.size() - 1;
            Axis each = new Axis(extents.get(axis) / (innermost ? width : 1), innermost ? width : stride);
            (isReduced.get(axis) ? folded : kept).add(each);
            stride *= extents.get(axis);
        }
        if (kept.isEmpty()) {
            kept.add(new Axis(1, 0));
        }
        if (folded.isEmpty()) {
            folded.add(new Axis(1, 0));
        }
        int across = rows ? THREADS / sharing(count(folded), count(kept)) : count(kept) < 16 ? 4 : 32;
        return new ReductionShape(rows, width, kept, folded, across, 1, count(folded), elements < 1L << 31);
    }

    /** Threads that share a row. */
    private static int sharing(long groups, long rows) {
        if (groups > 1024 || groups > 128 && rows < BLOCKS) {
            return THREADS;
        }
        return groups > 8 ? 32 : 4;
    }

    private ReductionShape split(long splits, long chunk) {
        return new ReductionShape(rows, width, kept, reduced, across, splits, chunk, narrow);
    }

    /** The reduction of what the splits have come to, numbers of {@code type}. */
    ReductionShape second(DType type) {
        return rows ? unsplit(new long[] {outputs(), splits}, List.of(1), type) : merging(splits, outputs(), type);
    }

    /** The reduction of the rows of a small matrix, with many threads a column. */
    public static ReductionShape merging(long rows, long columns, DType type) {
        ReductionShape each = unsplit(new long[] {rows, columns}, List.of(0), type);
        return new ReductionShape(each.rows, each.width, each.kept, each.reduced, 4, 1, each.chunk, each.narrow);
    }

    private static long count(List<Axis> axes) {
        return axes.stream().mapToLong(Axis::extent).reduce(1, Math::multiplyExact);
    }

    /** Whether each output reduces a run of neighbours. */
    public boolean isRuns() {
        return rows && reduced.size() == 1;
    }

    public long outputs() {
        return count(kept) * (rows ? 1 : width);
    }

    /** Elements that each output reduces. */
    public long elements() {
        return count(reduced) * (rows ? width : 1);
    }

    long blocks() {
        return Math.ceilDiv(count(kept), across) * splits;
    }

    /** Template arguments after the reducer. */
    String template() {
        return width + ", " + rows + ", " + across;
    }

    String label() {
        return rows ? "rows" : "columns";
    }

    /** Declares what {@code reduce} takes after input and output. */
    String declare(KernelCall call) {
        List<String> arguments = List.of(
                index(call, count(kept)),
                walk(call, kept),
                index(call, count(reduced)),
                walk(call, reduced),
                index(call, chunk),
                call.u32(splits));
        call.threads(THREADS).grid(blocks());
        return String.join(", ", arguments);
    }

    private String index(KernelCall call, long value) {
        return call.index(narrow, value);
    }

    private String walk(KernelCall call, List<Axis> axes) {
        List<String> extents = new ArrayList<>();
        List<String> magics = new ArrayList<>();
        List<String> strides = new ArrayList<>();
        for (Axis axis : axes) {
            if (axes.size() > 1) {
                extents.add(index(call, axis.extent()));
                magics.add(call.divisor(narrow, axis.extent()));
            }
            strides.add(index(call, axis.stride()));
        }
        return "Walk<" + (narrow ? "u32" : "u64") + ", " + axes.size() + ">{{" + String.join(", ", extents) + "}, {"
                + String.join(", ", magics) + "}, {" + String.join(", ", strides) + "}}";
    }
}
