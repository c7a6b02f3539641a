// needs: optimizer.cuh
// Variants of Adam.

namespace remat {

enum class Variant { AMSGRAD, NADAM, RADAM, ADAMAX };

/// AMSGrad, NAdam, RAdam or Adamax; `pull` is the weight decay that joins the gradient, `shrink` the decoupled one times
/// the rate. Only AMSGrad has the largest squares; sizes that a kind lacks are 0.
template <Variant K, class P, class G> struct AdamVariant {
    typedef typename Accumulator<P>::type A;
    const P* parameter;
    const G* gradient;
    const P* first;
    const P* second;
    const P* largest;
    P* newParameter;
    P* newFirst;
    P* newSecond;
    P* newLargest;
    A factor, pull, shrink, beta1, rest1, beta2, rest2, epsilon;
    A size0, size1, size2;

    template <int V> __device__ __forceinline__ void run(u64 i) const {
        A p[V], g[V], m[V], s[V], l[V];
        load_wide(parameter + i, p);
        load_wide(gradient + i, g);
        load_wide(first + i, m);
        load_wide(second + i, s);
        if (K == Variant::AMSGRAD) {
            load_wide(largest + i, l);
        }
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A slope = math::fused(pull, p[v], factor * g[v]);
            m[v] = math::fused(beta1, m[v], rest1 * slope);
            A change;
            if (K == Variant::ADAMAX) {
                s[v] = math::max(beta2 * s[v], (slope < A(0) ? -slope : slope) + epsilon);
                change = size0 * m[v] / s[v];
            } else {
                s[v] = math::fused(beta2, s[v], rest2 * slope * slope);
                if (K == Variant::AMSGRAD) {
                    l[v] = math::max(l[v], s[v]);
                    change = size0 * m[v] / (math::sqrt(size1 * l[v]) + epsilon);
                } else if (K == Variant::NADAM) {
                    change = math::fused(size0, slope, size1 * m[v]) / (math::sqrt(size2 * s[v]) + epsilon);
                } else {
                    change = math::fused(size0, m[v], size1 * m[v] / (math::sqrt(s[v]) + epsilon));
                }
            }
            p[v] = math::fused(-shrink, p[v], p[v]) - change;
        }
        store_narrow(newParameter, i, p);
        store_narrow(newFirst, i, m);
        store_narrow(newSecond, i, s);
        if (K == Variant::AMSGRAD) {
            store_narrow(newLargest, i, l);
        }
    }
};

}  // namespace remat
