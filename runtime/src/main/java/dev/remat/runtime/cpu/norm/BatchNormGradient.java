package dev.remat.runtime.cpu.norm;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Sums;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * {@link NormGradient} for batch normalization of dense images: statistics and gamma are one number a channel, so dx is
 * {@code a·dy + b·x + c} with three numbers a channel, and two passes over the planes do.
 *
 * <p>The workspace holds {@link #COEFFICIENTS} f64 a channel.
 *
 * @param n images
 * @param inner elements of a plane
 */
record BatchNormGradient(DType type, int n, int channels, int inner, double epsilon, Offsets in) {
    static final int COEFFICIENTS = 3;

    /** Bytes of the operands' first elements; the mean may be {@link Elements#NONE}. */
    record Offsets(long dy, long x, long mean, long variance, TensorView gamma) {}

    void run(WorkerPool pool, MemorySegment arena, NormGradient.Results to) {
        boolean centered = in.mean != Elements.NONE;
        DType gammaType = in.gamma.type();
        DType wide = type.accumulator();
        double count = (double) n * inner;
        pool.run(channels, (channel, scratch) -> {
            long at = (long) channel * wide.bytes();
            double mean = centered ? Elements.get(arena, wide, in.mean + at) : 0;
            double root = 1 / Math.sqrt(Elements.get(arena, wide, in.variance + at) + epsilon);
            double gamma = Elements.get(arena, gammaType, in.gamma.offset() + (long) channel * gammaType.bytes());
            double sum = 0;
            double along = 0;
            for (int image = 0; image < n; image++) {
                long plane = ((long) image * channels + channel) * inner * type.bytes();
                for (int done = 0; done < inner; done += Scratch.CHUNK) {
                    int some = Math.min(Scratch.CHUNK, inner - done);
                    long offset = plane + (long) done * type.bytes();
                    Elements.load(arena, type, in.dy + offset, scratch.doubles2, 0, some, scratch);
                    Elements.load(arena, type, in.x + offset, scratch.doubles3, 0, some, scratch);
                    sum += Sums.of(scratch.doubles2, 0, some);
                    along += Sums.ofProducts(scratch.doubles2, scratch.doubles3, mean, some);
                }
            }
            Elements.set(arena, wide, to.dgamma() + at, along * root);
            if (to.dbeta() != Elements.NONE) {
                Elements.set(arena, wide, to.dbeta() + at, sum);
            }
            double slope = -gamma * root * root * root * along / count;
            long coefficients = to.workspace() + 8L * COEFFICIENTS * channel;
            Elements.set(arena, DType.F64, coefficients, gamma * root);
            Elements.set(arena, DType.F64, coefficients + 8, slope);
            Elements.set(
                    arena, DType.F64, coefficients + 16, (centered ? -gamma * root * sum / count : 0) - slope * mean);
        });
        int perTask = Math.max(1, 16 * Scratch.CHUNK / inner);
        int planes = n * channels;
        pool.run(Math.ceilDiv(planes, perTask), (task, scratch) -> {
            for (int plane = task * perTask; plane < Math.min(planes, (task + 1) * perTask); plane++) {
                apply(arena, to, plane, scratch);
            }
        });
    }

    private void apply(MemorySegment arena, NormGradient.Results to, int plane, Scratch scratch) {
        long from = to.workspace() + 8L * COEFFICIENTS * (plane % channels);
        double a = Elements.get(arena, DType.F64, from);
        double b = Elements.get(arena, DType.F64, from + 8);
        double c = Elements.get(arena, DType.F64, from + 16);
        long first = (long) plane * inner;
        for (int done = 0; done < inner; done += Scratch.CHUNK) {
            int some = Math.min(Scratch.CHUNK, inner - done);
            long offset = (first + done) * type.bytes();
            if (type == DType.F64) {
                Elements.load(arena, type, in.dy + offset, scratch.doubles2, 0, some, scratch);
                Elements.load(arena, type, in.x + offset, scratch.doubles3, 0, some, scratch);
                combine(scratch.doubles2, scratch.doubles3, a, b, c, some);
                Elements.store(arena, type, to.dx() + offset, scratch.doubles2, 0, some, scratch);
            } else {
                Elements.load(arena, type, in.dy + offset, scratch.floats, 0, some, scratch);
                Elements.load(arena, type, in.x + offset, scratch.floats2, 0, some, scratch);
                combine(scratch.floats, scratch.floats2, (float) a, (float) b, (float) c, some);
                Elements.store(arena, type, to.dx() + offset, scratch.floats, 0, some, scratch);
            }
        }
    }

    private static void combine(float[] dy, float[] x, float a, float b, float c, int n) {
        for (int i = 0; i < n; i++) {
            dy[i] = Math.fma(a, dy[i], Math.fma(b, x[i], c));
        }
    }

    private static void combine(double[] dy, double[] x, double a, double b, double c, int n) {
        for (int i = 0; i < n; i++) {
            dy[i] = Math.fma(a, dy[i], Math.fma(b, x[i], c));
        }
    }
}
