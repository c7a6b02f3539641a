package dev.remat.runtime.cpu.row;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
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
            long dloss = in.dense(0);
            long logits = in.dense(1);
            long target = in.dense(2);
            long lse = in.dense(3);
            long dlogits = in.output();
            return frame -> kernel.runGradient(frame.pool(), frame.arena(), dloss, logits, target, lse, dlogits);
        });
    }

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
        return perRow ? 0 : 8L * rows;
    }

    /** Writes the loss and each row's log-sum-exp. */
    public void run(
            WorkerPool pool, MemorySegment arena, long logits, long target, long loss, long lse, long workspace) {
        DType wide = type.accumulator();
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
                if (!perRow) {
                    Elements.set(arena, DType.F64, workspace + 8L * row, likelihood);
                } else if (loss != Elements.NONE) {
                    Elements.set(arena, wide, loss + (long) row * wide.bytes(), likelihood);
                }
            }
        });
        if (perRow || loss == Elements.NONE) {
            return;
        }
        double sum = 0;
        for (int row = 0; row < rows; row++) {
            sum += Elements.get(arena, DType.F64, workspace + 8L * row);
        }
        Elements.set(arena, wide, loss, sum / counted(arena, target));
    }

    /** Writes the gradient by the logits. */
    public void runGradient(
            WorkerPool pool, MemorySegment arena, long dloss, long logits, long target, long lse, long dlogits) {
        DType wide = type.accumulator();
        double shared = perRow ? 0 : Elements.get(arena, wide, dloss) / counted(arena, target);
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

    private int counted(MemorySegment arena, long target) {
        int counted = 0;
        for (int row = 0; row < rows; row++) {
            counted += isCounted(arena, target, row) ? 1 : 0;
        }
        return counted;
    }

    private boolean isCounted(MemorySegment arena, long target, int row) {
        return Elements.getIndex(arena, targets, target + (long) row * targets.bytes()) != ignoreIndex;
    }
}
