// needs: optimizer.cuh
// Lion, Adagrad and RMSprop.

namespace remat {

/// Lion; `shrink` is the weight decay times the rate.
template <class P, class G> struct Lion {
    typedef typename Accumulator<P>::type A;
    const P* parameter;
    const G* gradient;
    const P* first;
    P* newParameter;
    P* newFirst;
    A factor, rate, shrink, beta1, rest1, beta2, rest2;

    template <int V> __device__ __forceinline__ void run(u64 i) const {
        A p[V], g[V], m[V];
        load_wide(parameter + i, p);
        load_wide(gradient + i, g);
        load_wide(first + i, m);
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A slope = factor * g[v];
            const A way = math::fused(beta1, m[v], rest1 * slope);
            const A sign = way > A(0) ? A(1) : way < A(0) ? A(-1) : way;
            p[v] = math::fused(-shrink, p[v], p[v]) - rate * sign;
            m[v] = math::fused(beta2, m[v], rest2 * slope);
        }
        store_narrow(newParameter, i, p);
        store_narrow(newFirst, i, m);
    }
};

/// Adagrad.
template <class P, class G> struct Adagrad {
    typedef typename Accumulator<P>::type A;
    const P* parameter;
    const G* gradient;
    const P* sum;
    P* newParameter;
    P* newSum;
    A factor, rate, weightDecay, epsilon;

    template <int V> __device__ __forceinline__ void run(u64 i) const {
        A p[V], g[V], s[V];
        load_wide(parameter + i, p);
        load_wide(gradient + i, g);
        load_wide(sum + i, s);
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A slope = math::fused(weightDecay, p[v], factor * g[v]);
            s[v] = math::fused(slope, slope, s[v]);
            p[v] -= rate * slope / (math::sqrt(s[v]) + epsilon);
        }
        store_narrow(newParameter, i, p);
        store_narrow(newSum, i, s);
    }
};

/// The rate of Adagrad, which its own decay slows down.
template <class A> __device__ __forceinline__ A slowed_rate(double rate, double decay, i64 step) {
    return static_cast<A>(rate / (1.0 + static_cast<double>(step - 1) * decay));
}

/// RMSprop; without an average of gradients or a velocity its pointer is null.
template <class P, class G> struct RmsProp {
    typedef typename Accumulator<P>::type A;
    const P* parameter;
    const G* gradient;
    const P* squares;
    const P* average;
    const P* velocity;
    P* newParameter;
    P* newSquares;
    P* newAverage;
    P* newVelocity;
    A rate, factor, alpha, rest, epsilon, weightDecay, momentum;

    template <int V> __device__ __forceinline__ void run(u64 i) const {
        A p[V], g[V], s[V], a[V], m[V];
        load_wide(parameter + i, p);
        load_wide(gradient + i, g);
        load_wide(squares + i, s);
        if (average != nullptr) {
            load_wide(average + i, a);
        }
        if (velocity != nullptr) {
            load_wide(velocity + i, m);
        }
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A slope = math::fused(weightDecay, p[v], factor * g[v]);
            s[v] = math::fused(alpha, s[v], rest * slope * slope);
            A spread = s[v];
            if (average != nullptr) {
                a[v] = math::fused(alpha, a[v], rest * slope);
                spread = math::fused(-a[v], a[v], spread);
            }
            A direction = slope / (math::sqrt(spread) + epsilon);
            if (velocity != nullptr) {
                m[v] = math::fused(momentum, m[v], direction);
                direction = m[v];
            }
            p[v] = math::fused(-rate, direction, p[v]);
        }
        store_narrow(newParameter, i, p);
        store_narrow(newSquares, i, s);
        if (average != nullptr) {
            store_narrow(newAverage, i, a);
        }
        if (velocity != nullptr) {
            store_narrow(newVelocity, i, m);
        }
    }
};

}  // namespace remat
