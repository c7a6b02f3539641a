// needs: types.cuh
// One pass over n elements by a generated body.

namespace remat {

/// Every thread takes U groups of V neighbours; what does not fill a group is left to the last block, one by one.
template <int V, int U, class Body>
__device__ __forceinline__ void elementwise(const Body& body, typename Body::Index n) {
    typedef typename Body::Index Index;
    const Index groups = n / V;
    const Index first = static_cast<Index>(blockIdx.x) * (blockDim.x * U) + threadIdx.x;
    typename Body::template Loaded<V> loaded[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const Index group = first + u * blockDim.x;
        if (group < groups) {
            loaded[u] = body.template load<V>(group * V);
        }
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        const Index group = first + u * blockDim.x;
        if (group < groups) {
            body.template finish<V>(group * V, loaded[u]);
        }
    }
    if (V > 1 && blockIdx.x == gridDim.x - 1) {
        for (Index i = groups * V + threadIdx.x; i < n; i += blockDim.x) {
            body.template finish<1>(i, body.template load<1>(i));
        }
    }
}

/// The same over rows of `packs` groups: every thread keeps its columns, loads what depends on them alone once, and goes
/// through some of the rows, U groups at a time. All threads are no fewer than a row has groups.
template <int V, int U, class Body>
__device__ __forceinline__ void elementwise_by_columns(const Body& body, typename Body::Index groups,
                                                       typename Body::Index packs) {
    typedef typename Body::Index Index;
    const Index threads = static_cast<Index>(gridDim.x) * blockDim.x;
    const Index apart = threads - threads % packs;
    const Index first = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (first >= apart) {
        return;
    }
    const typename Body::template Columns<V> columns = body.template columns_of<V>(first * V);
#pragma unroll 1
    for (Index group = first; group < groups; group += U * apart) {
        typename Body::template Loaded<V> loaded[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (group + u * apart < groups) {
                loaded[u] = body.template load<V>((group + u * apart) * V);
            }
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (group + u * apart < groups) {
                body.template finish<V>((group + u * apart) * V, columns, loaded[u]);
            }
        }
    }
}

}  // namespace remat
