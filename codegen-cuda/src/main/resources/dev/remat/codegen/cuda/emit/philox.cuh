// needs: types.cuh
// Random words: Philox 4x32-10 (Salmon et al., 2011), a function of seed, step, ordinal and element.

namespace remat {

/// Where one random operation draws from.
struct Draws {
    const i64* seed;
    const i64* step;
    u32 ordinal;
};

/// The four words of elements 4·block to 4·block + 3.
__device__ __forceinline__ void draw_block(const Draws& draws, u64 block, u32 (&words)[4]) {
    u32 c0 = static_cast<u32>(block);
    u32 c1 = static_cast<u32>(block >> 32);
    u32 c2 = draws.ordinal;
    u32 c3 = static_cast<u32>(__ldg(draws.step));
    const u64 key = static_cast<u64>(__ldg(draws.seed));
    u32 k0 = static_cast<u32>(key);
    u32 k1 = static_cast<u32>(key >> 32);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const u32 high0 = __umulhi(c0, 0xD2511F53u);
        const u32 low0 = c0 * 0xD2511F53u;
        const u32 high1 = __umulhi(c2, 0xCD9E8D57u);
        const u32 low1 = c2 * 0xCD9E8D57u;
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

/// The words of V elements from index on; index is a multiple of V, and V a power of two.
template <int V> __device__ __forceinline__ void draw(const Draws& draws, u64 index, u32 (&words)[V]) {
    u32 four[4];
    if constexpr (V < 4) {
        draw_block(draws, index >> 2, four);
        const u32 at = static_cast<u32>(index) & 3;
#pragma unroll
        for (int i = 0; i < V; i++) {
            const u32 lane = at + i;
            words[i] = lane < 2 ? (lane == 0 ? four[0] : four[1]) : (lane == 2 ? four[2] : four[3]);
        }
    } else {
#pragma unroll
        for (int b = 0; b < V / 4; b++) {
            draw_block(draws, (index >> 2) + b, four);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                words[4 * b + i] = four[i];
            }
        }
    }
}

}  // namespace remat
