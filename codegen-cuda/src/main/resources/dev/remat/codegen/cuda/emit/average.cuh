// needs: optimizer.cuh
// Averages of parameters, moved once a step and in place.

namespace remat {

/// Exponential moving average of a parameter.
template <class P> struct Average {
    typedef typename Accumulator<P>::type A;
    const P* average;
    const P* parameter;
    P* newAverage;
    A keep, share;

    template <int V> __device__ __forceinline__ void run(u64 i) const {
        A a[V], p[V];
        load_wide(average + i, a);
        load_wide(parameter + i, p);
#pragma unroll
        for (int v = 0; v < V; v++) {
            a[v] = math::fused(keep, a[v], share * p[v]);
        }
        store_narrow(newAverage, i, a);
    }
};

/// Share of the old average in the new one: none after the first step.
__device__ __forceinline__ double average_keep(double decay, bool warmup, i64 step) {
    const double rising = (1.0 + static_cast<double>(step)) / (10.0 + static_cast<double>(step));
    return step <= 1 ? 0.0 : warmup && rising < decay ? rising : decay;
}

}  // namespace remat
