// needs: attention.cuh
// What attention on tensor cores is made of: tiles of 16-bit rows in shared memory, and their products by warps. Depth
// and width are filled up with zeros to multiples of 16. A warp owns 16·M rows.

namespace remat {

constexpr float LOG2_E = 1.44269504f;
constexpr float LN_2 = 0.693147181f;

/// Elements from row to row in shared memory: the eight rows of a matrix fragment lie in different banks.
template <int COLUMNS> constexpr int PITCH_16 = COLUMNS + 8;

/// Starts copies of ROWS rows, zeros where there are none. ALIGNED rows lie densely, in whole 16 bytes.
template <int THREADS, int ROWS, int COLUMNS, bool ALIGNED, class T>
__device__ __forceinline__ void fetch_rows(const Heads<T>& from, u32 row, u32 rows, u32 columns, T* to) {
    constexpr u32 CHUNKS = COLUMNS / 8;
    constexpr u32 ROUNDS = (ROWS * CHUNKS + THREADS - 1) / THREADS;
#pragma unroll
    for (u32 round = 0; round < ROUNDS; round++) {
        const u32 i = threadIdx.x + round * THREADS;
        if (ROUNDS * THREADS > ROWS * CHUNKS && i >= ROWS * CHUNKS) {
            break;
        }
        const u32 r = i / CHUNKS;
        const u32 c = i % CHUNKS * 8;
        T* const place = to + r * PITCH_16<COLUMNS> + c;
        if (ALIGNED) {
            const bool there = row + r < rows && c < columns;
            cp_async_16(place, there ? from.at(row + r) + c : from.data, there);
        } else {
            Pack<T, 8> chunk;
#pragma unroll
            for (u32 l = 0; l < 8; l++) {
                chunk.at[l] = row + r < rows && c + l < columns ? *from.at(row + r, c + l) : T{};
            }
            store_pack(place, chunk);
        }
    }
}

__device__ __forceinline__ void multiply_tile(bf16, float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    const u32 b[2] = {b0, b1};
    mma_m16n8k16_bf16(d, a, b);
}
__device__ __forceinline__ void multiply_tile(f16, float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    const u32 b[2] = {b0, b1};
    mma_m16n8k16_f16(d, a, b);
}

__device__ __forceinline__ u32 pair_of(bf16, float low, float high) { return f32x2_to_bf16x2(low, high); }
__device__ __forceinline__ u32 pair_of(f16, float low, float high) { return f32x2_to_f16x2(low, high); }

/// The rows that a warp owns as left fragments; HELD ones stay in registers.
template <int M, int COLUMNS, bool HELD, class T> struct OwnRows {
    static constexpr int STEPS = COLUMNS / 16;
    const T* rows;
    u32 held[HELD ? STEPS : 1][M][4];

    __device__ __forceinline__ void load(int step, int m, u32 (&a)[4]) const {
        const u32 lane = threadIdx.x % 32;
        ldmatrix_x4(a, rows + (m * 16 + lane % 16) * PITCH_16<COLUMNS> + step * 16 + lane / 16 * 8);
    }

    /// To be called once the rows have arrived.
    __device__ __forceinline__ void hold() {
        if (HELD) {
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
#pragma unroll
                for (int m = 0; m < M; m++) {
                    load(step, m, held[step][m]);
                }
            }
        }
    }

    /// products[m][n] = these rows · rows 8·n to 8·n + 7 of the other tile.
    template <int N> __device__ __forceinline__ void times_rows(const T* other, float (&products)[M][N][4]) const {
        const u32 lane = threadIdx.x % 32;
        const T* const from = other + (lane / 16 * 8 + lane % 8) * PITCH_16<COLUMNS> + lane / 8 % 2 * 8;
#pragma unroll
        for (int m = 0; m < M; m++) {
#pragma unroll
            for (int n = 0; n < N; n++) {
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    products[m][n][i] = 0;
                }
            }
        }
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            u32 a[M][4];
#pragma unroll
            for (int m = 0; m < M; m++) {
                if constexpr (HELD) {
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        a[m][i] = held[step][m][i];
                    }
                } else {
                    load(step, m, a[m]);
                }
            }
#pragma unroll
            for (int n = 0; n < N; n += 2) {
                u32 b[4];
                ldmatrix_x4(b, from + n * 8 * PITCH_16<COLUMNS> + step * 16);
#pragma unroll
                for (int m = 0; m < M; m++) {
                    multiply_tile(T{}, products[m][n], a[m], b[0], b[1]);
                    multiply_tile(T{}, products[m][n + 1], a[m], b[2], b[3]);
                }
            }
        }
    }
};

/// sums += weights · other, whose rows are what is summed over; weights are rounded to T.
template <int COLUMNS, int M, int N, class T>
__device__ __forceinline__ void add_products(const float (&weights)[M][N][4], const T* other,
                                             float (&sums)[M][COLUMNS / 8][4]) {
    const u32 lane = threadIdx.x % 32;
    const T* const from = other + lane % 16 * PITCH_16<COLUMNS> + lane / 16 * 8;
#pragma unroll
    for (int step = 0; step < N / 2; step++) {
        u32 a[M][4];
#pragma unroll
        for (int m = 0; m < M; m++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const float(&tile)[4] = weights[m][2 * step + i / 2];
                a[m][i] = pair_of(T{}, tile[i % 2 * 2], tile[i % 2 * 2 + 1]);
            }
        }
#pragma unroll
        for (int n = 0; n < COLUMNS / 8; n += 2) {
            u32 b[4];
            ldmatrix_x4_trans(b, from + step * 16 * PITCH_16<COLUMNS> + n * 8);
#pragma unroll
            for (int m = 0; m < M; m++) {
                multiply_tile(T{}, sums[m][n], a[m], b[0], b[1]);
                multiply_tile(T{}, sums[m][n + 1], a[m], b[2], b[3]);
            }
        }
    }
}

template <int M, int N> __device__ __forceinline__ void clear(float (&sums)[M][N][4]) {
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int n = 0; n < N; n++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                sums[m][n][i] = 0;
            }
        }
    }
}

/// Rounds and writes a warp's rows of one head, through shared memory that is this warp's own. ALIGNED rows lie densely,
/// in whole 16 bytes.
template <int COLUMNS, bool ALIGNED, int M, class T>
__device__ __forceinline__ void write_rows(const float (&sums)[M][COLUMNS / 8][4], T* staged,
                                           const HeadsOut<T>& to, u32 row, u32 rows, u32 columns) {
    constexpr u32 CHUNKS = COLUMNS / 8;
    const u32 lane = threadIdx.x % 32;
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int n = 0; n < COLUMNS / 8; n++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                T* const at = staged + (m * 16 + half * 8 + lane / 4) * PITCH_16<COLUMNS> + n * 8 + lane % 4 * 2;
                *reinterpret_cast<u32*>(at) = pair_of(T{}, sums[m][n][2 * half], sums[m][n][2 * half + 1]);
            }
        }
    }
    __syncwarp();
    for (u32 i = lane; i < 16 * M * CHUNKS; i += 32) {
        const u32 r = i / CHUNKS;
        const u32 c = i % CHUNKS * 8;
        const Pack<T, 8> chunk = load_pack<8>(staged + r * PITCH_16<COLUMNS> + c);
        if constexpr (ALIGNED) {
            store_global(to.at(row + r) + c, chunk, row + r < rows && c < columns);
        } else {
#pragma unroll
            for (u32 l = 0; l < 8; l++) {
                if (row + r < rows && c + l < columns) {
                    *to.at(row + r, c + l) = chunk.at[l];
                }
            }
        }
    }
}

}  // namespace remat
