package dev.remat.runtime.cpu.attention;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.Sums;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Gradient of {@link AttentionKernel} by its bias. A task owns a block of rows of the bias, or its one row, and adds
 * up in f64, head after head, everything that the block was added to.
 *
 * @param bias its extents and dtype are the gradient's
 */
public record AttentionBiasGradientKernel(AttentionShape shape, SlopeOperands in, TensorView bias) {

    public static CpuKernel of(AttentionBiasGradient op, OpTypes types) {
        AttentionGradient others = op.others();
        AttentionShape shape =
                AttentionShape.of(others.forward(), types.operands().subList(1, 4));
        int[] extents = Shapes.dims(types.operand(others.biasIndex()));
        return new CpuKernel(workspaceBytes(shape, extents, WorkerPool.MOST_THREADS), in -> {
            AttentionBiasGradientKernel kernel =
                    new AttentionBiasGradientKernel(shape, SlopeOperands.of(others, in), in.view(others.biasIndex()));
            long dbias = in.output();
            long workspace = in.workspace();
            return frame -> kernel.run(frame.pool(), frame.arena(), dbias, workspace);
        });
    }

    private int extent(int axis) {
        return bias.dims()[axis];
    }

    /** Rows of the bias that a task owns at most. */
    private static int rowsAtOnce(AttentionShape shape, int biasRows) {
        return Math.min(biasRows, shape.tileRows());
    }

    /**
     * Bytes of workspace for a pool of {@code slots} threads.
     *
     * @param extents of the bias
     */
    private static long workspaceBytes(AttentionShape shape, int[] extents, int slots) {
        return WorkerPool.shares(slots, tasks(extents)) * slotBytes(shape, extents);
    }

    private static int tasks(int[] extents) {
        return extents[0] * extents[1] * Math.ceilDiv(extents[2], AttentionShape.TILE_ROWS);
    }

    private static long slotBytes(AttentionShape shape, int[] extents) {
        long sums = 8L * rowsAtOnce(shape, extents[2]) * extents[3];
        return shape.slopeBytes(shape.tileRows()) + Alignment.up(sums, Alignment.CACHE_LINE);
    }

    /** Writes the dense gradient. */
    private void run(WorkerPool pool, MemorySegment arena, long dbias, long workspace) {
        int tasks = tasks(bias.dims());
        long bytes = slotBytes(shape, bias.dims());
        pool.run(
                tasks,
                (task, scratch) -> new Block(arena, scratch, task)
                        .run(dbias, workspace + pool.share(tasks, task, scratch) * bytes));
    }

    private final class Block {
        private final MemorySegment arena;
        private final Scratch scratch;
        private final int biasHead;
        private final int first;
        private final int rows;

        Block(MemorySegment arena, Scratch scratch, int task) {
            this.arena = arena;
            this.scratch = scratch;
            int blocks = Math.ceilDiv(extent(2), AttentionShape.TILE_ROWS);
            this.biasHead = task / blocks;
            this.first = task % blocks * AttentionShape.TILE_ROWS;
            this.rows = Math.min(rowsAtOnce(shape, extent(2)), extent(2) - first);
        }

        void run(long dbias, long workspace) {
            long sums = workspace + shape.slopeBytes(shape.tileRows());
            int count = rows * extent(3);
            arena.asSlice(sums, 8L * count).fill((byte) 0);
            for (int batch = 0; batch < shape.batch(); batch++) {
                for (int head = 0; head < shape.heads(); head++) {
                    int at = (extent(0) == 1 ? 0 : batch) * extent(1) + (extent(1) == 1 ? 0 : head);
                    if (at == biasHead) {
                        add(batch * shape.heads() + head, sums, workspace);
                    }
                }
            }
            long to = dbias
                    + ((long) biasHead * extent(2) + first)
                            * extent(3)
                            * bias.type().bytes();
            for (int at = 0; at < count; at += Scratch.CHUNK) {
                int n = Math.min(Scratch.CHUNK, count - at);
                Elements.load(arena, DType.F64, sums + 8L * at, scratch.doubles2, 0, n, scratch);
                long offset = to + (long) at * bias.type().bytes();
                Elements.store(arena, bias.type(), offset, scratch.doubles2, 0, n, scratch);
            }
        }

        /** Adds one head's slopes: of all queries where the bias has one row, else of the rows of this block. */
        private void add(int flatHead, long sums, long workspace) {
            boolean all = extent(2) == 1;
            int end = all ? shape.queries() : first + rows;
            for (int row = all ? 0 : first; row < end; row += AttentionShape.TILE_ROWS) {
                int some = Math.min(AttentionShape.TILE_ROWS, end - row);
                HeadSlopes.Queries queries = new HeadSlopes.Queries(row, some);
                HeadSlopes slopes = new HeadSlopes(shape, in, arena, scratch, flatHead, queries, workspace);
                int attended = shape.keysBefore(row + some);
                for (int column = 0; column < attended; column += AttentionShape.TILE_COLUMNS) {
                    int columns = Math.min(AttentionShape.TILE_COLUMNS, attended - column);
                    slopes.compute(0, some, column, columns, 1);
                    for (int i = 0; i < some; i++) {
                        long from = slopes.slopes()
                                + (long) i * columns * shape.wide().bytes();
                        addRow(from, columns, sums, all ? 0 : i, column);
                    }
                }
            }
        }

        private void addRow(long from, int columns, long sums, int row, int column) {
            double[] slopes = scratch.doubles2;
            double[] sum = scratch.doubles3;
            Elements.load(arena, shape.wide(), from, slopes, 0, columns, scratch);
            boolean one = extent(3) == 1;
            long to = sums + 8L * (one ? row : (long) row * extent(3) + column);
            int n = one ? 1 : columns;
            Elements.load(arena, DType.F64, to, sum, 0, n, scratch);
            if (one) {
                sum[0] += Sums.of(slopes, 0, columns);
            } else {
                Sums.add(sum, slopes, n);
            }
            Elements.store(arena, DType.F64, to, sum, 0, n, scratch);
        }
    }
}
