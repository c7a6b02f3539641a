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
template <class T>
__device__ __forceinline__ typename Accumulator<T>::type rounded(typename Accumulator<T>::type x) {
    return widen(narrow<T>(x));
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

/// n / d for n < 2^31, by the multiplier and shift that the host packs for d (Granlund and Montgomery, 1994).
__device__ __forceinline__ u32 quotient(u32 n, u64 magic) {
    return (__umulhi(n, static_cast<u32>(magic)) + n) >> static_cast<u32>(magic >> 32);
}

/// n / d where n may be of any size; the magic is d itself.
__device__ __forceinline__ u64 quotient(u64 n, u64 d) { return n / d; }

/// The output of a kernel that nothing is fused to.
template <class T> struct Store {
    T* to;

    template <int V, class A> __device__ __forceinline__ void store(u64 index, const A (&values)[V]) const {
        Pack<T, V> pack;
#pragma unroll
        for (int i = 0; i < V; i++) {
            pack.at[i] = narrow<T>(values[i]);
        }
        store_pack(to + index, pack);
    }
};

}  // namespace remat
