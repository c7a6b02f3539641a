// needs: block.cuh
// Softmax over rows, and the sum of exponentials that it shares with cross-entropy. Blocks have 256 threads.

namespace remat {

/// Maximum, sum of exp(x - maximum), sum of x.
template <class A> struct LogSumExp {
    typedef Numbers<A, 3> State;

    static __device__ __forceinline__ State empty() { return {{Least<A>::value(), A(0), A(0)}}; }

    /// What exponents are counted from: anything finite where nothing is above minus infinity.
    static __device__ __forceinline__ A origin(A maximum) { return maximum == Least<A>::value() ? A(0) : maximum; }

    /// Absorbs N values, minus infinity where there is none.
    template <int N> static __device__ __forceinline__ void absorb(State& state, const A (&x)[N]) {
        A maximum = state.at[0];
#pragma unroll
        for (int i = 0; i < N; i++) {
            maximum = math::larger(x[i], maximum);
        }
        const A from = origin(maximum);
        A sum = state.at[1] * math::exp_of_negative(state.at[0] - from);
#pragma unroll
        for (int i = 0; i < N; i++) {
            sum = sum + math::exp_of_negative(x[i] - from);
        }
        state.at[0] = maximum;
        state.at[1] = sum;
    }

    static __device__ __forceinline__ State merge(const State& a, const State& b) {
        const A maximum = a.at[0] > b.at[0] ? a.at[0] : b.at[0];
        const A from = origin(maximum);
        return {{maximum,
                 a.at[1] * math::exp_of_negative(a.at[0] - from) + b.at[1] * math::exp_of_negative(b.at[0] - from),
                 a.at[2] + b.at[2]}};
    }

    static __device__ __forceinline__ A value(const State& state) {
        return origin(state.at[0]) + math::log(state.at[1]);
    }
};

/// Absorbs up to U packs of a row that lie T packs apart.
template <int V, int T, int U, bool TOTAL, bool ALIGNED, bool LAST, class E, class A>
__device__ __forceinline__ void absorb_packs(const E* row, u32 first, u32 packs, Numbers<A, 3>& state) {
    Pack<E, V> loaded[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        if (!LAST || first + u * T < packs) {
            loaded[u] = load_dense<V, ALIGNED>(row + static_cast<u64>(first + u * T) * V);
        }
    }
    A x[U * V];
#pragma unroll
    for (int u = 0; u < U; u++) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            const bool present = !LAST || first + u * T < packs;
            x[u * V + v] = present ? wide(loaded[u], v) : Least<A>::value();
            if (TOTAL && present) {
                state.at[2] = state.at[2] + x[u * V + v];
            }
        }
    }
    LogSumExp<A>::absorb(state, x);
}

/// The log-sum-exp of a row by T neighbouring threads, in packs of V; all of them get it.
template <int V, int T, bool TOTAL, bool ALIGNED, class E>
__device__ __forceinline__ Numbers<typename Accumulator<E>::type, 3> fold_row(const E* row, u32 packs) {
    typedef typename Accumulator<E>::type A;
    const int U = V >= 4 ? 4 : 8;
    typename LogSumExp<A>::State state = LogSumExp<A>::empty();
    // The last round, which may lack packs, is none of the loop's.
    u32 first = threadIdx.x % T;
    for (; first + (U - 1) * T < packs; first += U * T) {
        absorb_packs<V, T, U, TOTAL, ALIGNED, false>(row, first, packs, state);
    }
    if (first < packs) {
        absorb_packs<V, T, U, TOTAL, ALIGNED, true>(row, first, packs, state);
    }
    return fold_threads<LogSumExp<A>, T, 256>(state);
}

/// Rows that T threads hold in registers, ITEMS packs of V each: one read, one write.
template <int V, int ITEMS, int T, bool LOG, bool ALIGNED, class E>
__device__ __forceinline__ void softmax_held(const E* x, E* y, u64 rows, u32 packs) {
    typedef typename Accumulator<E>::type A;
    const u64 row = static_cast<u64>(blockIdx.x) * (256 / T) + threadIdx.x / T;
    const u64 first = row * packs;
    const u32 lane = threadIdx.x % T;
    const u32 held = row < rows ? packs : 0;
    A values[ITEMS][V];
    A maximum = Least<A>::value();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (lane + i * T < held) {
            const Pack<E, V> pack = load_dense<V, ALIGNED>(x + (first + lane + i * T) * V);
#pragma unroll
            for (int v = 0; v < V; v++) {
                values[i][v] = wide(pack, v);
                // A NaN is left to the sum, which it will reach.
                maximum = math::larger(values[i][v], maximum);
            }
        }
    }
    maximum = max_threads<T, 256>(maximum);
    A sum = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (lane + i * T < held) {
#pragma unroll
            for (int v = 0; v < V; v++) {
                const A e = math::exp_of_negative(values[i][v] - maximum);
                values[i][v] = LOG ? values[i][v] - maximum : e;
                sum = sum + e;
            }
        }
    }
    sum = sum_threads<T, 256>(sum);
    const A last = LOG ? math::log(sum) : A(1) / sum;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (lane + i * T < held) {
            Pack<E, V> pack;
#pragma unroll
            for (int v = 0; v < V; v++) {
                pack.at[v] = narrow<E>(LOG ? values[i][v] - last : values[i][v] * last);
            }
            store_global(y + (first + lane + i * T) * V, pack);
        }
    }
}

/// Rows of any length, a block each: they are read twice.
template <int V, bool LOG, bool ALIGNED, class E>
__device__ __forceinline__ void softmax_streamed(const E* x, E* y, u32 packs) {
    typedef typename Accumulator<E>::type A;
    const u64 first = static_cast<u64>(blockIdx.x) * packs * V;
    const typename LogSumExp<A>::State state = fold_row<V, 256, false, ALIGNED>(x + first, packs);
    const A maximum = state.at[0];
    const A last = LOG ? math::log(state.at[1]) : A(1) / state.at[1];
#pragma unroll 4
    for (u32 i = threadIdx.x; i < packs; i += 256) {
        Pack<E, V> pack = load_dense<V, ALIGNED>(x + first + static_cast<u64>(i) * V);
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A centered = wide(pack, v) - maximum;
            pack.at[v] = narrow<E>(LOG ? centered - last : math::exp_of_negative(centered) * last);
        }
        store_global(y + first + static_cast<u64>(i) * V, pack);
    }
}

}  // namespace remat
