// needs: attention_tensor.cuh
// Gradients of attention on tensor cores. Probabilities are computed again; scores, weights and slopes never leave
// registers, since what a warp owns are the rows of both products.

namespace remat {

/// A block of WARPS warps owns 16·M·WARPS rows, keys or queries, and walks over OTHERS of the others at a time, in two
/// buffers. What a warp loads of the others serves all its rows.
template <int WARPS, int M, int OTHERS, int DEPTH, int WIDTH> struct GradientTile {
    static constexpr int THREADS = 32 * WARPS;
    static constexpr int ROWS = 16 * M * WARPS;
    static constexpr int OTHER = OTHERS * (PITCH_16<DEPTH> + PITCH_16<WIDTH>);
    static constexpr bool HELD = M * (DEPTH + WIDTH) <= 128;
};

/// KEYS: toDepth is dk and toWidth dv, sums over the heads of queries that share them. Else toDepth is dq.
template <int WARPS, int M, int OTHERS, int DEPTH, int WIDTH, bool ALIGNED, bool KEYS, bool CAUSAL, bool MASKED,
          class T, class Added>
__device__ __forceinline__ void attention_tensor_gradient(const AttentionExtents& extents,
                                                          const AttentionBackward<T, float, Added>& in,
                                                          const HeadsOut<T>& toDepth, const HeadsOut<T>& toWidth) {
    typedef GradientTile<WARPS, M, OTHERS, DEPTH, WIDTH> Tile;
    constexpr int THREADS = Tile::THREADS;
    constexpr int N = OTHERS / 8;
    REMAT_SHARED(shared);
    T* const ofOwn = reinterpret_cast<T*>(shared);
    T* const ofOwnWide = ofOwn + Tile::ROWS * PITCH_16<DEPTH>;
    T* const ofOthers = ofOwnWide + Tile::ROWS * PITCH_16<WIDTH>;
    float* const ofQueries = reinterpret_cast<float*>(ofOthers + 2 * Tile::OTHER);
    const u32 ownRows = KEYS ? extents.keys : extents.queries;
    const u32 otherRows = KEYS ? extents.queries : extents.keys;
    const AttentionBlock block(KEYS ? extents.heads / extents.group : extents.heads, ownRows, Tile::ROWS, 0);
    const Heads<T> own = (KEYS ? in.k : in.q).of(block.batch, block.head);
    const Heads<T> ownWide = (KEYS ? in.v : in.dout).of(block.batch, block.head);
    const u32 warp = threadIdx.x / 32;
    const u32 lane = threadIdx.x % 32;
    const u32 firstOwn = block.row + warp * 16 * M;
    fetch_rows<THREADS, Tile::ROWS, DEPTH, ALIGNED>(own, block.row, ownRows, extents.depth, ofOwn);
    fetch_rows<THREADS, Tile::ROWS, WIDTH, ALIGNED>(ownWide, block.row, ownRows, extents.width, ofOwnWide);
    OwnRows<M, DEPTH, Tile::HELD, T> rows;
    OwnRows<M, WIDTH, Tile::HELD, T> rowsWide;
    rows.rows = ofOwn + warp * 16 * M * PITCH_16<DEPTH>;
    rowsWide.rows = ofOwnWide + warp * 16 * M * PITCH_16<WIDTH>;
    float sums[M][DEPTH / 8][4];
    float sumsWide[M][KEYS ? WIDTH / 8 : 1][4];
    clear(sums);
    clear(sumsWide);
    const u32 members = KEYS ? extents.group : 1;
    for (u32 member = 0; member < members; member++) {
        const u32 head = KEYS ? block.head * extents.group + member : block.head;
        const u64 flatHead = KEYS ? block.flatHead * extents.group + member : block.flatHead;
        const Heads<T> other = KEYS ? in.q.of(block.batch, head) : in.k.of(block.batch, head / extents.group);
        const Heads<T> otherWide = KEYS ? in.dout.of(block.batch, head) : in.v.of(block.batch, head / extents.group);
        const Visible<CAUSAL, MASKED> visible{extents.queries, extents.keys, in.mask.of(block.batch, head)};
        const Added bias = in.bias.of(block.batch, head);
        const float* const lse = in.lse + flatHead * extents.queries;
        const float* const deltas = in.deltas + flatHead * extents.queries;
        const u32 begin = KEYS ? visible.first_query(block.row) : 0;
        const u32 end = KEYS ? otherRows : visible.keys_before(block.row + Tile::ROWS);
        const auto fetch = [&](u32 start, u32 buffer) {
            T* const to = ofOthers + buffer * Tile::OTHER;
            fetch_rows<THREADS, OTHERS, DEPTH, ALIGNED>(other, start, otherRows, extents.depth, to);
            fetch_rows<THREADS, OTHERS, WIDTH, ALIGNED>(otherWide, start, otherRows, extents.width,
                                                        to + OTHERS * PITCH_16<DEPTH>);
            if (KEYS && threadIdx.x < OTHERS) {
                const bool there = start + threadIdx.x < otherRows;
                const u32 query = there ? start + threadIdx.x : 0;
                float* const place = ofQueries + buffer * 2 * OTHERS + threadIdx.x;
                cp_async_4(place, lse + query, there);
                cp_async_4(place + OTHERS, deltas + query, there);
            }
        };
        if (begin < end) {
            fetch(begin, 0);
        }
        cp_async_commit();
        float ownLse[M][2];
        float ownDelta[M][2];
#pragma unroll
        for (int m = 0; m < M; m++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const u32 query = firstOwn + m * 16 + half * 8 + lane / 4;
                const bool there = !KEYS && query < extents.queries;
                ownLse[m][half] = there ? lse[query] * LOG2_E : 0.0f;
                ownDelta[m][half] = there ? deltas[query] : 0.0f;
            }
        }
        cp_async_wait<0>();
        __syncthreads();
        if (member == 0) {
            rows.hold();
            rowsWide.hold();
        }
        u32 buffer = 0;
        for (u32 start = begin; start < end; start += OTHERS) {
            if (start + OTHERS < end) {
                fetch(start + OTHERS, buffer ^ 1);
            }
            cp_async_commit();
            const T* const tile = ofOthers + buffer * Tile::OTHER;
            const T* const tileWide = tile + OTHERS * PITCH_16<DEPTH>;
            const float* const lses = ofQueries + buffer * 2 * OTHERS;
            float p[M][N][4];
            float ds[M][N][4];
            rows.times_rows(tile, p);
            rowsWide.times_rows(tileWide, ds);
#pragma unroll
            for (int m = 0; m < M; m++) {
#pragma unroll
                for (int n = 0; n < N; n++) {
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        const u32 column = n * 8 + lane % 4 * 2 + i % 2;
                        const float base = KEYS ? lses[column] * LOG2_E : ownLse[m][i / 2];
                        const float delta = KEYS ? lses[OTHERS + column] : ownDelta[m][i / 2];
                        float exponent = fmaf(p[m][n][i], in.scale * LOG2_E, -base);
                        if constexpr (Added::PRESENT) {
                            const u32 ownRow = firstOwn + m * 16 + i / 2 * 8 + lane / 4;
                            const u32 query = KEYS ? start + column : ownRow;
                            const u32 key = KEYS ? ownRow : start + column;
                            const float score = visible.sees(query, key)
                                    ? bias.added(p[m][n][i] * in.scale, query, key) : negative_infinity<float>();
                            exponent = score == negative_infinity<float>() ? score : fmaf(score, LOG2_E, -base);
                        }
                        p[m][n][i] = exp2_approx(exponent);
                        ds[m][n][i] = p[m][n][i] * (ds[m][n][i] - delta);
                    }
                }
            }
            const bool edge = MASKED || start + OTHERS > otherRows
                    || (CAUSAL && (KEYS ? firstOwn + 16 * M - 1 > start : start + OTHERS - 1 > firstOwn));
            if (Added::PRESENT || edge) {
#pragma unroll
                for (int m = 0; m < M; m++) {
#pragma unroll
                    for (int n = 0; n < N; n++) {
#pragma unroll
                        for (int i = 0; i < 4; i++) {
                            const u32 ownRow = firstOwn + m * 16 + i / 2 * 8 + lane / 4;
                            const u32 otherRow = start + n * 8 + lane % 4 * 2 + i % 2;
                            const bool sees = Added::PRESENT ? p[m][n][i] != 0.0f
                                : visible.sees(KEYS ? otherRow : ownRow, KEYS ? ownRow : otherRow);
                            p[m][n][i] = sees ? p[m][n][i] : 0.0f;
                            ds[m][n][i] = sees ? ds[m][n][i] : 0.0f;
                        }
                    }
                }
            }
            if constexpr (KEYS) {
                add_products<WIDTH>(p, tileWide, sumsWide);
            }
            add_products<DEPTH>(ds, tile, sums);
            cp_async_wait<0>();
            __syncthreads();
            buffer ^= 1;
        }
    }
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int n = 0; n < DEPTH / 8; n++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                sums[m][n][i] *= in.scale;
            }
        }
    }
    if (toDepth.data != nullptr) {
        write_rows<DEPTH, ALIGNED>(sums, ofOwn + warp * 16 * M * PITCH_16<DEPTH>,
                                   toDepth.of(block.batch, block.head), firstOwn, ownRows, extents.depth);
    }
    if constexpr (KEYS) {
        if (toWidth.data != nullptr) {
            write_rows<WIDTH, ALIGNED>(sumsWide, ofOwnWide + warp * 16 * M * PITCH_16<WIDTH>,
                                       toWidth.of(block.batch, block.head), firstOwn, ownRows, extents.width);
        }
    }
}

}  // namespace remat
