package dev.remat.runtime.cpu.update;

import dev.remat.ir.DType;
import dev.remat.ir.op.AdafactorUpdate;
import dev.remat.ir.op.AdagradUpdate;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.AdamVariantUpdate;
import dev.remat.ir.op.LionUpdate;
import dev.remat.ir.op.RmsPropUpdate;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Optimizer steps that change a parameter and its state in place, computed in f64 and rounded once.
 *
 * @param type of the parameter and its state
 * @param gradientType of the gradient
 */
public record Updates(DType type, DType gradientType, long count) {
    private static final int CHUNKS_PER_TASK = 16;

    /** A staged run from element {@code at} on: parameter in {@code p}, gradient in {@code g}, states in {@code s}. */
    @FunctionalInterface
    private interface Rule {
        void apply(long at, double[] p, double[] g, double[][] s, int n);
    }

    /** Gradient descent; {@code factor} is the gradient's, {@code velocity} {@link Elements#NONE} without momentum. */
    public void run(
            WorkerPool pool,
            MemorySegment arena,
            SgdUpdate op,
            double rate,
            double factor,
            long parameter,
            long gradient,
            long velocity) {
        boolean moves = velocity != Elements.NONE;
        run(pool, arena, parameter, gradient, moves ? new long[] {velocity} : new long[0], (at, p, g, s, n) -> {
            double[] m = moves ? s[0] : g;
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i] + op.weightDecay() * p[i];
                double direction = slope;
                if (moves) {
                    m[i] = op.momentum() * m[i] + (1 - op.dampening()) * slope;
                    direction = op.nesterov() ? slope + op.momentum() * m[i] : m[i];
                }
                p[i] -= rate * direction;
            }
        });
    }

    /** Adam; {@code factor} is the gradient's, and {@code step} counts from 1. */
    public void run(
            WorkerPool pool,
            MemorySegment arena,
            AdamUpdate op,
            double rate,
            double factor,
            long step,
            long parameter,
            long gradient,
            long first,
            long second) {
        double shrink = op.decoupled() ? 1 - rate * op.weightDecay() : 1;
        double pull = op.decoupled() ? 0 : op.weightDecay();
        double correction1 = 1 / (1 - StrictMath.pow(op.beta1(), step));
        double correction2 = 1 / (1 - StrictMath.pow(op.beta2(), step));
        run(pool, arena, parameter, gradient, new long[] {first, second}, (at, p, g, s, n) -> {
            double[] m = s[0];
            double[] v = s[1];
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i] + pull * p[i];
                m[i] = op.beta1() * m[i] + (1 - op.beta1()) * slope;
                v[i] = op.beta2() * v[i] + (1 - op.beta2()) * slope * slope;
                double size = Math.sqrt(v[i] * correction2) + op.epsilon();
                p[i] = shrink * p[i] - rate * (m[i] * correction1) / size;
            }
        });
    }

    /**
     * A variant of Adam; {@code factor} is the gradient's.
     *
     * @param sizes of the kind
     * @param states first moment, squares, and the largest of these if any
     */
    public void run(
            WorkerPool pool,
            MemorySegment arena,
            AdamVariantUpdate op,
            double rate,
            double[] sizes,
            double factor,
            long parameter,
            long gradient,
            long[] states) {
        double shrink = op.decoupled() ? 1 - rate * op.weightDecay() : 1;
        double pull = op.decoupled() ? 0 : op.weightDecay();
        double epsilon = op.epsilon();
        run(pool, arena, parameter, gradient, states, (at, p, g, s, n) -> {
            double[] m = s[0];
            double[] v = s[1];
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i] + pull * p[i];
                m[i] = op.beta1() * m[i] + (1 - op.beta1()) * slope;
                v[i] = op.kind() == AdamVariantUpdate.Kind.ADAMAX
                        ? Math.max(op.beta2() * v[i], Math.abs(slope) + epsilon)
                        : op.beta2() * v[i] + (1 - op.beta2()) * slope * slope;
                double change = switch (op.kind()) {
                    case AMSGRAD -> {
                        s[2][i] = Math.max(s[2][i], v[i]);
                        yield sizes[0] * m[i] / (Math.sqrt(sizes[1] * s[2][i]) + epsilon);
                    }
                    case NADAM -> (sizes[0] * slope + sizes[1] * m[i]) / (Math.sqrt(sizes[2] * v[i]) + epsilon);
                    case RADAM -> sizes[0] * m[i] + sizes[1] * m[i] / (Math.sqrt(v[i]) + epsilon);
                    case ADAMAX -> sizes[0] * m[i] / v[i];
                };
                p[i] = shrink * p[i] - change;
            }
        });
    }

    /** {@code keep} of the average and the rest of the parameter, which is where gradients are in other updates. */
    public void average(WorkerPool pool, MemorySegment arena, double keep, long average, long parameter) {
        run(pool, arena, average, parameter, new long[0], (at, a, p, s, n) -> {
            for (int i = 0; i < n; i++) {
                a[i] = keep * a[i] + (1 - keep) * p[i];
            }
        });
    }

    /** Lion; {@code factor} is the gradient's. */
    public void run(
            WorkerPool pool,
            MemorySegment arena,
            LionUpdate op,
            double rate,
            double factor,
            long parameter,
            long gradient,
            long first) {
        double shrink = 1 - rate * op.weightDecay();
        run(pool, arena, parameter, gradient, new long[] {first}, (at, p, g, s, n) -> {
            double[] m = s[0];
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i];
                p[i] = shrink * p[i] - rate * Math.signum(op.beta1() * m[i] + (1 - op.beta1()) * slope);
                m[i] = op.beta2() * m[i] + (1 - op.beta2()) * slope;
            }
        });
    }

    /** Adagrad; {@code rate} is that of the step, {@code factor} the gradient's. */
    public void run(
            WorkerPool pool,
            MemorySegment arena,
            AdagradUpdate op,
            double rate,
            double factor,
            long parameter,
            long gradient,
            long sum) {
        run(pool, arena, parameter, gradient, new long[] {sum}, (at, p, g, s, n) -> {
            double[] squares = s[0];
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i] + op.weightDecay() * p[i];
                squares[i] += slope * slope;
                p[i] -= rate * slope / (Math.sqrt(squares[i]) + op.epsilon());
            }
        });
    }

    /**
     * RMSprop; {@code factor} is the gradient's.
     *
     * @param states average of squares, average of gradients if centered, velocity if there is momentum
     */
    public void run(
            WorkerPool pool,
            MemorySegment arena,
            RmsPropUpdate op,
            double rate,
            double factor,
            long parameter,
            long gradient,
            long[] states) {
        run(pool, arena, parameter, gradient, states, (at, p, g, s, n) -> {
            for (int i = 0; i < n; i++) {
                double slope = factor * g[i] + op.weightDecay() * p[i];
                s[0][i] = op.alpha() * s[0][i] + (1 - op.alpha()) * slope * slope;
                double spread = s[0][i];
                if (op.centered()) {
                    s[1][i] = op.alpha() * s[1][i] + (1 - op.alpha()) * slope;
                    spread -= s[1][i] * s[1][i];
                }
                double direction = slope / (Math.sqrt(spread) + op.epsilon());
                if (op.hasVelocity()) {
                    double[] velocity = s[states.length - 1];
                    velocity[i] = op.momentum() * velocity[i] + direction;
                    direction = velocity[i];
                }
                p[i] -= rate * direction;
            }
        });
    }

    /**
     * Estimates of squares as products.
     *
     * @param rows address of [.., height, 1]
     * @param columns address of [.., 1, width]
     */
    public record Factors(long rows, long columns, long height, long width) {}

    /** Adafactor; {@code size} is that of the step times the gradient's factor. */
    public void run(
            WorkerPool pool,
            MemorySegment arena,
            AdafactorUpdate op,
            double rate,
            double size,
            long parameter,
            long gradient,
            long estimate) {
        double shrink = 1 - rate * op.weightDecay();
        run(pool, arena, parameter, gradient, new long[] {estimate}, (at, p, g, s, n) -> {
            for (int i = 0; i < n; i++) {
                p[i] = shrink * p[i] - size * g[i] / Math.max(Math.sqrt(s[0][i]), op.epsilon());
            }
        });
    }

    /** The same with an estimate in factors. */
    public void run(
            WorkerPool pool,
            MemorySegment arena,
            AdafactorUpdate op,
            double rate,
            double size,
            long parameter,
            long gradient,
            Factors factors) {
        double shrink = 1 - rate * op.weightDecay();
        run(pool, arena, parameter, gradient, new long[0], (at, p, g, s, n) -> {
            long row = at / factors.width;
            long column = at % factors.width;
            double ofRow = get(arena, factors.rows, row);
            for (int i = 0; i < n; i++) {
                double ofColumn = get(arena, factors.columns, row / factors.height * factors.width + column);
                p[i] = shrink * p[i] - size * g[i] / Math.max(Math.sqrt(ofRow * ofColumn), op.epsilon());
                if (++column == factors.width && i + 1 < n) {
                    column = 0;
                    ofRow = get(arena, factors.rows, ++row);
                }
            }
        });
    }

    private double get(MemorySegment arena, long tensor, long element) {
        return Elements.get(arena, type, tensor + element * type.bytes());
    }

    private void run(WorkerPool pool, MemorySegment arena, long parameter, long gradient, long[] states, Rule rule) {
        long perTask = (long) Scratch.CHUNK * CHUNKS_PER_TASK;
        pool.run(Math.toIntExact((count + perTask - 1) / perTask), (task, scratch) -> {
            double[] g = scratch.small(3 * Scratch.CHUNK);
            double[] p = scratch.doubles2;
            double[][] s = {scratch.doubles3, scratch.accumulators(Scratch.CHUNK), scratch.doubles4};
            long end = Math.min(count, (task + 1) * perTask);
            for (long at = task * perTask; at < end; at += Scratch.CHUNK) {
                int n = (int) Math.min(Scratch.CHUNK, end - at);
                long offset = at * type.bytes();
                Elements.load(arena, type, parameter + offset, p, 0, n, scratch);
                Elements.load(arena, gradientType, gradient + at * gradientType.bytes(), g, 0, n, scratch);
                for (int state = 0; state < states.length; state++) {
                    Elements.load(arena, type, states[state] + offset, s[state], 0, n, scratch);
                }
                rule.apply(at, p, g, s, n);
                Elements.store(arena, type, parameter + offset, p, 0, n, scratch);
                for (int state = 0; state < states.length; state++) {
                    Elements.store(arena, type, states[state] + offset, s[state], 0, n, scratch);
                }
            }
        });
    }
}
