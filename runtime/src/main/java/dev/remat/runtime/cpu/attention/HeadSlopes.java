package dev.remat.runtime.cpu.attention;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.MatrixRef;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Sums;
import java.lang.foreign.MemorySegment;

/**
 * Probabilities of some queries of one head and what the loss loses by their scores, tile by tile, computed again from
 * the log-sum-exp.
 */
final class HeadSlopes {
    /** Queries from {@code first} on. */
    record Queries(int first, int count) {}

    private final AttentionShape shape;
    private final MemorySegment arena;
    private final Scratch scratch;
    private final DType wide;
    private final int flatHead;
    private final int first;
    private final int queries;
    private final ScoreTile tile;
    private final long lse;
    private final long scores;
    private final long slopes;
    private final long deltas;
    private final HeadMatrix qs;
    private final HeadMatrix ks;
    private final HeadMatrix vs;
    private final HeadMatrix gs;

    /**
     * @param flatHead counted over the whole batch
     * @param workspace of {@link AttentionShape#slopeBytes}
     */
    HeadSlopes(
            AttentionShape shape,
            SlopeOperands in,
            MemorySegment arena,
            Scratch scratch,
            int flatHead,
            Queries rows,
            long workspace) {
        this.shape = shape;
        this.arena = arena;
        this.scratch = scratch;
        this.wide = shape.wide();
        this.flatHead = flatHead;
        this.first = rows.first();
        this.queries = rows.count();
        this.lse = in.lse();
        int keyHead = flatHead / shape.group();
        int keys = shape.keys();
        scores = workspace;
        slopes = scores + shape.tileBytes();
        long copyQ = slopes + shape.tileBytes();
        long copyK = copyQ + shape.headBytes(queries, shape.depth());
        long copyV = copyK + shape.headBytes(keys, shape.depth());
        long copyG = copyV + shape.headBytes(keys, shape.width());
        long copyO = copyG + shape.headBytes(queries, shape.width());
        deltas = copyO + shape.headBytes(queries, shape.width());
        qs = HeadMatrix.of(arena, in.forward().q(), flatHead, first, queries, copyQ, scratch);
        ks = HeadMatrix.of(arena, in.forward().k(), keyHead, 0, keys, copyK, scratch);
        vs = HeadMatrix.of(arena, in.forward().v(), keyHead, 0, keys, copyV, scratch);
        gs = HeadMatrix.of(arena, in.gradient(), flatHead, first, queries, copyG, scratch);
        computeDeltas(HeadMatrix.of(arena, in.output(), flatHead, first, queries, copyO, scratch));
        tile = new ScoreTile(shape, in.forward(), flatHead / shape.heads(), flatHead % shape.heads());
    }

    HeadMatrix queries() {
        return qs;
    }

    HeadMatrix keys() {
        return ks;
    }

    /** Of the loss by the results. */
    HeadMatrix gradients() {
        return gs;
    }

    /** The probabilities of the last tile, its columns next to one another. */
    long probabilities() {
        return scores;
    }

    /** The slopes of the last tile, its columns next to one another. */
    long slopes() {
        return slopes;
    }

    /** Σ gradient · output of each query. */
    private void computeDeltas(HeadMatrix outputs) {
        double[] g = scratch.doubles2;
        double[] o = scratch.doubles3;
        for (int row = 0; row < queries; row++) {
            double delta = 0;
            for (int at = 0; at < shape.width(); at += Scratch.CHUNK) {
                int n = Math.min(Scratch.CHUNK, shape.width() - at);
                Elements.load(arena, wide, gs.row(row) + (long) at * wide.bytes(), g, 0, n, scratch);
                Elements.load(arena, wide, outputs.row(row) + (long) at * wide.bytes(), o, 0, n, scratch);
                for (int i = 0; i < n; i++) {
                    g[i] *= o[i];
                }
                delta += Sums.of(g, 0, n);
            }
            Elements.set(arena, DType.F64, deltas + 8L * row, delta);
        }
    }

    /** Computes a tile of probabilities p and of slopes factor·p·(dp − delta); {@code row} counts from the first. */
    void compute(int row, int rows, int column, int columns, double factor) {
        MatrixRef keyRows = ks.rows(column, columns).transpose();
        MatrixRef valueRows = vs.rows(column, columns).transpose();
        scratch.products.multiply(wide, arena, qs.rows(row, rows), keyRows, 0, MatrixRef.dense(scores, rows, columns));
        scratch.products.multiply(
                wide, arena, gs.rows(row, rows), valueRows, 0, MatrixRef.dense(slopes, rows, columns));
        ScoreRows p = ScoreRows.of(wide, scratch);
        ScoreRows d = ScoreRows.second(wide, scratch);
        int rowsAtOnce = Scratch.CHUNK / columns;
        for (int at = 0; at < rows; at += rowsAtOnce) {
            int some = Math.min(rowsAtOnce, rows - at);
            int n = some * columns;
            long offset = (long) at * columns * wide.bytes();
            p.load(arena, wide, scores + offset, n);
            d.load(arena, wide, slopes + offset, n);
            tile.prepare(arena, p, first + row + at, some, column, columns);
            for (int i = 0; i < some; i++) {
                double norm = logSumExp(row + at + i);
                double shift = norm == Double.NEGATIVE_INFINITY ? Double.POSITIVE_INFINITY : norm;
                p.subtract(i * columns, (i + 1) * columns, shift);
            }
            p.exponentials(n);
            for (int i = 0; i < some; i++) {
                double delta = Elements.get(arena, DType.F64, deltas + 8L * (row + at + i));
                d.slopes(p, i * columns, (i + 1) * columns, delta, factor);
            }
            p.store(arena, wide, scores + offset, n);
            d.store(arena, wide, slopes + offset, n);
        }
    }

    private double logSumExp(int row) {
        long query = (long) flatHead * shape.queries() + first + row;
        return Elements.get(arena, wide, lse + query * wide.bytes());
    }
}
