// needs: gemm.cuh
// Convolutions as matrix products whose operands are gathered from images, group by group: no image is unfolded.
// "Position" is a place of the kernel on its grid over all images; "tap" a channel and an element of the kernel.

namespace remat {

/// How a grid of positions lies on images: tap (r, s) of position (i, j) meets pixel
/// (i * strideH + originH + r * stepH, j * strideW + originW + s * stepW), modulo 2^32, so that steps and origins may
/// be negative.
struct ConvGrid {
    u32 positions;  ///< in all images
    u32 channels;   ///< of a group
    u32 allChannels;
    u32 gridWidth, gridArea;
    u32 height, width;
    u32 tapsW, taps;  ///< of one channel
    u32 strideH, strideW, originH, originW, stepH, stepW;
    u64 imageStride;  ///< elements from one image to the next
    u64 byGridWidth, byGridArea, byTapsW;
    u64 byMinor;  ///< taps of one channel, or channels of a group where they run fastest
};

template <bool WHICH, class First, class Second> struct Choose {
    typedef First type;
};
template <class First, class Second> struct Choose<false, First, Second> {
    typedef Second type;
};

/// Elements that taps meet at positions; zeros outside of images. Positions are k, or taps are. Images are
/// [N, C, H, W], read one by one and taps counted channel by channel, or [N, H, W, C]: channels run fastest in both.
template <class T, int CHUNK_, bool CHANNELS_LAST, bool POSITIONS_ALONG_K> struct TapOperand {
    typedef T Element;
    static constexpr int CHUNK = CHUNK_;
    static constexpr bool ALONG_K = POSITIONS_ALONG_K != CHANNELS_LAST;
    static_assert(CHUNK == 1 || CHANNELS_LAST, "chunks are channels");
    /// Added to a row it leads out of every image, also twice.
    static constexpr u32 NOWHERE = 1u << 30;

    /// Where the first tap is at a position.
    struct Position {
        i64 offset;
        u32 row, column;
    };
    /// How far a tap is from the first one.
    struct Tap {
        i32 offset;
        u32 row, column;
    };
    /// The same in fewer registers, since each thread keeps several.
    struct PackedTap {
        i32 offset;
        u32 rowAndColumn;
    };
    typedef typename Choose<POSITIONS_ALONG_K, PackedTap, Position>::type Outer;
    typedef typename Choose<POSITIONS_ALONG_K, Position, Tap>::type Inner;

    const T* data;
    ConvGrid grid;

    /// From one pixel to the next.
    __device__ __forceinline__ u32 pixel() const { return CHANNELS_LAST ? grid.allChannels : 1; }
    /// From one channel to the next.
    __device__ __forceinline__ u32 plane() const { return CHANNELS_LAST ? 1 : grid.height * grid.width; }

    __device__ __forceinline__ Position position(u32 group, u32 index) const {
        const u32 image = quotient(index, grid.byGridArea);
        const u32 rest = index - image * grid.gridArea;
        const u32 i = quotient(rest, grid.byGridWidth);
        const u32 row = i * grid.strideH + grid.originH;
        const u32 column = (rest - i * grid.gridWidth) * grid.strideW + grid.originW;
        const u32 offset = group * grid.channels * plane() + (row * grid.width + column) * pixel();
        return {static_cast<i64>(image * grid.imageStride) + static_cast<i32>(offset),
                index < grid.positions ? row : NOWHERE, column};
    }
    __device__ __forceinline__ Tap tap(u32 group, u32 index) const {
        const u32 major = quotient(index, grid.byMinor);
        const u32 minor = index - major * (CHANNELS_LAST ? grid.channels : grid.taps);
        const u32 channel = CHANNELS_LAST ? minor : major;
        const u32 element = CHANNELS_LAST ? major : minor;
        const u32 r = quotient(element, grid.byTapsW);
        const u32 row = r * grid.stepH;
        const u32 column = (element - r * grid.tapsW) * grid.stepW;
        const u32 offset = (group * grid.channels + channel) * plane() + (row * grid.width + column) * pixel();
        return {static_cast<i32>(offset), index < grid.channels * grid.taps ? row : NOWHERE, column};
    }
    __device__ __forceinline__ Outer outer(u32 batch, u32 index) const {
        if constexpr (POSITIONS_ALONG_K) {
            // What lies past the end gives sums that are left out, so any tap will do.
            const Tap tap = this->tap(batch, index < grid.channels * grid.taps ? index : 0);
            return {tap.offset, tap.row << 16 | (tap.column & 0xffff)};
        } else {
            return position(batch, index);
        }
    }
    __device__ __forceinline__ Inner inner(u32 k) const {
        if constexpr (POSITIONS_ALONG_K) {
            return position(0, k);
        } else {
            return tap(0, k);
        }
    }
    __device__ __forceinline__ bool find(const Outer& outer, const Inner& inner, const T*& from) const {
        u32 row;
        u32 column;
        if constexpr (POSITIONS_ALONG_K) {
            row = inner.row + static_cast<u32>(static_cast<i32>(outer.rowAndColumn) >> 16);
            column = inner.column + static_cast<u32>(static_cast<i32>(outer.rowAndColumn << 16) >> 16);
        } else {
            row = outer.row + inner.row;
            column = outer.column + inner.column;
        }
        from = data + (outer.offset + inner.offset);
        return row < grid.height && column < grid.width;
    }
};

/// Whole images, position by position, as a kernel of one element sees them that takes no steps and has no padding.
template <class T, int CHUNK_, bool POSITIONS_ALONG_K> struct PlaneOperand {
    typedef T Element;
    static constexpr int CHUNK = CHUNK_;
    static constexpr bool ALONG_K = POSITIONS_ALONG_K;
    struct Outer {
        const T* from;  ///< null past the end
    };
    struct Inner {
        u64 offset;
        bool inside;
    };

    const T* data;
    u32 positions;  ///< pixels of all images
    u32 channels;   ///< of a group
    u32 area;
    u64 imageStride;
    u64 byArea;

    __device__ __forceinline__ u64 position(u32 index) const {
        const u32 image = quotient(index, byArea);
        return image * imageStride + (index - image * area);
    }
    __device__ __forceinline__ Outer outer(u32 batch, u32 index) const {
        const u64 group = static_cast<u64>(batch) * channels * area;
        const u64 offset = POSITIONS_ALONG_K ? static_cast<u64>(index) * area : position(index);
        return {index < (POSITIONS_ALONG_K ? channels : positions) ? data + group + offset : nullptr};
    }
    __device__ __forceinline__ Inner inner(u32 k) const {
        return {POSITIONS_ALONG_K ? position(k) : static_cast<u64>(k) * area,
                k < (POSITIONS_ALONG_K ? positions : channels)};
    }
    __device__ __forceinline__ bool find(const Outer& outer, const Inner& inner, const T*& from) const {
        from = outer.from + inner.offset;
        return outer.from != nullptr && inner.inside;
    }
};

/// Results that fill whole images: m is the channel of a group, n the position.
struct PlanePlace {
    u32 channels;  ///< of all groups
    u32 groupChannels;
    u32 area;
    u64 byArea;

    __device__ __forceinline__ u64 at(u32 group, u32 channel, u32 position) const {
        const u32 image = quotient(position, byArea);
        const u64 plane = static_cast<u64>(image) * channels + group * groupChannels + channel;
        return plane * area + (position - image * area);
    }
};

/// Results on every strideH-th row and strideW-th column of images, from a first one on.
struct StridedPlace {
    u32 channels;  ///< of all groups
    u32 groupChannels;
    u32 gridWidth, gridArea;
    u32 height, width;
    u32 firstRow, firstColumn, strideH, strideW;
    u64 byGridWidth, byGridArea;

    __device__ __forceinline__ u64 at(u32 group, u32 channel, u32 position) const {
        const u32 image = quotient(position, byGridArea);
        const u32 rest = position - image * gridArea;
        const u32 i = quotient(rest, byGridWidth);
        const u32 j = rest - i * gridWidth;
        const u64 plane = static_cast<u64>(image) * channels + group * groupChannels + channel;
        return (plane * height + firstRow + i * strideH) * width + firstColumn + j * strideW;
    }
};

/// Results that fill whole images [N, H, W, C]: m is the position, n the channel of a group.
struct ChannelPlace {
    u32 channels;  ///< of all groups
    u32 groupChannels;

    __device__ __forceinline__ u64 at(u32 group, u32 position, u32 channel) const {
        return static_cast<u64>(position) * channels + group * groupChannels + channel;
    }
};

/// Results on every strideH-th row and strideW-th column of images [N, H, W, C], from a first one on.
struct StridedChannelPlace {
    StridedPlace planes;

    __device__ __forceinline__ u64 at(u32 group, u32 position, u32 channel) const {
        const u32 image = quotient(position, planes.byGridArea);
        const u32 rest = position - image * planes.gridArea;
        const u32 i = quotient(rest, planes.byGridWidth);
        const u32 row = planes.firstRow + i * planes.strideH;
        const u32 column = planes.firstColumn + (rest - i * planes.gridWidth) * planes.strideW;
        const u64 pixel = (static_cast<u64>(image) * planes.height + row) * planes.width + column;
        return pixel * planes.channels + group * planes.groupChannels + channel;
    }
};

/// An output that puts results into the corners of boxes of height x width pixels and zeros into the rest, PAIR of them
/// at once; `row` pixels are a row of the image.
template <int PAIR, class Output> struct Spread {
    typedef u64 Index;
    template <int V> struct Loaded {};
    Output output;
    u32 height, width, row;

    template <int V> __device__ __forceinline__ Loaded<V> load(Index) const { return {}; }
    template <int V, class A>
    __device__ __forceinline__ void store(Index index, const A (&values)[V], const Loaded<V>&, bool there) const {
        static_assert(V == 1, "results are no neighbours");
#pragma unroll 1
        for (u32 i = 0; i < (there ? height : 0); i++) {
#pragma unroll 1
            for (u32 j = 0; j < width; j += PAIR) {
                A pair[PAIR] = {};
                pair[0] = i + j == 0 ? values[0] : A(0);
                put<PAIR>(output, index + i * row + j, pair);
            }
        }
    }
};

template <int PAIR, class Output>
__device__ __forceinline__ Spread<PAIR, Output> spread(const Output& output, u32 height, u32 width, u32 row) {
    return {output, height, width, row};
}

/// An output that puts the channels of a pixel into the corner of a box of height x width pixels and zeros into the rest;
/// `row` pixels of `channels` are a row of the image.
template <class Output> struct SpreadChannels {
    typedef u64 Index;
    template <int V> struct Loaded {};
    Output output;
    u32 height, width, row, channels;

    template <int V> __device__ __forceinline__ Loaded<V> load(Index) const { return {}; }
    template <int V, class A>
    __device__ __forceinline__ void store(Index index, const A (&values)[V], const Loaded<V>&, bool there) const {
#pragma unroll 1
        for (u32 i = 0; i < (there ? height : 0); i++) {
#pragma unroll 1
            for (u32 j = 0; j < width; j++) {
                A pixel[V];
#pragma unroll
                for (int v = 0; v < V; v++) {
                    pixel[v] = i + j == 0 ? values[v] : A(0);
                }
                put<V>(output, index + (static_cast<u64>(i) * row + j) * channels, pixel);
            }
        }
    }
};

template <class Output>
__device__ __forceinline__ SpreadChannels<Output> spread_channels(const Output& output, u32 height, u32 width, u32 row,
                                                                  u32 channels) {
    return {output, height, width, row, channels};
}

/// Elements of kernels [O, C, h, w] where n counts channels fastest: n is element * inputs + input.
struct KernelPlace {
    u32 inputs;   ///< channels of a group
    u32 outputs;  ///< of a group
    u32 taps;     ///< elements of one channel
    u64 byInputs;

    __device__ __forceinline__ u64 at(u32 group, u32 output, u32 n) const {
        const u32 element = quotient(n, byInputs);
        const u32 input = n - element * inputs;
        return (static_cast<u64>(group * outputs + output) * inputs + input) * taps + element;
    }
};

}  // namespace remat
