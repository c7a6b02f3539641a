// needs: copy.cuh sort.cuh
// Picks along an axis of [outer, extent, inner] by indices [outer, picks, inner], and the sums that go back.

namespace remat {

/// Extents of what is picked from and of the indices; divisors are what quotient takes.
template <class Index> struct Picks {
    Index extent;
    Index picks;
    Index inner;
    u64 byInner;
    u64 byPicks;
    u64 byExtent;
};

/// to[o][j][i] = from[o][index[o][j][i]][i]; an index outside gives the fill.
template <class Word, class Id, class Index>
__device__ __forceinline__ void pick(const Word* from, const Id* ids, Word* to, const Picks<Index>& shape, u64 fill,
                                     Index count) {
    const Index at = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < count) {
        const Index line = quotient(at, shape.byInner);
        const Index outer = quotient(line, shape.byPicks);
        const u64 index = static_cast<u64>(static_cast<i64>(ids[at]));
        to[at] = index < shape.extent
                ? from[(static_cast<u64>(outer) * shape.extent + index) * shape.inner + (at - line * shape.inner)]
                : repeated<Word>(fill);
    }
}

/// sums[o][e][i] over the terms[o][j][i] whose index is e, in the order of j: for few picks.
template <class T, class Id, class Index>
__device__ __forceinline__ void sum_picks(const T* terms, const Id* ids, T* sums, const Picks<Index>& shape,
                                          Index count) {
    const Index at = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= count) {
        return;
    }
    const Index line = quotient(at, shape.byInner);
    const Index outer = quotient(line, shape.byExtent);
    const i64 index = static_cast<i64>(line - outer * shape.extent);
    u64 from = static_cast<u64>(outer) * shape.picks * shape.inner + (at - line * shape.inner);
    typename Accumulator<T>::type sum = 0;
    for (Index j = 0; j < shape.picks; j++) {
        if (ids[from] == index) {
            sum += widen(terms[from]);
        }
        from += shape.inner;
    }
    sums[at] = narrow<T>(sum);
}

/// The flat element of the sums that each term goes to, as a key to sort; one outside goes behind all of them.
template <class Id> struct CellKeys {
    const Id* ids;
    Picks<u32> shape;
    u32 cells;

    __device__ __forceinline__ u32 key(u32 at) const {
        const u32 line = quotient(at, shape.byInner);
        const u32 outer = quotient(line, shape.byPicks);
        const u64 index = static_cast<u64>(static_cast<i64>(ids[at]));
        return index < shape.extent
                ? (outer * shape.extent + static_cast<u32>(index)) * shape.inner + (at - line * shape.inner)
                : cells;
    }
    __device__ __forceinline__ u32 position(u32 at) const { return at; }
};

}  // namespace remat
