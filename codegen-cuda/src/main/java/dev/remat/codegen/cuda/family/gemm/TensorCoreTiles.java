package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import java.util.List;

/** Products by {@code mma.sync}: 16-bit floats, and f32 rounded to tf32 where that is allowed. Sums are in f32. */
record TensorCoreTiles() implements TileFamily {
    /** Bytes of each row of a tile that go through one stage. */
    private static final int DEPTH_BYTES = 64;

    @Override
    public String name() {
        return "gemm_tensor";
    }

    @Override
    public boolean computes(DType dtype, CodegenOptions options) {
        return switch (dtype) {
            case BF16, F16 -> true;
            case F32 -> options.allowTf32();
            case F64, I32, I64, BOOL, BIT, SEED -> false;
        };
    }

    @Override
    public List<Tile> tiles(Architecture architecture, DType dtype) {
        int stages = stages(architecture);
        int depth = DEPTH_BYTES / dtype.bytes();
        return List.of(
                tile(depth, stages, new Warps(128, 256, 2, 4), 1, 0.85, 1),
                tile(depth, stages, new Warps(128, 128, 2, 2), 2, 0.8, 0.65),
                tile(depth, stages, new Warps(128, 64, 2, 2), 3, 0.65, 0.45),
                tile(depth, stages, new Warps(64, 128, 2, 2), 3, 0.65, 0.45),
                tile(depth, stages, new Warps(64, 64, 2, 2), 4, 0.5, 0.3));
    }

    /** The smaller multiprocessors have 100 KiB of shared memory, the others 164 KiB and more. */
    private static int stages(Architecture architecture) {
        return switch (architecture) {
            case SM_86, SM_89 -> 3;
            case SM_80, SM_90A, SM_100A -> 4;
        };
    }

    /** Rows and columns of a tile, and of the warps that share it. */
    private record Warps(int m, int n, int down, int across) {}

    private static Tile tile(int depth, int stages, Warps warps, int resident, double efficiency, double alone) {
        int m = warps.m();
        int n = warps.n();
        return new Tile(
                "tensor_" + m + "x" + n,
                "TensorTile<" + m + ", " + n + ", " + DEPTH_BYTES + ", " + stages + ", " + warps.down() + ", "
                        + warps.across() + ">",
                m,
                n,
                depth,
                32 * warps.down() * warps.across(),
                stages * (m + n) * DEPTH_BYTES,
                resident,
                efficiency,
                alone);
    }

    /** More warps with fewer sums each. */
    @Override
    public Tile loose(Tile tile) {
        int stages = tile.sharedBytes() / (tile.m() + tile.n()) / DEPTH_BYTES;
        int n = Math.min(tile.n(), 128);
        int warpsN = n / 32;
        int warpsM = tile.m() * n < 128 * 64 ? 2 : 8 / warpsN;
        Warps warps = new Warps(tile.m(), n, warpsM, warpsN);
        return tile(tile.depth(), stages, warps, 1, tile.efficiency(), tile.alone());
    }

    /** What newer tensor cores do by {@code mma.sync}, which was made for older ones. */
    private static double reach(Architecture architecture) {
        return switch (architecture) {
            case SM_80, SM_86, SM_89 -> 1;
            case SM_90A -> 0.62;
            case SM_100A -> 0.3;
        };
    }

    @Override
    public double peak(Architecture architecture, DType dtype) {
        double operations = architecture.device().flopsPerSecond(dtype) / architecture.hertz();
        return reach(architecture) * operations / 2 / architecture.multiprocessors();
    }

    @Override
    public int width() {
        return 8;
    }
}
