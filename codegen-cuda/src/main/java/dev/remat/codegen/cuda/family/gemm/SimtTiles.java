package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import java.util.List;

/** Products by fused multiply-adds: any dtype on any architecture, f32 with all its bits. */
record SimtTiles() implements TileFamily {
    private static final Tile SMALL =
            new Tile("plain_32x32", "PlainTile<32, 32, 16, 1, 1>", 32, 32, 16, 64, 0, 8, 0.4, 0.4);
    private static final Tile MIDDLE =
            new Tile("plain_64x64", "PlainTile<64, 64, 16, 1, 1>", 64, 64, 16, 256, 0, 3, 0.55, 0.5);
    /** Sums of f64 take two registers each. */
    private static final Tile MIDDLE_WIDE =
            new Tile("plain_64x64", "PlainTile<64, 64, 16, 1, 1>", 64, 64, 16, 256, 0, 2, 0.55, 0.6);

    private static final Tile WIDE =
            new Tile("plain_64x128", "PlainTile<64, 128, 8, 2, 2>", 64, 128, 8, 128, 0, 3, 0.8, 0.5);
    private static final Tile TALL =
            new Tile("plain_128x64", "PlainTile<128, 64, 8, 2, 2>", 128, 64, 8, 128, 0, 3, 0.8, 0.5);
    private static final Tile LARGE =
            new Tile("plain_128x128", "PlainTile<128, 128, 8, 2, 2>", 128, 128, 8, 256, 0, 2, 0.85, 0.65);

    @Override
    public String name() {
        return "gemm_plain";
    }

    /** C++ without assembly, which means the same everywhere; something must multiply. */
    @Override
    public boolean isAllowed(CodegenOptions options) {
        return true;
    }

    @Override
    public boolean computes(DType dtype, CodegenOptions options) {
        return dtype.isFloat();
    }

    /** Where a thread has 64 sums, it has no registers for f64. */
    @Override
    public List<Tile> tiles(Architecture architecture, DType dtype) {
        return dtype == DType.F64 ? List.of(MIDDLE_WIDE, SMALL) : List.of(LARGE, TALL, WIDE, MIDDLE, SMALL);
    }

    @Override
    public Tile loose(Tile tile) {
        return tile;
    }

    @Override
    public double peak(Architecture architecture, DType dtype) {
        boolean wide = dtype == DType.F64;
        return switch (architecture) {
            case SM_80 -> wide ? 32 : 64;
            case SM_86, SM_89 -> wide ? 2 : 128;
            case SM_90A, SM_100A -> wide ? 64 : 128;
        };
    }

    @Override
    public int width() {
        return 4;
    }
}
