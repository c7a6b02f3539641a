// needs: gemm_tensor.cuh
// Matrix products of 16-bit floats by wgmma, with sums in f32: four warps multiply straight from shared memory, while
// the next stages are copied there and the one before is still being multiplied. Needs sm_90a.

namespace remat {

/// A tile of M x N sums over 64 terms at a time, shared by groups of four warps with 64 x 128 sums each.
template <int M_, int N_, int STAGES_> struct WarpgroupTile {
    static constexpr int M = M_;
    static constexpr int N = N_;
    static constexpr int STAGES = STAGES_;
    static constexpr int DEPTH = 64;
    static constexpr int GROUPS_N = N / 128;
    static constexpr int THREADS = M / 64 * GROUPS_N * 128;
    static constexpr int STAGED = N + 8;  ///< a row of sums on its way out
};

/// How a tile of an operand lies in shared memory for wgmma: panels of rows of 128 bytes, of which groups of eight have
/// their pieces of 16 bytes permuted. Panels begin at multiples of 1024 bytes.
template <class Reader, int EXTENT, int DEPTH> struct WarpgroupLayout {
    static constexpr bool ALONG_K = Reader::ALONG_K;
    static constexpr int SIZE = sizeof(typename Reader::Element);
    static constexpr int BYTES = EXTENT * DEPTH * SIZE;
    static constexpr int ROW = 128;
    static constexpr int PANEL = (ALONG_K ? EXTENT : DEPTH) * ROW;
    static constexpr int EIGHT_ROWS = 8 * ROW;
    static_assert(!ALONG_K || DEPTH * SIZE == ROW, "a row of terms is one of a panel");

    static __device__ __forceinline__ int piece(int row, int number) {
        return number / 8 * PANEL + row * ROW + (number % 8 ^ row % 8) * 16;
    }
    /// A piece `rows` rows, a multiple of 8, and `numbers` pieces, a multiple of 8, on from the one at `offset`.
    static __device__ __forceinline__ int on(int offset, int rows, int numbers) {
        return offset + numbers / 8 * PANEL + rows * ROW;
    }
    static __device__ __forceinline__ int element(int index, int k) {
        const int column = (ALONG_K ? k : index) * SIZE;
        return piece(ALONG_K ? index : k, column / 16) + column % 16;
    }

    /// 64 or more rows or columns of the matrix from `index` on, a multiple of 64.
    static __device__ __forceinline__ u64 operand(const u8* tile, int index) {
        return wgmma_operand(tile + index / 64 * (ALONG_K ? 64 * ROW : PANEL), PANEL, EIGHT_ROWS);
    }
    /// What is added to that for each 16 terms on.
    static constexpr u64 STEP = wgmma_distance(ALONG_K ? 16 * SIZE : 16 * ROW);
};

template <class LayoutA, class LayoutB>
__device__ __forceinline__ void wgmma(bf16, float (&d)[64], u64 a, u64 b) {
    wgmma_m64n128k16_bf16<!LayoutA::ALONG_K, !LayoutB::ALONG_K>(d, a, b);
}
template <class LayoutA, class LayoutB>
__device__ __forceinline__ void wgmma(f16, float (&d)[64], u64 a, u64 b) {
    wgmma_m64n128k16_f16<!LayoutA::ALONG_K, !LayoutB::ALONG_K>(d, a, b);
}

/// One block's tile. V neighbours in n are stored at once.
template <class Tile, int V, class A, class B, class Place, class Output, class Moments>
__device__ __forceinline__ void gemm_warpgroup(const A& a, const B& b, const Place& place, const Output& output,
                                               const Moments& moments, const GemmShape& shape) {
    typedef typename A::Element Element;
    constexpr int DEPTH = Tile::DEPTH;
    constexpr int STAGES = Tile::STAGES;
    constexpr int AHEAD = STAGES - 2;  // one is multiplied, and the one before may still be
    typedef TileWalk<A, Tile::M, DEPTH, Tile::THREADS> WalkA;
    typedef TileWalk<B, Tile::N, DEPTH, Tile::THREADS> WalkB;
    typedef typename WalkA::Reader ReaderA;
    typedef typename WalkB::Reader ReaderB;
    typedef WarpgroupLayout<ReaderA, Tile::M, DEPTH> LayoutA;
    typedef WarpgroupLayout<ReaderB, Tile::N, DEPTH> LayoutB;
    constexpr int STAGE = LayoutA::BYTES + LayoutB::BYTES;
    static_assert(Tile::M * Tile::STAGED * 4 <= STAGES * STAGE, "results leave through the stages");
    REMAT_SHARED_PANELS(panels);
    u8* const shared = panels;

    const BlockTile<Tile::M, Tile::N> block(shape);
    WalkA walkA(a, block.batch, block.m, block.begin);
    WalkB walkB(b, block.batch, block.n, block.begin);
    TensorStage<ReaderA, LayoutA> stageA;
    TensorStage<ReaderB, LayoutB> stageB;
    const auto copyStage = [&](u8* tile) {
        stageA.template begin<0, 1>(walkA, tile);
        stageA.template finish<0, 1>(tile);
        stageB.template begin<0, 1>(walkB, tile + LayoutA::BYTES);
        stageB.template finish<0, 1>(tile + LayoutA::BYTES);
        cp_async_commit();
        walkA.next();
        walkB.next();
    };
    const int group = threadIdx.x / 128;
    const int m = group / Tile::GROUPS_N * 64;
    const int n = group % Tile::GROUPS_N * 128;
    const int lane = threadIdx.x % 32;
    float sums[64];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        sums[i] = Before<Place>::template at<float>(
            place, block.m + m + threadIdx.x / 32 % 4 * 16 + lane / 4 + i % 4 / 2 * 8,
            block.n + n + i / 4 * 8 + lane % 4 * 2 + i % 2);
    }

    // Tiles past the end are begun too: they are zeros, or another split's, and nobody adds them.
#pragma unroll
    for (int s = 0; s < AHEAD; s++) {
        copyStage(shared + s * STAGE);
    }
    int slot = 0;
    int free = AHEAD * STAGE;
#pragma unroll 1
    for (u32 k = block.begin; k < block.end; k += DEPTH) {
        cp_async_wait<AHEAD - 1>();
        fence_shared_for_wgmma();
        __syncthreads();
        const u8* const tile = shared + slot;
        const u64 left = LayoutA::operand(tile, m);
        const u64 right = LayoutB::operand(tile + LayoutA::BYTES, n);
        wgmma_begin();
#pragma unroll
        for (int step = 0; step < DEPTH / 16; step++) {
            wgmma<LayoutA, LayoutB>(Element{}, sums, left + step * LayoutA::STEP, right + step * LayoutB::STEP);
        }
        wgmma_commit();
        // What is copied goes where all have waited for what was multiplied there, before they came to the barrier.
        copyStage(shared + free);
        slot = slot + STAGE == STAGES * STAGE ? 0 : slot + STAGE;
        free = free + STAGE == STAGES * STAGE ? 0 : free + STAGE;
        wgmma_wait<1>();
    }
    wgmma_wait<0>();
    wgmma_end(sums);
    cp_async_wait<0>();
    __syncthreads();

    float* const staged = reinterpret_cast<float*>(shared);
    typedef StagedRow<Tile::N, V> Row;
    float* const to = staged + (m + threadIdx.x / 32 % 4 * 16 + lane / 4) * Tile::STAGED;
#pragma unroll
    for (int j = 0; j < 16; j++) {
        float* const pair = to + Row::at(n + j * 8 + lane % 4 * 2);
        store_pack(pair, Pack<float, 2>{{sums[j * 4], sums[j * 4 + 1]}});
        store_pack(pair + 8 * Tile::STAGED, Pack<float, 2>{{sums[j * 4 + 2], sums[j * 4 + 3]}});
    }
    __syncthreads();
    drain<Tile::M, Tile::N, Tile::M, Tile::M, Tile::THREADS, V>(staged, Tile::STAGED, shape, block.result, block.m,
                                                               block.n, place, output);
    typename Moments::template State<Tile::N, Tile::THREADS> state;
    moments.template absorb<V, Tile::M, Tile::M, Tile::M>(state, staged, Tile::STAGED, shape, block.m);
    moments.finish(state, staged, shape, block.batch, block.m / Tile::M, block.n);
}

template <class Tile, int V, class A, class B, class Place, class Output>
__device__ __forceinline__ void gemm_warpgroup(const A& a, const B& b, const Place& place, const Output& output,
                                               const GemmShape& shape) {
    gemm_warpgroup<Tile, V>(a, b, place, output, NoMoments{}, shape);
}

}  // namespace remat
