// needs: math.cuh
// What threads know in common: folds over the lanes of a warp and the threads of a block, in a fixed order.
//
// A fold has a State of a few numbers of one type, empty(), absorb(State&, element) and merge(State, State).

namespace remat {

/// N neighbours of a dense tensor; one by one where it begins at an odd place, as slices of others may.
template <int N, bool ALIGNED, class E> __device__ __forceinline__ Pack<E, N> load_dense(const E* from) {
    if constexpr (ALIGNED) {
        return load_pack<N>(from);
    } else {
        Pack<E, N> pack;
#pragma unroll
        for (int i = 0; i < N; i++) {
            pack.at[i] = from[i];
        }
        return pack;
    }
}

/// N numbers that are folded together.
template <class A, int N> struct Numbers {
    typedef A Number;
    static const int COUNT = N;
    A at[N];
};

/// A sum.
template <class A> struct SumFold {
    typedef Numbers<A, 1> State;
    static __device__ __forceinline__ State empty() { return {{A(0)}}; }
    static __device__ __forceinline__ void absorb(State& state, A x) { state.at[0] = state.at[0] + x; }
    static __device__ __forceinline__ State merge(const State& a, const State& b) { return {{a.at[0] + b.at[0]}}; }
};

template <class A> struct Least;
template <> struct Least<float> {
    static __device__ __forceinline__ float value() { return __uint_as_float(0xFF800000u); }
};
template <> struct Least<double> {
    static __device__ __forceinline__ double value() { return -__longlong_as_double(0x7FF0000000000000ll); }
};
template <> struct Least<i32> {
    static __device__ __forceinline__ i32 value() { return -2147483647 - 1; }
};
template <> struct Least<i64> {
    static __device__ __forceinline__ i64 value() { return -9223372036854775807ll - 1; }
};

/// A maximum; NaN if any is.
template <class A> struct MaxFold {
    typedef Numbers<A, 1> State;
    static __device__ __forceinline__ State empty() { return {{Least<A>::value()}}; }
    static __device__ __forceinline__ void absorb(State& state, A x) { state.at[0] = math::max(state.at[0], x); }
    static __device__ __forceinline__ State merge(const State& a, const State& b) {
        return {{math::max(a.at[0], b.at[0])}};
    }
};

/// Folds what another pass has folded in parts.
template <class Fold> struct Merged {
    typedef typename Fold::State State;
    static __device__ __forceinline__ State empty() { return Fold::empty(); }
    static __device__ __forceinline__ void absorb(State& state, const State& part) { state = Fold::merge(state, part); }
    static __device__ __forceinline__ State merge(const State& a, const State& b) { return Fold::merge(a, b); }
};

/// Folds T neighbouring lanes of a whole warp, T a power of two; each of them gets the result.
template <class Fold, int T> __device__ __forceinline__ typename Fold::State fold_lanes(typename Fold::State state) {
    typedef typename Fold::State State;
    const u32 lane = threadIdx.x & 31;
#pragma unroll
    for (int mask = 1; mask < T; mask *= 2) {
        State other;
#pragma unroll
        for (int k = 0; k < State::COUNT; k++) {
            other.at[k] = __shfl_xor_sync(0xFFFFFFFFu, state.at[k], mask);
        }
        state = (lane & mask) == 0 ? Fold::merge(state, other) : Fold::merge(other, state);
    }
    return state;
}

/// Folds groups of T neighbouring threads in a block of THREADS, both powers of two from 32 on; each gets the result.
/// All threads of the block must call it.
template <class Fold, int T, int THREADS>
__device__ __forceinline__ typename Fold::State fold_threads(typename Fold::State state) {
    typedef typename Fold::State State;
    if constexpr (T <= 32) {
        return fold_lanes<Fold, T>(state);
    } else {
        __shared__ typename State::Number parts[State::COUNT][THREADS / 32];
        state = fold_lanes<Fold, 32>(state);
        __syncthreads();
        if ((threadIdx.x & 31) == 0) {
#pragma unroll
            for (int k = 0; k < State::COUNT; k++) {
                parts[k][threadIdx.x / 32] = state.at[k];
            }
        }
        __syncthreads();
        const u32 first = threadIdx.x / T * (T / 32);
        State part;
#pragma unroll
        for (int k = 0; k < State::COUNT; k++) {
            part.at[k] = parts[k][first + threadIdx.x % (T / 32)];
        }
        return fold_lanes<Fold, T / 32>(part);
    }
}

/// Sum of x over groups of T threads; as fold_threads.
template <int T, int THREADS, class A> __device__ __forceinline__ A sum_threads(A x) {
    return fold_threads<SumFold<A>, T, THREADS>({{x}}).at[0];
}

/// Largest x in groups of T threads; as fold_threads.
template <int T, int THREADS, class A> __device__ __forceinline__ A max_threads(A x) {
    return fold_threads<MaxFold<A>, T, THREADS>({{x}}).at[0];
}

}  // namespace remat
