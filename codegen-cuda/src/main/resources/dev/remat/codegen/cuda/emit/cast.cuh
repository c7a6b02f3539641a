// needs: types.cuh
// Copies of f32 tensors in 16 bits.

namespace remat {

/// What block `block` of a tensor's blocks casts of its n elements, V at a time; the last few one by one.
template <int V, class To>
__device__ __forceinline__ void cast_all(const float* from, To* to, u64 n, u32 block) {
    const u64 first = (static_cast<u64>(block) * blockDim.x + threadIdx.x) * V;
    if (first + V <= n) {
        const Pack<float, V> wide = load_pack<V>(from + first);
        Pack<To, V> pack;
#pragma unroll
        for (int v = 0; v < V; v++) {
            pack.at[v] = narrow<To>(wide.at[v]);
        }
        store_global(to + first, pack);
    } else {
        for (u64 i = first; i < n; i++) {
            to[i] = narrow<To>(from[i]);
        }
    }
}

}  // namespace remat
