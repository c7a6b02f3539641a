// needs: planes.cuh
// Maxima and means of windows of images, and their gradients. K is the side of a square window, or 0 for any other.

namespace remat {

/// A window that moves over images of height x width and gives outHeight x outWidth.
struct PoolWindow {
    u32 height, width, outHeight, outWidth;
    u32 kernelH, kernelW, strideH, strideW, paddingH, paddingW;
    u64 byStrideH, byStrideW;

    __device__ __forceinline__ u32 area() const { return height * width; }
    __device__ __forceinline__ u32 outArea() const { return outHeight * outWidth; }
};

/// Calls visit(index in the plane) for the elements of one window in row-major order, none in the padding.
template <int K, class Visit>
__device__ __forceinline__ void over_window(const PoolWindow& window, u32 outRow, u32 outColumn, const Visit& visit) {
    constexpr int U = K > 0 ? K : 1;
    const u32 kernelH = K > 0 ? K : window.kernelH;
    const u32 kernelW = K > 0 ? K : window.kernelW;
    const u32 top = outRow * window.strideH - window.paddingH;
    const u32 left = outColumn * window.strideW - window.paddingW;
#pragma unroll U
    for (u32 i = 0; i < kernelH; i++) {
        const u32 row = top + i;
#pragma unroll U
        for (u32 j = 0; j < kernelW; j++) {
            const u32 column = left + j;
            // Above and left of the image these are huge.
            if (row < window.height && column < window.width) {
                visit(row * window.width + column);
            }
        }
    }
}

/// A maximum and where it is first; a NaN is greater than all numbers.
template <class A> struct FirstMaximum {
    A value;
    u32 at;

    template <int K, class T>
    static __device__ __forceinline__ FirstMaximum of(const T* plane, const PoolWindow& window, u32 row, u32 column) {
        FirstMaximum best{0, ~0u};
        over_window<K>(window, row, column, [&](u32 at) {
            const A value = widen(plane[at]);
            const bool firstNaN = value != value && best.value == best.value;
            if (best.at == ~0u || value > best.value || firstNaN) {
                best = {value, at};
            }
        });
        return best;
    }
};

/// Windows along one axis that cover `at`, from first to last inclusive; perhaps none.
struct Covering {
    u32 first, last;

    __device__ __forceinline__ Covering(u32 at, u32 padding, u32 kernel, u32 stride, u64 byStride, u32 out) {
        const u32 reach = at + padding;
        first = reach < kernel ? 0 : quotient(reach - kernel + stride, byStride);
        const u32 under = quotient(reach, byStride);
        last = under < out ? under : out - 1;
    }

    static __device__ __forceinline__ Covering rows(const PoolWindow& w, u32 row) {
        return Covering(row, w.paddingH, w.kernelH, w.strideH, w.byStrideH, w.outHeight);
    }
    static __device__ __forceinline__ Covering columns(const PoolWindow& w, u32 column) {
        return Covering(column, w.paddingW, w.kernelW, w.strideW, w.byStrideW, w.outWidth);
    }
};

/// Elements of a window that lie inside the image, or all of it.
template <bool COUNT_PADDING>
__device__ __forceinline__ u32 window_divisor(const PoolWindow& window, u32 row, u32 column) {
    if (COUNT_PADDING) {
        return window.kernelH * window.kernelW;
    }
    const u32 top = row * window.strideH;
    const u32 left = column * window.strideW;
    const u32 bottom = top + window.kernelH;
    const u32 right = left + window.kernelW;
    const u32 endRow = window.height + window.paddingH;
    const u32 endColumn = window.width + window.paddingW;
    return ((bottom < endRow ? bottom : endRow) - (top > window.paddingH ? top : window.paddingH)) *
           ((right < endColumn ? right : endColumn) - (left > window.paddingW ? left : window.paddingW));
}

/// y = maximum of each window of x.
template <int K, class T>
__device__ __forceinline__ void max_pool(const T* x, T* y, const PoolWindow& window, const PlaneTiles& outputs) {
    typedef typename Accumulator<T>::type A;
    const PlaneTile tile(outputs, blockIdx.x);
    for (u32 i = threadIdx.x; i < outputs.pixels(); i += blockDim.x) {
        const Pixel out(outputs, tile, i);
        if (out.inside) {
            const T* plane = x + static_cast<u64>(out.plane) * window.area();
            const A best = FirstMaximum<A>::template of<K>(plane, window, out.row, out.column).value;
            y[out.index(outputs)] = narrow<T>(best);
        }
    }
}

/// y = mean of each window of x.
template <int K, bool COUNT_PADDING, class T>
__device__ __forceinline__ void mean_pool(const T* x, T* y, const PoolWindow& window, const PlaneTiles& outputs) {
    typedef typename Accumulator<T>::type A;
    const PlaneTile tile(outputs, blockIdx.x);
    for (u32 i = threadIdx.x; i < outputs.pixels(); i += blockDim.x) {
        const Pixel out(outputs, tile, i);
        if (out.inside) {
            const T* plane = x + static_cast<u64>(out.plane) * window.area();
            A sum = 0;
            over_window<K>(window, out.row, out.column, [&](u32 at) { sum += widen(plane[at]); });
            const u32 divisor = window_divisor<COUNT_PADDING>(window, out.row, out.column);
            y[out.index(outputs)] = narrow<T>(sum / static_cast<A>(divisor));
        }
    }
}

/// dx = what the windows over each input give it of dy, added in row-major order of the windows.
template <bool COUNT_PADDING, class T>
__device__ __forceinline__ void mean_pool_gradient(const T* dy, T* dx, const PoolWindow& window,
                                                   const PlaneTiles& inputs) {
    typedef typename Accumulator<T>::type A;
    const PlaneTile tile(inputs, blockIdx.x);
    for (u32 i = threadIdx.x; i < inputs.pixels(); i += blockDim.x) {
        const Pixel in(inputs, tile, i);
        if (in.inside) {
            const T* plane = dy + static_cast<u64>(in.plane) * window.outArea();
            const Covering rows = Covering::rows(window, in.row);
            const Covering columns = Covering::columns(window, in.column);
            A sum = 0;
            for (u32 row = rows.first; row <= rows.last; row++) {
                for (u32 column = columns.first; column <= columns.last; column++) {
                    const u32 divisor = window_divisor<COUNT_PADDING>(window, row, column);
                    sum += widen(plane[row * window.outWidth + column]) / static_cast<A>(divisor);
                }
            }
            dx[in.index(inputs)] = narrow<T>(sum);
        }
    }
}

/// The windows that reach into a block's box: so many at most, whatever the block.
struct WindowBox {
    u32 count, height, width;
    u64 byArea, byWidth;
};

/// dx = dy of the windows whose first maximum an input is, added in row-major order of the windows. A block first finds
/// the maxima of all windows that reach into its box, SLOTS at a time, then looks which are its own.
template <int K, int PIXELS, int SLOTS, class T>
__device__ __forceinline__ void max_pool_gradient(const T* dy, const T* x, T* dx, const PoolWindow& window,
                                                  const PlaneTiles& inputs, const WindowBox& box) {
    typedef typename Accumulator<T>::type A;
    __shared__ u32 maxima[SLOTS];
    const PlaneTile tile(inputs, blockIdx.x);
    const u32 firstRow = Covering::rows(window, tile.row).first;
    const u32 firstColumn = Covering::columns(window, tile.column).first;
    A sums[PIXELS];
#pragma unroll
    for (int p = 0; p < PIXELS; p++) {
        sums[p] = 0;
    }
    for (u32 base = 0; base < box.count; base += SLOTS) {
        __syncthreads();
        const u32 end = base + SLOTS < box.count ? base + SLOTS : box.count;
        for (u32 w = base + threadIdx.x; w < end; w += blockDim.x) {
            const u32 boxPlane = quotient(w, box.byArea);
            const u32 rest = w - boxPlane * box.height * box.width;
            const u32 boxRow = quotient(rest, box.byWidth);
            const u32 plane = tile.plane + boxPlane;
            const u32 row = firstRow + boxRow;
            const u32 column = firstColumn + rest - boxRow * box.width;
            if (plane < inputs.planes && row < window.outHeight && column < window.outWidth) {
                const T* image = x + static_cast<u64>(plane) * window.area();
                maxima[w - base] = FirstMaximum<A>::template of<K>(image, window, row, column).at;
            }
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < PIXELS; p++) {
            const Pixel in(inputs, tile, p * blockDim.x + threadIdx.x);
            if (in.inside) {
                const T* image = dy + static_cast<u64>(in.plane) * window.outArea();
                const u32 own = in.row * window.width + in.column;
                const Covering rows = Covering::rows(window, in.row);
                const Covering columns = Covering::columns(window, in.column);
                for (u32 row = rows.first; row <= rows.last; row++) {
                    const u32 before = (in.boxPlane * box.height + row - firstRow) * box.width;
                    for (u32 column = columns.first; column <= columns.last; column++) {
                        const u32 slot = before + column - firstColumn - base;
                        if (slot < SLOTS && maxima[slot] == own) {
                            sums[p] += widen(image[row * window.outWidth + column]);
                        }
                    }
                }
            }
        }
    }
#pragma unroll
    for (int p = 0; p < PIXELS; p++) {
        const Pixel in(inputs, tile, p * blockDim.x + threadIdx.x);
        if (in.inside) {
            dx[in.index(inputs)] = narrow<T>(sums[p]);
        }
    }
}

}  // namespace remat
