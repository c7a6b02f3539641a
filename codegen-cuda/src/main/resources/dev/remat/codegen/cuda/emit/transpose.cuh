// needs: copy.cuh
// Transposes through shared memory, so that both sides are accessed in runs of neighbours.

namespace remat {

/// Many matrices: rows lie side by side in the source, columns in the target.
template <int R, class Index> struct Matrices {
    Box<R, Index> batch;
    Index rows;
    Index columns;
    Index columnStride;
    Index rowStride;
};

/// One tile of TILE x TILE words a block, of 32 x 8 threads.
template <int TILE, class Word, int R, class Index>
__device__ __forceinline__ void transpose_tile(const Word* from, Word* to, const Matrices<R, Index>& matrices) {
    constexpr int PITCH = TILE + (sizeof(Word) < 4 ? 4 / sizeof(Word) : 1);
    __shared__ Word tile[TILE][PITCH];
    const u32 x = threadIdx.x % 32;
    const u32 y = threadIdx.x / 32;
    const Index across = (matrices.columns + TILE - 1) / TILE;
    const Index down = (matrices.rows + TILE - 1) / TILE;
    const Index matrix = blockIdx.x / (across * down);
    const Index rest = blockIdx.x - matrix * across * down;
    const Index row = rest / across * TILE;
    const Index column = rest % across * TILE;
    Index source;
    Index target;
    matrices.batch.find(matrix, source, target);
    source += row + column * matrices.columnStride;
    target += row * matrices.rowStride + column;
    const Index rows = matrices.rows - row;
    const Index columns = matrices.columns - column;
#pragma unroll
    for (u32 j = 0; j < TILE; j += 8) {
#pragma unroll
        for (u32 i = 0; i < TILE; i += 32) {
            if (y + j < columns && x + i < rows) {
                tile[y + j][x + i] = from[source + (y + j) * matrices.columnStride + (x + i)];
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (u32 j = 0; j < TILE; j += 8) {
#pragma unroll
        for (u32 i = 0; i < TILE; i += 32) {
            if (y + j < rows && x + i < columns) {
                to[target + (y + j) * matrices.rowStride + (x + i)] = tile[x + i][y + j];
            }
        }
    }
}

}  // namespace remat
