// needs: types.cuh math.cuh
// What all kernels of attention share: operands of heads, which query sees which key, and what is added to a score.

namespace remat {

/// One operand [batch, heads, rows, columns]; strides count elements.
template <class T> struct Heads {
    const T* data;
    u64 batch;
    u64 head;
    u64 row;
    u64 column;

    /// The same from the first element of one head on.
    __device__ __forceinline__ Heads of(u32 b, u32 h) const {
        return {data + b * batch + h * head, batch, head, row, column};
    }
    __device__ __forceinline__ const T* at(u32 r) const { return data + r * row; }
    __device__ __forceinline__ const T* at(u32 r, u32 c) const { return data + r * row + c * column; }
};

/// One result [batch, heads, rows, columns], or null where nobody reads it; strides count elements.
template <class T> struct HeadsOut {
    T* data;
    u64 batch;
    u64 head;
    u64 row;
    u64 column;

    __device__ __forceinline__ HeadsOut of(u32 b, u32 h) const {
        return {data + b * batch + h * head, batch, head, row, column};
    }
    __device__ __forceinline__ T* at(u32 r) const { return data + r * row; }
    __device__ __forceinline__ T* at(u32 r, u32 c) const { return data + r * row + c * column; }
};

struct AttentionExtents {
    u32 heads;
    u32 queries;
    u32 keys;
    u32 depth;
    u32 width;
    u32 group = 1;  ///< neighbouring heads of queries that share one of keys and values
};

/// Which pairs of a query and a key take part in one head.
template <bool CAUSAL, bool MASKED> struct Visible {
    u32 queries;
    u32 keys;
    Heads<u8> mask;

    __device__ __forceinline__ bool sees(u32 query, u32 key) const {
        bool sees = query < queries && key < keys;
        if (CAUSAL) {
            sees = sees && key <= query;
        }
        if (MASKED) {
            sees = sees && *mask.at(query, key) != 0;
        }
        return sees;
    }

    /// Keys from here on are hidden from all queries before end.
    __device__ __forceinline__ u32 keys_before(u32 end) const { return CAUSAL && end < keys ? end : keys; }

    /// Queries before this see no key from first on.
    __device__ __forceinline__ u32 first_query(u32 first) const { return CAUSAL ? first : 0; }
};

struct NoBias {
    static constexpr bool PRESENT = false;
    __device__ __forceinline__ NoBias of(u32, u32) const { return {}; }
    template <class A> __device__ __forceinline__ A added(A score, u32, u32) const { return score; }
};

/// A bias of B; −∞ hides a key.
template <class B> struct Bias {
    static constexpr bool PRESENT = true;
    Heads<B> heads;

    __device__ __forceinline__ Bias of(u32 b, u32 h) const { return {heads.of(b, h)}; }
    /// For a query and a key that there are.
    template <class A> __device__ __forceinline__ A added(A score, u32 query, u32 key) const {
        return score + static_cast<A>(widen(*heads.at(query, key)));
    }
};

/// The block's tile of rows, its head, and the columns of results that it computes; late tiles, the long ones of
/// causal queries, come first.
struct AttentionBlock {
    u64 flatHead;
    u32 batch;
    u32 head;
    u32 row;
    u32 column;

    __device__ __forceinline__ AttentionBlock(u32 heads, u32 rows, u32 tileRows, u32 tileColumns) {
        const u32 tiles = (rows + tileRows - 1) / tileRows;
        flatHead = blockIdx.x / tiles;
        row = (tiles - 1 - (blockIdx.x - static_cast<u32>(flatHead) * tiles)) * tileRows;
        batch = static_cast<u32>(flatHead) / heads;
        head = static_cast<u32>(flatHead) - batch * heads;
        column = blockIdx.y * tileColumns;
    }
};

/// What a backward kernel reads. One owns rows of keys and values and walks over queries, another the reverse.
template <class T, class A, class Added = NoBias> struct AttentionBackward {
    Heads<T> q;
    Heads<T> k;
    Heads<T> v;
    Heads<T> dout;
    Heads<u8> mask;
    const A* lse;
    const A* deltas;
    A scale;
    Added bias;
};

template <class A> __device__ __forceinline__ A negative_infinity() {
    return static_cast<A>(__uint_as_float(0xFF800000u));
}

/// Largest over the 2·N lanes that differ in the bits up to N.
template <int N, class A> __device__ __forceinline__ A most_of_lanes(A x) {
#pragma unroll
    for (int offset = N; offset > 0; offset /= 2) {
        x = math::larger(x, __shfl_xor_sync(0xffffffffu, x, offset));
    }
    return x;
}

template <int N, class A> __device__ __forceinline__ A sum_of_lanes(A x) {
#pragma unroll
    for (int offset = N; offset > 0; offset /= 2) {
        x += __shfl_xor_sync(0xffffffffu, x, offset);
    }
    return x;
}

/// deltas[head][query] = sum of dout·out: a query for each LANES neighbouring lanes, of which each adds packs of 16
/// bytes; ALIGNED rows lie densely, in whole packs.
template <int LANES, bool ALIGNED, class T, class A>
__device__ __forceinline__ void attention_delta(const AttentionExtents& extents, const Heads<T>& dout,
                                                const Heads<T>& out, A* deltas) {
    constexpr u32 V = 16 / sizeof(T);
    const AttentionBlock block(extents.heads, extents.queries, 256 / LANES, 0);
    const u32 query = block.row + threadIdx.x / LANES;
    const u32 lane = threadIdx.x % LANES;
    const u32 width = query < extents.queries ? extents.width : 0;
    const Heads<T> d = dout.of(block.batch, block.head);
    const Heads<T> o = out.of(block.batch, block.head);
    A sum = 0;
#pragma unroll 2
    for (u32 e = lane * V; e < width; e += LANES * V) {
        Pack<T, V> slopes = {};
        Pack<T, V> values = {};
        if constexpr (ALIGNED) {
            slopes = load_pack<V>(d.at(query) + e);
            values = load_pack<V>(o.at(query) + e);
        } else {
#pragma unroll
            for (u32 v = 0; v < V; v++) {
                if (e + v < width) {
                    slopes.at[v] = *d.at(query, e + v);
                    values.at[v] = *o.at(query, e + v);
                }
            }
        }
#pragma unroll
        for (u32 v = 0; v < V; v++) {
            sum = math::fused(static_cast<A>(wide(slopes, v)), static_cast<A>(wide(values, v)), sum);
        }
    }
    sum = sum_of_lanes<LANES / 2>(sum);
    if (lane == 0 && query < extents.queries) {
        deltas[block.flatHead * extents.queries + query] = sum;
    }
}

}  // namespace remat
