// needs: pooling.cuh
// Pooling of images whose channels lie side by side: a thread takes V of them. Windows, maxima and the order of sums are
// those of planes.

namespace remat {

/// How threads walk over images [N, H, W, C]: groups of V channels, fastest, then patches of pixels; one thread each.
struct ChannelWalk {
    u32 count;         ///< groups of all patches
    u32 groups;        ///< of a pixel
    u32 across, down;  ///< patches of an image
    u64 byGroups, byAcross, byDown;
};

/// What one thread has.
struct ChannelSpot {
    u32 group, column, row, image;

    __device__ __forceinline__ ChannelSpot(const ChannelWalk& walk, u32 i) {
        const u32 patch = quotient(i, walk.byGroups);
        group = i - patch * walk.groups;
        const u32 above = quotient(patch, walk.byAcross);
        column = patch - above * walk.across;
        image = quotient(above, walk.byDown);
        row = above - image * walk.down;
    }

    /// Its channels in the first of the `area` pixels of its image; the next pixel's lie `walk.groups` packs on.
    template <class P> __device__ __forceinline__ P* of(P* images, const ChannelWalk& walk, u32 area) const {
        return images + (static_cast<u64>(image) * area * walk.groups + group);
    }
};

/// Maxima of V channels and the pixels where they are first; a NaN is greater than all numbers.
template <class A, int V> struct FirstMaxima {
    A value[V];
    u32 at[V];

    template <int K, class T>
    __device__ __forceinline__ void find(const Pack<T, V>* image, u32 groups, const PoolWindow& window, u32 row,
                                         u32 column) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            value[v] = 0;
            at[v] = ~0u;
        }
        over_window<K>(window, row, column, [&](u32 pixel) {
            const Pack<T, V> pack = image[static_cast<u64>(pixel) * groups];
#pragma unroll
            for (int v = 0; v < V; v++) {
                const A x = widen(pack.at[v]);
                const bool firstNaN = x != x && value[v] == value[v];
                if (at[v] == ~0u || x > value[v] || firstNaN) {
                    value[v] = x;
                    at[v] = pixel;
                }
            }
        });
    }
};

/// y = maximum of each window of x; patches are results.
template <int K, int V, class T>
__device__ __forceinline__ void max_pool_channels(const T* x, T* y, const PoolWindow& window, const ChannelWalk& walk) {
    typedef typename Accumulator<T>::type A;
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < walk.count) {
        const ChannelSpot spot(walk, i);
        const auto* image = spot.of(reinterpret_cast<const Pack<T, V>*>(x), walk, window.area());
        FirstMaxima<A, V> best;
        best.template find<K>(image, walk.groups, window, spot.row, spot.column);
        Pack<T, V> result;
#pragma unroll
        for (int v = 0; v < V; v++) {
            result.at[v] = narrow<T>(best.value[v]);
        }
        reinterpret_cast<Pack<T, V>*>(y)[i] = result;
    }
}

/// dx = dy of the windows whose first maximum an input is, added in row-major order of the windows. A patch is P x P
/// inputs, which share the windows over them.
template <int K, int V, int P, class T>
__device__ __forceinline__ void max_pool_channels_gradient(const T* dy, const T* x, T* dx, const PoolWindow& window,
                                                           const ChannelWalk& walk) {
    typedef typename Accumulator<T>::type A;
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= walk.count) {
        return;
    }
    const ChannelSpot spot(walk, i);
    const auto* image = spot.of(reinterpret_cast<const Pack<T, V>*>(x), walk, window.area());
    const auto* gradients = spot.of(reinterpret_cast<const Pack<T, V>*>(dy), walk, window.outArea());
    const u32 top = spot.row * P;
    const u32 left = spot.column * P;
    A sums[P * P][V] = {};
    const u32 lastRow = Covering::rows(window, top + P - 1).last;
    const u32 lastColumn = Covering::columns(window, left + P - 1).last;
    const u32 firstColumn = Covering::columns(window, left).first;
#pragma unroll 1
    for (u32 row = Covering::rows(window, top).first; row <= lastRow; row++) {
#pragma unroll 1
        for (u32 column = firstColumn; column <= lastColumn; column++) {
            FirstMaxima<A, V> best;
            best.template find<K>(image, walk.groups, window, row, column);
            const Pack<T, V> pack = gradients[static_cast<u64>(row * window.outWidth + column) * walk.groups];
#pragma unroll
            for (int p = 0; p < P * P; p++) {
                const u32 own = (top + p / P) * window.width + left + p % P;
#pragma unroll
                for (int v = 0; v < V; v++) {
                    sums[p][v] = sums[p][v] + (best.at[v] == own ? widen(pack.at[v]) : A(0));
                }
            }
        }
    }
    auto* results = spot.of(reinterpret_cast<Pack<T, V>*>(dx), walk, window.area());
#pragma unroll
    for (int p = 0; p < P * P; p++) {
        const u32 row = top + p / P;
        const u32 column = left + p % P;
        if (row < window.height && column < window.width) {
            Pack<T, V> result;
#pragma unroll
            for (int v = 0; v < V; v++) {
                result.at[v] = narrow<T>(sums[p][v]);
            }
            results[static_cast<u64>(row * window.width + column) * walk.groups] = result;
        }
    }
}

/// y = mean of each window of x; patches are results.
template <int K, bool COUNT_PADDING, int V, class T>
__device__ __forceinline__ void mean_pool_channels(const T* x, T* y, const PoolWindow& window,
                                                   const ChannelWalk& walk) {
    typedef typename Accumulator<T>::type A;
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < walk.count) {
        const ChannelSpot spot(walk, i);
        const auto* image = spot.of(reinterpret_cast<const Pack<T, V>*>(x), walk, window.area());
        A sums[V] = {};
        over_window<K>(window, spot.row, spot.column, [&](u32 pixel) {
            const Pack<T, V> pack = image[static_cast<u64>(pixel) * walk.groups];
#pragma unroll
            for (int v = 0; v < V; v++) {
                sums[v] += widen(pack.at[v]);
            }
        });
        const A divisor = static_cast<A>(window_divisor<COUNT_PADDING>(window, spot.row, spot.column));
        Pack<T, V> result;
#pragma unroll
        for (int v = 0; v < V; v++) {
            result.at[v] = narrow<T>(sums[v] / divisor);
        }
        reinterpret_cast<Pack<T, V>*>(y)[i] = result;
    }
}

/// dx = what the windows over each input give it of dy, added in row-major order of the windows; patches are inputs.
template <bool COUNT_PADDING, int V, class T>
__device__ __forceinline__ void mean_pool_channels_gradient(const T* dy, T* dx, const PoolWindow& window,
                                                            const ChannelWalk& walk) {
    typedef typename Accumulator<T>::type A;
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= walk.count) {
        return;
    }
    const ChannelSpot spot(walk, i);
    const auto* gradients = spot.of(reinterpret_cast<const Pack<T, V>*>(dy), walk, window.outArea());
    const Covering rows = Covering::rows(window, spot.row);
    const Covering columns = Covering::columns(window, spot.column);
    A sums[V] = {};
    for (u32 row = rows.first; row <= rows.last; row++) {
        for (u32 column = columns.first; column <= columns.last; column++) {
            const Pack<T, V> pack = gradients[static_cast<u64>(row * window.outWidth + column) * walk.groups];
            const A divisor = static_cast<A>(window_divisor<COUNT_PADDING>(window, row, column));
#pragma unroll
            for (int v = 0; v < V; v++) {
                sums[v] += widen(pack.at[v]) / divisor;
            }
        }
    }
    Pack<T, V> result;
#pragma unroll
    for (int v = 0; v < V; v++) {
        result.at[v] = narrow<T>(sums[v]);
    }
    reinterpret_cast<Pack<T, V>*>(dx)[i] = result;
}

}  // namespace remat
