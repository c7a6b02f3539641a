// needs: reduce.cuh
// Statistics of normalization.

namespace remat {

/// Count, mean and sum of squared distances from it (Welford, 1962; Chan, Golub and LeVeque, 1983).
template <class A> struct MomentsFold {
    typedef Numbers<A, 3> State;

    static __device__ __forceinline__ State empty() { return {{A(0), A(0), A(0)}}; }

    static __device__ __forceinline__ void absorb(State& state, A x) {
        state.at[0] = state.at[0] + A(1);
        const A before = x - state.at[1];
        state.at[1] = math::fused(before, A(1) / state.at[0], state.at[1]);
        state.at[2] = math::fused(before, x - state.at[1], state.at[2]);
    }

    static __device__ __forceinline__ State merge(const State& a, const State& b) {
        const A count = a.at[0] + b.at[0];
        const A share = count == A(0) ? A(0) : b.at[0] / count;
        const A apart = b.at[1] - a.at[1];
        return {{count, math::fused(apart, share, a.at[1]),
                 math::fused(apart * apart, a.at[0] * share, a.at[2] + b.at[2])}};
    }
};

/// Elements as they lie in memory.
template <class E> struct Elements {
    const E* from;

    template <int V, class A> __device__ __forceinline__ void load(u64 index, A (&values)[V]) const {
        const Pack<E, V> pack = load_pack<V>(from + index);
#pragma unroll
        for (int v = 0; v < V; v++) {
            values[v] = widen(pack.at[v]);
        }
    }
};

/// Squares of elements.
template <class E> struct Squares {
    const E* from;

    template <int V, class A> __device__ __forceinline__ void load(u64 index, A (&values)[V]) const {
        const Pack<E, V> pack = load_pack<V>(from + index);
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A x = widen(pack.at[v]);
            values[v] = x * x;
        }
    }
};

/// Writes mean and biased variance of the `count` elements behind each; a null pointer where nobody reads them.
template <class A> struct Moments {
    A* mean;
    A* variance;
    A count;

    template <int V, class State> __device__ __forceinline__ void store(u64 index, u32, const State (&states)[V]) const {
        Pack<A, V> first, second;
#pragma unroll
        for (int v = 0; v < V; v++) {
            first.at[v] = states[v].at[1];
            second.at[v] = states[v].at[2] / count;
        }
        if (mean != nullptr) {
            store_pack(mean + index, first);
        }
        if (variance != nullptr) {
            store_pack(variance + index, second);
        }
    }
};

}  // namespace remat
