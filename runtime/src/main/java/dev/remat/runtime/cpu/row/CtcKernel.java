package dev.remat.runtime.cpu.row;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.CtcLossGradient;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Connectionist temporal classification and its gradient, a sample at a time, by the logarithms of what all paths
 * through frames and labels make together (Graves et al., 2006). The labels of a sample stand at the odd ones of its
 * places, blanks at the even ones.
 *
 * @param type of the log-probabilities; losses are f32, or f64 for f64
 * @param integers i32 or i64
 * @param labels that a row of the targets has room for
 */
public record CtcKernel(
        DType type, DType integers, int frames, int samples, int classes, int labels, int blank, boolean zeroInfinity) {

    /** Offsets of the operands in bytes. */
    public record Operands(long frames, long targets, long inputLengths, long targetLengths) {
        private static Operands of(Binding in, int first) {
            return new Operands(in.dense(first), in.dense(first + 1), in.dense(first + 2), in.dense(first + 3));
        }
    }

    public static CpuKernel of(CtcLoss op) {
        return new CpuKernel(in -> {
            CtcKernel kernel = of(op, in.operandType(0), in.operandType(1));
            Operands operands = Operands.of(in, 0);
            long losses = in.output();
            return frame -> kernel.run(frame.pool(), frame.arena(), operands, losses);
        });
    }

    public static CpuKernel of(CtcLossGradient op, OpTypes types) {
        CtcKernel kernel = of(op.forward(), types.operand(1), types.operand(2));
        return new CpuKernel(kernel.gradientWorkspaceBytes(WorkerPool.MOST_THREADS), in -> {
            long dlosses = in.dense(0);
            Operands operands = Operands.of(in, 1);
            long dframes = in.output();
            long workspace = in.workspace();
            return frame -> kernel.runGradient(frame.pool(), frame.arena(), dlosses, operands, dframes, workspace);
        });
    }

    private static CtcKernel of(CtcLoss op, TensorType frames, TensorType targets) {
        return new CtcKernel(
                frames.dtype(),
                targets.dtype(),
                Shapes.extent(frames, 0),
                Shapes.extent(frames, 1),
                Shapes.extent(frames, 2),
                Shapes.extent(targets, 1),
                Math.toIntExact(op.blank()),
                op.zeroInfinity());
    }

    /** Bytes of workspace of the gradient: of each sample that is at work all frames at all places. */
    public long gradientWorkspaceBytes(int threads) {
        return WorkerPool.shares(threads, samples) * shareBytes();
    }

    private long shareBytes() {
        return 8L * frames * places(labels);
    }

    private static int places(int labels) {
        return 2 * labels + 1;
    }

    /** Writes the loss of each sample. */
    public void run(WorkerPool pool, MemorySegment arena, Operands in, long losses) {
        DType wide = type.accumulator();
        pool.run(samples, (sample, scratch) -> {
            Paths paths = new Paths(arena, in, sample, scratch);
            double loss = paths.loss(Elements.NONE);
            Elements.set(arena, wide, losses + (long) sample * wide.bytes(), isZeroed(loss) ? 0 : loss);
        });
    }

    /** Writes the gradient by the log-probabilities. */
    public void runGradient(
            WorkerPool pool, MemorySegment arena, long dlosses, Operands in, long dframes, long workspace) {
        DType wide = type.accumulator();
        pool.run(samples, (sample, scratch) -> {
            Paths paths = new Paths(arena, in, sample, scratch);
            long share = workspace + pool.share(samples, sample, scratch) * shareBytes();
            double loss = paths.loss(share);
            double dloss = Elements.get(arena, wide, dlosses + (long) sample * wide.bytes());
            paths.gradient(share, loss, dloss, dframes);
        });
    }

    private boolean isZeroed(double loss) {
        return zeroInfinity && loss == Double.POSITIVE_INFINITY;
    }

    /** Log of a sum of numbers given by their logs. */
    private static double logSum(double a, double b, double c) {
        double most = Math.max(a, Math.max(b, c));
        if (most == Double.NEGATIVE_INFINITY) {
            return most;
        }
        return most + StrictMath.log(StrictMath.exp(a - most) + StrictMath.exp(b - most) + StrictMath.exp(c - most));
    }

    /** The paths of one sample. */
    private final class Paths {
        private final MemorySegment arena;
        private final long frameBytes = (long) samples * classes * type.bytes();
        private final long column;
        private final long probabilities;
        private final int length;
        private final int[] symbols;
        private final double[] rows;
        private final double[] slopes;

        /** @throws dev.remat.runtime.cpu.support.StrayIndexException if a length or a label that counts is none */
        Paths(MemorySegment arena, Operands in, int sample, Scratch scratch) {
            this.arena = arena;
            this.column = (long) sample * classes * type.bytes();
            this.probabilities = in.frames + column;
            this.length = Elements.getIndexBelow(arena, integers, in.inputLengths, sample, frames + 1);
            int count = Elements.getIndexBelow(arena, integers, in.targetLengths, sample, labels + 1);
            this.symbols = new int[places(count)];
            Arrays.fill(symbols, blank);
            for (int i = 0; i < count; i++) {
                symbols[2 * i + 1] =
                        Elements.getIndexBelow(arena, integers, in.targets, (long) sample * labels + i, classes);
            }
            this.rows = scratch.accumulators(2 * symbols.length);
            this.slopes = scratch.small(classes);
        }

        private double probability(int frame, int place) {
            long at = probabilities + frame * frameBytes + (long) symbols[place] * type.bytes();
            return Elements.get(arena, type, at);
        }

        /** What a path that is at {@code place} may have come from beside its neighbour: no blank, no repetition. */
        private boolean skips(int place) {
            return place > 1 && symbols[place] != symbols[place - 2];
        }

        /** Minus the log of what all paths make; keeps that of each place in each frame where {@code kept} is. */
        double loss(long kept) {
            int places = symbols.length;
            int now = 0;
            int before = places;
            if (length == 0) {
                return places == 1 ? 0 : Double.POSITIVE_INFINITY;
            }
            for (int frame = 0; frame < length; frame++) {
                for (int place = 0; place < places; place++) {
                    double arriving;
                    if (frame == 0) {
                        arriving = place < 2 ? 0 : Double.NEGATIVE_INFINITY;
                    } else {
                        arriving = logSum(
                                rows[before + place],
                                place > 0 ? rows[before + place - 1] : Double.NEGATIVE_INFINITY,
                                skips(place) ? rows[before + place - 2] : Double.NEGATIVE_INFINITY);
                    }
                    rows[now + place] = arriving + probability(frame, place);
                }
                if (kept != Elements.NONE) {
                    MemorySegment.copy(rows, now, arena, JAVA_DOUBLE, kept + 8L * frame * places, places);
                }
                before = now;
                now = places - now;
            }
            double last = rows[before + places - 1];
            double label = places > 1 ? rows[before + places - 2] : Double.NEGATIVE_INFINITY;
            return -logSum(last, label, Double.NEGATIVE_INFINITY);
        }

        /** Goes back through the frames, and adds up in each what leads through a class. */
        void gradient(long kept, double loss, double dloss, long dframes) {
            int places = symbols.length;
            int now = 0;
            int after = places;
            for (int frame = frames - 1; frame >= 0; frame--) {
                Arrays.fill(slopes, 0, classes, 0);
                if (frame < length && !isZeroed(loss)) {
                    for (int place = 0; place < places; place++) {
                        double leaving;
                        if (frame == length - 1) {
                            leaving = place >= places - 2 ? 0 : Double.NEGATIVE_INFINITY;
                        } else {
                            leaving = logSum(
                                    rows[after + place],
                                    place + 1 < places ? rows[after + place + 1] : Double.NEGATIVE_INFINITY,
                                    place + 2 < places && skips(place + 2)
                                            ? rows[after + place + 2]
                                            : Double.NEGATIVE_INFINITY);
                        }
                        double arrived = arena.get(JAVA_DOUBLE, kept + 8L * ((long) frame * places + place));
                        slopes[symbols[place]] += StrictMath.exp(arrived + leaving + loss);
                        rows[now + place] = leaving + probability(frame, place);
                    }
                    after = now;
                    now = places - now;
                }
                long row = dframes + column + frame * frameBytes;
                for (int c = 0; c < classes; c++) {
                    Elements.set(arena, type, row + (long) c * type.bytes(), slopes[c] == 0 ? 0 : -dloss * slopes[c]);
                }
            }
        }
    }
}
