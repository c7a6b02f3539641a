// needs: block.cuh
// Folds that are seldom used.

namespace remat {

template <class A> struct Greatest;
template <> struct Greatest<float> {
    static __device__ __forceinline__ float value() { return __uint_as_float(0x7F800000u); }
};
template <> struct Greatest<double> {
    static __device__ __forceinline__ double value() { return __longlong_as_double(0x7FF0000000000000ll); }
};
template <> struct Greatest<i32> {
    static __device__ __forceinline__ i32 value() { return 2147483647; }
};
template <> struct Greatest<i64> {
    static __device__ __forceinline__ i64 value() { return 9223372036854775807ll; }
};

/// A minimum; NaN if any is.
template <class A> struct MinFold {
    typedef Numbers<A, 1> State;
    static __device__ __forceinline__ State empty() { return {{Greatest<A>::value()}}; }
    static __device__ __forceinline__ void absorb(State& state, A x) { state.at[0] = math::min(state.at[0], x); }
    static __device__ __forceinline__ State merge(const State& a, const State& b) {
        return {{math::min(a.at[0], b.at[0])}};
    }
};

/// A product.
template <class A> struct ProductFold {
    typedef Numbers<A, 1> State;
    static __device__ __forceinline__ State empty() { return {{A(1)}}; }
    static __device__ __forceinline__ void absorb(State& state, A x) { state.at[0] = state.at[0] * x; }
    static __device__ __forceinline__ State merge(const State& a, const State& b) { return {{a.at[0] * b.at[0]}}; }
};

}  // namespace remat
