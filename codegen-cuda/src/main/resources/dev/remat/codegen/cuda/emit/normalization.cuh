// needs: reduce.cuh
// Statistics of normalization, and its gradient where gamma has one number for each of them.

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
template <class E, bool ALIGNED> struct Elements {
    const E* from;

    template <int V, class A> __device__ __forceinline__ void load(u64 index, A (&values)[V]) const {
        const Pack<E, V> pack = load_dense<V, ALIGNED>(from + index);
#pragma unroll
        for (int v = 0; v < V; v++) {
            values[v] = wide(pack, v);
        }
    }
};

/// Squares of elements.
template <class E, bool ALIGNED> struct Squares {
    const E* from;

    template <int V, class A> __device__ __forceinline__ void load(u64 index, A (&values)[V]) const {
        const Pack<E, V> pack = load_dense<V, ALIGNED>(from + index);
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A x = wide(pack, v);
            values[v] = x * x;
        }
    }
};

/// Writes mean and biased variance of the `count` elements behind each; a null pointer where nobody reads them.
template <class A> struct Moments {
    A* mean;
    A* variance;
    A count;

    template <int V, class State>
    __device__ __forceinline__ void store(u64 index, u32, const State (&states)[V]) const {
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

/// Statistics of rows that T threads hold in registers, ITEMS packs of V each: the mean first, then the distances from
/// it. Not centered it is the mean square alone.
template <int V, int ITEMS, int T, bool CENTERED, bool ALIGNED, class E, class A>
__device__ __forceinline__ void row_moments(const E* x, A* mean, A* variance, u64 rows, u32 packs) {
    const u64 row = static_cast<u64>(blockIdx.x) * (256 / T) + threadIdx.x / T;
    const u32 lane = threadIdx.x % T;
    const u32 held = row < rows ? packs : 0;
    const A count = static_cast<A>(packs) * A(V);
    Pack<E, V> values[ITEMS];
    A sum = 0;
    // Where a row has no more packs there are zeros, which change no sum.
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        values[i] = {};
        if (lane + i * T < held) {
            values[i] = load_dense<V, ALIGNED>(x + (row * packs + lane + i * T) * V);
        }
    }
#pragma unroll
    for (int i = 0; CENTERED && i < ITEMS; i++) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            sum = sum + wide(values[i], v);
        }
    }
    const A center = CENTERED ? sum_threads<T, 256>(sum) / count : A(0);
    A squares = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A apart = lane + i * T < held ? wide(values[i], v) - center : A(0);
            squares = math::fused(apart, apart, squares);
        }
    }
    squares = sum_threads<T, 256>(squares);
    if (lane == 0 && row < rows) {
        if (CENTERED && mean != nullptr) {
            mean[row] = center;
        }
        if (variance != nullptr) {
            variance[row] = squares / count;
        }
    }
}

/// dy and the normalized x of one element.
template <class A> struct Along {
    A dy;
    A h;
};

/// Sums dy, and its product with the normalized x.
template <class A> struct AlongFold {
    typedef Numbers<A, 2> State;
    static __device__ __forceinline__ State empty() { return {{A(0), A(0)}}; }
    static __device__ __forceinline__ void absorb(State& state, const Along<A>& x) {
        state.at[0] = state.at[0] + x.dy;
        state.at[1] = math::fused(x.dy, x.h, state.at[1]);
    }
    static __device__ __forceinline__ State merge(const State& a, const State& b) {
        return {{a.at[0] + b.at[0], a.at[1] + b.at[1]}};
    }
};

/// Inputs that give dy and x, with statistics for each output of the fold; no mean where not centered.
template <class Gradient, class X, class A> struct Normalized {
    Gradient dy;
    X x;
    const A* mean;
    const A* variance;
    A epsilon;
};

template <class Gradient, class X, class A>
__device__ __forceinline__ Normalized<Gradient, X, A> normalized(const Gradient& dy, const X& x, const A* mean,
                                                                 const A* variance, A epsilon) {
    return {dy, x, mean, variance, epsilon};
}

/// The same for N neighbouring outputs.
template <class Gradient, class X, class A, int N> struct NormalizedBy {
    Gradient dy;
    const X& x;
    A mean[N];
    A root[N];

    template <int V> __device__ __forceinline__ void load(u64 index, Along<A> (&values)[V]) const {
        A gradients[V];
        A elements[V];
        dy.template load<V>(index, gradients);
        x.template load<V>(index, elements);
#pragma unroll
        for (int v = 0; v < V; v++) {
            const int n = N == 1 ? 0 : v;
            values[v] = {gradients[v], (elements[v] - mean[n]) * root[n]};
        }
    }
};

template <int V, class Gradient, class X, class A>
__device__ __forceinline__ auto input_of(const Normalized<Gradient, X, A>& input, u64 index) {
    typedef decltype(input_of<V>(input.dy, index)) Own;
    NormalizedBy<Own, X, A, V> by = {input_of<V>(input.dy, index), input.x, {}, {}};
#pragma unroll
    for (int v = 0; v < V; v++) {
        by.mean[v] = input.mean == nullptr ? 0 : input.mean[index + v];
        by.root[v] = math::rsqrt(input.variance[index + v] + input.epsilon);
    }
    return by;
}

/// Writes dgamma and dbeta where wanted, a, b and c of dx = a·dy + b·(x - mean) + c, and the reciprocal root.
template <class G, class A> struct ChannelGradient {
    A* dgamma;
    A* dbeta;
    A* coefficients;
    const A* variance;
    const G* gamma;
    A epsilon;
    A count;
    u64 channels;
    bool centered;

    template <int V, class State>
    __device__ __forceinline__ void store(u64 index, u32, const State (&states)[V]) const {
#pragma unroll
        for (int v = 0; v < V; v++) {
            const u64 i = index + v;
            const A root = math::rsqrt(variance[i] + epsilon);
            const A slope = static_cast<A>(widen(gamma[i])) * root;
            if (dgamma != nullptr) {
                dgamma[i] = states[v].at[1];
            }
            if (dbeta != nullptr) {
                dbeta[i] = states[v].at[0];
            }
            coefficients[i] = slope;
            coefficients[channels + i] = -slope * root * (states[v].at[1] / count);
            coefficients[2 * channels + i] = centered ? -slope * (states[v].at[0] / count) : A(0);
            coefficients[3 * channels + i] = root;
        }
    }
};

}  // namespace remat
