package dev.remat.runtime.cpu.norm;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Sums;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * {@link NormGradient} for normalization of dense rows, as layer normalization, in floats: one pass takes each row from
 * memory, writes its dx and adds what it gives to dgamma and dbeta. Those are sums over equal runs of rows, as many as
 * the shape says, added in order.
 *
 * <p>The workspace holds two f64 a column for each run where there are several.
 */
record RowNormGradient(DType type, int rows, int columns, double epsilon, Offsets in) {
    private static final int MOST_RUNS = 16;
    private static final int LEAST_ROWS = 128;

    /** Bytes of the operands' first elements; the mean may be {@link Elements#NONE}. */
    record Offsets(long dy, long x, long mean, long variance, Optional<TensorView> gamma) {}

    private static int runs(int rows) {
        int runs = MOST_RUNS;
        while (runs > 1 && (rows % runs != 0 || rows / runs < LEAST_ROWS)) {
            runs /= 2;
        }
        return runs;
    }

    static long workspaceBytes(int rows, int columns) {
        int runs = runs(rows);
        return runs == 1 ? 0 : 2L * Double.BYTES * runs * columns;
    }

    void run(WorkerPool pool, MemorySegment arena, NormGradient.Results to) {
        int runs = runs(rows);
        // Where nothing is summed over rows, more tasks are better.
        int perTask = in.gamma.isPresent() ? rows / runs : Math.max(1, 16 * Scratch.CHUNK / columns);
        pool.run(Math.ceilDiv(rows, perTask), (task, scratch) -> {
            Rows work = new Rows(arena, to, scratch);
            work.run(task * perTask, Math.min(rows, (task + 1) * perTask));
            if (in.gamma.isPresent() && runs == 1) {
                store(arena, to, work.dgamma, work.dbeta);
            } else if (in.gamma.isPresent()) {
                work.keep(to.workspace() + 2L * Double.BYTES * task * columns);
            }
        });
        if (in.gamma.isPresent() && runs > 1) {
            long dbeta = to.workspace() + (long) Double.BYTES * columns;
            store(arena, to, sum(arena, to.workspace(), runs), sum(arena, dbeta, runs));
        }
    }

    /** The sums that the runs have kept, from the first one's on. */
    private double[] sum(MemorySegment arena, long kept, int runs) {
        double[] sums = new double[columns];
        for (int run = 0; run < runs; run++) {
            long from = kept + 2L * Double.BYTES * run * columns;
            for (int column = 0; column < columns; column++) {
                sums[column] += Elements.get(arena, DType.F64, from + (long) Double.BYTES * column);
            }
        }
        return sums;
    }

    private void store(MemorySegment arena, NormGradient.Results to, double[] dgamma, double[] dbeta) {
        DType wide = type.accumulator();
        for (int column = 0; column < columns; column++) {
            Elements.set(arena, wide, to.dgamma() + (long) column * wide.bytes(), dgamma[column]);
            if (to.dbeta() != Elements.NONE) {
                Elements.set(arena, wide, to.dbeta() + (long) column * wide.bytes(), dbeta[column]);
            }
        }
    }

    /** Rows of one task. All arrays begin with the row, so that loops over several of them are vector code. */
    private final class Rows {
        private final MemorySegment arena;
        private final NormGradient.Results to;
        private final Scratch scratch;
        private final float[] g;
        private final float[] h;
        private final float[] gh = new float[columns];
        private final float[] gamma = new float[columns];
        private final double[] values;
        private final double[] dgamma = new double[columns];
        private final double[] dbeta = new double[columns];

        Rows(MemorySegment arena, NormGradient.Results to, Scratch scratch) {
            this.arena = arena;
            this.to = to;
            this.scratch = scratch;
            this.g = scratch.row(columns);
            this.h = scratch.plane(columns);
            this.values = scratch.accumulators(columns);
            in.gamma.ifPresent(view -> load(view.type(), view.offset(), gamma));
        }

        private void load(DType from, long offset, float[] row) {
            for (int at = 0; at < columns; at += Scratch.CHUNK) {
                int n = Math.min(Scratch.CHUNK, columns - at);
                Elements.load(arena, from, offset + (long) at * from.bytes(), row, at, n, scratch);
            }
        }

        void run(int first, int end) {
            DType wide = type.accumulator();
            for (int row = first; row < end; row++) {
                long offset = (long) row * columns * type.bytes();
                long at = (long) row * wide.bytes();
                load(type, in.dy + offset, g);
                load(type, in.x + offset, h);
                float mean = in.mean == Elements.NONE ? 0 : (float) Elements.get(arena, wide, in.mean + at);
                float root = (float) (1 / Math.sqrt(Elements.get(arena, wide, in.variance + at) + epsilon));
                normalize(mean, root);
                if (in.gamma.isPresent()) {
                    add(gh, dgamma);
                    add(g, dbeta);
                    scale();
                }
                float meanG = in.mean == Elements.NONE ? 0 : (float) (sum(g) / columns);
                combine(meanG, (float) (sum(gh) / columns), root);
                for (int i = 0; i < columns; i += Scratch.CHUNK) {
                    int n = Math.min(Scratch.CHUNK, columns - i);
                    Elements.store(arena, type, to.dx() + offset + (long) i * type.bytes(), g, i, n, scratch);
                }
            }
        }

        private void normalize(float mean, float root) {
            for (int i = 0; i < columns; i++) {
                h[i] = (h[i] - mean) * root;
            }
            for (int i = 0; i < columns; i++) {
                gh[i] = g[i] * h[i];
            }
        }

        private void add(float[] row, double[] sums) {
            Elements.widen(row, 0, values, 0, columns);
            Sums.add(sums, values, columns);
        }

        private void scale() {
            for (int i = 0; i < columns; i++) {
                g[i] *= gamma[i];
            }
            for (int i = 0; i < columns; i++) {
                gh[i] *= gamma[i];
            }
        }

        private double sum(float[] row) {
            Elements.widen(row, 0, values, 0, columns);
            return Sums.of(values, 0, columns);
        }

        private void combine(float meanG, float meanGh, float root) {
            for (int i = 0; i < columns; i++) {
                g[i] = root * (g[i] - meanG - h[i] * meanGh);
            }
        }

        void keep(long workspace) {
            MemorySegment.copy(dgamma, 0, arena, JAVA_DOUBLE, workspace, columns);
            MemorySegment.copy(dbeta, 0, arena, JAVA_DOUBLE, workspace + (long) Double.BYTES * columns, columns);
        }
    }
}
