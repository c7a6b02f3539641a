// needs: attention_tensor.cuh
// Attention on tensor cores, forward (Dao, 2023). Keys arrive while the products with the values before them run, and
// values while scores are computed.

namespace remat {

/// A block of WARPS warps owns 16·M·WARPS queries and walks over KEYS keys at a time.
template <int WARPS, int M, int KEYS, int DEPTH, int WIDTH> struct ForwardTile {
    static constexpr int THREADS = 32 * WARPS;
    static constexpr int ROWS = 16 * M * WARPS;
    static constexpr int OWN = ROWS * PITCH_16<(DEPTH > WIDTH ? DEPTH : WIDTH)>;
    static constexpr bool HELD = M * DEPTH <= 128;
};

/// One step of the running softmax: scores become weights, sums so far are scaled to the new maximum. `exponent` makes
/// an exponent of two of a product of a query and a key.
template <int M, int N, int W, class Exponent>
__device__ __forceinline__ void weigh_scores(float (&scores)[M][N][4], const Exponent& exponent,
                                             float (&most)[M][2], float (&total)[M][2], float (&sums)[M][W][4]) {
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float largest = negative_infinity<float>();
#pragma unroll
            for (int n = 0; n < N; n++) {
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    float& score = scores[m][n][2 * half + i];
                    score = exponent(score, m, half, n, i);
                    largest = fmaxf(largest, score);
                }
            }
            largest = most_of_lanes<2>(largest);
            largest = fmaxf(largest, most[m][half]);
            const float shift = largest == negative_infinity<float>() ? 0.0f : largest;
            const float correction = exp2_approx(most[m][half] - shift);
            float sum = 0;
#pragma unroll
            for (int n = 0; n < N; n++) {
#pragma unroll
                for (int i = 0; i < 2; i++) {
                    float& score = scores[m][n][2 * half + i];
                    score = exp2_approx(score - shift);
                    sum += score;
                }
            }
            total[m][half] = fmaf(total[m][half], correction, sum);
            most[m][half] = largest;
#pragma unroll
            for (int n = 0; n < W; n++) {
                sums[m][n][2 * half] *= correction;
                sums[m][n][2 * half + 1] *= correction;
            }
        }
    }
}

/// out = softmax(scale·q·kᵀ + bias)·v, and the log-sum-exp where lse is not null.
template <int WARPS, int M, int KEYS, int DEPTH, int WIDTH, bool ALIGNED, bool CAUSAL, bool MASKED, class T,
          class Added = NoBias>
__device__ __forceinline__ void attention_tensor(const AttentionExtents& extents, const Heads<T>& qs,
                                                 const Heads<T>& ks, const Heads<T>& vs, const Heads<u8>& masks,
                                                 float scale, const HeadsOut<T>& out, float* lse,
                                                 const Added& added = {}) {
    typedef ForwardTile<WARPS, M, KEYS, DEPTH, WIDTH> Tile;
    constexpr int THREADS = Tile::THREADS;
    REMAT_SHARED(shared);
    T* const ofQueries = reinterpret_cast<T*>(shared);
    T* const ofKeys = ofQueries + Tile::OWN;
    T* const ofValues = ofKeys + KEYS * PITCH_16<DEPTH>;
    const AttentionBlock block(extents.heads, extents.queries, Tile::ROWS, 0);
    const Heads<T> q = qs.of(block.batch, block.head);
    const Heads<T> k = ks.of(block.batch, block.head / extents.group);
    const Heads<T> v = vs.of(block.batch, block.head / extents.group);
    const Visible<CAUSAL, MASKED> visible{extents.queries, extents.keys, masks.of(block.batch, block.head)};
    const Added bias = added.of(block.batch, block.head);
    const u32 warp = threadIdx.x / 32;
    const u32 lane = threadIdx.x % 32;
    const u32 first = block.row + warp * 16 * M;
    const u32 keys = visible.keys_before(block.row + Tile::ROWS);
    fetch_rows<THREADS, Tile::ROWS, DEPTH, ALIGNED>(q, block.row, extents.queries, extents.depth, ofQueries);
    fetch_rows<THREADS, KEYS, DEPTH, ALIGNED>(k, 0, extents.keys, extents.depth, ofKeys);
    cp_async_commit();
    OwnRows<M, DEPTH, Tile::HELD, T> own;
    own.rows = ofQueries + warp * 16 * M * PITCH_16<DEPTH>;
    float sums[M][WIDTH / 8][4];
    clear(sums);
    float most[M][2];
    float total[M][2];
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            most[m][half] = negative_infinity<float>();
            total[m][half] = 0;
        }
    }
    cp_async_wait<0>();
    __syncthreads();
    own.hold();
    for (u32 key = 0; key < keys; key += KEYS) {
        fetch_rows<THREADS, KEYS, WIDTH, ALIGNED>(v, key, extents.keys, extents.width, ofValues);
        cp_async_commit();
        float scores[M][KEYS / 8][4];
        own.times_rows(ofKeys, scores);
        const bool edge = MASKED || Added::PRESENT || key + KEYS > extents.keys || (CAUSAL && key + KEYS - 1 > first);
        if (edge) {
            weigh_scores(scores, [&](float product, int m, int half, int n, int i) {
                const u32 query = first + m * 16 + half * 8 + lane / 4;
                const u32 column = key + n * 8 + lane % 4 * 2 + i;
                if (!visible.sees(query, column)) {
                    return negative_infinity<float>();
                }
                return Added::PRESENT ? bias.added(product * scale, query, column) * LOG2_E
                                      : product * (scale * LOG2_E);
            }, most, total, sums);
        } else {
            weigh_scores(scores, [&](float product, int, int, int, int) { return product * (scale * LOG2_E); },
                         most, total, sums);
        }
        cp_async_wait<0>();
        __syncthreads();
        if (key + KEYS < keys) {
            fetch_rows<THREADS, KEYS, DEPTH, ALIGNED>(k, key + KEYS, extents.keys, extents.depth, ofKeys);
        }
        cp_async_commit();
        add_products<WIDTH>(scores, ofValues, sums);
        cp_async_wait<0>();
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const float all = sum_of_lanes<2>(total[m][half]);
            const float inverse = all == 0 ? 0.0f : 1 / all;
#pragma unroll
            for (int n = 0; n < WIDTH / 8; n++) {
                sums[m][n][2 * half] *= inverse;
                sums[m][n][2 * half + 1] *= inverse;
            }
            const u32 query = first + m * 16 + half * 8 + lane / 4;
            if (lse != nullptr && lane % 4 == 0 && query < extents.queries) {
                lse[block.flatHead * extents.queries + query] =
                        all == 0 ? negative_infinity<float>() : fmaf(most[m][half], LN_2, math::log(all));
            }
        }
    }
    write_rows<WIDTH, ALIGNED>(sums, ofQueries + warp * 16 * M * PITCH_16<WIDTH>,
                               out.of(block.batch, block.head), first, extents.queries, extents.width);
}

}  // namespace remat
