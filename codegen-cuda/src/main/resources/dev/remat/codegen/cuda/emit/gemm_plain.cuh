// needs: gemm.cuh
// Matrix products without tensor cores: any dtype, any architecture. A thread keeps a block of sums in registers; tiles
// go through two buffers in shared memory, widened. Each sum adds its terms in ascending k by fused multiply-add.

namespace remat {

__device__ __forceinline__ float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double multiply_add(double a, double b, double c) { return fma(a, b, c); }

/// A tile of M x N sums over DEPTH terms at a time; each thread keeps GROUPS_M x GROUPS_N groups of 4 x 4 sums.
template <int M_, int N_, int DEPTH_, int GROUPS_M_, int GROUPS_N_> struct PlainTile {
    static constexpr int M = M_;
    static constexpr int N = N_;
    static constexpr int DEPTH = DEPTH_;
    static constexpr int GROUPS_M = GROUPS_M_;
    static constexpr int GROUPS_N = GROUPS_N_;
    static constexpr int ROWS = M / GROUPS_M / 4;     ///< threads above each other
    static constexpr int COLUMNS = N / GROUPS_N / 4;  ///< threads side by side
    static constexpr int THREADS = ROWS * COLUMNS;
    static constexpr int STRIDE_M = M + 4;
    static constexpr int STRIDE_N = N + 4;
    static constexpr int BUFFER = DEPTH * (STRIDE_M + STRIDE_N);
    static constexpr int STAGED = ROWS * 4 * STRIDE_N;
    static constexpr int SHARED = 2 * BUFFER > STAGED ? 2 * BUFFER : STAGED;
};

/// A thread's share of a tile on its way from global to shared memory.
template <class Reader, class Sum, int STRIDE> struct PlainStage {
    typedef typename Reader::Element Element;
    static constexpr int CHUNK = Reader::CHUNK;
    Pack<Element, CHUNK> chunks[Reader::COUNT];

    template <class Operand> __device__ __forceinline__ void load(const Reader& reader, const Operand& operand, u32 k) {
        reader.template each<0, 1>(operand, k, [&](int number, int, int, const Element* from, bool valid) {
            if (valid) {
                chunks[number] = load_pack<CHUNK>(from);
            } else {
#pragma unroll
                for (int l = 0; l < CHUNK; l++) {
                    chunks[number].at[l] = Element{};
                }
            }
        });
    }

    /// Stores rows of one k, neighbours in the extent side by side.
    __device__ __forceinline__ void store(Sum* tile) const {
        Reader::template positions<0, 1>([&](int number, int index, int depth) {
            Sum* to = tile + depth * STRIDE + index;
            if constexpr (Reader::ALONG_K || CHUNK % 4 != 0) {
#pragma unroll
                for (int l = 0; l < CHUNK; l++) {
                    to[Reader::ALONG_K ? l * STRIDE : l] = widen(chunks[number].at[l]);
                }
            } else {
#pragma unroll
                for (int four = 0; four < CHUNK; four += 4) {
                    Pack<Sum, 4> wide;
#pragma unroll
                    for (int l = 0; l < 4; l++) {
                        wide.at[l] = widen(chunks[number].at[four + l]);
                    }
                    store_pack(to + four, wide);
                }
            }
        });
    }
};

/// One block's tile. V neighbours in n, at most 4, are stored at once.
template <class Tile, int V, class A, class B, class Place, class Output, class Moments>
__device__ __forceinline__ void gemm_plain(const A& a, const B& b, const Place& place, const Output& output,
                                           const Moments& moments, const GemmShape& shape) {
    typedef typename Accumulator<typename A::Element>::type Sum;
    typedef TileReader<A, Tile::M, Tile::DEPTH, Tile::THREADS> ReaderA;
    typedef TileReader<B, Tile::N, Tile::DEPTH, Tile::THREADS> ReaderB;
    __shared__ __align__(16) Sum shared[Tile::SHARED];

    const BlockTile<Tile::M, Tile::N> block(shape);
    const ReaderA readerA(a, block.batch, block.m);
    const ReaderB readerB(b, block.batch, block.n);
    PlainStage<ReaderA, Sum, Tile::STRIDE_M> stageA;
    PlainStage<ReaderB, Sum, Tile::STRIDE_N> stageB;

    // A warp covers 4 x 8 threads, so that its reads of shared memory are short and mostly shared.
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int row = (warp / (Tile::COLUMNS / 8) * 4 + lane / 8) * 4;
    const int column = (warp % (Tile::COLUMNS / 8) * 8 + lane % 8) * 4;

    Sum sums[Tile::GROUPS_M * 4][Tile::GROUPS_N * 4];
#pragma unroll
    for (int i = 0; i < Tile::GROUPS_M * 4; i++) {
#pragma unroll
        for (int j = 0; j < Tile::GROUPS_N * 4; j++) {
            sums[i][j] = Before<Place>::template at<Sum>(place, block.m + i / 4 * Tile::ROWS * 4 + row + i % 4,
                                                         block.n + j / 4 * Tile::COLUMNS * 4 + column + j % 4);
        }
    }

    stageA.load(readerA, a, block.begin);
    stageB.load(readerB, b, block.begin);
    int buffer = 0;
#pragma unroll 1
    for (u32 k = block.begin; k < block.end; k += Tile::DEPTH) {
        Sum* const tileA = shared + buffer * Tile::BUFFER;
        Sum* const tileB = tileA + Tile::DEPTH * Tile::STRIDE_M;
        stageA.store(tileA);
        stageB.store(tileB);
        __syncthreads();
        if (k + Tile::DEPTH < block.end) {
            stageA.load(readerA, a, k + Tile::DEPTH);
            stageB.load(readerB, b, k + Tile::DEPTH);
        }
#pragma unroll
        for (int d = 0; d < Tile::DEPTH; d++) {
            Pack<Sum, 4> left[Tile::GROUPS_M];
            Pack<Sum, 4> right[Tile::GROUPS_N];
#pragma unroll
            for (int g = 0; g < Tile::GROUPS_M; g++) {
                left[g] = load_pack<4>(tileA + d * Tile::STRIDE_M + g * Tile::ROWS * 4 + row);
            }
#pragma unroll
            for (int g = 0; g < Tile::GROUPS_N; g++) {
                right[g] = load_pack<4>(tileB + d * Tile::STRIDE_N + g * Tile::COLUMNS * 4 + column);
            }
#pragma unroll
            for (int i = 0; i < Tile::GROUPS_M * 4; i++) {
#pragma unroll
                for (int j = 0; j < Tile::GROUPS_N * 4; j++) {
                    sums[i][j] = multiply_add(left[i / 4].at[i % 4], right[j / 4].at[j % 4], sums[i][j]);
                }
            }
        }
        buffer ^= 1;
    }

    typename Moments::template State<Tile::N, Tile::THREADS> state;
    // One group of rows after the other, so that the output's code is there once and its accesses are wide.
#pragma unroll 1
    for (int pass = 0; pass < Tile::GROUPS_M; pass++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < Tile::GROUPS_M * 4; i++) {
            if (i / 4 == pass) {
#pragma unroll
                for (int g = 0; g < Tile::GROUPS_N; g++) {
                    Pack<Sum, 4> four;
#pragma unroll
                    for (int l = 0; l < 4; l++) {
                        four.at[l] = sums[i][g * 4 + l];
                    }
                    store_pack(shared + (row + i % 4) * Tile::STRIDE_N + g * Tile::COLUMNS * 4 + column, four);
                }
            }
        }
        __syncthreads();
        constexpr int BAND = Tile::ROWS * 4;
        drain_one_by_one<BAND, Tile::N, Tile::THREADS, V>(shared, Tile::STRIDE_N, shape, block.result,
                                                          block.m + pass * BAND, block.n, place, output);
        moments.template absorb<V, BAND, BAND, BAND>(state, shared, Tile::STRIDE_N, shape, block.m + pass * BAND);
    }
    moments.finish(state, shared, shape, block.batch, block.m / Tile::M, block.n);
}

template <class Tile, int V, class A, class B, class Place, class Output>
__device__ __forceinline__ void gemm_plain(const A& a, const B& b, const Place& place, const Output& output,
                                           const GemmShape& shape) {
    gemm_plain<Tile, V>(a, b, place, output, NoMoments{}, shape);
}

}  // namespace remat
