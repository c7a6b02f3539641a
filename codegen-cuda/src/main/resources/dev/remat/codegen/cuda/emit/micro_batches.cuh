// needs: optimizer.cuh
// What micro-batches leave for the whole batch, in place: sums of their values, and the statistics of all their samples.

namespace remat {

/// The value of the first micro-batch, those of the others added to the sum so far; what is there before is not read.
template <class T> struct Accumulate {
    const T* sum;
    const T* value;
    T* newSum;
    bool first;

    template <int V> __device__ __forceinline__ void run(u64 i) const {
        Pack<T, V> total = load_pack<V>(value + i);
        if (!first) {
            const Pack<T, V> before = load_pack<V>(sum + i);
#pragma unroll
            for (int v = 0; v < V; v++) {
                total.at[v] = before.at[v] + total.at[v];
            }
        }
        if (newSum != nullptr) {
            store_pack(newSum + i, total);
        }
    }
};

/// Mean and variance of a channel.
template <class T> struct Statistics {
    T* mean;
    T* variance;
};

/// Statistics of the samples of k micro-batches and of one more, in doubles and rounded once.
template <class T>
__device__ __forceinline__ void combine_statistics(const Statistics<const T>& before, const Statistics<const T>& batch,
                                                   const Statistics<T>& all, u64 n, i64 k, u32 block) {
    typedef typename Accumulator<T>::type A;
    const u64 i = static_cast<u64>(block) * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    double mean = static_cast<double>(widen(batch.mean[i]));
    double variance = static_cast<double>(widen(batch.variance[i]));
    if (k != 0) {
        const double share = 1.0 / static_cast<double>(k + 1);
        const double center = static_cast<double>(widen(before.mean[i]));
        const double spread = static_cast<double>(widen(before.variance[i]));
        const double delta = mean - center;
        mean = center + share * delta;
        variance = spread + share * ((variance - spread) + static_cast<double>(k) * share * (delta * delta));
    }
    if (all.mean != nullptr) {
        all.mean[i] = narrow<T>(static_cast<A>(mean));
    }
    if (all.variance != nullptr) {
        all.variance[i] = narrow<T>(static_cast<A>(variance));
    }
}

}  // namespace remat
