// needs: types.cuh
// A stable sort of 32-bit keys with their positions: eight bits a pass from the least on, nothing atomic. A block
// counts its keys by digit, then places them behind those of lower digits and of earlier blocks. Each warp owns a run
// of neighbours and ranks 32 of them at once by votes.

namespace remat {

constexpr u32 DIGITS = 256;
constexpr u32 SORT_WARPS = 8;

/// Keys and positions as the pass before left them.
struct Placed {
    const u32* keys;
    const u32* positions;

    __device__ __forceinline__ u32 key(u32 i) const { return keys[i]; }
    __device__ __forceinline__ u32 position(u32 i) const { return positions[i]; }
};

/// The lanes that are active and have this lane's digit.
__device__ __forceinline__ u32 lanes_alike(u32 digit, bool active) {
    u32 alike = __ballot_sync(0xffffffffu, active);
#pragma unroll
    for (int bit = 0; bit < 8; bit++) {
        const bool set = digit >> bit & 1;
        const u32 others = __ballot_sync(0xffffffffu, set);
        alike &= set ? others : ~others;
    }
    return alike;
}

/// Calls use(i, digit, alike, active) for the run of keys of this warp, 32 at once.
template <class Keys, class Use>
__device__ __forceinline__ void each_digit(const Keys& keys, u32 n, u32 perBlock, u32 shift, const Use& use) {
    const u32 lane = threadIdx.x % 32;
    const u32 run = perBlock / SORT_WARPS;
    const u64 begin = static_cast<u64>(blockIdx.x) * perBlock + threadIdx.x / 32 * run;
    const u64 end = begin + run < n ? begin + run : n;
    for (u64 base = begin; base < end; base += 32) {
        const bool active = base + lane < end;
        const u32 i = static_cast<u32>(base) + lane;
        const u32 digit = active ? keys.key(i) >> shift & (DIGITS - 1) : 0;
        use(i, digit, lanes_alike(digit, active), active);
        __syncwarp();
    }
}

/// How many keys of each digit each warp has.
template <class Keys>
__device__ __forceinline__ void count_by_warp(const Keys& keys, u32 n, u32 perBlock, u32 shift,
                                              u32 (*counts)[DIGITS]) {
    const u32 lane = threadIdx.x % 32;
    u32* const own = counts[threadIdx.x / 32];
    for (u32 w = 0; w < SORT_WARPS; w++) {
        counts[w][threadIdx.x] = 0;
    }
    __syncthreads();
    each_digit(keys, n, perBlock, shift, [&](u32, u32 digit, u32 alike, bool active) {
        if (active && (alike & ((1u << lane) - 1)) == 0) {
            own[digit] += __popc(alike);
        }
    });
    __syncthreads();
}

/// Writes this block's count of every digit. Blocks have 256 threads, perBlock is a multiple of that.
template <class Keys>
__device__ __forceinline__ void count_digits(const Keys& keys, u32 n, u32 perBlock, u32 shift, u32* blockCounts) {
    __shared__ u32 counts[SORT_WARPS][DIGITS];
    count_by_warp(keys, n, perBlock, shift, counts);
    u32 sum = 0;
    for (u32 w = 0; w < SORT_WARPS; w++) {
        sum += counts[w][threadIdx.x];
    }
    blockCounts[blockIdx.x * DIGITS + threadIdx.x] = sum;
}

/// Moves this block's keys and positions to where the digit puts them.
template <class Keys>
__device__ __forceinline__ void place_digits(const Keys& keys, u32 n, u32 perBlock, u32 shift,
                                             const u32* blockCounts, u32* keysTo, u32* positionsTo) {
    __shared__ u32 next[SORT_WARPS][DIGITS];
    __shared__ u32 sums[DIGITS];
    const u32 digit = threadIdx.x;
    const u32 lane = threadIdx.x % 32;
    u32* const own = next[threadIdx.x / 32];
    count_by_warp(keys, n, perBlock, shift, next);
    u32 total = 0;
    u32 before = 0;
    for (u32 b = 0; b < gridDim.x; b++) {
        before = b == blockIdx.x ? total : before;
        total += blockCounts[b * DIGITS + digit];
    }
    sums[digit] = total;
    __syncthreads();
    for (u32 step = 1; step < DIGITS; step *= 2) {
        const u32 left = digit >= step ? sums[digit - step] : 0;
        __syncthreads();
        sums[digit] += left;
        __syncthreads();
    }
    u32 at = sums[digit] - total + before;
    for (u32 w = 0; w < SORT_WARPS; w++) {
        const u32 count = next[w][digit];
        next[w][digit] = at;
        at += count;
    }
    __syncthreads();
    each_digit(keys, n, perBlock, shift, [&](u32 i, u32 d, u32 alike, bool active) {
        const u32 earlier = __popc(alike & ((1u << lane) - 1));
        const u32 first = own[d];
        __syncwarp();
        if (active) {
            keysTo[first + earlier] = keys.key(i);
            positionsTo[first + earlier] = keys.position(i);
            if (earlier == 0) {
                own[d] = first + __popc(alike);
            }
        }
    });
}

/// starts[k] is the number of sorted keys below k, for k up to and with rows.
__device__ __forceinline__ void find_starts(const u32* sorted, u32 n, u32* starts, u32 rows) {
    const u32 row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row > rows) {
        return;
    }
    u32 low = 0;
    u32 high = n;
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (sorted[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    starts[row] = low;
}

/// Terms in the order of the rows that they belong to, whose first ones `starts` tells.
template <class T> struct SortedRows {
    const T* terms;
    const u32* positions;
    const u32* starts;

    /// Adds V neighbours from `column` on of terms `at` to `end` of `width` elements each, in order, U in flight.
    template <int V, int U, class A>
    __device__ __forceinline__ void add(u32 at, u32 end, u64 width, u64 column, A (&sum)[V]) const {
        for (; at < end; at += U) {
            Pack<T, V> pack[U];
#pragma unroll
            for (u32 u = 0; u < U; u++) {
                if (u < end - at) {
                    pack[u] = load_pack<V>(terms + positions[at + u] * width + column);
                }
            }
#pragma unroll
            for (u32 u = 0; u < U; u++) {
                if (u < end - at) {
#pragma unroll
                    for (int v = 0; v < V; v++) {
                        sum[v] += wide(pack[u], v);
                    }
                }
            }
        }
    }
};

/// Terms that are summed by themselves where a row has so many.
constexpr u32 PIECE_ROWS = 64;

/// Sums whole pieces of rows with many terms. Two of them begin at least a piece apart, so each has a place by where it
/// begins; the row whose term is the last that belongs to a place is the only one that can have a piece there.
template <int V, int U, class T, class A, class Index>
__device__ __forceinline__ void sum_pieces(const SortedRows<T>& rows, const u32* sorted, A* pieces, u32 count,
                                           Index threads, Index groups, u64 divisor) {
    const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= threads) {
        return;
    }
    const Index piece = quotient(i, divisor);
    const u32 first = static_cast<u32>(piece) * PIECE_ROWS;
    const u32 row = sorted[first + (PIECE_ROWS - 1)];
    if (row >= count) {
        return;
    }
    const u32 start = rows.starts[row];
    const u32 begin = start >= first ? start : first + (PIECE_ROWS - 1) - (first - start - 1) % PIECE_ROWS;
    if (begin + PIECE_ROWS > rows.starts[row + 1]) {
        return;
    }
    A sum[V];
#pragma unroll
    for (int v = 0; v < V; v++) {
        sum[v] = 0;
    }
    const u64 width = static_cast<u64>(groups) * V;
    rows.template add<V, U>(begin, begin + PIECE_ROWS, width, static_cast<u64>(i - piece * groups) * V, sum);
    put<V>(Store<A>{pieces}, static_cast<u64>(i) * V, sum);
}

/// Each row is the sum of its pieces, and of its terms behind them, in order; a thread owns V neighbours of one row.
/// Where there are others, the sum is added to theirs, which may be in its place.
template <int V, int U, class T, class A, class To, class Index>
__device__ __forceinline__ void sum_rows(const SortedRows<T>& rows, const A* pieces, const A* others, To* sums,
                                         Index threads, Index groups, u64 divisor) {
    const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= threads) {
        return;
    }
    const Index row = quotient(i, divisor);
    const u64 column = static_cast<u64>(i - row * groups) * V;
    const u64 width = static_cast<u64>(groups) * V;
    A sum[V];
#pragma unroll
    for (int v = 0; v < V; v++) {
        sum[v] = 0;
    }
    const u32 begin = rows.starts[row];
    const u32 end = rows.starts[row + 1];
    const u32 whole = pieces == nullptr ? 0 : (end - begin) / PIECE_ROWS;
#pragma unroll 4
    for (u32 k = 0; k < whole; k++) {
        const Pack<A, V> piece = load_pack<V>(pieces + (begin / PIECE_ROWS + k) * width + column);
#pragma unroll
        for (int v = 0; v < V; v++) {
            sum[v] += piece.at[v];
        }
    }
    rows.template add<V, U>(begin + whole * PIECE_ROWS, end, width, column, sum);
    if (others != nullptr) {
        const Pack<A, V> other = load_pack<V>(others + static_cast<u64>(i) * V);
#pragma unroll
        for (int v = 0; v < V; v++) {
            sum[v] += other.at[v];
        }
    }
    put<V>(Store<To>{sums}, static_cast<u64>(i) * V, sum);
}

}  // namespace remat
