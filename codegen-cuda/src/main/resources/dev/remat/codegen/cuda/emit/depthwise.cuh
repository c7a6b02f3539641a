// needs: planes.cuh
// Convolutions whose groups have one input channel. K is the side of a square kernel, or 0 for any other.

namespace remat {

__device__ __forceinline__ float weighted(float weight, float x, float sum) { return fmaf(weight, x, sum); }
__device__ __forceinline__ double weighted(double weight, double x, double sum) { return fma(weight, x, sum); }

/// Extents; plane p of the output reads plane p / multiplier of the input.
struct DepthwiseShape {
    u32 height, width, outHeight, outWidth;
    u32 inputs, outputs, multiplier;
    u32 kernelH, kernelW, strideH, strideW, paddingH, paddingW, dilationH, dilationW;
    u64 byInputs, byOutputs, byMultiplier, byStrideH, byStrideW, byKernelW;

    __device__ __forceinline__ u32 area() const { return height * width; }
    __device__ __forceinline__ u32 outArea() const { return outHeight * outWidth; }
};

/// The kernel of one channel, kept in registers where its size is known.
template <int K, class T> struct ChannelKernel {
    typedef typename Accumulator<T>::type A;
    const T* from = nullptr;
    A held[K > 0 ? K * K : 1];

    __device__ __forceinline__ void choose(const T* kernel) {
        if (K > 0 && kernel != from) {
#pragma unroll
            for (int i = 0; i < K * K; i++) {
                held[i] = widen(kernel[i]);
            }
        }
        from = kernel;
    }
    __device__ __forceinline__ A at(u32 r, u32 s, u32 width) const {
        return K > 0 ? held[K > 0 ? r * K + s : 0] : widen(from[r * width + s]);
    }
};

/// y = x convolved, channel by channel.
template <int K, class T, class Output>
__device__ __forceinline__ void depthwise(const T* x, const T* w, const Output& output, const DepthwiseShape& shape,
                                          const PlaneTiles& tiles) {
    typedef typename Accumulator<T>::type A;
    constexpr int U = K > 0 ? K : 1;
    const u32 kernelH = K > 0 ? K : shape.kernelH;
    const u32 kernelW = K > 0 ? K : shape.kernelW;
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
        kernel.choose(w + channel * (kernelH * kernelW));
        const u32 top = out.row * shape.strideH - shape.paddingH;
        const u32 left = out.column * shape.strideW - shape.paddingW;
        A sum[1] = {0};
#pragma unroll U
        for (u32 r = 0; r < kernelH; r++) {
            const u32 row = top + r * shape.dilationH;
#pragma unroll U
            for (u32 s = 0; s < kernelW; s++) {
                const u32 column = left + s * shape.dilationW;
                // Above and left of the image these are huge.
                if (row < shape.height && column < shape.width) {
                    sum[0] = weighted(kernel.at(r, s, kernelW), widen(plane[row * shape.width + column]), sum[0]);
                }
            }
        }
        put<1>(output, out.index(tiles), sum);
    }
}

/// The output position along one axis that meets `pixel` by an element of the kernel; ~0 where there is none.
__device__ __forceinline__ u32 position_over(u32 pixel, u32 offset, u32 stride, u64 byStride, u32 positions) {
    const u32 reach = pixel - offset;
    const u32 position = quotient(reach, byStride);
    return reach <= (positions - 1) * stride && position * stride == reach ? position : ~0u;
}

/// dx = the gradient of what depthwise reads; one term after the other, channel by channel, row by row.
template <int K, class T, class Output>
__device__ __forceinline__ void depthwise_transposed(const T* y, const T* w, const Output& output,
                                                     const DepthwiseShape& shape, const PlaneTiles& tiles) {
    typedef typename Accumulator<T>::type A;
    constexpr int U = K > 0 ? K : 1;
    const u32 kernelH = K > 0 ? K : shape.kernelH;
    const u32 kernelW = K > 0 ? K : shape.kernelW;
    const PlaneTile tile(tiles, blockIdx.x);
    ChannelKernel<K, T> kernel;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < tiles.pixels(); i += blockDim.x) {
        const Pixel in(tiles, tile, i);
        if (!in.inside) {
            continue;
        }
        const u32 input = in.plane - quotient(in.plane, shape.byInputs) * shape.inputs;
        A sum[1] = {0};
#pragma unroll 1
        for (u32 m = 0; m < shape.multiplier; m++) {
            const T* plane = y + (static_cast<u64>(in.plane) * shape.multiplier + m) * shape.outArea();
            kernel.choose(w + (input * shape.multiplier + m) * (kernelH * kernelW));
#pragma unroll U
            for (u32 r = 0; r < kernelH; r++) {
                const u32 row = position_over(in.row + shape.paddingH, r * shape.dilationH, shape.strideH,
                                              shape.byStrideH, shape.outHeight);
#pragma unroll U
                for (u32 s = 0; s < kernelW; s++) {
                    const u32 column = position_over(in.column + shape.paddingW, s * shape.dilationW, shape.strideW,
                                                     shape.byStrideW, shape.outWidth);
                    if (row < shape.outHeight && column < shape.outWidth) {
                        const A gradient = widen(plane[row * shape.outWidth + column]);
                        sum[0] = weighted(kernel.at(r, s, kernelW), gradient, sum[0]);
                    }
                }
            }
        }
        put<1>(output, in.index(tiles), sum);
    }
}

}  // namespace remat
