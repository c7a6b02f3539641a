// needs: copy.cuh sort.cuh
// Rows of a table by ids.

namespace remat {

/// Copies count words, rowWords of each row. An id without a row gives words of ones, which are NaN.
template <int U, class Word, class Id, class Index>
__device__ __forceinline__ void pick_rows(const Word* table, const Id* ids, Word* to, Index count, Index rowWords,
                                          u64 divisor, u64 rows) {
    const Index first = static_cast<Index>(blockIdx.x) * (blockDim.x * U) + threadIdx.x;
    Word words[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const Index i = first + u * blockDim.x;
        if (i < count) {
            const Index at = quotient(i, divisor);
            const u64 row = static_cast<u64>(static_cast<i64>(ids[at]));
            words[u] = row < rows ? table[row * rowWords + (i - at * rowWords)] : repeated<Word>(~0ull);
        }
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        const Index i = first + u * blockDim.x;
        if (i < count) {
            to[i] = words[u];
        }
    }
}

/// Rounds count packs of V neighbours, rowPacks of each row. An id without a row gives NaN.
template <int V, class To, class Id, class Index>
__device__ __forceinline__ void round_rows(const float* table, const Id* ids, To* to, Index count, Index rowPacks,
                                           u64 divisor, u64 rows) {
    const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const Index at = quotient(i, divisor);
    const u64 row = static_cast<u64>(static_cast<i64>(ids[at]));
    Pack<To, V> pack;
    if (row < rows) {
        const Pack<float, V> wide = load_pack<V>(table + (row * rowPacks + (i - at * rowPacks)) * V);
#pragma unroll
        for (int v = 0; v < V; v++) {
            pack.at[v] = narrow<To>(wide.at[v]);
        }
    } else {
#pragma unroll
        for (int v = 0; v < V; v++) {
            pack.at[v].bits = 0xFFFF;
        }
    }
    store_global(to + static_cast<u64>(i) * V, pack);
}

/// The ids as keys to sort; one without a row goes behind all rows.
template <class Id> struct RowKeys {
    const Id* ids;
    u32 rows;

    __device__ __forceinline__ u32 key(u32 i) const {
        const u64 row = static_cast<u64>(static_cast<i64>(ids[i]));
        return row < rows ? static_cast<u32>(row) : rows;
    }
    __device__ __forceinline__ u32 position(u32 i) const { return i; }
};

}  // namespace remat
