package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import java.util.List;

/** Products of 16-bit floats by {@code wgmma}, which only sm_90a has. Sums are in f32. */
record WarpgroupTiles() implements TileFamily {
    /** Terms that go through one stage: rows of 128 bytes. */
    private static final int DEPTH = 64;
    /** Sums of four warps. */
    private static final int GROUP_M = 64;

    private static final int GROUP_N = 128;
    private static final int GROUP_THREADS = 128;

    @Override
    public String name() {
        return "gemm_warpgroup";
    }

    @Override
    public boolean computes(DType dtype, CodegenOptions options) {
        return dtype == DType.BF16 || dtype == DType.F16;
    }

    @Override
    public List<Tile> tiles(Architecture architecture, DType dtype) {
        return switch (architecture) {
            case SM_90A -> List.of(tile(256, 4, 1, 0.82, 1), tile(128, 3, 2, 0.6, 0.65));
            case SM_80, SM_86, SM_89, SM_100A -> List.of();
        };
    }

    private static Tile tile(int n, int stages, int resident, double efficiency, double alone) {
        int m = 2 * GROUP_M;
        return new Tile(
                "warpgroup_" + m + "x" + n,
                "WarpgroupTile<" + m + ", " + n + ", " + stages + ">",
                m,
                n,
                DEPTH,
                m / GROUP_M * (n / GROUP_N) * GROUP_THREADS,
                stages * (m + n) * DEPTH * DType.BF16.bytes(),
                resident,
                efficiency,
                alone);
    }

    /** Half the threads, with as many registers as there are. */
    @Override
    public Tile loose(Tile tile) {
        return tile(GROUP_N, 4, 1, tile.efficiency(), tile.alone());
    }

    @Override
    public double peak(Architecture architecture, DType dtype) {
        double operations = architecture.device().flopsPerSecond(dtype) / architecture.hertz();
        return operations / 2 / architecture.multiprocessors();
    }

    @Override
    public int width() {
        return 8;
    }
}
