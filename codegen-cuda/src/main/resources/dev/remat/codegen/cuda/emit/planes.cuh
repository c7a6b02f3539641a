// needs: types.cuh
// Blocks that walk over images one channel at a time.

namespace remat {

/// What a block covers of `planes` images of height x width: a box of tilePlanes x tileHeight x tileWidth.
struct PlaneTiles {
    u32 planes, height, width;
    u32 tilePlanes, tileHeight, tileWidth;
    u32 across, down;
    u64 byAcross, byDown, byTileArea, byTileWidth;

    __device__ __forceinline__ u32 pixels() const { return tilePlanes * tileHeight * tileWidth; }
};

/// The first pixel of a block's box.
struct PlaneTile {
    u32 plane, row, column;

    __device__ __forceinline__ PlaneTile(const PlaneTiles& tiles, u32 block) {
        const u32 above = quotient(block, tiles.byAcross);
        column = (block - above * tiles.across) * tiles.tileWidth;
        const u32 before = quotient(above, tiles.byDown);
        row = (above - before * tiles.down) * tiles.tileHeight;
        plane = before * tiles.tilePlanes;
    }
};

/// Pixel number i of a box, row by row, plane by plane.
struct Pixel {
    u32 boxPlane, plane, row, column;
    bool inside;

    __device__ __forceinline__ Pixel(const PlaneTiles& tiles, const PlaneTile& tile, u32 i) {
        boxPlane = quotient(i, tiles.byTileArea);
        const u32 rest = i - boxPlane * tiles.tileHeight * tiles.tileWidth;
        const u32 boxRow = quotient(rest, tiles.byTileWidth);
        plane = tile.plane + boxPlane;
        row = tile.row + boxRow;
        column = tile.column + rest - boxRow * tiles.tileWidth;
        inside = boxPlane < tiles.tilePlanes && plane < tiles.planes && row < tiles.height && column < tiles.width;
    }

    /// Its place among all pixels.
    __device__ __forceinline__ u64 index(const PlaneTiles& tiles) const {
        return static_cast<u64>(plane) * (tiles.height * tiles.width) + row * tiles.width + column;
    }
};

}  // namespace remat
