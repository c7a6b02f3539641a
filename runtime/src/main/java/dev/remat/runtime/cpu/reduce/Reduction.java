package dev.remat.runtime.cpu.reduce;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseEvaluator;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.IterationSpace;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reduces the outputs of an elementwise program over some axes of a box. Floats are reduced in f64, each chunk by fixed
 * partial sums, chunks and parts in order; the parts into which a long reduction is divided are a function of the
 * shape.
 */
public final class Reduction {
    /** How values become one. */
    public enum Kind {
        SUM,
        SUM_OF_SQUARES,
        MAX,
        MIN,
        PROD;

        /** What changes nothing. */
        double neutral() {
            return switch (this) {
                case SUM, SUM_OF_SQUARES -> 0;
                case MAX -> Double.NEGATIVE_INFINITY;
                case MIN -> Double.POSITIVE_INFINITY;
                case PROD -> 1;
            };
        }

        /** One of two that parts have come to. */
        double join(double a, double b) {
            return switch (this) {
                case SUM, SUM_OF_SQUARES -> a + b;
                case MAX -> Math.max(a, b);
                case MIN -> Math.min(a, b);
                case PROD -> a * b;
            };
        }
    }

    /** Takes the totals, one for each kind, at a position among the kept axes. */
    @FunctionalInterface
    public interface Finish {
        void store(long position, double[] totals, int at, int step);
    }

    private static final int PART = 16 * Scratch.CHUNK;
    private static final int MOST_PARTS = 64;

    private final EltwiseEvaluator evaluator;
    private final TensorView[] inputs;
    private final List<Kind> kinds;
    private final int[] registers;
    private final boolean integers;
    private final boolean wide;
    private final IterationSpace space;
    private final ReductionShape shape;
    private final int parts;

    /**
     * @param program its outputs are reduced, one by each of {@code kinds}
     * @param reduced for each axis of {@code dims} whether it is reduced
     * @param inputs of the program
     */
    public Reduction(EltwiseProgram program, List<Kind> kinds, int[] dims, boolean[] reduced, List<TensorView> inputs) {
        this.evaluator = new EltwiseEvaluator(program);
        this.kinds = List.copyOf(kinds);
        this.registers =
                program.outputs().stream().mapToInt(evaluator::registerOf).toArray();
        DType type = program.typeOf(program.outputs().getFirst());
        this.integers = !type.isFloat();
        this.shape = ReductionShape.of(dims, reduced);
        this.parts = parts(shape, integers);
        List<long[]> ordered = new ArrayList<>();
        for (TensorView input : inputs) {
            ordered.add(Arrays.stream(shape.order())
                    .mapToLong(axis -> input.strides()[axis])
                    .toArray());
        }
        int[] orderedDims = Arrays.stream(shape.order()).map(axis -> dims[axis]).toArray();
        this.space = IterationSpace.of(orderedDims, ordered);
        this.inputs = space.over(inputs);
        this.wide = type == DType.F64;
    }

    private static int parts(ReductionShape shape, boolean integers) {
        if (integers) {
            return 1;
        }
        long each = Math.max(1, (long) shape.outer() * shape.laneBlocks());
        long wanted = Math.max(1, 16 / each);
        long perOutput = (long) shape.terms() * Math.min(shape.lanes(), Scratch.CHUNK);
        return (int) Math.max(1, Math.min(Math.min(wanted, MOST_PARTS), perOutput / PART));
    }

    /** Bytes of workspace; the same for any number of threads. */
    public static long workspaceBytes(int[] dims, boolean[] reduced, int kinds, boolean integers) {
        ReductionShape shape = ReductionShape.of(dims, reduced);
        int parts = parts(shape, integers);
        return parts == 1 ? 0 : 8L * parts * kinds * shape.outer() * shape.lanes();
    }

    public void run(WorkerPool pool, MemorySegment arena, long workspace, RandomBits randomBits, Finish finish) {
        int blocks = shape.laneBlocks();
        long outputs = (long) shape.outer() * shape.lanes();
        // Short reductions share a task, so that a task is worth its start.
        long perOutput = (long) shape.terms() * Math.min(shape.lanes(), Scratch.CHUNK) / parts;
        int grouped = parts == 1 && blocks == 1 ? (int) Math.max(1, Math.min(shape.outer(), PART / perOutput)) : 1;
        int groups = Math.ceilDiv(shape.outer(), grouped);
        pool.run(Math.multiplyExact(groups * blocks, parts), (task, scratch) -> {
            int part = task % parts;
            int block = task / parts % blocks;
            int group = task / parts / blocks;
            int lane = block * Scratch.CHUNK;
            int lanes = Math.min(Scratch.CHUNK, shape.lanes() - lane);
            Terms terms = new Terms(
                    (int) ((long) shape.terms() * part / parts),
                    (int) ((long) shape.terms() * (part + 1) / parts),
                    lane,
                    lanes);
            double[] sums = scratch.accumulators(kinds.size() * lanes);
            evaluator.prepare(scratch);
            int first = group * grouped;
            int end = Math.min(shape.outer(), first + grouped);
            if (shape.terms() <= Scratch.CHUNK / 2 && shape.lanes() == 1 && parts == 1) {
                reduceShortRows(arena, randomBits, first, end, scratch, finish);
                return;
            }
            for (int outer = first; outer < end; outer++) {
                start(sums, lanes);
                reduce(arena, randomBits, outer, terms, sums, scratch);
                long position = (long) outer * shape.lanes() + lane;
                for (int i = 0; i < lanes; i++) {
                    if (parts == 1) {
                        finish.store(position + i, sums, i, lanes);
                    } else {
                        for (int f = 0; f < kinds.size(); f++) {
                            long at = ((long) part * kinds.size() + f) * outputs + position + i;
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

    /** Reduces several short rows that are evaluated together. */
    private void reduceShortRows(
            MemorySegment arena, RandomBits randomBits, int first, int end, Scratch scratch, Finish finish) {
        int terms = shape.terms();
        int rowsAtOnce = Scratch.CHUNK / terms;
        double[] sums = scratch.accumulators(kinds.size() * rowsAtOnce);
        for (int outer = first; outer < end; outer += rowsAtOnce) {
            int rows = Math.min(rowsAtOnce, end - outer);
            evaluate(arena, randomBits, (long) outer * terms, rows * terms, scratch);
            start(sums, rows);
            for (int f = 0; f < kinds.size(); f++) {
                double[] values = doubles(registers[f], rows * terms, scratch);
                for (int row = 0; row < rows; row++) {
                    RowReduction.row(kinds.get(f), values, row * terms, terms, sums, f * rows + row);
                }
            }
            for (int row = 0; row < rows; row++) {
                finish.store(outer + row, sums, row, rows);
            }
        }
    }

    private void start(double[] sums, int lanes) {
        for (int f = 0; f < kinds.size(); f++) {
            Arrays.fill(sums, f * lanes, (f + 1) * lanes, kinds.get(f).neutral());
        }
    }

    /** Terms {@code from} to {@code to}, exclusive, of the lanes from {@code lane} on. */
    private record Terms(int from, int to, int lane, int lanes) {}

    private void reduce(
            MemorySegment arena, RandomBits randomBits, int outer, Terms terms, double[] sums, Scratch scratch) {
        int lanes = terms.lanes;
        int rowsAtOnce = lanes == shape.lanes() ? Math.max(1, Scratch.CHUNK / lanes) : 1;
        for (int row = terms.from; row < terms.to; row += rowsAtOnce) {
            int rows = Math.min(rowsAtOnce, terms.to - row);
            long start = ((long) outer * shape.terms() + row) * shape.lanes() + terms.lane;
            int n = rows * lanes;
            evaluate(arena, randomBits, start, n, scratch);
            for (int f = 0; f < kinds.size(); f++) {
                if (kinds.get(f) == Kind.SUM && lanes > 1 && !wide && !integers) {
                    float[] values = scratch.registers.floats[registers[f]];
                    RowReduction.addRows(values, rows, lanes, sums, f * lanes);
                    continue;
                }
                double[] values = doubles(registers[f], n, scratch);
                RowReduction.into(kinds.get(f), values, rows, lanes, sums, f * lanes);
            }
        }
    }

    private void evaluate(MemorySegment arena, RandomBits randomBits, long start, int n, Scratch scratch) {
        for (int i = 0; i < inputs.length; i++) {
            evaluator.load(i, arena, inputs[i], start, n, scratch);
        }
        evaluator.run(scratch, randomBits, n);
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
            double[] sums = scratch.accumulators(kinds.size());
            long end = Math.min(outputs, (task + 1L) * perTask);
            for (long position = (long) task * perTask; position < end; position++) {
                start(sums, 1);
                for (int f = 0; f < kinds.size(); f++) {
                    for (int part = 0; part < parts; part++) {
                        long at = ((long) part * kinds.size() + f) * outputs + position;
                        double value = Elements.get(arena, DType.F64, workspace + 8 * at);
                        sums[f] = kinds.get(f).join(sums[f], value);
                    }
                }
                finish.store(position, sums, 0, 1);
            }
        });
    }
}
