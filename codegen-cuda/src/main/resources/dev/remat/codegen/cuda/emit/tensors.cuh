// needs: block.cuh
// One number of all elements of several tensors: each block sums for a piece of one of them, and one block adds that up.

namespace remat {

/// Elements of a piece, for 256 threads.
const u32 PIECE = 8192;

/// What is squared, after it is multiplied by a factor.
template <class A> struct Square {
    A factor;

    __device__ __forceinline__ A of(A x) const {
        const A scaled = factor * x;
        return scaled * scaled;
    }
};

/// 1 for an infinity or NaN, else 0.
template <class A> struct NotFinite {
    __device__ __forceinline__ A of(A x) const { return x - x == A(0) ? A(0) : A(1); }
};

/// Sum of what `map` makes of piece `piece` of a tensor of n elements: each thread's in order, whatever the width V that
/// the tensor's place allows.
template <int V, class Map, class E, class A>
__device__ __forceinline__ void sum_piece(const Map& map, const E* from, u64 n, u32 piece, A* sum) {
    const int NEIGHBOURS = 4;
    A total = 0;
#pragma unroll 4
    for (u32 done = 0; done < PIECE; done += 256 * NEIGHBOURS) {
        const u64 at = static_cast<u64>(piece) * PIECE + done + threadIdx.x * NEIGHBOURS;
        if (at + NEIGHBOURS <= n) {
#pragma unroll
            for (int k = 0; k < NEIGHBOURS; k += V) {
                const Pack<E, V> pack = load_pack<V>(from + at + k);
#pragma unroll
                for (int v = 0; v < V; v++) {
                    total = total + map.of(static_cast<A>(widen(pack.at[v])));
                }
            }
        } else {
            for (u64 i = at; i < n; i++) {
                total = total + map.of(static_cast<A>(widen(from[i])));
            }
        }
    }
    total = sum_threads<256, 256>(total);
    if (threadIdx.x == 0) {
        *sum = total;
    }
}

/// The sum of all pieces, by one block of 1024 threads; each of them gets it.
template <class A> __device__ __forceinline__ A sum_pieces(const A* sums, u64 pieces) {
    A total = 0;
#pragma unroll 4
    for (u64 i = threadIdx.x; i < pieces; i += 1024) {
        total = total + sums[i];
    }
    return sum_threads<1024, 1024>(total);
}

}  // namespace remat
