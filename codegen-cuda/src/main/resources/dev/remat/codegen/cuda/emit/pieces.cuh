// needs: philox.cuh
// Random words of a piece of a larger tensor: those of its elements there, so that pieces draw what the whole draws.

namespace remat {

/// The number of a piece, which the kernel is launched with or which lies in memory.
__device__ __forceinline__ u64 number_of(u32 number) { return number; }
__device__ __forceinline__ u64 number_of(const i64* number) { return static_cast<u64>(__ldg(number)); }

/// Which elements of a larger tensor a piece holds: a block of each run of block · (others + 1). BY_FOUR says that the
/// block is a multiple of four, as many elements as have their words from one counter.
template <class Index, bool BY_FOUR, class Number = const i64*> struct Piece {
    Number number;
    u64 block;
    u64 divisor;
    u32 others;

    /// The number in the larger tensor of an element of the piece.
    __device__ __forceinline__ u64 whole(u64 index) const {
        const u64 run = quotient(static_cast<Index>(index), divisor);
        return index + (run * others + number_of(number)) * block;
    }

    /// A number that is even where the one in the larger tensor is.
    __device__ __forceinline__ u64 parity(u64 index) const { return BY_FOUR ? index : whole(index); }
};

/// The words of V elements of a piece from index on; index is a multiple of V, and V a power of two.
template <int V, class Index, bool BY_FOUR, class Number>
__device__ __forceinline__ void draw(
    const Draws& draws, const Piece<Index, BY_FOUR, Number>& piece, u64 index, u32 (&words)[V]) {
    constexpr int TOGETHER = !BY_FOUR ? 1 : V < 4 ? V : 4;
#pragma unroll
    for (int i = 0; i < V; i += TOGETHER) {
        u32 some[TOGETHER];
        draw<TOGETHER>(draws, piece.whole(index + i), some);
#pragma unroll
        for (int j = 0; j < TOGETHER; j++) {
            words[i + j] = some[j];
        }
    }
}

/// The first and the second word of the pair, in the larger tensor, that each of V elements from index on belongs to.
template <int V, class Index, bool BY_FOUR, class Number>
__device__ __forceinline__ void draw_pairs(const Draws& draws, const Piece<Index, BY_FOUR, Number>& piece, u64 index,
                                           u32 (&first)[V], u32 (&second)[V]) {
    if constexpr (BY_FOUR && V > 1) {
        u32 words[V];
        draw<V>(draws, piece, index, words);
#pragma unroll
        for (int i = 0; i < V; i++) {
            first[i] = words[i & ~1];
            second[i] = words[i | 1];
        }
    } else {
#pragma unroll
        for (int i = 0; i < V; i++) {
            u32 pair[2];
            draw<2>(draws, piece.whole(index + i) & ~1ull, pair);
            first[i] = pair[0];
            second[i] = pair[1];
        }
    }
}

}  // namespace remat
