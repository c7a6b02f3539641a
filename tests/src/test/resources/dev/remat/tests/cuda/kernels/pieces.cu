namespace remat {

/// Of elements of a piece, counted in 64 bits: their numbers in the whole, and the words that they draw.
template <bool BY_FOUR>
__device__ void far(const i64* elements, const i64* source, i64 block, u32 others, i64* wholes, i64* words) {
    const Piece<u64, BY_FOUR> piece{source + 2, static_cast<u64>(block), static_cast<u64>(block), others};
    const Draws draws{source, source + 1, 3};
    const u64 element = static_cast<u64>(elements[threadIdx.x]);
    wholes[threadIdx.x] = static_cast<i64>(piece.whole(element));
    u32 word[1];
    draw<1>(draws, piece, element, word);
    words[threadIdx.x] = word[0];
}

extern "C" __global__ void far_by_four(
    const i64* elements, const i64* source, i64 block, u32 others, i64* wholes, i64* words) {
    far<true>(elements, source, block, others, wholes, words);
}

extern "C" __global__ void far_by_one(
    const i64* elements, const i64* source, i64 block, u32 others, i64* wholes, i64* words) {
    far<false>(elements, source, block, others, wholes, words);
}

}  // namespace remat
