package dev.remat.runtime.cpu.row;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.MeanLoss;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.Sums;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Mean negative log-likelihood of rows of logits, and its gradient. Rows whose target is {@code ignoreIndex} do not
 * count; without any other the loss is NaN.
 *
 * @param type of the logits; loss and log-sum-exp are f32, or f64 for f64
 * @param targets i32 or i64
 * @param perRow whether there is a loss for each row instead of their mean
 */
public record CrossEntropyKernel(
        DType type, DType targets, int rows, int columns, double smoothing, long ignoreIndex, boolean perRow) {

    public static CpuKernel of(CrossEntropy op, OpTypes types) {
        CrossEntropyKernel kernel = of(op, types.operand(0), types.operand(1));
        return new CpuKernel(kernel.workspaceBytes(), in -> {
            long logits = in.dense(0);
            long target = in.dense(1);
            long loss = in.hasResult(0) || in.hasEpilogue() ? in.output() : Elements.NONE;
            long lse = in.resultIfStored(1);
            long workspace = in.workspace();
            return frame -> kernel.run(frame.pool(), frame.arena(), logits, target, loss, lse, workspace);
        });
    }

    public static CpuKernel of(CrossEntropyGradient op) {
        return new CpuKernel(in -> {
            CrossEntropyKernel kernel = of(op.forward(), in.operandType(1), in.operandType(2));
            int last = in.operandTypes().size() == 5 ? 4 : 2;
            Slopes slopes = new Slopes(
                    in.dense(0),
                    in.dense(1),
                    in.dense(2),
                    in.dense(3),
                    new Targets(kernel.targets, in.dense(last), Shapes.extent(in.operandType(last), 0)),
                    in.output());
            return frame -> kernel.runGradient(frame.pool(), frame.arena(), slopes);
        });
    }

    public static CpuKernel of(MeanLoss op) {
        return new CpuKernel(in -> {
            long losses = in.dense(0);
            Targets targets = new Targets(in.dtype(1), in.dense(1), Shapes.extent(in.operandType(1), 0));
            DType type = in.dtype(0);
            long loss = in.output();
            return frame -> mean(frame.arena(), type, losses, targets, op.ignoreIndex(), loss);
        });
    }

    /** What a loss is a mean over. */
    private record Targets(DType type, long at, int rows) {
        int counted(MemorySegment arena, long ignoreIndex) {
            int counted = 0;
            for (int row = 0; row < rows; row++) {
                counted += Elements.getIndex(arena, type, at + (long) row * type.bytes()) != ignoreIndex ? 1 : 0;
            }
            return counted;
        }
    }

    /** Where the gradient finds what it reads, and where it goes. */
    private record Slopes(long dloss, long logits, long target, long lse, Targets all, long dlogits) {}

    private static CrossEntropyKernel of(CrossEntropy op, TensorType logits, TensorType targets) {
        return new CrossEntropyKernel(
                logits.dtype(),
                targets.dtype(),
                Shapes.extent(logits, 0),
                Shapes.extent(logits, 1),
                op.labelSmoothing(),
                op.ignoreIndex(),
                op.perRow());
    }

    /** Bytes of workspace of the loss: the losses of the rows, where their mean is wanted. */
    public long workspaceBytes() {
        return perRow ? 0 : (long) type.accumulator().bytes() * rows;
    }

    /** Writes the loss and each row's log-sum-exp. */
    public void run(
            WorkerPool pool, MemorySegment arena, long logits, long target, long loss, long lse, long workspace) {
        DType wide = type.accumulator();
        long losses = perRow ? loss : workspace;
        forEachBlock(pool, (first, block) -> {
            long begin = logits + (long) first * columns * type.bytes();
            if (type == DType.F64) {
                for (int i = 0; i < block.rows(); i++) {
                    block.sums()[i] = LogSumExp.of(arena, begin + 8L * i * columns, columns)
                            .value();
                }
            } else {
                block.load(arena, type, begin);
                block.logSumExp();
            }
            for (int i = 0; i < block.rows(); i++) {
                int row = first + i;
                long x = begin + (long) i * columns * type.bytes();
                double value = block.sums()[i];
                if (lse != Elements.NONE) {
                    Elements.set(arena, wide, lse + (long) row * wide.bytes(), value);
                }
                long label = label(arena, target, row);
                double likelihood = 0;
                if (label != ignoreIndex) {
                    likelihood = (1 - smoothing) * (value - Elements.get(arena, type, x + label * type.bytes()));
                    if (smoothing > 0) {
                        likelihood += smoothing * (value - mean(arena, x, block.scratch()));
                    }
                }
                if (losses != Elements.NONE) {
                    Elements.set(arena, wide, losses + (long) row * wide.bytes(), likelihood);
                }
            }
        });
        if (!perRow && loss != Elements.NONE) {
            mean(arena, wide, losses, new Targets(targets, target, rows), ignoreIndex, loss);
        }
    }

    /** Of losses that are rounded by row, so that those of some rows may be computed apart. */
    private static void mean(
            MemorySegment arena, DType type, long losses, Targets targets, long ignoreIndex, long loss) {
        double sum = 0;
        for (int row = 0; row < targets.rows; row++) {
            sum += Elements.get(arena, type, losses + (long) row * type.bytes());
        }
        Elements.set(arena, type, loss, sum / targets.counted(arena, ignoreIndex));
    }

    /** Writes the gradient by the logits. */
    public void runGradient(
            WorkerPool pool, MemorySegment arena, long dloss, long logits, long target, long lse, long dlogits) {
        runGradient(pool, arena, new Slopes(dloss, logits, target, lse, new Targets(targets, target, rows), dlogits));
    }

    private void runGradient(WorkerPool pool, MemorySegment arena, Slopes to) {
        long dloss = to.dloss;
        long logits = to.logits;
        long target = to.target;
        long lse = to.lse;
        long dlogits = to.dlogits;
        DType wide = type.accumulator();
        double shared = perRow ? 0 : Elements.get(arena, wide, dloss) / to.all.counted(arena, ignoreIndex);
        forEachBlock(pool, (first, block) -> {
            long offset = (long) first * columns * type.bytes();
            for (int i = 0; i < block.rows(); i++) {
                double shift = Elements.get(arena, wide, lse + (long) (first + i) * wide.bytes());
                block.sums()[i] = shift;
                block.shifts()[i] = (float) shift;
            }
            if (type != DType.F64) {
                block.load(arena, type, logits + offset);
                block.exponentials();
            }
            for (int i = 0; i < block.rows(); i++) {
                int row = first + i;
                double scale = perRow ? Elements.get(arena, wide, dloss + (long) row * wide.bytes()) : shared;
                long label = label(arena, target, row);
                if (type == DType.F64) {
                    long begin = offset + 8L * i * columns;
                    inDoubles(arena, logits + begin, dlogits + begin, block.sums()[i], label, scale);
                } else {
                    slopes(block.values(), i * columns, label, scale);
                }
            }
            if (type != DType.F64) {
                block.store(arena, type, dlogits + offset);
            }
        });
    }

    /** Makes of a row of probabilities its gradient. */
    private void slopes(float[] values, int at, long label, double scale) {
        if (label == ignoreIndex) {
            Arrays.fill(values, at, at + columns, 0);
            return;
        }
        double share = smoothing / columns;
        float likely = (float) (scale * (values[at + (int) label] - share - (1 - smoothing)));
        float less = (float) share;
        float factor = (float) scale;
        for (int i = at; i < at + columns; i++) {
            values[i] = factor * (values[i] - less);
        }
        values[at + (int) label] = likely;
    }

    private void inDoubles(MemorySegment arena, long x, long dx, double shift, long label, double scale) {
        for (int i = 0; i < columns; i++) {
            double away = smoothing / columns + (i == label ? 1 - smoothing : 0);
            double slope = scale * (StrictMath.exp(Elements.get(arena, type, x + 8L * i) - shift) - away);
            Elements.set(arena, type, dx + 8L * i, label == ignoreIndex ? 0 : slope);
        }
    }

    private void forEachBlock(WorkerPool pool, RowBlock.Work work) {
        pool.run(
                Math.ceilDiv(rows, RowBlock.perTask(columns)),
                (task, scratch) -> RowBlock.forEach(task, rows, columns, scratch, work));
    }

    private double mean(MemorySegment arena, long x, Scratch scratch) {
        double sum = 0;
        for (int at = 0; at < columns; at += Scratch.CHUNK) {
            int n = Math.min(Scratch.CHUNK, columns - at);
            Elements.load(arena, type, x + (long) at * type.bytes(), scratch.doubles2, 0, n, scratch);
            sum += Sums.of(scratch.doubles2, 0, n);
        }
        return sum / columns;
    }

    private long label(MemorySegment arena, long target, int row) {
        return isCounted(arena, target, row)
                ? Elements.getIndexBelow(arena, targets, target, row, columns)
                : ignoreIndex;
    }

    private boolean isCounted(MemorySegment arena, long target, int row) {
        return Elements.getIndex(arena, targets, target + (long) row * targets.bytes()) != ignoreIndex;
    }
}
