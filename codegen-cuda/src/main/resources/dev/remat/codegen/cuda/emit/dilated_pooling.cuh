// needs: block.cuh pooling.cuh
// Maxima of windows with elements between those that count, and their gradients.

namespace remat {

/// A window whose rows and columns are so far apart.
struct DilatedWindow {
    PoolWindow window;
    u32 dilationH, dilationW;

    /// The first maximum of the window of an output; nowhere, ~0, where all of it lies in the padding.
    template <class A, class T>
    __device__ __forceinline__ FirstMaximum<A> maximum(const T* plane, u32 outRow, u32 outColumn) const {
        FirstMaximum<A> best{Least<A>::value(), ~0u};
        for (u32 i = 0; i < window.kernelH; i++) {
            const u32 row = outRow * window.strideH - window.paddingH + i * dilationH;
            for (u32 j = 0; j < window.kernelW; j++) {
                const u32 column = outColumn * window.strideW - window.paddingW + j * dilationW;
                // Above and left of the image these are huge.
                if (row < window.height && column < window.width) {
                    const u32 at = row * window.width + column;
                    const A value = widen(plane[at]);
                    const bool firstNaN = value != value && best.value == best.value;
                    if (best.at == ~0u || value > best.value || firstNaN) {
                        best = {value, at};
                    }
                }
            }
        }
        return best;
    }

    /// Calls visit(row) for the output rows whose windows hold an input row, from the first on; likewise of columns.
    template <class Visit>
    static __device__ __forceinline__ void over(u32 at, u32 padding, u32 kernel, u32 dilation, u32 stride, u64 byStride,
                                                u32 out, const Visit& visit) {
        for (u32 i = kernel; i-- > 0;) {
            const u32 reach = at + padding - i * dilation;
            if (at + padding >= i * dilation) {
                const u32 which = quotient(reach, byStride);
                if (which * stride == reach && which < out) {
                    visit(which);
                }
            }
        }
    }
};

/// y = maximum of each window of x.
template <class T>
__device__ __forceinline__ void dilated_max(const T* x, T* y, const DilatedWindow& dilated, const PlaneTiles& outputs) {
    typedef typename Accumulator<T>::type A;
    const PlaneTile tile(outputs, blockIdx.x);
    for (u32 i = threadIdx.x; i < outputs.pixels(); i += blockDim.x) {
        const Pixel out(outputs, tile, i);
        if (out.inside) {
            const T* plane = x + static_cast<u64>(out.plane) * dilated.window.area();
            y[out.index(outputs)] = narrow<T>(dilated.maximum<A>(plane, out.row, out.column).value);
        }
    }
}

/// Where in its plane the maximum of each window of x is.
template <class T>
__device__ __forceinline__ void dilated_maxima(const T* x, u32* places, const DilatedWindow& dilated,
                                               const PlaneTiles& outputs) {
    typedef typename Accumulator<T>::type A;
    const PlaneTile tile(outputs, blockIdx.x);
    for (u32 i = threadIdx.x; i < outputs.pixels(); i += blockDim.x) {
        const Pixel out(outputs, tile, i);
        if (out.inside) {
            const T* plane = x + static_cast<u64>(out.plane) * dilated.window.area();
            places[out.index(outputs)] = dilated.maximum<A>(plane, out.row, out.column).at;
        }
    }
}

/// dx = dy of the windows whose maximum an input is, added in row-major order of the windows.
template <class T>
__device__ __forceinline__ void dilated_max_gradient(const T* dy, const u32* places, T* dx,
                                                     const DilatedWindow& dilated, const PlaneTiles& inputs) {
    typedef typename Accumulator<T>::type A;
    const PoolWindow& w = dilated.window;
    const PlaneTile tile(inputs, blockIdx.x);
    for (u32 i = threadIdx.x; i < inputs.pixels(); i += blockDim.x) {
        const Pixel in(inputs, tile, i);
        if (in.inside) {
            const u64 plane = static_cast<u64>(in.plane) * w.outArea();
            const u32 own = in.row * w.width + in.column;
            A sum = 0;
            DilatedWindow::over(
                in.row, w.paddingH, w.kernelH, dilated.dilationH, w.strideH, w.byStrideH, w.outHeight, [&](u32 row) {
                    DilatedWindow::over(in.column, w.paddingW, w.kernelW, dilated.dilationW, w.strideW, w.byStrideW,
                                        w.outWidth, [&](u32 column) {
                                            const u64 at = plane + row * w.outWidth + column;
                                            sum = places[at] == own ? sum + widen(dy[at]) : sum;
                                        });
                });
            dx[in.index(inputs)] = narrow<T>(sum);
        }
    }
}

}  // namespace remat
