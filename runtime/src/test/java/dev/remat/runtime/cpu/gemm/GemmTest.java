package dev.remat.runtime.cpu.gemm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.TestArena;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GemmTest {
    @ParameterizedTest
    @CsvSource({
        "F32,1,7,5,3",
        "F64,1,7,5,3",
        "BF16,1,7,5,3",
        "F16,2,7,5,3",
        "F32,3,1,17,33",
        "F64,2,130,140,70",
        "F32,1,20,24,3000",
        "BF16,1,300,9,1100",
        "F32,1,9,600,40",
        "F32,1,16,16,2048",
        "F64,1,16,16,2048"
    })
    void agreesWithLoops(DType type, int batch, int m, int n, int k) {
        try (TestArena arena = new TestArena(64 << 20);
                WorkerPool pool = new WorkerPool(3)) {
            for (int flags = 0; flags < 4; flags++) {
                boolean transA = (flags & 1) != 0;
                boolean transB = (flags & 2) != 0;
                Gemm gemm = new Gemm(type, type, batch, m, n, k, transA, transB);
                long a = arena.normal(type, batch * m * k);
                long b = arena.normal(type, batch * n * k);
                long c = arena.reserve((long) batch * m * n * type.bytes());
                gemm.run(pool, arena.memory, a, b, c, arena.reserve(gemm.workspaceBytes(3)));
                for (int item = 0; item < batch; item++) {
                    for (int i = 0; i < m; i++) {
                        for (int j = 0; j < n; j++) {
                            double sum = 0;
                            for (int l = 0; l < k; l++) {
                                sum += arena.get(type, a, item * m * k + (transA ? l * m + i : i * k + l))
                                        * arena.get(type, b, item * n * k + (transB ? j * k + l : l * n + j));
                            }
                            assertThat(arena.get(type, c, (item * m + i) * n + j))
                                    .isCloseTo(sum, within(TestArena.tolerance(type) * Math.sqrt(k + 1) * 2));
                        }
                    }
                }
            }
        }
    }

    /** Few threads take larger tiles of f32. The first product has parts of sums in a workspace. */
    @ParameterizedTest
    @CsvSource({
        "F32,96,80,5000,true,false",
        "F32,512,640,512,false,true",
        "F32,300,700,600,false,false",
        "F32,32,1024,256,false,true",
        "F32,700,530,300,true,false",
        "F32,385,130,200,false,true",
        "F32,385,513,200,false,false",
        "F32,1,1000,200,false,true",
        "F64,300,300,100,false,true",
        "BF16,300,520,200,false,true"
    })
    void bitsDoNotDependOnThreads(DType type, int m, int n, int k, boolean transA, boolean transB) {
        try (TestArena arena = new TestArena(64 << 20)) {
            Gemm gemm = new Gemm(type, type, 1, m, n, k, transA, transB);
            assertThat(gemm.workspaceBytes(1) > 0).isEqualTo(k == 5000 || type == DType.BF16);
            long a = arena.normal(type, m * k);
            long b = arena.normal(type, n * k);
            double[] alone = {};
            for (int threads : new int[] {1, 2, 3, 8}) {
                try (WorkerPool pool = new WorkerPool(threads)) {
                    long c = arena.reserve((long) m * n * type.bytes());
                    long workspace = arena.reserve(gemm.workspaceBytes(pool.slots()));
                    gemm.run(pool, arena.memory, a, b, c, workspace);
                    double[] result = arena.values(type, c, m * n);
                    alone = threads == 1 ? result : alone;
                    assertThat(result).isEqualTo(alone);
                }
            }
        }
    }

    /** The last two sum over so few columns that the sum over rows falls into parts, which chunks must not cut. */
    @ParameterizedTest
    @CsvSource({
        "F32,1024,40,300",
        "F64,1024,24,150",
        "BF16,1024,40,300",
        "F16,700,70,33",
        "F32,600,32,2100",
        "F32,900,10,64",
        "F32,5000,24,32",
        "F64,2100,16,16"
    })
    void chunksPutTogetherHaveTheBitsOfTheWhole(DType type, int rows, int m, int n) {
        try (TestArena arena = new TestArena(64 << 20);
                WorkerPool pool = new WorkerPool(3)) {
            DType wide = type.accumulator();
            long x = arena.normal(type, rows * m);
            long dy = arena.normal(type, rows * n);
            long w = arena.normal(type, n * m);
            double[] sum = product(arena, pool, new Gemm(type, wide, 1, m, n, rows, true, false), x, dy);
            double[] y = product(arena, pool, new Gemm(type, type, 1, rows, n, m, false, true), x, w);
            double[] dx = product(arena, pool, new Gemm(type, type, 1, rows, m, n, false, false), dy, w);
            TensorType matrix = TensorType.of(type, rows, m);
            int run = (int) Gemm.rowsOfChunks(
                    new MatMul(true, false),
                    new OpTypes(List.of(matrix, TensorType.of(type, rows, n)), List.of(TensorType.of(wide, m, n))));
            assertThat(run % 256).isZero();
            for (int each : new int[] {run, 3 * run}) {
                long carried = arena.reserve((long) m * n * wide.bytes());
                long before = Elements.NONE;
                for (int from = 0; from < rows; from += each) {
                    int count = Math.min(each, rows - from);
                    long xs = x + (long) from * m * type.bytes();
                    long dys = dy + (long) from * n * type.bytes();
                    Gemm chunk = new Gemm(type, wide, 1, m, n, count, true, false, rows);
                    chunk.run(pool, arena.memory, xs, dys, before, carried, arena.reserve(WORKSPACE));
                    before = carried;
                    Gemm forward = new Gemm(type, type, 1, count, n, m, false, true, rows);
                    assertThat(product(arena, pool, forward, xs, w))
                            .isEqualTo(Arrays.copyOfRange(y, from * n, (from + count) * n));
                    Gemm backward = new Gemm(type, type, 1, count, m, n, false, false, rows);
                    assertThat(product(arena, pool, backward, dys, w))
                            .isEqualTo(Arrays.copyOfRange(dx, from * m, (from + count) * m));
                }
                assertThat(arena.values(wide, carried, m * n))
                        .as("%d rows", each)
                        .isEqualTo(sum);
            }
        }
    }

    @Test
    void aSumGoesOnElsewhereThanInItsPlace() {
        try (TestArena arena = new TestArena(1 << 20);
                WorkerPool pool = new WorkerPool(1)) {
            long a = arena.of(DType.F32, 2, 3);
            long b = arena.of(DType.F32, 5, 7);
            long sum = arena.of(DType.F32, 100);
            long c = arena.zeros(DType.F32, 1);
            new Gemm(DType.F32, DType.F32, 1, 1, 1, 2, true, false, 2000)
                    .run(pool, arena.memory, a, b, sum, c, arena.reserve(64));
            assertThat(arena.get(DType.F32, c, 0)).isEqualTo(131);
            assertThat(arena.get(DType.F32, sum, 0)).isEqualTo(100);
        }
    }

    private static final long WORKSPACE = 1 << 20;

    private static double[] product(TestArena arena, WorkerPool pool, Gemm gemm, long a, long b) {
        int elements = gemm.m() * gemm.n();
        long c = arena.reserve((long) elements * gemm.result().bytes());
        gemm.run(pool, arena.memory, a, b, c, arena.reserve(gemm.workspaceBytes(3)));
        return arena.values(gemm.result(), c, elements);
    }
}
