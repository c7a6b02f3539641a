// needs: philox.cuh functions.cuh trigonometry.cuh
// Random numbers from the words of Philox.

namespace remat {
namespace math {

/// The first and the second word of the pair that each of V elements from index on belongs to.
template <int V>
__device__ __forceinline__ void draw_pairs(const Draws& draws, u64 index, u32 (&first)[V], u32 (&second)[V]) {
    if constexpr (V == 1) {
        u32 pair[2];
        draw<2>(draws, index & ~1ull, pair);
        first[0] = pair[0];
        second[0] = pair[1];
    } else {
        u32 words[V];
        draw<V>(draws, index, words);
#pragma unroll
        for (int i = 0; i < V; i++) {
            first[i] = words[i & ~1];
            second[i] = words[i | 1];
        }
    }
}

/// A word's upper bits as a fraction.
template <class T> __device__ __forceinline__ T uniform(u32 word, u32 bits) {
    return static_cast<T>(word >> (32 - bits)) / static_cast<T>(1u << bits);
}

__device__ __forceinline__ i64 below(u32 word, u64 bound) { return static_cast<i64>(word * bound >> 32); }

/// -log((word + 1/2) / 2^32), from the nearer end of the interval.
template <class T> __device__ __forceinline__ T negative_log(u32 word) {
    const T share = (static_cast<T>(word < 0x80000000u ? word : ~word) + T(0.5)) * T(0x1p-32);
    return word < 0x80000000u ? -log(share) : -log1p(-share);
}

/// A normal number from a pair of words (Box and Muller, 1958): with the cosine for even elements, the sine for odd.
template <class T> __device__ __forceinline__ T normal(u32 first, u32 second, u64 element) {
    const u32 quarters = (second + 0x20000000u) >> 30;
    const i32 rest = static_cast<i32>(second - (quarters << 30));
    const T angle = static_cast<T>(rest) * T(6.283185307179586 * 0x1p-32);
    const i32 turns = static_cast<i32>(quarters) + ((element & 1) == 0 ? 1 : 0);
    return sqrt(T(2) * negative_log<T>(first)) * turned(angle, turns);
}

}  // namespace math
}  // namespace remat
