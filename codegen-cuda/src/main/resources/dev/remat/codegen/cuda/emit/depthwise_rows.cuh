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

/// y = x convolved as by depthwise, V neighbours a thread; tiles count groups of neighbours. Kernels may be FLIPPED.
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
        put<V>(output, out.index(tiles) * V, sums);
    }
}

/// dx as by depthwise_transposed under strides of 2, V neighbours a thread; tiles count groups of neighbours. Pixels of
/// one parity meet every other element of the kernel; PARITY is that of the padding across, so that elements are known.
template <int K, int V, int PARITY, class T, class Output>
__device__ __forceinline__ void depthwise_transposed_rows(const T* y, const T* w, const Output& output,
                                                          const DepthwiseShape& shape, const PlaneTiles& tiles) {
    typedef typename Accumulator<T>::type A;
    static_assert(K % 2 == 1 && V % 2 == 0, "the first of the neighbours is even");
    // Outputs that the neighbours meet, counted from the one that the first of them meets by element PARITY.
    constexpr int FIRST = PARITY == 0 ? -(K - 1) / 2 : (3 - K) / 2;
    constexpr int LAST = PARITY == 0 ? (V - 2) / 2 : V / 2;
    const PlaneTile tile(tiles, blockIdx.x);
    ChannelKernel<K, T> kernel;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < tiles.pixels(); i += blockDim.x) {
        const Pixel in(tiles, tile, i);
        if (!in.inside) {
            continue;
        }
        const u32 input = in.plane - quotient(in.plane, shape.byInputs) * shape.inputs;
        const u32 reach = in.row + shape.paddingH;
        const bool odd = reach % 2 != 0;
        const u32 left = in.column * (V / 2) + (shape.paddingW - PARITY) / 2 + FIRST;
        A sums[V] = {};
#pragma unroll 1
        for (u32 m = 0; m < shape.multiplier; m++) {
            const T* plane = y + (static_cast<u64>(in.plane) * shape.multiplier + m) * shape.outArea();
            kernel.choose(w + (input * shape.multiplier + m) * (K * K));
#pragma unroll
            for (int r = 0; r < K; r += 2) {
                // Above the image this is huge; an odd row has one element less.
                const u32 row = (reach - r - odd) / 2;
                if (row < shape.outHeight && (r + 1 < K || !odd)) {
                    ChannelRow<LAST - FIRST + 1, 1, 1, A> line;
                    line.load(plane + row * shape.outWidth, left, shape.outWidth);
#pragma unroll
                    for (int s = 0; s < K; s++) {
                        const A even = kernel.at(r, s, K);
                        const A weight = r + 1 < K && odd ? kernel.at(r + 1 < K ? r + 1 : r, s, K) : even;
#pragma unroll
                        for (int l = 0; l < V; l++) {
                            if ((l + PARITY - s) % 2 == 0) {
                                sums[l] = weighted(weight, line.at[(l + PARITY - s) / 2 - FIRST], sums[l]);
                            }
                        }
                    }
                }
            }
        }
        put<V>(output, in.index(tiles) * V, sums);
    }
}

}  // namespace remat
