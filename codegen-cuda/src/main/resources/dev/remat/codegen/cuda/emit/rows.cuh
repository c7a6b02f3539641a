// needs: types.cuh
// Sorting and running sums of dense rows, a block of 256 threads for each.

namespace remat {

/// Whether x, which stood at i, comes before y, which stood at j: NaN is more than any number, and equals keep order.
template <bool DESCENDING, class A> __device__ __forceinline__ bool comes_before(A x, i32 i, A y, i32 j) {
    const bool less = x < y || (x == x && y != y);
    const bool more = x > y || (x != x && y == y);
    return less || more ? less != DESCENDING : i < j;
}

/// Sorts in the place of the results by a bitonic network (Batcher, 1968) in which every comparison puts the smaller
/// first, so that rows of any length are as if padded with what comes last.
template <bool DESCENDING, class T>
__device__ __forceinline__ void sort_row(const T* x, T* values, i32* indices, u32 count) {
    const u64 row = static_cast<u64>(blockIdx.x) * count;
    T* const v = values + row;
    i32* const at = indices + row;
    for (u32 i = threadIdx.x; i < count; i += 256) {
        v[i] = x[row + i];
        at[i] = static_cast<i32>(i);
    }
    for (u32 half = 1; half < count; half *= 2) {
        // The first step of a merge compares what lies as far from both ends, the others what lies `apart`.
        for (u32 apart = half; apart > 0; apart /= 2) {
            __syncthreads();
            for (u32 pair = threadIdx.x;; pair += 256) {
                const u32 group = pair / apart;
                const u32 within = pair - group * apart;
                const u64 first = static_cast<u64>(group) * 2 * apart + within;
                if (first >= count) {
                    break;
                }
                const u64 second = apart == half ? (static_cast<u64>(group) + 1) * 2 * apart - 1 - within : first + apart;
                if (second < count) {
                    const T a = v[first];
                    const T b = v[second];
                    const i32 i = at[first];
                    const i32 j = at[second];
                    if (comes_before<DESCENDING>(widen(b), j, widen(a), i)) {
                        v[first] = b;
                        v[second] = a;
                        at[first] = j;
                        at[second] = i;
                    }
                }
            }
        }
    }
}

/// Running sums: 256 elements at once by their lanes, then by warps, then after what came before.
template <bool REVERSE, class T> __device__ __forceinline__ void sum_row(const T* x, T* y, u32 count) {
    typedef typename Accumulator<T>::type A;
    __shared__ A totals[8];
    const u64 row = static_cast<u64>(blockIdx.x) * count;
    const u32 lane = threadIdx.x & 31;
    const u32 warp = threadIdx.x / 32;
    A before = A(0);
    for (u32 base = 0; base < count; base += 256) {
        const u32 i = base + threadIdx.x;
        const u64 at = row + (REVERSE ? count - 1 - i : i);
        A sum = i < count ? A(widen(x[at])) : A(0);
#pragma unroll
        for (u32 distance = 1; distance < 32; distance *= 2) {
            const A other = __shfl_up_sync(0xFFFFFFFFu, sum, distance);
            sum = lane >= distance ? other + sum : sum;
        }
        __syncthreads();
        if (lane == 31) {
            totals[warp] = sum;
        }
        __syncthreads();
        A after = before;
        for (u32 w = 0; w < 8; w++) {
            before = w < warp ? before + totals[w] : before;
            after = after + totals[w];
        }
        if (i < count) {
            y[at] = narrow<T>(before + sum);
        }
        before = after;
    }
}

}  // namespace remat
