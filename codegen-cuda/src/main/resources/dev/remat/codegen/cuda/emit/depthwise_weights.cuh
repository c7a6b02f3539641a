// needs: depthwise_rows.cuh
// Gradients of the kernels of convolutions whose groups have one input channel.

namespace remat {

/// Positions that blocks sum over, V neighbours of a row as one, and the elements of kernels that they compute.
struct DepthwiseSplit {
    u32 groups;  ///< of neighbours, in all images
    u32 depth;   ///< groups of a block
    u32 parts;   ///< blocks that share the elements of a kernel
    u64 byPlaneGroups, byRowGroups;
};

/// What one block sums: TAPS elements of one channel's kernel over some groups of positions.
template <int V, int TAPS> struct DepthwiseBlock {
    u32 result, channel, firstTap, begin, end;

    __device__ __forceinline__ DepthwiseBlock(const DepthwiseShape& shape, const DepthwiseSplit& split) {
        result = blockIdx.x / split.parts;
        firstTap = blockIdx.x % split.parts * TAPS;
        const u32 part = result / shape.outputs;
        channel = result - part * shape.outputs;
        begin = part * split.depth;
        end = split.groups - begin > split.depth ? begin + split.depth : split.groups;
    }
};

/// Where a group of V neighbours lies.
template <int V> struct DepthwiseGroup {
    u32 image, row, column;

    __device__ __forceinline__ DepthwiseGroup(u32 group, const DepthwiseShape& shape, const DepthwiseSplit& split) {
        const u32 across = shape.outWidth / V;
        image = quotient(group, split.byPlaneGroups);
        const u32 rest = group - image * (shape.outHeight * across);
        row = quotient(rest, split.byRowGroups);
        column = (rest - row * across) * V;
    }
};

/// Adds the threads' sums, lanes in a tree, then warps in order, and writes them; result and tap tell their place.
template <int TAPS, int THREADS, class A, class Output>
__device__ __forceinline__ void finish_weights(A (&sums)[TAPS], u32 result, u32 firstTap, u32 taps,
                                               const Output& output) {
    __shared__ A warps[THREADS / 32][TAPS];
#pragma unroll
    for (int t = 0; t < TAPS; t++) {
#pragma unroll
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            sums[t] += __shfl_xor_sync(0xffffffffu, sums[t], lanes);
        }
        if (threadIdx.x % 32 == 0) {
            warps[threadIdx.x / 32][t] = sums[t];
        }
    }
    __syncthreads();
    if (threadIdx.x < TAPS && firstTap + threadIdx.x < taps) {
        A sum[1] = {warps[0][threadIdx.x]};
#pragma unroll
        for (int warp = 1; warp < THREADS / 32; warp++) {
            sum[0] += warps[warp][threadIdx.x];
        }
        put<1>(output, static_cast<u64>(result) * taps + firstTap + threadIdx.x, sum);
    }
}

/// dw = the gradient of kernels of any size, TAPS elements a block. Split s writes as outputs s * outputs and on.
template <int TAPS, int THREADS, class T, class Output>
__device__ __forceinline__ void depthwise_weights(const T* x, const T* dy, const Output& output,
                                                  const DepthwiseShape& shape, const DepthwiseSplit& split) {
    typedef typename Accumulator<T>::type A;
    const DepthwiseBlock<1, TAPS> block(shape, split);
    const u32 taps = shape.kernelH * shape.kernelW;
    const u32 input = quotient(block.channel, shape.byMultiplier);
    u32 rows[TAPS];
    u32 columns[TAPS];
    A sums[TAPS];
#pragma unroll
    for (int t = 0; t < TAPS; t++) {
        const u32 tap = block.firstTap + t < taps ? block.firstTap + t : 0;
        const u32 r = quotient(tap, shape.byKernelW);
        rows[t] = r * shape.dilationH;
        columns[t] = (tap - r * shape.kernelW) * shape.dilationW;
        sums[t] = 0;
    }
#pragma unroll 1
    for (u32 k = block.begin + threadIdx.x; k < block.end; k += THREADS) {
        const DepthwiseGroup<1> at(k, shape, split);
        const u32 top = at.row * shape.strideH - shape.paddingH;
        const u32 left = at.column * shape.strideW - shape.paddingW;
        const T* gradients = dy + static_cast<u64>(at.image * shape.outputs + block.channel) * shape.outArea();
        const A gradient = widen(gradients[at.row * shape.outWidth + at.column]);
        const T* plane = x + static_cast<u64>(at.image * shape.inputs + input) * shape.area();
#pragma unroll
        for (int t = 0; t < TAPS; t++) {
            const u32 row = top + rows[t];
            const u32 column = left + columns[t];
            if (row < shape.height && column < shape.width) {
                sums[t] = weighted(gradient, widen(plane[row * shape.width + column]), sums[t]);
            }
        }
    }
    finish_weights<TAPS, THREADS>(sums, block.result, block.firstTap, taps, output);
}

/// The same for kernels of side K, all elements at once, and V neighbours at a time.
template <int K, int STRIDE, int V, int THREADS, class T, class Output>
__device__ __forceinline__ void depthwise_weights_rows(const T* x, const T* dy, const Output& output,
                                                       const DepthwiseShape& shape, const DepthwiseSplit& split) {
    typedef typename Accumulator<T>::type A;
    const DepthwiseBlock<V, K * K> block(shape, split);
    const u32 input = quotient(block.channel, shape.byMultiplier);
    A sums[K * K] = {};
#pragma unroll 1
    for (u32 k = block.begin + threadIdx.x; k < block.end; k += THREADS) {
        const DepthwiseGroup<V> at(k, shape, split);
        const u32 top = at.row * STRIDE - shape.paddingH;
        const u32 left = at.column * STRIDE - shape.paddingW;
        const T* from = dy + static_cast<u64>(at.image * shape.outputs + block.channel) * shape.outArea();
        const T* plane = x + static_cast<u64>(at.image * shape.inputs + input) * shape.area();
        A gradients[V];
#pragma unroll
        for (int l = 0; l < V; l++) {
            gradients[l] = widen(from[at.row * shape.outWidth + at.column + l]);
        }
#pragma unroll
        for (int r = 0; r < K; r++) {
            const u32 row = top + r * shape.dilationH;
            if (row < shape.height) {
                ChannelRow<K, STRIDE, V, A> line;
                line.load(plane + row * shape.width, left, shape.width);
#pragma unroll
                for (int s = 0; s < K; s++) {
#pragma unroll
                    for (int l = 0; l < V; l++) {
                        sums[r * K + s] = weighted(gradients[l], line.at[l * STRIDE + s], sums[r * K + s]);
                    }
                }
            }
        }
    }
    finish_weights<K * K, THREADS>(sums, block.result, 0, K * K, output);
}

}  // namespace remat
