package dev.remat.runtime.cpu.reduce;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseEvaluator;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.support.Draws;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.IterationSpace;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Folds the outputs of an elementwise program over some axes of a box. Floats are folded in f64, each chunk by fixed
 * partial sums, chunks and parts in order; the parts into which a long fold is divided are a function of the shape.
 */
public final class Reduction {
    /** How values become one. */
    public enum Fold {
        SUM,
        SUM_OF_SQUARES,
        MAX
    }

    /** Takes the folded values, one for each fold, at a position among the kept axes. */
    @FunctionalInterface
    public interface Finish {
        void store(long position, double[] folded, int at, int step);
    }

    private static final int PART = 16 * Scratch.CHUNK;
    private static final int MOST_PARTS = 64;

    private final EltwiseEvaluator evaluator;
    private final int inputs;
    private final List<Fold> folds;
    private final int[] registers;
    private final boolean integers;
    private final boolean wide;
    private final IterationSpace space;
    private final ReductionShape shape;
    private final int parts;

    /**
     * @param program its outputs are folded, one by each of {@code folds}
     * @param reduced for each axis of {@code dims} whether it is folded
     * @param inputStrides elements for each axis, for each input
     */
    public Reduction(
            EltwiseProgram program, List<Fold> folds, int[] dims, boolean[] reduced, List<long[]> inputStrides) {
        this.evaluator = new EltwiseEvaluator(program);
        this.inputs = program.inputs().size();
        this.folds = List.copyOf(folds);
        this.registers =
                program.outputs().stream().mapToInt(evaluator::registerOf).toArray();
        DType type = program.typeOf(program.outputs().getFirst());
        this.integers = !type.isFloat();
        this.shape = ReductionShape.of(dims, reduced);
        this.parts = parts(shape, integers);
        List<long[]> ordered = new ArrayList<>();
        for (long[] strides : inputStrides) {
            ordered.add(Arrays.stream(shape.order())
                    .mapToLong(axis -> strides[axis])
                    .toArray());
        }
        int[] orderedDims = Arrays.stream(shape.order()).map(axis -> dims[axis]).toArray();
        this.space = IterationSpace.of(orderedDims, ordered);
        this.wide = type == DType.F64;
    }

    private static int parts(ReductionShape shape, boolean integers) {
        if (integers) {
            return 1;
        }
        long each = Math.max(1, (long) shape.outer() * shape.laneBlocks());
        long wanted = Math.max(1, 16 / each);
        long perOutput = (long) shape.folded() * Math.min(shape.lanes(), Scratch.CHUNK);
        return (int) Math.max(1, Math.min(Math.min(wanted, MOST_PARTS), perOutput / PART));
    }

    /** Bytes of workspace; the same for any number of threads. */
    public static long workspaceBytes(int[] dims, boolean[] reduced, int folds, boolean integers) {
        ReductionShape shape = ReductionShape.of(dims, reduced);
        int parts = parts(shape, integers);
        return parts == 1 ? 0 : 8L * parts * folds * shape.outer() * shape.lanes();
    }

    public void run(WorkerPool pool, MemorySegment arena, long[] offsets, long workspace, Draws draws, Finish finish) {
        int blocks = shape.laneBlocks();
        long outputs = (long) shape.outer() * shape.lanes();
        // Short folds share a task, so that a task is worth its start.
        long perOutput = (long) shape.folded() * Math.min(shape.lanes(), Scratch.CHUNK) / parts;
        int grouped = parts == 1 && blocks == 1 ? (int) Math.max(1, Math.min(shape.outer(), PART / perOutput)) : 1;
        int groups = Math.ceilDiv(shape.outer(), grouped);
        pool.run(Math.multiplyExact(groups * blocks, parts), (task, scratch) -> {
            int part = task % parts;
            int block = task / parts % blocks;
            int group = task / parts / blocks;
            int lane = block * Scratch.CHUNK;
            int lanes = Math.min(Scratch.CHUNK, shape.lanes() - lane);
            int from = (int) ((long) shape.folded() * part / parts);
            int to = (int) ((long) shape.folded() * (part + 1) / parts);
            double[] sums = scratch.accumulators(folds.size() * lanes);
            evaluator.prepare(scratch);
            int first = group * grouped;
            int end = Math.min(shape.outer(), first + grouped);
            if (shape.folded() <= Scratch.CHUNK / 2 && shape.lanes() == 1 && parts == 1) {
                foldShortRows(arena, offsets, draws, first, end, scratch, finish);
                return;
            }
            for (int outer = first; outer < end; outer++) {
                start(sums, lanes);
                fold(arena, offsets, draws, outer, from, to, lane, lanes, sums, scratch);
                long position = (long) outer * shape.lanes() + lane;
                for (int i = 0; i < lanes; i++) {
                    if (parts == 1) {
                        finish.store(position + i, sums, i, lanes);
                    } else {
                        for (int f = 0; f < folds.size(); f++) {
                            long at = ((long) part * folds.size() + f) * outputs + position + i;
                            Elements.set(arena, DType.F64, workspace + 8 * at, sums[f * lanes + i]);
                        }
                    }
                }
            }
        });
        if (parts > 1) {
            joinParts(pool, arena, workspace, outputs, finish);
        }
    }

    /** Folds several short rows that are evaluated together. */
    private void foldShortRows(
            MemorySegment arena, long[] offsets, Draws draws, int first, int end, Scratch scratch, Finish finish) {
        int folded = shape.folded();
        int rowsAtOnce = Scratch.CHUNK / folded;
        double[] sums = scratch.accumulators(folds.size() * rowsAtOnce);
        for (int outer = first; outer < end; outer += rowsAtOnce) {
            int rows = Math.min(rowsAtOnce, end - outer);
            evaluate(arena, offsets, draws, (long) outer * folded, rows * folded, scratch);
            start(sums, rows);
            for (int f = 0; f < folds.size(); f++) {
                double[] values = doubles(registers[f], rows * folded, scratch);
                for (int row = 0; row < rows; row++) {
                    Folds.row(folds.get(f), values, row * folded, folded, sums, f * rows + row);
                }
            }
            for (int row = 0; row < rows; row++) {
                finish.store(outer + row, sums, row, rows);
            }
        }
    }

    private void start(double[] sums, int lanes) {
        for (int f = 0; f < folds.size(); f++) {
            double neutral = folds.get(f) == Fold.MAX ? Double.NEGATIVE_INFINITY : 0;
            Arrays.fill(sums, f * lanes, (f + 1) * lanes, neutral);
        }
    }

    private void fold(
            MemorySegment arena,
            long[] offsets,
            Draws draws,
            int outer,
            int from,
            int to,
            int lane,
            int lanes,
            double[] sums,
            Scratch scratch) {
        int rowsAtOnce = lanes == shape.lanes() ? Math.max(1, Scratch.CHUNK / lanes) : 1;
        for (int row = from; row < to; row += rowsAtOnce) {
            int rows = Math.min(rowsAtOnce, to - row);
            long start = ((long) outer * shape.folded() + row) * shape.lanes() + lane;
            int n = rows * lanes;
            evaluate(arena, offsets, draws, start, n, scratch);
            for (int f = 0; f < folds.size(); f++) {
                double[] values = doubles(registers[f], n, scratch);
                Folds.into(folds.get(f), values, rows, lanes, sums, f * lanes);
            }
        }
    }

    private void evaluate(MemorySegment arena, long[] offsets, Draws draws, long start, int n, Scratch scratch) {
        for (int i = 0; i < inputs; i++) {
            evaluator.load(i, arena, offsets[i], space.dims(), space.strides()[i], start, n, scratch);
        }
        evaluator.run(scratch, draws, n);
    }

    private double[] doubles(int register, int n, Scratch scratch) {
        if (wide) {
            return scratch.registers.doubles[register];
        }
        double[] values = scratch.doubles;
        if (integers) {
            for (int i = 0; i < n; i++) {
                values[i] = scratch.registers.longs[register][i];
            }
        } else {
            Elements.widen(scratch.registers.floats[register], 0, values, 0, n);
        }
        return values;
    }

    private void joinParts(WorkerPool pool, MemorySegment arena, long workspace, long outputs, Finish finish) {
        int perTask = 2048;
        pool.run(Math.toIntExact((outputs + perTask - 1) / perTask), (task, scratch) -> {
            double[] sums = scratch.accumulators(folds.size());
            long end = Math.min(outputs, (task + 1L) * perTask);
            for (long position = (long) task * perTask; position < end; position++) {
                start(sums, 1);
                for (int f = 0; f < folds.size(); f++) {
                    for (int part = 0; part < parts; part++) {
                        long at = ((long) part * folds.size() + f) * outputs + position;
                        double value = Elements.get(arena, DType.F64, workspace + 8 * at);
                        sums[f] = folds.get(f) == Fold.MAX ? Math.max(sums[f], value) : sums[f] + value;
                    }
                }
                finish.store(position, sums, 0, 1);
            }
        });
    }
}
