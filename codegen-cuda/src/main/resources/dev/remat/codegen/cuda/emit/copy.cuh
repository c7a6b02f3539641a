// needs: types.cuh
// Boxes of words moved between strided places. A word is 1 to 16 bytes of whole elements.

namespace remat {

/// Where the words of a box lie, the innermost axis last; divisors are what quotient takes for the extents.
template <int R, class Index> struct Box {
    Index extents[R];
    u64 divisors[R];
    Index sources[R];
    Index targets[R];

    __device__ __forceinline__ void find(Index i, Index& source, Index& target) const {
        source = 0;
        target = 0;
#pragma unroll
        for (int axis = R - 1; axis > 0; axis--) {
            const Index next = quotient(i, divisors[axis]);
            const Index at = i - next * extents[axis];
            source += at * sources[axis];
            target += at * targets[axis];
            i = next;
        }
        source += i * sources[0];
        target += i * targets[0];
    }
};

/// Moves count words; every thread U of them, all loaded before the first is stored.
template <int U, class Word, int R, class Index>
__device__ __forceinline__ void copy_box(const Word* from, Word* to, const Box<R, Index>& box, Index count) {
    const Index first = static_cast<Index>(blockIdx.x) * (blockDim.x * U) + threadIdx.x;
    Word words[U];
    Index targets[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const Index i = first + u * blockDim.x;
        if (i < count) {
            Index source;
            box.find(i, source, targets[u]);
            words[u] = from[source];
        }
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        if (first + u * blockDim.x < count) {
            to[targets[u]] = words[u];
        }
    }
}

/// A dense box around a strided one: per axis its extent, the words before the inner box, and the inner extent.
template <int R, class Index> struct Surrounded {
    Index extents[R];
    u64 divisors[R];
    Index low[R];
    Index inside[R];
    Index sources[R];

    /// Whether word i lies in the inner box, and where it comes from.
    __device__ __forceinline__ bool find(Index i, Index& source) const {
        bool within = true;
        source = 0;
#pragma unroll
        for (int axis = R - 1; axis >= 0; axis--) {
            const Index next = axis == 0 ? 0 : quotient(i, divisors[axis]);
            const Index at = i - next * extents[axis] - low[axis];
            within = within && at < inside[axis];
            source += at * sources[axis];
            i = next;
        }
        return within;
    }
};

/// A word of elements of one value, from the value's bits repeated to eight bytes.
template <class Word> __device__ __forceinline__ Word repeated(u64 bits) { return static_cast<Word>(bits); }
template <> __device__ __forceinline__ Pack<u32, 4> repeated<Pack<u32, 4>>(u64 bits) {
    const u32 low = static_cast<u32>(bits);
    const u32 high = static_cast<u32>(bits >> 32);
    return {{low, high, low, high}};
}

/// Writes count words of the outer box: those of the inner one, and the fill around them.
template <int U, class Word, int R, class Index>
__device__ __forceinline__ void pad_box(const Word* from, Word* to, const Surrounded<R, Index>& box, u64 fill,
                                        Index count) {
    const Index first = static_cast<Index>(blockIdx.x) * (blockDim.x * U) + threadIdx.x;
    Word words[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const Index i = first + u * blockDim.x;
        Index source;
        words[u] = i < count && box.find(i, source) ? from[source] : repeated<Word>(fill);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        const Index i = first + u * blockDim.x;
        if (i < count) {
            to[i] = words[u];
        }
    }
}

}  // namespace remat
