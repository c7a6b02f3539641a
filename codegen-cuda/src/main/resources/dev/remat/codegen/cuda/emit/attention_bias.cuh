// needs: attention_plain.cuh
// Gradient of attention by its bias, without tensor cores. A block owns a tile of the bias, walks over everything that
// the tile was added to, and sums up in registers.

namespace remat {

/// Extents of the bias, 1 where it repeats, and how many tiles of scores a block adds up.
struct BiasExtents {
    u32 batch;
    u32 heads;
    u32 rows;
    u32 columns;
    u64 chunk;
    u64 tiles;  ///< of scores that belong to one tile of the bias
};

/// Writes sums, or the partial sums of this block's share of the tiles, one bias after another.
template <int R, bool CAUSAL, bool MASKED, class T, class A, class Added, class Out>
__device__ __forceinline__ void attention_plain_bias_gradient(const AttentionExtents& extents,
                                                              const AttentionBackward<T, A, Added>& in,
                                                              const BiasExtents& of, Out* to) {
    typedef AttentionTile<R, 1> Tile;
    __shared__ __align__(16) A stage[Tile::STAGE];
    const u32 rowTiles = (extents.queries + Tile::ROWS - 1) / Tile::ROWS;
    const u32 columnTiles = (extents.keys + Tile::ROWS - 1) / Tile::ROWS;
    const u32 ownRowTiles = of.rows == 1 ? 1 : rowTiles;
    const u32 ownColumnTiles = of.columns == 1 ? 1 : columnTiles;
    const u32 ownColumn = blockIdx.x % ownColumnTiles;
    const u32 ownRow = blockIdx.x / ownColumnTiles % ownRowTiles;
    const u32 ownHead = blockIdx.x / ownColumnTiles / ownRowTiles;
    const u32 walkColumns = columnTiles / ownColumnTiles;
    const u32 walkRows = rowTiles / ownRowTiles;
    const u32 walkHeads = extents.heads / of.heads;
    const u32 x = threadIdx.x % 16 * R;
    const u32 y = threadIdx.x / 16 * R;
    A sums[R][R];
#pragma unroll
    for (int i = 0; i < R; i++) {
#pragma unroll
        for (int j = 0; j < R; j++) {
            sums[i][j] = 0;
        }
    }
    const u64 first = blockIdx.y * of.chunk;
    const u64 end = first + of.chunk < of.tiles ? first + of.chunk : of.tiles;
    for (u64 tile = first; tile < end; tile++) {
        const u32 column = (ownColumn + static_cast<u32>(tile % walkColumns)) * Tile::ROWS;
        const u64 byRow = tile / walkColumns;
        const u32 row = (ownRow + static_cast<u32>(byRow % walkRows)) * Tile::ROWS;
        const u64 byHead = byRow / walkRows;
        const u32 head = ownHead % of.heads + static_cast<u32>(byHead % walkHeads);
        const u32 batch = ownHead / of.heads + static_cast<u32>(byHead / walkHeads);
        const Visible<CAUSAL, MASKED> visible{extents.queries, extents.keys, in.mask.of(batch, head)};
        if (column >= visible.keys_before(row + Tile::ROWS)) {
            continue;
        }
        const u32 keyHead = head / extents.group;
        const u64 before = (static_cast<u64>(batch) * extents.heads + head) * extents.queries;
        A p[R][R];
        A ds[R][R];
        multiply_rows<Tile>(in.q.of(batch, head), row, extents.queries, in.k.of(batch, keyHead), column, extents.keys,
                            extents.depth, stage, p);
        multiply_rows<Tile>(in.dout.of(batch, head), row, extents.queries, in.v.of(batch, keyHead), column,
                            extents.keys, extents.width, stage, ds);
        differentiate_tile<false>(in, visible, in.bias.of(batch, head), in.lse + before, in.deltas + before, A(1),
                                  row + y, column + x, p, ds);
#pragma unroll
        for (int i = 0; i < R; i++) {
#pragma unroll
            for (int j = 0; j < R; j++) {
                sums[i][j] += ds[i][j];
            }
        }
    }
    if (of.columns == 1) {
#pragma unroll
        for (int i = 0; i < R; i++) {
#pragma unroll
            for (int j = 1; j < R; j++) {
                sums[i][0] += sums[i][j];
            }
            sums[i][0] = sum_of_lanes<8>(sums[i][0]);
        }
    }
    const u64 each = static_cast<u64>(of.rows) * of.columns;
    const u64 biases = static_cast<u64>(of.batch) * of.heads;
    Out* const own = to + (blockIdx.y * biases + ownHead) * each;
    if (of.rows == 1) {
        __syncthreads();
#pragma unroll
        for (int j = 0; j < R; j++) {
#pragma unroll
            for (int i = 1; i < R; i++) {
                sums[0][j] += sums[i][j];
            }
            stage[threadIdx.x / 16 * Tile::ROWS + x + j] = sums[0][j];
        }
        __syncthreads();
        const u32 column = ownColumn * Tile::ROWS + threadIdx.x;
        if (threadIdx.x < Tile::ROWS && column < of.columns) {
            A sum = stage[threadIdx.x];
            for (u32 part = 1; part < 16; part++) {
                sum += stage[part * Tile::ROWS + threadIdx.x];
            }
            own[column] = narrow<Out>(sum);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < R; i++) {
#pragma unroll
        for (int j = 0; j < R; j++) {
            const u32 row = ownRow * Tile::ROWS + y + i;
            const u32 column = ownColumn * Tile::ROWS + x + j;
            if (row < of.rows && column < of.columns) {
                own[static_cast<u64>(row) * of.columns + column] = narrow<Out>(sums[i][j]);
            }
        }
    }
}

}  // namespace remat
