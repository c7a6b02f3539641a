// needs: optimizer.cuh
// Adafactor's change of a parameter, once the estimate of squares and the size of the step are known.

namespace remat {

/// `rows` and `columns` are factors of the estimate; without columns it is `rows`, of the parameter's shape. `size`
/// holds the gradient's factor, `shrink` is the weight decay times the rate.
template <class P, class G> struct Adafactor {
    typedef typename Accumulator<P>::type A;
    const P* parameter;
    const G* gradient;
    const P* rows;
    const P* columns;
    u64 height, width;
    P* newParameter;
    A size, shrink, epsilon;

    template <int V> __device__ __forceinline__ void run(u64 i) const {
        A p[V], g[V], e[V];
        load_wide(parameter + i, p);
        load_wide(gradient + i, g);
        if (columns == nullptr) {
            load_wide(rows + i, e);
        } else {
            u64 row = i / width;
            u64 column = i - row * width;
#pragma unroll
            for (int v = 0; v < V; v++) {
                e[v] = static_cast<A>(widen(rows[row])) *
                       static_cast<A>(widen(columns[row / height * width + column]));
                column++;
                if (column == width) {
                    column = 0;
                    row++;
                }
            }
        }
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A root = math::max(math::sqrt(e[v]), epsilon);
            p[v] = math::fused(-shrink, p[v], p[v]) - size * g[v] / root;
        }
        store_narrow(newParameter, i, p);
    }
};

}  // namespace remat
