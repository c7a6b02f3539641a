package dev.remat.runtime.cpu.update;

import dev.remat.ir.DType;
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

    /** One staged run: parameter in {@code p}, gradient in {@code g}, states in {@code m} and {@code v}. */
    @FunctionalInterface
    private interface Rule {
        void apply(double[] p, double[] g, double[] m, double[] v, int n);
    }

    /** What stochastic gradient descent needs besides its tensors. */
    public record Sgd(
            double rate, double momentum, double dampening, boolean nesterov, double weightDecay, double factor) {}

    /**
     * What Adam needs besides its tensors.
     *
     * @param step counts from 1
     */
    public record Adam(
            double rate,
            double beta1,
            double beta2,
            double epsilon,
            double weightDecay,
            boolean decoupled,
            double factor,
            long step) {}

    /** {@code velocity} is {@link Elements#NONE} without momentum. */
    public void run(WorkerPool pool, MemorySegment arena, Sgd rule, long parameter, long gradient, long velocity) {
        run(pool, arena, parameter, gradient, velocity, Elements.NONE, (p, g, m, v, n) -> {
            for (int i = 0; i < n; i++) {
                double slope = rule.factor * g[i] + rule.weightDecay * p[i];
                double direction = slope;
                if (velocity != Elements.NONE) {
                    m[i] = rule.momentum * m[i] + (1 - rule.dampening) * slope;
                    direction = rule.nesterov ? slope + rule.momentum * m[i] : m[i];
                }
                p[i] -= rule.rate * direction;
            }
        });
    }

    /** First and second moments are updated too. */
    public void run(
            WorkerPool pool, MemorySegment arena, Adam rule, long parameter, long gradient, long first, long second) {
        double shrink = rule.decoupled ? 1 - rule.rate * rule.weightDecay : 1;
        double pull = rule.decoupled ? 0 : rule.weightDecay;
        double correction1 = 1 / (1 - StrictMath.pow(rule.beta1, rule.step));
        double correction2 = 1 / (1 - StrictMath.pow(rule.beta2, rule.step));
        run(pool, arena, parameter, gradient, first, second, (p, g, m, v, n) -> {
            for (int i = 0; i < n; i++) {
                double slope = rule.factor * g[i] + pull * p[i];
                m[i] = rule.beta1 * m[i] + (1 - rule.beta1) * slope;
                v[i] = rule.beta2 * v[i] + (1 - rule.beta2) * slope * slope;
                double size = Math.sqrt(v[i] * correction2) + rule.epsilon;
                p[i] = shrink * p[i] - rule.rate * (m[i] * correction1) / size;
            }
        });
    }

    /** {@code keep} of the average and the rest of the parameter, which is where gradients are in other updates. */
    public void average(WorkerPool pool, MemorySegment arena, double keep, long average, long parameter) {
        run(pool, arena, average, parameter, Elements.NONE, Elements.NONE, (a, p, m, v, n) -> {
            for (int i = 0; i < n; i++) {
                a[i] = keep * a[i] + (1 - keep) * p[i];
            }
        });
    }

    private void run(
            WorkerPool pool, MemorySegment arena, long parameter, long gradient, long first, long second, Rule rule) {
        long perTask = (long) Scratch.CHUNK * CHUNKS_PER_TASK;
        pool.run(Math.toIntExact((count + perTask - 1) / perTask), (task, scratch) -> {
            double[] g = scratch.small(3 * Scratch.CHUNK);
            double[] p = scratch.doubles2;
            double[] m = scratch.doubles3;
            double[] v = scratch.accumulators(Scratch.CHUNK);
            long end = Math.min(count, (task + 1) * perTask);
            for (long at = task * perTask; at < end; at += Scratch.CHUNK) {
                int n = (int) Math.min(Scratch.CHUNK, end - at);
                long offset = at * type.bytes();
                Elements.load(arena, type, parameter + offset, p, 0, n, scratch);
                Elements.load(arena, gradientType, gradient + at * gradientType.bytes(), g, 0, n, scratch);
                if (first != Elements.NONE) {
                    Elements.load(arena, type, first + offset, m, 0, n, scratch);
                }
                if (second != Elements.NONE) {
                    Elements.load(arena, type, second + offset, v, 0, n, scratch);
                }
                rule.apply(p, g, m, v, n);
                Elements.store(arena, type, parameter + offset, p, 0, n, scratch);
                if (first != Elements.NONE) {
                    Elements.store(arena, type, first + offset, m, 0, n, scratch);
                }
                if (second != Elements.NONE) {
                    Elements.store(arena, type, second + offset, v, 0, n, scratch);
                }
            }
        });
    }
}
