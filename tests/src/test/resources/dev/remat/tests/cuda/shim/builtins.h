// What NVRTC knows without any header: qualifiers, index variables and the allowed builtins, for the system's compiler.
#pragma once
#include "fibre.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __restrict__ __restrict
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
// One block runs at a time, so a block's shared arrays are plain statics. They are poisoned between blocks, which the
// compiler must reckon with: hence `used`.
#define __shared__ static __attribute__((used))

#define threadIdx (::shim::current->thread)
#define blockIdx (::shim::grid.block)
#define blockDim (::shim::grid.blockExtent)
#define gridDim (::shim::grid.gridExtent)
#define warpSize 32

using uint3 = shim::Index3;
using dim3 = shim::Extent3;
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };

extern "C" {
float fmaf(float, float, float) noexcept;
double fma(double, double, double) noexcept;
float sqrtf(float) noexcept;
double sqrt(double) noexcept;
float floorf(float) noexcept;
double floor(double) noexcept;
float fabsf(float) noexcept;
double fabs(double) noexcept;
float fminf(float, float) noexcept;
float fmaxf(float, float) noexcept;
double fmin(double, double) noexcept;
double fmax(double, double) noexcept;
}

namespace shim {
template <class To, class From> inline To bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "reinterpreting needs equal sizes");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
}  // namespace shim

inline unsigned __float_as_uint(float x) { return shim::bits<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return shim::bits<float>(x); }
inline int __float_as_int(float x) { return shim::bits<int>(x); }
inline float __int_as_float(int x) { return shim::bits<float>(x); }
inline long long __double_as_longlong(double x) { return shim::bits<long long>(x); }
inline double __longlong_as_double(long long x) { return shim::bits<double>(x); }
inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline long long __ldg(const long long* from) { return *from; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }

inline void __syncthreads(SHIM_HERE) { shim::await_block({"__syncthreads", file, line}); }
inline void __syncwarp(unsigned mask = 0xffffffffu, SHIM_HERE) {
    shim::await_warp({"__syncwarp", file, line}, mask & shim::existing_lanes(), nullptr, shim::nothing);
}

template <class T> inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, SHIM_HERE) {
    int lane = shim::lane();
    return shim::shuffle({"__shfl_sync", file, line}, mask, value, (lane & ~(width - 1)) | (source & (width - 1)));
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, SHIM_HERE) {
    int lane = shim::lane();
    int source = lane ^ lanes;
    bool past = source >= (lane & ~(width - 1)) + width;
    return shim::shuffle({"__shfl_xor_sync", file, line}, mask, value, past ? lane : source);
}
template <class T> inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, SHIM_HERE) {
    int lane = shim::lane();
    bool past = (lane & (width - 1)) + static_cast<int>(delta) >= width;
    return shim::shuffle({"__shfl_down_sync", file, line}, mask, value, past ? lane : lane + static_cast<int>(delta));
}
template <class T> inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, SHIM_HERE) {
    int lane = shim::lane();
    bool past = (lane & (width - 1)) < static_cast<int>(delta);
    return shim::shuffle({"__shfl_up_sync", file, line}, mask, value, past ? lane : lane - static_cast<int>(delta));
}
inline unsigned __ballot_sync(unsigned mask, int predicate, SHIM_HERE) {
    return shim::ballot({"__ballot_sync", file, line}, mask, predicate != 0);
}
inline int __any_sync(unsigned mask, int predicate, SHIM_HERE) {
    return shim::ballot({"__any_sync", file, line}, mask, predicate != 0) != 0;
}
inline int __all_sync(unsigned mask, int predicate, SHIM_HERE) {
    return shim::ballot({"__all_sync", file, line}, mask, predicate != 0) == mask;
}
