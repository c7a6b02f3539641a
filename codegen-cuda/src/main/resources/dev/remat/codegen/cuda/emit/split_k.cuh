// needs: gemm.cuh
// Second half of a product whose sums over k were split among blocks.

namespace remat {

/// Adds the partial sums of `splits` splits, the first one first, to what the place begins with, and hands them to the
/// output, V at once.
/// `partial` holds [splits][batches][m][n], fewer than 2^31 in all.
template <int V, class Sum, class Place, class Output>
__device__ __forceinline__ void add_splits(const Sum* partial, u32 splits, const Place& place, const Output& output,
                                           const GemmShape& shape) {
    const u32 elements = shape.batches * shape.m * shape.n;
    const u32 index = (blockIdx.x * blockDim.x + threadIdx.x) * V;
    if (index >= elements) {
        return;
    }
    const u32 row = index / shape.n;
    Sum sums[V];
    const Pack<Sum, V> first = load_pack<V>(partial + index);
#pragma unroll
    for (int l = 0; l < V; l++) {
        sums[l] = first.at[l];
        if constexpr (Before<Place>::GOES_ON) {
            sums[l] = Before<Place>::template at<Sum>(place, row, index - row * shape.n + l) + first.at[l];
        }
    }
#pragma unroll 4
    for (u32 split = 1; split < splits; split++) {
        const Pack<Sum, V> next = load_pack<V>(partial + split * elements + index);
#pragma unroll
        for (int l = 0; l < V; l++) {
            sums[l] += next.at[l];
        }
    }
    put<V>(output, place.at(row / shape.m, row % shape.m, index - row * shape.n), sums);
}

}  // namespace remat
