// needs: math.cuh
// Circular functions and their inverses by + - * / fma, roots and bits: the same bits on every machine.

namespace remat {
namespace math {

/// Writes x = q·π/2 + r with the nearest integer q, by those bits of 2/π that give no whole turns (Payne and Hanek,
/// 1983); returns r. Any finite x but subnormal ones.
__device__ __noinline__ double reduced_far(double x, i32& q) {
    const u64 digits[] = {0ull,
                          0xA2F9836E4E441529ull, 0xFC2757D1F534DDC0ull, 0xDB6295993C439041ull, 0xFE5163ABDEBBC561ull,
                          0xB7246E3A424DD2E0ull, 0x06492EEA09D1921Cull, 0xFE1DEB1CB129A73Eull, 0xE88235F52EBB4484ull,
                          0xE99C7026B45F7E41ull, 0x3991D639835339F4ull, 0x9C845F8BBDF9283Bull, 0x1FF897FFDE05980Full,
                          0xEF2F118B5A0A6D1Full, 0x6D367ECF27CB09B7ull, 0x4F463F669E5FEA2Dull, 0x7527BAC7EBE5F17Bull,
                          0x3D0739F78A5292EAull, 0x6BFB5FB11F8D5D08ull, 0x56033046FC7B6BABull};
    const u64 bits = static_cast<u64>(__double_as_longlong(x));
    const u64 mantissa = (bits & 0xFFFFFFFFFFFFFull) | 1ull << 52;
    const i32 from = static_cast<i32>(bits >> 52 & 0x7FF) - 1075 - 2 + 64;
    const i32 word = from >> 6;
    const i32 by = from & 63;
    u64 taken[3];
#pragma unroll
    for (int i = 0; i < 3; i++) {
        taken[i] = by == 0 ? digits[word + i] : digits[word + i] << by | digits[word + i + 1] >> (64 - by);
    }
    const u64 middle = mantissa * taken[1];
    const u64 low = middle + __umul64hi(mantissa, taken[2]);
    const u64 high = mantissa * taken[0] + __umul64hi(mantissa, taken[1]) + (low < middle ? 1 : 0);
    // Two bits of quarters, then the fraction; as a signed number it is counted from the nearest quarter.
    const i64 fraction = static_cast<i64>(high << 2 | low >> 62);
    const i32 quarters = static_cast<i32>(high >> 62) + (fraction < 0 ? 1 : 0);
    const double r = (static_cast<double>(fraction) * 0x1p-64 + static_cast<double>(low << 2 >> 1) * 0x1p-127) *
                     0x1.921fb54442d18p+0;
    q = x < 0.0 ? -quarters : quarters;
    return x < 0.0 ? -r : r;
}

__device__ __forceinline__ float quarter_turns(float x, i32& q) {
    if (fabsf(x) < 65536.0f) {
        const float shifted = fmaf(x, 0x1.45f306p-1f, 0x1.8p+23f);
        const float whole = shifted - 0x1.8p+23f;
        q = static_cast<i32>(__float_as_uint(shifted) - 0x4B400000u);
        const float r = fmaf(whole, -0x1.4442dp-24f, fmaf(whole, -0x1.921fb4p+0f, x));
        return fmaf(whole, -0x1.84698ap-48f, r);
    }
    q = 0;
    return fabsf(x) < __uint_as_float(0x7F800000u) ? static_cast<float>(reduced_far(static_cast<double>(x), q))
                                                   : __uint_as_float(0x7FC00000u);
}

__device__ __forceinline__ double quarter_turns(double x, i32& q) {
    if (fabs(x) < 524288.0) {
        const double shifted = fma(x, 0x1.45f306dc9c883p-1, 0x1.8p+52);
        const double whole = shifted - 0x1.8p+52;
        q = static_cast<i32>(static_cast<u32>(__double_as_longlong(shifted)));
        const double r = fma(whole, -0x1.0b4611a6p-34, fma(whole, -0x1.921fb544p+0, x));
        if (q == 0 || fabs(r) > 0x1p-20) {
            return fma(whole, -0x1.3198a2e037073p-69, r);
        }
    }
    q = 0;
    return fabs(x) < __longlong_as_double(0x7FF0000000000000ll) ? reduced_far(x, q)
                                                                : __longlong_as_double(0x7FF8000000000000ll);
}

/// Taylor's series for |r| <= π/4; -0 stays -0.
template <class T> __device__ __forceinline__ T sine_near(T r) {
    const T c[] = {T(-1.0 / 6),           T(1.0 / 120),           T(-1.0 / 5040),        T(1.0 / 362880),
                   T(-1.0 / 39916800),    T(1.0 / 6227020800.0),  T(-1.0 / 1307674368000.0),
                   T(1.0 / 355687428096000.0)};
    const T square = r * r;
    return r == T(0) ? r : fused(r * square, polynomial(square, c), r);
}

template <class T> __device__ __forceinline__ T cosine_near(T r) {
    const T c[] = {T(-0.5),           T(1.0 / 24),           T(-1.0 / 720),           T(1.0 / 40320),
                   T(-1.0 / 3628800), T(1.0 / 479001600.0),  T(-1.0 / 87178291200.0), T(1.0 / 20922789888000.0)};
    const T square = r * r;
    return fused(square, polynomial(square, c), T(1));
}

template <class T> __device__ __forceinline__ T turned(T r, i32 quarters) {
    const T value = (quarters & 1) != 0 ? cosine_near(r) : sine_near(r);
    return (quarters & 2) != 0 ? -value : value;
}

template <class T> __device__ __forceinline__ T sin(T x) {
    i32 q;
    const T r = quarter_turns(x, q);
    return turned(r, q);
}

template <class T> __device__ __forceinline__ T cos(T x) {
    i32 q;
    const T r = quarter_turns(x, q);
    return turned(r, q + 1);
}

template <class T> __device__ __forceinline__ T tan(T x) {
    i32 q;
    const T r = quarter_turns(x, q);
    return (q & 1) != 0 ? -cosine_near(r) / sine_near(r) : sine_near(r) / cosine_near(r);
}

/// By arcs of at most a sixteenth of a turn, around 0, 1 and infinity, and the series there.
template <class T> __device__ __forceinline__ T atan(T x) {
    const T c[] = {T(1.0 / 3),   T(-1.0 / 5),  T(1.0 / 7),  T(-1.0 / 9),  T(1.0 / 11), T(-1.0 / 13), T(1.0 / 15),
                   T(-1.0 / 17), T(1.0 / 19),  T(-1.0 / 21), T(1.0 / 23), T(-1.0 / 25), T(1.0 / 27), T(-1.0 / 29),
                   T(1.0 / 31),  T(-1.0 / 33), T(1.0 / 35), T(-1.0 / 37), T(1.0 / 39), T(-1.0 / 41)};
    const T size = abs(x);
    const bool small = size < T(0.4142135623730951);
    const bool large = size > T(2.414213562373095);
    const T from = small ? T(0) : large ? T(1.5707963267948966) : T(0.7853981633974483);
    const T t = small ? size : large ? T(-1) / size : (size - T(1)) / (size + T(1));
    const T square = t * t;
    const T value = from + fused(-t * square, polynomial(square, c), t);
    return x < T(0) ? -value : x == T(0) ? x : value;
}

template <class T> __device__ __forceinline__ T asin(T x) {
    return x == T(0) ? x : atan(x / sqrt((T(1) - x) * (T(1) + x)));
}

/// Twice the angle with tangent √((1 - x)/(1 + x)), which keeps its precision where the angle is small.
template <class T> __device__ __forceinline__ T acos(T x) { return T(2) * atan(sqrt((T(1) - x) / (T(1) + x))); }

/// The angle of the point (x, y), with Java's treatment of signed zeros and infinities.
template <class T> __device__ __forceinline__ T atan2(T y, T x) {
    const bool left = x < T(0) || (x == T(0) && T(1) / x < T(0));
    const bool below = y < T(0) || (y == T(0) && T(1) / y < T(0));
    const T width = abs(x);
    const T height = abs(y);
    const T slope = height == width && height == height ? T(height == T(0) ? 0 : 1) : height / width;
    const T first = atan(slope);
    const T angle = left ? T(3.141592653589793) - first : first;
    return below ? -angle : angle;
}

}  // namespace math
}  // namespace remat
