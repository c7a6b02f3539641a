// needs: normalization.cuh
// Gradient of layer and RMS normalization: dy and x are read once, and each thread sums its columns over many rows.

namespace remat {

/// Rows of `packs` packs of V, each by T threads that hold ITEMS packs; block b takes the groups of 256 / T rows b,
/// b + gridDim.x, …. Hands dx to the output; the sums over rows go to `partial`: dy, then dy·h, each [gridDim.x, width].
template <int V, int ITEMS, int T, bool SCALED, bool ALIGNED, class E, class G, class A, class Output>
__device__ __forceinline__ void layer_gradient(const E* dy, const E* x, const A* mean, const A* variance,
                                               const G* gamma, const Output& dx, A* partial, u64 rows, u32 packs,
                                               A epsilon) {
    const int R = 256 / T;
    const u32 lane = threadIdx.x % T;
    const u32 group = threadIdx.x / T;
    const A width = static_cast<A>(packs * V);
    A scale[ITEMS][V];
    Numbers<A, 2> sums[ITEMS][V];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            scale[i][v] = A(1);
            sums[i][v] = {{A(0), A(0)}};
            if (SCALED && lane + i * T < packs) {
                scale[i][v] = static_cast<A>(widen(gamma[(lane + i * T) * V + v]));
            }
        }
    }
    for (u64 first = static_cast<u64>(blockIdx.x) * R; first < rows; first += static_cast<u64>(gridDim.x) * R) {
        const u64 row = first + group;
        const u32 held = row < rows ? packs : 0;
        const u64 offset = row * packs * V;
        Pack<E, V> gradients[ITEMS], elements[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if (lane + i * T < held) {
                gradients[i] = load_dense<V, ALIGNED>(dy + offset + (lane + i * T) * V);
                elements[i] = load_dense<V, ALIGNED>(x + offset + (lane + i * T) * V);
            }
        }
        const A center = mean != nullptr && row < rows ? mean[row] : A(0);
        const A root = math::rsqrt((row < rows ? variance[row] : A(1)) + epsilon);
        Numbers<A, 2> along = {{A(0), A(0)}};
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if (lane + i * T < held) {
#pragma unroll
                for (int v = 0; v < V; v++) {
                    const A d = wide(gradients[i], v);
                    const A h = (wide(elements[i], v) - center) * root;
                    const A g = d * scale[i][v];
                    along.at[0] = along.at[0] + g;
                    along.at[1] = math::fused(g, h, along.at[1]);
                    sums[i][v].at[0] = sums[i][v].at[0] + d;
                    sums[i][v].at[1] = math::fused(d, h, sums[i][v].at[1]);
                }
            }
        }
        along = fold_threads<AlongFold<A>, T, 256>(along);
        const A meanG = mean != nullptr ? along.at[0] / width : A(0);
        const A meanGh = along.at[1] / width;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            A result[V];
#pragma unroll
            for (int v = 0; v < V; v++) {
                const A h = (wide(elements[i], v) - center) * root;
                const A g = wide(gradients[i], v) * scale[i][v];
                result[v] = root * (g - meanG - h * meanGh);
            }
            const bool there = lane + i * T < held;
            const u64 index = there ? offset + (lane + i * T) * V : 0;
            const auto at = static_cast<typename Output::Index>(index);
            dx.template store<V>(at, result, dx.template load<V>(at), there);
        }
    }
    if constexpr (SCALED) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if constexpr (R > 1) {
                fold_columns<AlongFold<A>, V, T, R>(sums[i]);
                __syncthreads();
            }
            if (group == 0 && lane + i * T < packs) {
                const Partial<Numbers<A, 2>, false> to = {partial, static_cast<u64>(packs) * V, gridDim.x};
                to.template store<V>((lane + i * T) * V, blockIdx.x, sums[i]);
            }
        }
    }
}

/// Writes the sums over rows as dbeta and dgamma where wanted.
template <class A> struct AffineGradient {
    A* dgamma;
    A* dbeta;

    template <int V, class State>
    __device__ __forceinline__ void store(u64 index, u32, const State (&states)[V]) const {
        Pack<A, V> shift, scale;
#pragma unroll
        for (int v = 0; v < V; v++) {
            shift.at[v] = states[v].at[0];
            scale.at[v] = states[v].at[1];
        }
        if (dbeta != nullptr) {
            store_pack(dbeta + index, shift);
        }
        if (dgamma != nullptr) {
            store_pack(dgamma + index, scale);
        }
    }
};

}  // namespace remat
