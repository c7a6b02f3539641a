// needs: types.cuh
// What all matrix products share: c[m][n] = sum over k of a(m, k) b(k, n), for each of some batches.
//
// An operand is a struct that tells where its elements lie. A tile of it is read in chunks of CHUNK neighbours, whole or
// not at all; "extent" means the index that is not summed over (m of a, n of b):
//   typedef Element                     type in memory
//   static constexpr int CHUNK          1, or as many elements as 4, 8 or 16 bytes hold if they are aligned so
//   static constexpr bool ALONG_K       neighbours of a chunk differ in k; else in the extent
//   Outer outer(u32 batch, u32 index)   what the chunks at one extent share; computed once per block
//   Inner inner(u32 k)                  what the chunks at one k share; computed once per tile
//   bool find(Outer, Inner, const Element*& from)
//                                       where a chunk begins; false where it counts as zeros, also past the ends
// All indices of a chunk's first element are multiples of CHUNK. Every family of tiles reads through these alone.
//
// A place is a struct that tells the flat index of a result in its tensor:
//   u64 at(u32 batch, u32 m, u32 n)     and V neighbours in n from a multiple of V on lie side by side
//
// An output takes results. What it reads besides is loaded for several groups of them at once, before they are computed:
//   typedef Index                       type of flat indices
//   template <int V> struct Loaded
//   template <int V> Loaded<V> load(Index index)
//   template <int V, class A> void store(Index index, const A (&values)[V], const Loaded<V>& loaded, bool there)
//                                       writes nothing if not there

namespace remat {

/// A dense matrix per batch; `stride` elements lie between neighbours in the index that is not along chunks. Indices are
/// multiplied by it as 32-bit numbers with a result of 64.
template <class T, int CHUNK_, bool ALONG_K_> struct DenseOperand {
    typedef T Element;
    static constexpr int CHUNK = CHUNK_;
    static constexpr bool ALONG_K = ALONG_K_;
    struct Outer {
        const T* from;  ///< null past the end
    };
    struct Inner {
        u64 offset;
        bool inside;
    };

    const T* data;
    u64 batchStride;
    u32 stride;
    u32 extent;
    u32 depth;

    /// What lies before the elements with an index.
    __device__ __forceinline__ u64 before(u32 index) const { return static_cast<u64>(index) * stride; }

    __device__ __forceinline__ Outer outer(u32 batch, u32 index) const {
        const T* from = data + batch * batchStride + (ALONG_K ? before(index) : index);
        return {index < extent ? from : nullptr};
    }
    __device__ __forceinline__ Inner inner(u32 k) const { return {ALONG_K ? k : before(k), k < depth}; }
    __device__ __forceinline__ bool find(const Outer& outer, const Inner& inner, const T*& from) const {
        from = outer.from + inner.offset;
        return outer.from != nullptr && inner.inside;
    }
};

/// Results row by row, batch after batch.
struct DensePlace {
    u32 m;
    u32 n;

    __device__ __forceinline__ u64 at(u32 batch, u32 row, u32 column) const {
        return (static_cast<u64>(batch) * m + row) * n + column;
    }
};

/// Results of a chunk of a sum over rows, where those of the chunk before lie as they do: what each sum begins with.
template <class Sum> struct SumsPlace : DensePlace {
    const Sum* before;
};

/// What the sums of a place begin with.
template <class Place> struct Before {
    static constexpr bool GOES_ON = false;
    template <class Sum> static __device__ __forceinline__ Sum at(const Place&, u32, u32) { return Sum(0); }
};

template <class From> struct Before<SumsPlace<From>> {
    static constexpr bool GOES_ON = true;
    template <class Sum>
    static __device__ __forceinline__ Sum at(const SumsPlace<From>& place, u32 row, u32 column) {
        return row < place.m && column < place.n ? place.before[place.at(0, row, column)] : Sum(0);
    }
};

/// Extents of a product and how blocks share it. A block computes one tile of one batch over one split of k.
struct GemmShape {
    u32 m;
    u32 n;
    u32 k;
    u32 batches;
    u32 splitDepth;  ///< terms of a split, a multiple of the depth of tiles; k and more without splits
};

/// What one block computes. Blocks with near numbers share rows and columns, so that caches serve them.
template <int TILE_M, int TILE_N> struct BlockTile {
    static constexpr u32 GROUP = 8;
    u32 batch;   ///< of operands
    u32 result;  ///< batch of the result: split * batches + batch
    u32 m;       ///< first row
    u32 n;       ///< first column
    u32 begin;   ///< first k
    u32 end;     ///< last k + 1

    __device__ __forceinline__ explicit BlockTile(const GemmShape& shape) {
        const u32 rows = (shape.m + TILE_M - 1) / TILE_M;
        const u32 columns = (shape.n + TILE_N - 1) / TILE_N;
        result = blockIdx.x / (rows * columns);
        batch = result % shape.batches;
        begin = result / shape.batches * shape.splitDepth;
        end = shape.k - begin > shape.splitDepth ? begin + shape.splitDepth : shape.k;
        const u32 tile = blockIdx.x % (rows * columns);
        const u32 group = tile / (GROUP * columns);
        const u32 within = tile % (GROUP * columns);
        const u32 height = rows - group * GROUP < GROUP ? rows - group * GROUP : GROUP;
        m = (group * GROUP + within % height) * TILE_M;
        n = within / height * TILE_N;
    }
};

/// How the threads of a block share the chunks of an operand's tile: EXTENT x DEPTH elements. All counts are powers of
/// two; neighbouring threads take neighbouring chunks.
template <class Operand, int EXTENT, int DEPTH, int THREADS> struct TileReader {
    typedef typename Operand::Element Element;
    static constexpr int CHUNK = Operand::CHUNK;
    static constexpr bool ALONG_K = Operand::ALONG_K;
    static constexpr int CHUNKS = EXTENT * DEPTH / CHUNK;
    /// Chunks of a thread.
    static constexpr int COUNT = CHUNKS > THREADS ? CHUNKS / THREADS : 1;
    static constexpr int LINE = (ALONG_K ? DEPTH : EXTENT) / CHUNK;
    /// Threads side by side. Where an element is read at a time, a warp's worth: what is found for a k serves more.
    static constexpr bool SINGLE = CHUNK == 1 && !ALONG_K && LINE > 32 && LINE / 32 <= COUNT;
    static constexpr int SPAN = SINGLE ? 32 : (LINE > THREADS ? THREADS : LINE);
    static constexpr int ROWS_AT_ONCE = THREADS / SPAN;
    /// Chunks of a thread in the direction of neighbours, and across.
    static constexpr int NEAR = LINE / SPAN;
    static constexpr int ACROSS = COUNT / NEAR;
    static constexpr int OUTERS = ALONG_K ? ACROSS : NEAR;
    static constexpr int INNERS = ALONG_K ? NEAR : ACROSS;

    typename Operand::Outer outers[OUTERS];

    static __device__ __forceinline__ int near(int i) { return (threadIdx.x % SPAN + i * SPAN) * CHUNK; }
    static __device__ __forceinline__ int across(int i) { return threadIdx.x / SPAN + i * (THREADS / SPAN); }
    static __device__ __forceinline__ int index(int outer) { return ALONG_K ? across(outer) : near(outer); }
    static __device__ __forceinline__ int depth(int inner) { return ALONG_K ? near(inner) : across(inner); }

    /// How far the thread's chunk with a number lies from its first one, across and in chunks.
    static constexpr __device__ __forceinline__ u32 rowsOn(int number) {
        return (ALONG_K ? number % OUTERS : number / OUTERS) * ROWS_AT_ONCE;
    }
    static constexpr __device__ __forceinline__ u32 chunksOn(int number) {
        return (ALONG_K ? number / OUTERS : number % OUTERS) * SPAN;
    }

    /// Whether this thread has chunks: small tiles have fewer than threads.
    static __device__ __forceinline__ bool active() { return CHUNKS >= THREADS || threadIdx.x < CHUNKS; }

    __device__ __forceinline__ TileReader(const Operand& operand, u32 batch, u32 first) {
#pragma unroll
        for (int i = 0; i < OUTERS; i++) {
            outers[i] = operand.outer(batch, first + index(i));
        }
    }

    /// Whether the thread's chunk at inner j and outer i belongs to part PART of PARTS.
    template <int PART, int PARTS> static constexpr __device__ __forceinline__ bool belongs(int j, int i) {
        return (INNERS >= PARTS ? j : j * OUTERS + i) % PARTS == PART;
    }

    /// Calls visit(number, extent index in the tile, k in the tile, address, whether it may be read) for each chunk of a
    /// part of the thread's chunks, in the tile from k on.
    template <int PART, int PARTS, class Visit>
    __device__ __forceinline__ void each(const Operand& operand, u32 k, const Visit& visit) const {
        if (!active()) {
            return;
        }
#pragma unroll
        for (int j = 0; j < INNERS; j++) {
            if (INNERS >= PARTS && j % PARTS != PART) {
                continue;
            }
            const typename Operand::Inner inner = operand.inner(k + depth(j));
#pragma unroll
            for (int i = 0; i < OUTERS; i++) {
                if (belongs<PART, PARTS>(j, i)) {
                    const Element* from;
                    const bool valid = operand.find(outers[i], inner, from);
                    visit(j * OUTERS + i, index(i), depth(j), from, valid);
                }
            }
        }
    }

    /// Calls visit(number, extent index in the tile, k in the tile) for the same chunks.
    template <int PART, int PARTS, class Visit> static __device__ __forceinline__ void positions(const Visit& visit) {
        if (!active()) {
            return;
        }
#pragma unroll
        for (int j = 0; j < INNERS; j++) {
#pragma unroll
            for (int i = 0; i < OUTERS; i++) {
                if (belongs<PART, PARTS>(j, i)) {
                    visit(j * OUTERS + i, index(i), depth(j));
                }
            }
        }
    }
};

/// An operand's tiles one after the other along k. Where chunks lie is found anew in each.
template <class Operand, int EXTENT, int DEPTH, int THREADS> struct TileWalk {
    typedef TileReader<Operand, EXTENT, DEPTH, THREADS> Reader;
    const Operand& operand;
    const Reader reader;
    u32 k;

    __device__ __forceinline__ TileWalk(const Operand& operand, u32 batch, u32 first, u32 k)
        : operand(operand), reader(operand, batch, first), k(k) {}

    /// As Reader::each, in the tile that it is at.
    template <int PART, int PARTS, class Visit> __device__ __forceinline__ void each(const Visit& visit) const {
        reader.template each<PART, PARTS>(operand, k, visit);
    }

    __device__ __forceinline__ void next() { k += DEPTH; }
};

/// In a dense matrix all chunks of a thread lie as far apart in every tile: one address and what is left of k go on.
template <class T, int CHUNK, bool ALONG_K, int EXTENT, int DEPTH, int THREADS>
struct TileWalk<DenseOperand<T, CHUNK, ALONG_K>, EXTENT, DEPTH, THREADS> {
    typedef DenseOperand<T, CHUNK, ALONG_K> Operand;
    typedef TileReader<Operand, EXTENT, DEPTH, THREADS> Reader;
    const Operand& operand;
    const T* from;
    i32 left;
    bool inside[Reader::OUTERS];

    __device__ __forceinline__ TileWalk(const Operand& operand, u32 batch, u32 first, u32 k) : operand(operand) {
        const u32 index = first + Reader::index(0);
        const u32 own = k + Reader::depth(0);
        from = operand.data + batch * operand.batchStride + (ALONG_K ? operand.before(index) + own
                                                                     : operand.before(own) + index);
        left = static_cast<i32>(operand.depth - own);
#pragma unroll
        for (int i = 0; i < Reader::OUTERS; i++) {
            inside[i] = first + Reader::index(i) < operand.extent;
        }
    }

    template <int PART, int PARTS, class Visit> __device__ __forceinline__ void each(const Visit& visit) const {
        Reader::template positions<PART, PARTS>([&](int number, int extent, int depth) {
            const u32 near = Reader::chunksOn(number) * CHUNK;
            const u32 across = Reader::rowsOn(number);
            const bool valid = inside[number % Reader::OUTERS] && left > static_cast<i32>(ALONG_K ? near : across);
            visit(number, extent, depth, from + operand.before(across) + near, valid);
        });
    }

    __device__ __forceinline__ void next() {
        from += ALONG_K ? DEPTH : operand.before(DEPTH);
        left -= DEPTH;
    }
};

/// A row of COLUMNS sums in shared memory that is read in groups of V. Groups of eight are split into halves that lie
/// apart, so that threads which read one after the other are in different banks.
template <int COLUMNS, int V> struct StagedRow {
    static constexpr int HALF = COLUMNS / 2 + 4;

    static __device__ __forceinline__ int at(int column) {
        return V == 8 ? column % 8 / 4 * HALF + column / 8 * 4 + column % 4 : column;
    }

    template <class Sum> static __device__ __forceinline__ void load(const Sum* row, int column, Sum (&values)[V]) {
        constexpr int PIECE = V == 8 ? 4 : V;
#pragma unroll
        for (int p = 0; p < V; p += PIECE) {
            const Pack<Sum, PIECE> piece = load_pack<PIECE>(row + at(column + p));
#pragma unroll
            for (int l = 0; l < PIECE; l++) {
                values[p + l] = piece.at[l];
            }
        }
    }
};

/// Products of which nobody wants moments.
struct NoMoments {
    template <int COLUMNS, int THREADS> struct State {};
    template <int V, int ROWS, int BAND, int APART, int COLUMNS, int THREADS, class Sum>
    __device__ __forceinline__ void absorb(State<COLUMNS, THREADS>&, const Sum*, int, const GemmShape&, u32) const {}
    template <int COLUMNS, int THREADS, class Sum>
    __device__ __forceinline__ void finish(const State<COLUMNS, THREADS>&, Sum*, const GemmShape&, u32, u32, u32) const {}
};

/// Hands ROWS x COLUMNS results to the output from shared memory, V at once; rows and columns past the ends are left out.
/// Staged rows come in bands of BAND rows that lie APART rows apart in the tile. All counts are powers of two.
template <int ROWS, int COLUMNS, int BAND, int APART, int THREADS, int V, class Sum, class Place, class Output>
__device__ __forceinline__ void drain(const Sum* staged, int stagedStride, const GemmShape& shape, u32 batch, u32 m,
                                      u32 n, const Place& place, const Output& output) {
    constexpr int LINE = COLUMNS / V;
    constexpr int STEP = THREADS / LINE;  // rows at once
    constexpr int U = ROWS / STEP < 4 ? ROWS / STEP : 4;
    static_assert(COLUMNS % V == 0 && THREADS % LINE == 0 && ROWS % (U * STEP) == 0, "each thread has as many groups");
    const int column = threadIdx.x % LINE * V;
    const bool inside = n + column < shape.n;
#pragma unroll 1
    for (int first = threadIdx.x / LINE; first < ROWS; first += U * STEP) {
        const u32 firstRow = m + first / BAND * APART + first % BAND;
        typename Output::Index at[U];
        typename Output::template Loaded<V> loaded[U];
        bool there[U];
        // What is past the ends reads what is not, so that no load waits for a branch.
#pragma unroll
        for (int u = 0; u < U; u++) {
            const u32 row = firstRow + u * STEP / BAND * APART + u * STEP % BAND;
            there[u] = inside && row < shape.m;
            const u32 near = row < shape.m ? row : shape.m - 1;
            at[u] = static_cast<typename Output::Index>(place.at(batch, near, inside ? n + column : 0));
            loaded[u] = output.template load<V>(at[u]);
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            Sum values[V];
            StagedRow<COLUMNS, V>::load(staged + (first + u * STEP) * stagedStride, column, values);
            output.template store<V>(at[u], values, loaded[u], there[u]);
        }
    }
}

/// The same, a group at a time, for kernels without registers to spare.
template <int ROWS, int COLUMNS, int THREADS, int V, class Sum, class Place, class Output>
__device__ __forceinline__ void drain_one_by_one(const Sum* staged, int stagedStride, const GemmShape& shape, u32 batch,
                                                 u32 m, u32 n, const Place& place, const Output& output) {
    typedef typename Output::Index Index;
    constexpr int LINE = COLUMNS / V;
#pragma unroll 1
    for (int i = threadIdx.x; i < ROWS * LINE; i += THREADS) {
        const int row = i / LINE;
        const int column = i % LINE * V;
        if (m + row < shape.m && n + column < shape.n) {
            const Index at = static_cast<Index>(place.at(batch, m + row, n + column));
            Sum values[V];
            StagedRow<COLUMNS, V>::load(staged + row * stagedStride, column, values);
            output.template store<V>(at, values, output.template load<V>(at), true);
        }
    }
}

}  // namespace remat
