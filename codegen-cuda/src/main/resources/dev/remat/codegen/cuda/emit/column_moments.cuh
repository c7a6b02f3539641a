// needs: gemm.cuh normalization.cuh
// Moments of a product's columns, taken while its results are in shared memory.

namespace remat {

/// Leaves count, mean and sum of squared distances of each column in a tile's rows, of results as T, to be merged: as
/// Partial has them, one split for each tile of rows.
template <class T> struct ColumnMoments {
    float* numbers;
    u32 columns;  ///< of all batches
    u32 tiles;

    /// Of the rows that a thread has of one column, about the first of them.
    template <int COLUMNS, int THREADS> struct State {
        float count = 0, first = 0, sum = 0, squares = 0;
    };

    /// Adds what drain hands over in groups of V.
    template <int V, int ROWS, int BAND, int APART, int COLUMNS, int THREADS>
    __device__ __forceinline__ void absorb(State<COLUMNS, THREADS>& state, const float* staged, int stride,
                                           const GemmShape& shape, u32 m) const {
        static_assert(THREADS % COLUMNS == 0, "threads share columns evenly");
        const int column = StagedRow<COLUMNS, V>::at(threadIdx.x % COLUMNS);
#pragma unroll 4
        for (int from = threadIdx.x / COLUMNS; from < ROWS; from += THREADS / COLUMNS) {
            if (m + from / BAND * APART + from % BAND < shape.m) {
                const float x = rounded<T>(staged[from * stride + column]);
                state.first = state.count == 0 ? x : state.first;
                const float apart = x - state.first;
                state.count += 1;
                state.sum += apart;
                state.squares = math::fused(apart, apart, state.squares);
            }
        }
    }

    /// Stores those of a tile; `shared` has room for three numbers of each thread, which nobody needs any more.
    template <int COLUMNS, int THREADS>
    __device__ __forceinline__ void finish(const State<COLUMNS, THREADS>& state, float* shared, const GemmShape& shape,
                                           u32 batch, u32 tile, u32 n) const {
        typedef MomentsFold<float> Fold;
        constexpr int SHARING = THREADS / COLUMNS;
        const u32 column = threadIdx.x % COLUMNS;
        Fold::State own = Fold::empty();
        if (state.count > 0) {
            const float mean = state.sum / state.count;
            const float squares = math::fused(-mean, state.sum, state.squares);
            own = {{state.count, state.first + mean, squares > 0 ? squares : 0}};
        }
        if constexpr (SHARING > 1) {
            __syncthreads();
#pragma unroll
            for (int k = 0; k < 3; k++) {
                shared[k * THREADS + threadIdx.x] = own.at[k];
            }
            __syncthreads();
            if (threadIdx.x < COLUMNS) {
#pragma unroll
                for (int part = 1; part < SHARING; part++) {
                    Fold::State other;
#pragma unroll
                    for (int k = 0; k < 3; k++) {
                        other.at[k] = shared[k * THREADS + part * COLUMNS + column];
                    }
                    own = Fold::merge(own, other);
                }
            }
        }
        if (threadIdx.x < COLUMNS && n + column < shape.n) {
            const u64 at = static_cast<u64>(tile) * columns + batch * shape.n + n + column;
#pragma unroll
            for (int k = 0; k < 3; k++) {
                numbers[static_cast<u64>(k) * columns * tiles + at] = own.at[k];
            }
        }
    }
};

}  // namespace remat
