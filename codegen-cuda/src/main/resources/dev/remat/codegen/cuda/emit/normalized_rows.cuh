// needs: normalization.cuh
// Statistics of rows and what goes on with the normalized rows, in one pass: memory is read once.

namespace remat {

/// row_moments, and a generated body over the same rows, which reads the statistics from where they have been written.
template <int V, int ITEMS, int T, bool CENTERED, bool ALIGNED, class E, class A, class Body>
__device__ __forceinline__ void normalize_rows(const E* x, A* mean, A* variance, u64 rows, u32 packs,
                                               const Body& body) {
    typedef typename Body::Index Index;
    row_moments<V, ITEMS, T, CENTERED, ALIGNED>(x, mean, variance, rows, packs);
    if constexpr (T <= 32) {
        __syncwarp();
    } else {
        __syncthreads();
    }
    const u64 row = static_cast<u64>(blockIdx.x) * (256 / T) + threadIdx.x / T;
    const u32 held = row < rows ? packs : 0;
    const Index first = static_cast<Index>(row * packs + threadIdx.x % T) * V;
    const int U = ITEMS < 2 ? 1 : 2;
#pragma unroll
    for (int i = 0; i < ITEMS; i += U) {
        typename Body::template Loaded<V> loaded[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (threadIdx.x % T + (i + u) * T < held) {
                loaded[u] = body.template load<V>(first + (i + u) * T * V);
            }
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (threadIdx.x % T + (i + u) * T < held) {
                body.template finish<V>(first + (i + u) * T * V, loaded[u]);
            }
        }
    }
}

}  // namespace remat
