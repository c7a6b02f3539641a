// needs: ptx.cuh
// Element types, their accumulators, and 16-byte access.

namespace remat {

/// bfloat16 as it lies in memory.
struct bf16 {
    u16 bits;
};

/// IEEE half precision as it lies in memory.
struct f16 {
    u16 bits;
};

/// The type in which values of T are computed and summed.
template <class T> struct Accumulator {
    typedef T type;
};
template <> struct Accumulator<bf16> {
    typedef float type;
};
template <> struct Accumulator<f16> {
    typedef float type;
};

__device__ __forceinline__ float widen(bf16 x) { return __uint_as_float(static_cast<u32>(x.bits) << 16); }
__device__ __forceinline__ float widen(f16 x) { return f16_to_f32(x.bits); }
template <class T> __device__ __forceinline__ T widen(T x) { return x; }

template <class T> struct Narrow {
    static __device__ __forceinline__ T of(T x) { return x; }
};
template <> struct Narrow<bf16> {
    static __device__ __forceinline__ bf16 of(float x) { return {f32_to_bf16(x)}; }
};
template <> struct Narrow<f16> {
    static __device__ __forceinline__ f16 of(float x) { return {f32_to_f16(x)}; }
};

/// Rounds to nearest, ties to even.
template <class T> __device__ __forceinline__ T narrow(typename Accumulator<T>::type x) { return Narrow<T>::of(x); }

/// The value of x once it has been stored as a T: what fused arithmetic goes on with.
template <class T> struct Rounded {
    static __device__ __forceinline__ typename Accumulator<T>::type of(typename Accumulator<T>::type x) {
        return widen(narrow<T>(x));
    }
};
/// The upper one of a pair is where a float has it.
template <> struct Rounded<bf16> {
    static __device__ __forceinline__ float of(float x) { return __uint_as_float(f32x2_to_bf16x2(0.0f, x)); }
};
template <class T>
__device__ __forceinline__ typename Accumulator<T>::type rounded(typename Accumulator<T>::type x) {
    return Rounded<T>::of(x);
}

/// N neighbours, moved by as few accesses as their size allows.
template <class T, int N> struct __align__(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Pack {
    T at[N];
};

template <int N, class T> __device__ __forceinline__ Pack<T, N> load_pack(const T* from) {
    return *reinterpret_cast<const Pack<T, N>*>(from);
}

template <class T, int N> __device__ __forceinline__ void store_pack(T* to, const Pack<T, N>& values) {
    *reinterpret_cast<Pack<T, N>*>(to) = values;
}

/// The l-th of N neighbours, widened.
template <int N, class T> __device__ __forceinline__ typename Accumulator<T>::type wide(const Pack<T, N>& pack, int l) {
    return widen(pack.at[l]);
}
/// Of a pair in one register each takes one instruction.
template <int N> __device__ __forceinline__ float wide(const Pack<bf16, N>& pack, int l) {
    if constexpr (N % 2 == 0) {
        const u32 pair = *reinterpret_cast<const u32*>(&pack.at[l & ~1]);
        return __uint_as_float(l % 2 == 0 ? pair << 16 : pair & 0xFFFF0000u);
    } else {
        return widen(pack.at[l]);
    }
}

/// The same to global memory, by the widest accesses, and only if there: what leads to the values needs no branch.
template <class T, int N>
__device__ __forceinline__ void store_global(T* to, const Pack<T, N>& values, bool there = true) {
    if constexpr (sizeof(values) % 16 == 0) {
        const u32* const words = reinterpret_cast<const u32*>(values.at);
#pragma unroll
        for (u32 i = 0; i < sizeof(values) / 4; i += 4) {
            const u32 four[4] = {words[i], words[i + 1], words[i + 2], words[i + 3]};
            store_16(reinterpret_cast<u32*>(to) + i, four, there);
        }
    } else if (there) {
        store_pack(to, values);
    }
}

/// n / d for n < 2^31, by the multiplier and shift that the host packs for d (Granlund and Montgomery, 1994).
__device__ __forceinline__ u32 quotient(u32 n, u64 magic) {
    return (__umulhi(n, static_cast<u32>(magic)) + n) >> static_cast<u32>(magic >> 32);
}

/// n / d where n may be of any size; the magic is d itself.
__device__ __forceinline__ u64 quotient(u64 n, u64 d) { return n / d; }

/// The output of a kernel that nothing is fused to.
template <class T> struct Store {
    typedef u64 Index;
    template <int V> struct Loaded {};
    T* to;

    template <int V> __device__ __forceinline__ Loaded<V> load(Index) const { return {}; }
    template <int V, class A>
    __device__ __forceinline__ void store(Index index, const A (&values)[V], const Loaded<V>&, bool there) const {
        Pack<T, V> pack;
#pragma unroll
        for (int i = 0; i < V; i++) {
            pack.at[i] = narrow<T>(values[i]);
        }
        store_global(to + index, pack, there);
    }
};

/// Hands V neighbouring results to an output.
template <int V, class Output, class A>
__device__ __forceinline__ void put(const Output& output, u64 index, const A (&values)[V]) {
    const typename Output::Index i = static_cast<typename Output::Index>(index);
    output.template store<V>(i, values, output.template load<V>(i), true);
}

}  // namespace remat
