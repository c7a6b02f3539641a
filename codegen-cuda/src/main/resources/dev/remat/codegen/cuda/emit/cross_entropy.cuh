// needs: softmax.cuh
// Negative log-likelihood of rows of logits, its mean and its gradient.

namespace remat {

/// Log-sum-exp of each row, and its loss: 0 for ignored rows, NaN where the target is no class.
template <int V, int T, bool SMOOTH, bool ALIGNED, class E, class I, class A>
__device__ __forceinline__ void cross_entropy(const E* logits, const I* targets, A* lse, A* losses, u64 rows,
                                              u32 packs, A smoothing, i64 ignored) {
    const u64 row = static_cast<u64>(blockIdx.x) * (256 / T) + threadIdx.x / T;
    const E* const from = logits + row * packs * V;
    const typename LogSumExp<A>::State state = fold_row<V, T, SMOOTH, ALIGNED>(from, row < rows ? packs : 0);
    if (row >= rows || threadIdx.x % T != 0) {
        return;
    }
    const A value = LogSumExp<A>::value(state);
    const i64 target = targets[row];
    const i64 width = static_cast<i64>(packs) * V;
    A loss = 0;
    if (target != ignored) {
        const bool valid = target >= 0 && target < width;
        loss = value - (valid ? widen(from[target]) : math::log(A(-1)));
        if (SMOOTH) {
            const A spread = value - state.at[2] / static_cast<A>(width);
            loss = (A(1) - smoothing) * loss + smoothing * spread;
        }
    }
    if (lse != nullptr) {
        lse[row] = value;
    }
    losses[row] = loss;
}

/// Targets that are not ignored, by one block of 1024 threads; every thread gets the number.
template <class I> __device__ __forceinline__ i32 counted_targets(const I* targets, u64 rows, i64 ignored) {
    i32 counted = 0;
#pragma unroll 4
    for (u64 row = threadIdx.x; row < rows; row += 1024) {
        counted += targets[row] != ignored ? 1 : 0;
    }
    return sum_threads<1024, 1024>(counted);
}

/// Mean loss of the rows that are not ignored, by one block of 1024 threads.
template <class A, class I>
__device__ __forceinline__ void mean_loss(const A* losses, const I* targets, A* loss, u64 rows, i64 ignored) {
    A sum = 0;
#pragma unroll 4
    for (u64 row = threadIdx.x; row < rows; row += 1024) {
        sum = sum + losses[row];
    }
    sum = sum_threads<1024, 1024>(sum);
    const i32 counted = counted_targets(targets, rows, ignored);
    if (threadIdx.x == 0 && loss != nullptr) {
        *loss = sum / static_cast<A>(counted);
    }
}

/// What each row's gradient is multiplied by.
template <class A, class I>
__device__ __forceinline__ void gradient_scale(const A* dloss, const I* targets, A* scale, u64 rows, i64 ignored) {
    const i32 counted = counted_targets(targets, rows, ignored);
    if (threadIdx.x == 0) {
        *scale = *dloss / static_cast<A>(counted);
    }
}

/// A thread reads only where it will write, for dlogits may be in the place of the logits.
template <int V, int T, bool ALIGNED, class E, class I, class A>
__device__ __forceinline__ void cross_entropy_gradient(const A* scale, const E* logits, const I* targets, const A* lse,
                                                       E* dlogits, u64 rows, u32 packs, A smoothing, A share,
                                                       i64 ignored) {
    const u64 row = static_cast<u64>(blockIdx.x) * (256 / T) + threadIdx.x / T;
    if (row >= rows) {
        return;
    }
    const int U = V >= 4 ? 2 : 4;
    const u64 offset = row * packs * V;
    const i64 target = targets[row];
    const A factor = target == ignored ? A(0) : *scale;
    const A hit = factor * (A(1) - smoothing);
    const A shift = lse[row];
    for (u32 first = threadIdx.x % T; first < packs; first += U * T) {
        Pack<E, V> loaded[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const u32 near = first + u * T < packs ? first + u * T : first;
            loaded[u] = load_dense<V, ALIGNED>(logits + offset + static_cast<u64>(near) * V);
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const u64 at = static_cast<u64>(first + u * T) * V;
            const u64 ahead = static_cast<u64>(target) - at;
            const u32 hitAt = ahead < V ? static_cast<u32>(ahead) : V;
            Pack<E, V> result;
#pragma unroll
            for (int v = 0; v < V; v++) {
                const A likely = math::exp_of_negative(wide(loaded[u], v) - shift);
                const A gradient = factor * (likely - share);
                const A there = hitAt == v ? gradient - hit : gradient;
                result.at[v] = narrow<E>(target == ignored ? A(0) : there);
            }
            store_global(dlogits + offset + at, result, first + u * T < packs);
        }
    }
}

}  // namespace remat
