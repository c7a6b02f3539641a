// needs: gemm.cuh
// Matrix products by mma.sync: bf16, f16, and f32 rounded to tf32, with sums in f32. Tiles come through several stages of
// shared memory, copied ahead where chunks are wide enough, and lie there as in memory: 16-byte pieces permuted so that
// the eight rows of a matrix fragment are in different banks.

namespace remat {

/// A tile of M x N sums over DEPTH_BYTES of each row of terms at a time, shared by WARPS_M x WARPS_N warps.
template <int M_, int N_, int DEPTH_BYTES_, int STAGES_, int WARPS_M_, int WARPS_N_> struct TensorTile {
    static constexpr int M = M_;
    static constexpr int N = N_;
    static constexpr int DEPTH_BYTES = DEPTH_BYTES_;
    static constexpr int STAGES = STAGES_;
    static constexpr int WARPS_M = WARPS_M_;
    static constexpr int WARPS_N = WARPS_N_;
    static constexpr int THREADS = WARPS_M * WARPS_N * 32;
    static constexpr int WARP_M = M / WARPS_M;
    static constexpr int WARP_N = N / WARPS_N;
    static constexpr int ROWS = WARP_M / 16;         ///< fragments of a warp above each other
    static constexpr int COLUMNS = WARP_N / 8;       ///< side by side
    static constexpr int STEPS = DEPTH_BYTES / 32;   ///< behind each other
    static constexpr int BAND = ROWS > 1 ? 32 : 16;  ///< rows of a warp that are stored in one pass
    static constexpr int STAGED = N + 8;             ///< a row of sums on its way out
};

/// How a tile of an operand lies in shared memory: rows of the matrix in memory, in pieces of 16 bytes.
template <class Reader, int EXTENT, int DEPTH> struct TensorLayout {
    static constexpr bool ALONG_K = Reader::ALONG_K;
    static constexpr int SIZE = sizeof(typename Reader::Element);
    static constexpr int PIECES = (ALONG_K ? DEPTH : EXTENT) * SIZE / 16;
    static constexpr int BYTES = EXTENT * DEPTH * SIZE;

    /// 4-byte elements across k are read one by one: four rows of eight neighbours at once.
    static __device__ __forceinline__ int swizzle(int row) {
        if constexpr (SIZE == 4 && !ALONG_K) {
            return row % 4 * 2;
        } else if constexpr (PIECES >= 8) {
            return row % 8;
        } else {
            return row / (8 / PIECES) % PIECES;
        }
    }
    static __device__ __forceinline__ int piece(int row, int number) {
        return (row * PIECES + (number ^ swizzle(row))) * 16;
    }
    /// A piece `rows` rows and `numbers` pieces on from the one at `offset`; rows are a multiple of 8, which swizzles do
    /// not see, and numbers have no bits of the first piece's.
    static __device__ __forceinline__ int on(int offset, int rows, int numbers) {
        return (offset ^ numbers * 16) + rows * PIECES * 16;
    }
    static __device__ __forceinline__ int element(int index, int k) {
        const int row = ALONG_K ? index : k;
        const int column = (ALONG_K ? k : index) * SIZE;
        return piece(row, column / 16) + column % 16;
    }
};

/// A thread's share of a tile on its way to shared memory: copied asynchronously, or through registers where chunks are
/// single 16-bit elements.
template <class Reader, class Layout> struct TensorStage {
    typedef typename Reader::Element Element;
    static constexpr int BYTES = Reader::CHUNK * sizeof(Element);
    Element held[BYTES < 4 ? Reader::COUNT : 1];
    /// Where the thread's first chunk goes.
    const int offset = Layout::element(Reader::index(0), Reader::depth(0));

    template <int PART, int PARTS, class Walk> __device__ __forceinline__ void begin(const Walk& walk, u8* tile) {
        walk.template each<PART, PARTS>([&](int number, int index, int depth, const Element* from, bool valid) {
            if constexpr (BYTES == 16 && Reader::ROWS_AT_ONCE % 8 == 0) {
                cp_async_16(tile + Layout::on(offset, Reader::rowsOn(number), Reader::chunksOn(number)), from, valid);
            } else if constexpr (BYTES == 16) {
                cp_async_16(tile + Layout::element(index, depth), from, valid);
            } else if constexpr (BYTES == 8) {
                cp_async_8(tile + Layout::element(index, depth), from, valid);
            } else if constexpr (BYTES == 4) {
                cp_async_4(tile + Layout::element(index, depth), from, valid);
            } else {
                held[number] = valid ? *from : Element{};
            }
        });
    }

    template <int PART, int PARTS> __device__ __forceinline__ void finish(u8* tile) const {
        if constexpr (BYTES < 4) {
            Reader::template positions<PART, PARTS>([&](int number, int index, int depth) {
                *reinterpret_cast<Element*>(tile + Layout::element(index, depth)) = held[number];
            });
        }
    }
};

template <class Layout> __device__ __forceinline__ u32 tf32_at(const u8* tile, int index, int k) {
    return f32_to_tf32(*reinterpret_cast<const float*>(tile + Layout::element(index, k)));
}

template <class Element> __device__ __forceinline__ void round_fragment(u32 (&r)[4]) {
    if constexpr (sizeof(Element) == 4) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            r[i] = f32_to_tf32(__uint_as_float(r[i]));
        }
    }
}

/// Left operands of mma, 16 rows and 32 bytes of k each, from row m of the tile on.
template <class Element, class Layout> struct LeftFragments {
    const int lane = threadIdx.x % 32;
    const int m;
    const int offset = Layout::ALONG_K ? Layout::piece(m + lane % 16, lane / 16)
                                       : Layout::piece(lane / 16 * 8 + lane % 8, m / 8 + lane / 8 % 2);

    __device__ __forceinline__ explicit LeftFragments(int m) : m(m) {}

    __device__ __forceinline__ void load(u32 (&r)[4], const u8* tile, int i, int step) const {
        if constexpr (Layout::ALONG_K) {
            ldmatrix_x4(r, tile + Layout::on(offset, i * 16, step * 2));
            round_fragment<Element>(r);
        } else if constexpr (sizeof(Element) == 2) {
            ldmatrix_x4_trans(r, tile + Layout::on(offset, step * 16, i * 2));
        } else {
            r[0] = tf32_at<Layout>(tile, m + i * 16 + lane / 4, step * 8 + lane % 4);
            r[1] = tf32_at<Layout>(tile, m + i * 16 + lane / 4 + 8, step * 8 + lane % 4);
            r[2] = tf32_at<Layout>(tile, m + i * 16 + lane / 4, step * 8 + lane % 4 + 4);
            r[3] = tf32_at<Layout>(tile, m + i * 16 + lane / 4 + 8, step * 8 + lane % 4 + 4);
        }
    }
};

/// Right operands of mma in pairs, twice eight columns and 32 bytes of k each, from column n of the tile on.
template <class Element, class Layout> struct RightFragments {
    const int lane = threadIdx.x % 32;
    const int n;
    const int offset = Layout::ALONG_K ? Layout::piece(n + lane / 16 * 8 + lane % 8, lane / 8 % 2)
                                       : Layout::piece(lane / 8 % 2 * 8 + lane % 8, n / 8 + lane / 16);

    __device__ __forceinline__ explicit RightFragments(int n) : n(n) {}

    __device__ __forceinline__ void load(u32 (&r)[4], const u8* tile, int j, int step) const {
        if constexpr (Layout::ALONG_K) {
            ldmatrix_x4(r, tile + Layout::on(offset, j * 16, step * 2));
            round_fragment<Element>(r);
        } else if constexpr (sizeof(Element) == 2) {
            ldmatrix_x4_trans(r, tile + Layout::on(offset, step * 16, j * 2));
        } else {
            r[0] = tf32_at<Layout>(tile, n + j * 16 + lane / 4, step * 8 + lane % 4);
            r[1] = tf32_at<Layout>(tile, n + j * 16 + lane / 4, step * 8 + lane % 4 + 4);
            r[2] = tf32_at<Layout>(tile, n + j * 16 + lane / 4 + 8, step * 8 + lane % 4);
            r[3] = tf32_at<Layout>(tile, n + j * 16 + lane / 4 + 8, step * 8 + lane % 4 + 4);
        }
    }
};

__device__ __forceinline__ void mma(bf16, float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    mma_m16n8k16_bf16(d, a, b);
}
__device__ __forceinline__ void mma(f16, float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    mma_m16n8k16_f16(d, a, b);
}
__device__ __forceinline__ void mma(float, float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    mma_m16n8k8_tf32(d, a, b);
}

/// The sums of one warp and their growth by one stage.
template <class Tile, class Element, class LayoutA, class LayoutB> struct WarpSums {
    float at[Tile::ROWS][Tile::COLUMNS][4];
    const int m = threadIdx.x / 32 / Tile::WARPS_N * Tile::WARP_M;
    const int n = threadIdx.x / 32 % Tile::WARPS_N * Tile::WARP_N;
    const LeftFragments<Element, LayoutA> lefts;
    const RightFragments<Element, LayoutB> rights;

    /// Of the tile whose first results are at a row and a column of a place.
    template <class Place>
    __device__ __forceinline__ WarpSums(const Place& place, u32 row, u32 column) : lefts(m), rights(n) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < Tile::ROWS; i++) {
#pragma unroll
            for (int j = 0; j < Tile::COLUMNS; j++) {
#pragma unroll
                for (int l = 0; l < 4; l++) {
                    at[i][j][l] = Before<Place>::template at<float>(
                        place, row + m + i * 16 + lane / 4 + l / 2 * 8, column + n + j * 8 + lane % 4 * 2 + l % 2);
                }
            }
        }
    }

    __device__ __forceinline__ void add(const u8* tileA, const u8* tileB, int step) {
        u32 left[Tile::ROWS][4];
        u32 right[Tile::COLUMNS / 2][4];
#pragma unroll
        for (int i = 0; i < Tile::ROWS; i++) {
            lefts.load(left[i], tileA, i, step);
        }
#pragma unroll
        for (int j = 0; j < Tile::COLUMNS / 2; j++) {
            rights.load(right[j], tileB, j, step);
        }
#pragma unroll
        for (int i = 0; i < Tile::ROWS; i++) {
#pragma unroll
            for (int j = 0; j < Tile::COLUMNS; j++) {
                const u32 b[2] = {right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]};
                mma(Element{}, at[i][j], left[i], b);
            }
        }
    }

    /// Puts the fragments of one pass into the rows that drain reads in groups of V.
    template <int V> __device__ __forceinline__ void stage(float* staged, int pass) const {
        typedef StagedRow<Tile::N, V> Row;
        const int lane = threadIdx.x % 32;
        float* to = staged + (m / Tile::WARP_M * Tile::BAND + lane / 4) * Tile::STAGED + Row::at(n + lane % 4 * 2);
#pragma unroll
        for (int i = 0; i < Tile::ROWS; i++) {
            if (i / (Tile::BAND / 16) == pass) {
#pragma unroll
                for (int j = 0; j < Tile::COLUMNS; j++) {
                    float* pair = to + i % (Tile::BAND / 16) * 16 * Tile::STAGED + Row::at(j * 8);
                    store_pack(pair, Pack<float, 2>{{at[i][j][0], at[i][j][1]}});
                    store_pack(pair + 8 * Tile::STAGED, Pack<float, 2>{{at[i][j][2], at[i][j][3]}});
                }
            }
        }
    }
};

/// One block's tile. V neighbours in n are stored at once.
template <class Tile, int V, class A, class B, class Place, class Output, class Moments>
__device__ __forceinline__ void gemm_tensor(const A& a, const B& b, const Place& place, const Output& output,
                                            const Moments& moments, const GemmShape& shape) {
    typedef typename A::Element Element;
    constexpr int DEPTH = Tile::DEPTH_BYTES / sizeof(Element);
    constexpr int STAGES = Tile::STAGES;
    typedef TileWalk<A, Tile::M, DEPTH, Tile::THREADS> WalkA;
    typedef TileWalk<B, Tile::N, DEPTH, Tile::THREADS> WalkB;
    typedef typename WalkA::Reader ReaderA;
    typedef typename WalkB::Reader ReaderB;
    typedef TensorLayout<ReaderA, Tile::M, DEPTH> LayoutA;
    typedef TensorLayout<ReaderB, Tile::N, DEPTH> LayoutB;
    constexpr int STAGE = LayoutA::BYTES + LayoutB::BYTES;
    static_assert(STAGE % (LayoutA::PIECES * 16) == 0 && LayoutA::BYTES % (LayoutB::PIECES * 16) == 0, "rows lie whole");
    // Where chunks go through registers, half of them at a time.
    constexpr int PARTS = TensorStage<ReaderA, LayoutA>::BYTES < 4 || TensorStage<ReaderB, LayoutB>::BYTES < 4 ? 2 : 1;
    static_assert(Tile::WARPS_M * Tile::BAND * Tile::STAGED * 4 <= STAGES * STAGE, "results leave through the stages");
    REMAT_SHARED(shared);

    const BlockTile<Tile::M, Tile::N> block(shape);
    WalkA walkA(a, block.batch, block.m, block.begin);
    WalkB walkB(b, block.batch, block.n, block.begin);
    TensorStage<ReaderA, LayoutA> stageA;
    TensorStage<ReaderB, LayoutB> stageB;
    WarpSums<Tile, Element, LayoutA, LayoutB> sums(place, block.m, block.n);

    // Tiles past the end are begun too: they are zeros, or another split's, and nobody adds them.
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        u8* const tile = shared + s * STAGE;
        stageA.template begin<0, 1>(walkA, tile);
        stageA.template finish<0, 1>(tile);
        stageB.template begin<0, 1>(walkB, tile + LayoutA::BYTES);
        stageB.template finish<0, 1>(tile + LayoutA::BYTES);
        cp_async_commit();
        walkA.next();
        walkB.next();
    }
    // What is copied goes where the round before has read.
    int slot = 0;
    int free = (STAGES - 1) * STAGE;
#pragma unroll 1
    for (u32 k = block.begin; k < block.end; k += DEPTH) {
        cp_async_wait<STAGES - 2>();
        __syncthreads();
        const u8* const tile = shared + slot;
        u8* const next = shared + free;
        stageA.template begin<0, PARTS>(walkA, next);
        stageB.template begin<0, PARTS>(walkB, next + LayoutA::BYTES);
#pragma unroll
        for (int step = 0; step < Tile::STEPS / 2; step++) {
            sums.add(tile, tile + LayoutA::BYTES, step);
        }
        stageA.template finish<0, PARTS>(next);
        stageB.template finish<0, PARTS>(next + LayoutA::BYTES);
        if constexpr (PARTS == 2) {
            stageA.template begin<1, 2>(walkA, next);
            stageB.template begin<1, 2>(walkB, next + LayoutA::BYTES);
        }
        cp_async_commit();
#pragma unroll
        for (int step = Tile::STEPS / 2; step < Tile::STEPS; step++) {
            sums.add(tile, tile + LayoutA::BYTES, step);
        }
        if constexpr (PARTS == 2) {
            stageA.template finish<1, 2>(next);
            stageB.template finish<1, 2>(next + LayoutA::BYTES);
        }
        walkA.next();
        walkB.next();
        free = slot;
        slot = slot + STAGE == STAGES * STAGE ? 0 : slot + STAGE;
    }
    cp_async_wait<0>();

    // Some rows of every warp after the other, so that the output's code is there once and its accesses are wide.
    constexpr int BAND = Tile::BAND;
    float* const staged = reinterpret_cast<float*>(shared);
    typename Moments::template State<Tile::N, Tile::THREADS> state;
#pragma unroll 1
    for (int pass = 0; pass < Tile::WARP_M / BAND; pass++) {
        __syncthreads();
        sums.template stage<V>(staged, pass);
        __syncthreads();
        drain<Tile::WARPS_M * BAND, Tile::N, BAND, Tile::WARP_M, Tile::THREADS, V>(
            staged, Tile::STAGED, shape, block.result, block.m + pass * BAND, block.n, place, output);
        moments.template absorb<V, Tile::WARPS_M * BAND, BAND, Tile::WARP_M>(state, staged, Tile::STAGED, shape,
                                                                          block.m + pass * BAND);
    }
    moments.finish(state, staged, shape, block.batch, block.m / Tile::M, block.n);
}

template <class Tile, int V, class A, class B, class Place, class Output>
__device__ __forceinline__ void gemm_tensor(const A& a, const B& b, const Place& place, const Output& output,
                                            const GemmShape& shape) {
    gemm_tensor<Tile, V>(a, b, place, output, NoMoments{}, shape);
}

}  // namespace remat
