// needs: tensors.cuh
// Sums of pieces of tensors that are added up elsewhere: each stands where the first chunk of its piece does.

namespace remat {

/// Chunks of 1024 elements in a piece.
const u32 CHUNKS = PIECE / 1024;

/// Puts the sum of the block's piece, which its first thread has, among `chunks` chunks; those behind it are zero.
template <class A> __device__ __forceinline__ void place_piece(A total, double* to, u64 chunks) {
    if (threadIdx.x == 0) {
        const u64 first = static_cast<u64>(blockIdx.x) * CHUNKS;
        to[first] = static_cast<double>(total);
        for (u32 k = 1; k < CHUNKS && first + k < chunks; k++) {
            to[first + k] = 0;
        }
    }
}

/// Takes the sum of piece `piece` out of these.
template <class A> __device__ __forceinline__ void take_piece(const double* from, u64 chunks, u32 piece, A* sum) {
    const u64 first = static_cast<u64>(piece) * CHUNKS;
    if (threadIdx.x == 0 && first < chunks) {
        *sum = static_cast<A>(from[first]);
    }
}

}  // namespace remat
