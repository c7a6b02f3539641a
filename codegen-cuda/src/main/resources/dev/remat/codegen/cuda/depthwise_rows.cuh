// needs: depthwise.cuh
// Convolutions of one input channel a group that take neighbours of a row together, so that what one reads serves all.

namespace remat {

/// The pixels that V neighbouring results meet by one row of a kernel of side K.
template <int K, int STRIDE, int V, class A> struct ChannelRow {
    static constexpr int PIXELS = (V - 1) * STRIDE + K;
    A at[PIXELS];

    /// Pixels left and right of the image count as zeros.
    template <class T> __device__ __forceinline__ void load(const T* row, u32 left, u32 width) {
#pragma unroll
        for (int i = 0; i < PIXELS; i++) {
            at[i] = left + i < width ? widen(row[left + i]) : A(0);
        }
    }
};

/// y = x convolved as by depthwise, V neighbours a thread; tiles count groups of neighbours. The kernels may be FLIPPED.
template <int K, int STRIDE, int V, bool FLIPPED, class T, class Output>
__device__ __forceinline__ void depthwise_rows(const T* x, const T* w, const Output& output,
                                               const DepthwiseShape& shape, const PlaneTiles& tiles) {
    typedef typename Accumulator<T>::type A;
    const PlaneTile tile(tiles, blockIdx.x);
    ChannelKernel<K, T> kernel;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < tiles.pixels(); i += blockDim.x) {
        const Pixel out(tiles, tile, i);
        if (!out.inside) {
            continue;
        }
        const T* plane = x + static_cast<u64>(quotient(out.plane, shape.byMultiplier)) * shape.area();
        const u32 channel = out.plane - quotient(out.plane, shape.byOutputs) * shape.outputs;
        kernel.choose(w + channel * (K * K));
        const u32 top = out.row * STRIDE - shape.paddingH;
        const u32 left = out.column * (V * STRIDE) - shape.paddingW;
        A sums[V] = {};
#pragma unroll
        for (int r = 0; r < K; r++) {
            const u32 row = top + r * shape.dilationH;
            if (row < shape.height) {
                ChannelRow<K, STRIDE, V, A> line;
                line.load(plane + row * shape.width, left, shape.width);
#pragma unroll
                for (int s = 0; s < K; s++) {
                    const A weight = FLIPPED ? kernel.at(K - 1 - r, K - 1 - s, K) : kernel.at(r, s, K);
#pragma unroll
                    for (int l = 0; l < V; l++) {
                        sums[l] = weighted(weight, line.at[l * STRIDE + s], sums[l]);
                    }
                }
            }
        }
        output.template store<V>(out.index(tiles) * V, sums);
    }
}

}  // namespace remat
