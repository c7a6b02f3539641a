// needs: block.cuh
// Folds over any axes. What is kept and what is folded are walked separately, each in mixed radix.

namespace remat {

/// From a number to an offset: coordinates, innermost first, times strides.
template <class Index, int L> struct Walk {
    Index extents[L];
    u64 magics[L];
    Index strides[L];

    __device__ __forceinline__ Index operator()(Index i) const {
        Index at = 0;
#pragma unroll
        for (int l = 0; l < L - 1; l++) {
            const Index next = quotient(i, magics[l]);
            at += (i - next * extents[l]) * strides[l];
            i = next;
        }
        return at + i * strides[L - 1];
    }
};

/// Writes a folded number as a T.
template <class T> struct Folded {
    typedef typename Accumulator<T>::type A;
    T* to;

    template <int V, class State>
    __device__ __forceinline__ void store(u64 index, u32, const State (&states)[V]) const {
        Pack<T, V> pack;
#pragma unroll
        for (int v = 0; v < V; v++) {
            pack.at[v] = narrow<T>(states[v].at[0]);
        }
        store_pack(to + index, pack);
    }
};

/// Writes a sum over count elements as their mean.
template <class T> struct FoldedMean {
    typedef typename Accumulator<T>::type A;
    T* to;
    A count;

    template <int V, class State>
    __device__ __forceinline__ void store(u64 index, u32, const State (&states)[V]) const {
        Pack<T, V> pack;
#pragma unroll
        for (int v = 0; v < V; v++) {
            pack.at[v] = narrow<T>(states[v].at[0] / count);
        }
        store_pack(to + index, pack);
    }
};

/// What each split of a fold has come to, as the second pass reads it: beside each other where it folds rows.
template <class State, bool ROWS> struct Partial {
    typename State::Number* numbers;
    u64 outputs;
    u32 splits;

    template <int V> __device__ __forceinline__ void store(u64 index, u32 split, const State (&states)[V]) const {
        const u64 at = ROWS ? index * splits + split : split * outputs + index;
#pragma unroll
        for (int k = 0; k < State::COUNT; k++) {
            Pack<typename State::Number, V> pack;
#pragma unroll
            for (int v = 0; v < V; v++) {
                pack.at[v] = states[v].at[k];
            }
            store_global(numbers + k * outputs * splits + at, pack);
        }
    }

    template <int V> __device__ __forceinline__ void load(u64 index, State (&states)[V]) const {
#pragma unroll
        for (int k = 0; k < State::COUNT; k++) {
            const Pack<typename State::Number, V> pack = load_pack<V>(numbers + k * outputs * splits + index);
#pragma unroll
            for (int v = 0; v < V; v++) {
                states[v].at[k] = pack.at[v];
            }
        }
    }
};

/// The input of a fold as it is for output `index`; most do not depend on it.
template <int V, class Input> __device__ __forceinline__ const Input& input_of(const Input& input, u64 index) {
    return input;
}

/// A generated input that loads once what depends on a row's columns alone, where these are the outputs.
template <class Body> struct ByColumns {
    Body body;
};

template <class Body, int N> struct OfColumns {
    const Body& body;
    typename Body::template Columns<N> columns;

    template <int V, class A> __device__ __forceinline__ void load(u64 index, A (&values)[V]) const {
        body.template load<V>(index, columns, values);
    }
};

template <int V, class Body>
__device__ __forceinline__ OfColumns<Body, V> input_of(const ByColumns<Body>& input, u64 index) {
    return {input.body, input.body.template columns_of<V>(static_cast<typename Body::Index>(index))};
}

/// Folds states of V neighbouring outputs over the Y rows of threads of a block; the threads of row 0 get the result.
template <class Fold, int V, int X, int Y>
__device__ __forceinline__ void fold_columns(typename Fold::State (&states)[V]) {
    typedef typename Fold::State State;
    __shared__ typename State::Number shared[State::COUNT][Y][V][X];
    const u32 x = threadIdx.x % X;
    const u32 y = threadIdx.x / X;
#pragma unroll
    for (int half = Y / 2; half > 0; half /= 2) {
        if (y >= half && y < 2 * half) {
#pragma unroll
            for (int k = 0; k < State::COUNT; k++) {
#pragma unroll
                for (int v = 0; v < V; v++) {
                    shared[k][y][v][x] = states[v].at[k];
                }
            }
        }
        __syncthreads();
        if (y < half) {
#pragma unroll
            for (int v = 0; v < V; v++) {
                State other;
#pragma unroll
                for (int k = 0; k < State::COUNT; k++) {
                    other.at[k] = shared[k][y + half][v][x];
                }
                states[v] = Fold::merge(states[v], other);
            }
        }
    }
}

/// Folds `count` groups for each of `kept` outputs or groups of them, with blocks of 256 threads. ROWS: the V elements
/// of a group are neighbours on a folded axis, and 256 / X threads share an output; else they are neighbouring outputs.
/// Each of `splits` blocks folds `chunk` groups.
template <class Fold, int V, bool ROWS, int X, class Element, class Index, class Kept, class Reduced, class Input,
          class Output>
__device__ __forceinline__ void reduce(const Input& input, const Output& output, Index kept, const Kept& place,
                                       Index count, const Reduced& walk, Index chunk, u32 splits) {
    typedef typename Fold::State State;
    const int Y = 256 / X;
    const int U = 4;
    const u32 split = blockIdx.x % splits;
    const u32 x = ROWS ? threadIdx.x / Y : threadIdx.x % X;
    const u32 y = ROWS ? threadIdx.x % Y : threadIdx.x / X;
    const Index o = static_cast<Index>(blockIdx.x / splits) * X + x;
    State states[V];
#pragma unroll
    for (int v = 0; v < V; v++) {
        states[v] = Fold::empty();
    }
    if (o < kept) {
        const Index base = place(o);
        const auto& from = input_of<ROWS ? 1 : V>(input, static_cast<u64>(o) * (ROWS ? 1 : V));
        const Index begin = static_cast<Index>(split) * chunk;
        const Index end = count - begin < chunk ? count : begin + chunk;
        for (Index r = begin + y; r < end; r += U * Y) {
            Element elements[U][V];
#pragma unroll
            for (int u = 0; u < U; u++) {
                if (r + u * Y < end) {
                    from.template load<V>(base + walk(r + u * Y), elements[u]);
                }
            }
#pragma unroll
            for (int u = 0; u < U; u++) {
                if (r + u * Y < end) {
#pragma unroll
                    for (int v = 0; v < V; v++) {
                        Fold::absorb(states[v], elements[u][v]);
                    }
                }
            }
        }
    }
    if constexpr (ROWS) {
#pragma unroll
        for (int v = 1; v < V; v++) {
            states[0] = Fold::merge(states[0], states[v]);
        }
        const State result[1] = {fold_threads<Fold, Y, 256>(states[0])};
        if (o < kept && y == 0) {
            output.template store<1>(o, split, result);
        }
    } else {
        fold_columns<Fold, V, X, Y>(states);
        if (o < kept && y == 0) {
            output.template store<V>(static_cast<u64>(o) * V, split, states);
        }
    }
}

}  // namespace remat
