// needs: math.cuh
// What changes parameters, their states and running statistics once a step, in place; and learning rates.

namespace remat {

/// What block `block` of a tensor's blocks updates of its n elements, V at a time; the last few one by one.
template <int V, class Rule> __device__ __forceinline__ void update_all(const Rule& rule, u64 n, u32 block) {
    const u64 groups = n / V;
    const u64 first = static_cast<u64>(block) * blockDim.x + threadIdx.x;
    if (first < groups) {
        rule.template run<V>(first * V);
    }
    if (V > 1 && first < n - groups * V) {
        rule.template run<1>(groups * V + first);
    }
}

template <int V, class A, class T> __device__ __forceinline__ void load_wide(const T* from, A (&to)[V]) {
    const Pack<T, V> pack = load_pack<V>(from);
#pragma unroll
    for (int v = 0; v < V; v++) {
        to[v] = static_cast<A>(wide(pack, v));
    }
}

/// Skips what nobody reads.
template <int V, class A, class T> __device__ __forceinline__ void store_narrow(T* to, u64 i, const A (&from)[V]) {
    if (to != nullptr) {
        Pack<T, V> pack;
#pragma unroll
        for (int v = 0; v < V; v++) {
            pack.at[v] = narrow<T>(from[v]);
        }
        store_global(to + i, pack);
    }
}

/// (1 - momentum)·running + momentum·factor·batch, in doubles and rounded once.
template <class T>
__device__ __forceinline__ void move_statistics(const T* running, const T* batch, T* moved, u64 n, double keep,
                                                double share, u32 block) {
    typedef typename Accumulator<T>::type A;
    const u64 i = static_cast<u64>(block) * blockDim.x + threadIdx.x;
    if (i < n && moved != nullptr) {
        const double old = static_cast<double>(widen(running[i]));
        const double seen = static_cast<double>(widen(batch[i]));
        moved[i] = narrow<T>(static_cast<A>(keep * old + share * seen));
    }
}

/// Rises in equal steps to `rate` in step `warmup`.
__device__ __forceinline__ double rising_rate(double rate, i64 warmup, i64 step) {
    return step >= warmup ? rate : rate * static_cast<double>(step) / static_cast<double>(warmup);
}

/// Share of the way from step `warmup` to step `total`, from 0 to 1.
__device__ __forceinline__ double schedule_progress(i64 warmup, i64 total, i64 step) {
    const i64 length = total - warmup > 1 ? total - warmup : 1;
    const double share = static_cast<double>(step - warmup) / static_cast<double>(length);
    return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}

__device__ __forceinline__ double linear_rate(double rate, i64 warmup, i64 total, double floor, i64 step) {
    return step < warmup ? rising_rate(rate, warmup, step)
                         : rate + (floor - rate) * schedule_progress(warmup, total, step);
}

__device__ __forceinline__ double cosine_rate(double rate, i64 warmup, i64 total, double floor, i64 step) {
    const double fallen = (1.0 + math::cos_pi(schedule_progress(warmup, total, step))) / 2.0;
    return step < warmup ? rising_rate(rate, warmup, step) : floor + (rate - floor) * fallen;
}

__device__ __forceinline__ double stepped_rate(double rate, i64 warmup, i64 every, double gamma, i64 step) {
    return rising_rate(rate, warmup, step) * math::power(gamma, (step - 1) / every);
}

}  // namespace remat
