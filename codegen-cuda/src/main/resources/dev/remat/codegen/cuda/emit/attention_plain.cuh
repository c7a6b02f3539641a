// needs: attention.cuh
// Attention without tensor cores, tile by tile (Dao et al., 2022): any dtype, any depth and width. A block of 16 x 16
// threads owns 16·R rows, queries or keys, and walks over the others; it computes 16·R·G columns of results. All sums
// are fused multiply-adds in ascending order.

namespace remat {

template <int R, int G> struct AttentionTile {
    static constexpr u32 ROWS = 16 * R;
    static constexpr u32 COLUMNS = ROWS * G;
    static constexpr u32 DEPTH = 16;            ///< terms that are staged at once
    static constexpr u32 PITCH = ROWS + R;      ///< of what is stored by term
    static constexpr u32 WIDE = COLUMNS + R;    ///< of rows of results
    static constexpr u32 STAGE = 2 * DEPTH * PITCH > DEPTH * WIDE ? 2 * DEPTH * PITCH : DEPTH * WIDE;
};

/// Stores DEPTH columns of ROWS rows by column, zeros where there are none.
template <class Tile, class T, class A>
__device__ __forceinline__ void stage_columns(const Heads<T>& from, u32 row, u32 rows, u32 column, u32 columns,
                                              A* to) {
    for (u32 i = threadIdx.x; i < Tile::ROWS * Tile::DEPTH; i += 256) {
        const u32 c = i % Tile::DEPTH;
        const u32 r = i / Tile::DEPTH;
        const bool there = row + r < rows && column + c < columns;
        to[c * Tile::PITCH + r] = there ? static_cast<A>(widen(*from.at(row + r, column + c))) : A(0);
    }
}

/// Stores DEPTH rows of COLUMNS columns, zeros where there are none.
template <class Tile, class T, class A>
__device__ __forceinline__ void stage_rows(const Heads<T>& from, u32 row, u32 rows, u32 column, u32 columns, A* to) {
    for (u32 i = threadIdx.x; i < Tile::COLUMNS * Tile::DEPTH; i += 256) {
        const u32 c = i % Tile::COLUMNS;
        const u32 r = i / Tile::COLUMNS;
        const bool there = row + r < rows && column + c < columns;
        to[r * Tile::WIDE + c] = there ? static_cast<A>(widen(*from.at(row + r, column + c))) : A(0);
    }
}

/// products[i][j] = row i of a · row j of b over all terms.
template <class Tile, int R, class T, class A>
__device__ __forceinline__ void multiply_rows(const Heads<T>& a, u32 rowA, u32 rowsA, const Heads<T>& b, u32 rowB,
                                              u32 rowsB, u32 terms, A* stage, A (&products)[R][R]) {
    const u32 x = threadIdx.x % 16 * R;
    const u32 y = threadIdx.x / 16 * R;
#pragma unroll
    for (int i = 0; i < R; i++) {
#pragma unroll
        for (int j = 0; j < R; j++) {
            products[i][j] = 0;
        }
    }
    A* const stageB = stage + Tile::DEPTH * Tile::PITCH;
    for (u32 term = 0; term < terms; term += Tile::DEPTH) {
        __syncthreads();
        stage_columns<Tile>(a, rowA, rowsA, term, terms, stage);
        stage_columns<Tile>(b, rowB, rowsB, term, terms, stageB);
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < Tile::DEPTH; k++) {
            const Pack<A, R> ofA = load_pack<R>(stage + k * Tile::PITCH + y);
            const Pack<A, R> ofB = load_pack<R>(stageB + k * Tile::PITCH + x);
#pragma unroll
            for (int i = 0; i < R; i++) {
#pragma unroll
                for (int j = 0; j < R; j++) {
                    products[i][j] = math::fused(ofA.at[i], ofB.at[j], products[i][j]);
                }
            }
        }
    }
}

/// Puts a tile of weights where add_weighted reads it: by the column, which is summed over.
template <class Tile, int R, class A>
__device__ __forceinline__ void store_weights(const A (&values)[R][R], A* weights) {
    const u32 x = threadIdx.x % 16 * R;
    const u32 y = threadIdx.x / 16 * R;
#pragma unroll
    for (int j = 0; j < R; j++) {
        Pack<A, R> column;
#pragma unroll
        for (int i = 0; i < R; i++) {
            column.at[i] = values[i][j];
        }
        store_pack(weights + (x + j) * Tile::PITCH + y, column);
    }
}

/// sums[i] += weights of row i · rows of b from rowB on, COLUMNS columns of it from column on.
template <class Tile, int R, int G, class T, class A>
__device__ __forceinline__ void add_weighted(const A* weights, const Heads<T>& b, u32 rowB, u32 rowsB, u32 column,
                                             u32 columns, A* stage, A (&sums)[R][G * R]) {
    const u32 x = threadIdx.x % 16 * R;
    const u32 y = threadIdx.x / 16 * R;
    for (u32 term = 0; term < Tile::ROWS; term += Tile::DEPTH) {
        __syncthreads();
        stage_rows<Tile>(b, rowB + term, rowsB, column, columns, stage);
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < Tile::DEPTH; k++) {
            const Pack<A, R> weight = load_pack<R>(weights + (term + k) * Tile::PITCH + y);
#pragma unroll
            for (int g = 0; g < G; g++) {
                const Pack<A, R> value = load_pack<R>(stage + k * Tile::WIDE + g * Tile::ROWS + x);
#pragma unroll
                for (int i = 0; i < R; i++) {
#pragma unroll
                    for (int j = 0; j < R; j++) {
                        sums[i][g * R + j] = math::fused(weight.at[i], value.at[j], sums[i][g * R + j]);
                    }
                }
            }
        }
    }
}

/// Rounds and writes this thread's part of rows of one head.
template <class Tile, int R, int G, class T, class A>
__device__ __forceinline__ void store_rows(const A (&sums)[R][G * R], const HeadsOut<T>& to, u32 row, u32 rows,
                                           u32 column, u32 columns) {
    const u32 x = threadIdx.x % 16 * R;
    const u32 y = threadIdx.x / 16 * R;
#pragma unroll
    for (int i = 0; i < R; i++) {
#pragma unroll
        for (int g = 0; g < G; g++) {
#pragma unroll
            for (int j = 0; j < R; j++) {
                const u32 c = column + g * Tile::ROWS + x + j;
                if (row + y + i < rows && c < columns) {
                    *to.at(row + y + i, c) = narrow<T>(sums[i][g * R + j]);
                }
            }
        }
    }
}

/// out = softmax(scale·q·kᵀ + bias)·v, and the log-sum-exp where lse is not null.
template <int R, int G, bool CAUSAL, bool MASKED, class T, class A, class Added = NoBias>
__device__ __forceinline__ void attention_plain(const AttentionExtents& extents, const Heads<T>& qs,
                                                const Heads<T>& ks, const Heads<T>& vs, const Heads<u8>& masks,
                                                A scale, const HeadsOut<T>& out, A* lse,
                                                const Added& added = {}) {
    typedef AttentionTile<R, G> Tile;
    __shared__ __align__(16) A stage[Tile::STAGE];
    __shared__ __align__(16) A weights[Tile::ROWS * Tile::PITCH];
    const AttentionBlock block(extents.heads, extents.queries, Tile::ROWS, Tile::COLUMNS);
    const Heads<T> q = qs.of(block.batch, block.head);
    const Heads<T> k = ks.of(block.batch, block.head / extents.group);
    const Heads<T> v = vs.of(block.batch, block.head / extents.group);
    const Visible<CAUSAL, MASKED> visible{extents.queries, extents.keys, masks.of(block.batch, block.head)};
    const Added bias = added.of(block.batch, block.head);
    const u32 x = threadIdx.x % 16 * R;
    const u32 query = block.row + threadIdx.x / 16 * R;
    A sums[R][G * R];
    A most[R];
    A total[R];
#pragma unroll
    for (int i = 0; i < R; i++) {
        most[i] = negative_infinity<A>();
        total[i] = 0;
#pragma unroll
        for (int j = 0; j < G * R; j++) {
            sums[i][j] = 0;
        }
    }
    const u32 keys = visible.keys_before(block.row + Tile::ROWS);
    for (u32 key = 0; key < keys; key += Tile::ROWS) {
        A scores[R][R];
        multiply_rows<Tile>(q, block.row, extents.queries, k, key, extents.keys, extents.depth, stage, scores);
#pragma unroll
        for (int i = 0; i < R; i++) {
            A largest = negative_infinity<A>();
#pragma unroll
            for (int j = 0; j < R; j++) {
                const bool sees = visible.sees(query + i, key + x + j);
                scores[i][j] = sees ? bias.added(scores[i][j] * scale, query + i, key + x + j) : negative_infinity<A>();
                largest = math::larger(largest, scores[i][j]);
            }
            largest = most_of_lanes<8>(largest);
            largest = math::larger(largest, most[i]);
            const A shift = largest == negative_infinity<A>() ? A(0) : largest;
            const A correction = math::exp(most[i] - shift);
            A sum = 0;
#pragma unroll
            for (int j = 0; j < R; j++) {
                scores[i][j] = math::exp(scores[i][j] - shift);
                sum += scores[i][j];
            }
            total[i] = total[i] * correction + sum_of_lanes<8>(sum);
            most[i] = largest;
#pragma unroll
            for (int j = 0; j < G * R; j++) {
                sums[i][j] *= correction;
            }
        }
        store_weights<Tile>(scores, weights);
        add_weighted<Tile, R, G>(weights, v, key, extents.keys, block.column, extents.width, stage, sums);
    }
#pragma unroll
    for (int i = 0; i < R; i++) {
        const A inverse = total[i] == 0 ? A(0) : 1 / total[i];
#pragma unroll
        for (int j = 0; j < G * R; j++) {
            sums[i][j] *= inverse;
        }
        if (lse != nullptr && blockIdx.y == 0 && x == 0 && query + i < extents.queries) {
            lse[block.flatHead * extents.queries + query + i] =
                    total[i] == 0 ? negative_infinity<A>() : most[i] + math::log(total[i]);
        }
    }
    store_rows<Tile, R, G>(sums, out.of(block.batch, block.head), block.row, extents.queries, block.column,
                           extents.width);
}

/// A tile of probabilities in p, which held the products of queries and keys, and of their slopes in ds, which held
/// those of the gradient and values. KEYS: rows are keys and columns queries.
template <bool KEYS, int R, class Sees, class T, class A, class Added>
__device__ __forceinline__ void differentiate_tile(const AttentionBackward<T, A, Added>& in, const Sees& visible,
                                                   const Added& bias, const A* lse, const A* deltas, A factor,
                                                   u32 row, u32 column, A (&p)[R][R], A (&ds)[R][R]) {
#pragma unroll
    for (int i = 0; i < R; i++) {
#pragma unroll
        for (int j = 0; j < R; j++) {
            const u32 query = KEYS ? column + j : row + i;
            const u32 key = KEYS ? row + i : column + j;
            A weight = 0;
            A slope = 0;
            if (visible.sees(query, key)) {
                const A score = bias.added(p[i][j] * in.scale, query, key);
                if (!Added::PRESENT || score != negative_infinity<A>()) {
                    weight = math::exp(score - lse[query]);
                    slope = weight * (ds[i][j] - deltas[query]) * factor;
                }
            }
            p[i][j] = weight;
            ds[i][j] = slope;
        }
    }
}

/// KEYS: toDepth is dk and toWidth dv, sums over the heads of queries that share them. Else toDepth is dq.
template <int R, int G, bool KEYS, bool CAUSAL, bool MASKED, class T, class A, class Added>
__device__ __forceinline__ void attention_plain_gradient(const AttentionExtents& extents,
                                                         const AttentionBackward<T, A, Added>& in,
                                                         const HeadsOut<T>& toDepth, const HeadsOut<T>& toWidth) {
    typedef AttentionTile<R, G> Tile;
    __shared__ __align__(16) A stage[Tile::STAGE];
    __shared__ __align__(16) A weights[Tile::ROWS * Tile::PITCH];
    const u32 ownRows = KEYS ? extents.keys : extents.queries;
    const u32 otherRows = KEYS ? extents.queries : extents.keys;
    const AttentionBlock block(KEYS ? extents.heads / extents.group : extents.heads, ownRows, Tile::ROWS,
                               Tile::COLUMNS);
    const Heads<T> own = (KEYS ? in.k : in.q).of(block.batch, block.head);
    const Heads<T> ownWide = (KEYS ? in.v : in.dout).of(block.batch, block.head);
    const u32 x = threadIdx.x % 16 * R;
    const u32 y = threadIdx.x / 16 * R;
    A sums[R][G * R];
    A sumsWide[R][G * R];
#pragma unroll
    for (int i = 0; i < R; i++) {
#pragma unroll
        for (int j = 0; j < G * R; j++) {
            sums[i][j] = 0;
            sumsWide[i][j] = 0;
        }
    }
    const u32 members = KEYS ? extents.group : 1;
    for (u32 member = 0; member < members; member++) {
        const u32 head = KEYS ? block.head * extents.group + member : block.head;
        const u64 flatHead = KEYS ? block.flatHead * extents.group + member : block.flatHead;
        const Heads<T> other = KEYS ? in.q.of(block.batch, head) : in.k.of(block.batch, head / extents.group);
        const Heads<T> otherWide = KEYS ? in.dout.of(block.batch, head) : in.v.of(block.batch, head / extents.group);
        const Visible<CAUSAL, MASKED> visible{extents.queries, extents.keys, in.mask.of(block.batch, head)};
        const Added bias = in.bias.of(block.batch, head);
        const A* const lse = in.lse + flatHead * extents.queries;
        const A* const deltas = in.deltas + flatHead * extents.queries;
        const u32 first = KEYS ? visible.first_query(block.row) : 0;
        const u32 end = KEYS ? otherRows : visible.keys_before(block.row + Tile::ROWS);
        for (u32 start = first; start < end; start += Tile::ROWS) {
            A p[R][R];
            A ds[R][R];
            multiply_rows<Tile>(own, block.row, ownRows, other, start, otherRows, extents.depth, stage, p);
            multiply_rows<Tile>(ownWide, block.row, ownRows, otherWide, start, otherRows, extents.width, stage, ds);
            differentiate_tile<KEYS>(in, visible, bias, lse, deltas, in.scale, block.row + y, start + x, p, ds);
            if (KEYS) {
                store_weights<Tile>(p, weights);
                add_weighted<Tile, R, G>(weights, otherWide, start, otherRows, block.column, extents.width, stage,
                                         sumsWide);
                __syncthreads();
            }
            store_weights<Tile>(ds, weights);
            add_weighted<Tile, R, G>(weights, other, start, otherRows, block.column, extents.depth, stage, sums);
        }
    }
    if (toDepth.data != nullptr) {
        store_rows<Tile, R, G>(sums, toDepth.of(block.batch, block.head), block.row, ownRows, block.column,
                               extents.depth);
    }
    if (KEYS && toWidth.data != nullptr) {
        store_rows<Tile, R, G>(sumsWide, toWidth.of(block.batch, block.head), block.row, ownRows, block.column,
                               extents.width);
    }
}

}  // namespace remat
