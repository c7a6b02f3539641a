// needs: types.cuh
// Exponential, logarithm and Gaussian tail of floats by + - * / fma and bits: the same bits on every machine.

namespace remat {
namespace math {

/// c[0] + c[1]·x + … by Horner's rule.
template <class T, int N> __device__ __forceinline__ T polynomial(T x, const T (&c)[N]) {
    T sum = c[N - 1];
#pragma unroll
    for (int i = N - 2; i >= 0; i--) {
        sum = fma(sum, x, c[i]);
    }
    return sum;
}

template <int N> __device__ __forceinline__ float polynomial(float x, const float (&c)[N]) {
    float sum = c[N - 1];
#pragma unroll
    for (int i = N - 2; i >= 0; i--) {
        sum = fmaf(sum, x, c[i]);
    }
    return sum;
}

__device__ __forceinline__ float two_to(i32 n) { return __uint_as_float(static_cast<u32>(n + 127) << 23); }

/// Splits x = n·ln 2 + r for |x| < 2^21; returns exp(r) - 1.
__device__ __forceinline__ float reduced_expm1(float x, i32& n) {
    const float shifted = fmaf(x, 0x1.715476p+0f, 0x1.8p+23f);
    const float whole = shifted - 0x1.8p+23f;
    n = static_cast<i32>(__float_as_uint(shifted) - 0x4B400000u);
    float r = fmaf(whole, -0x1.62e4p-1f, x);
    r = fmaf(whole, -0x1.7f7d1cp-20f, r);
    const float c[] = {0.5f, 0.1666657338f, 0.04166655011f, 0.008363773874f, 0.001392692661f};
    return fmaf(r * r, polynomial(r, c), r);
}

__device__ __forceinline__ float exp(float x) {
    float bounded = x < -104.0f ? -104.0f : x;
    bounded = bounded > 89.0f ? 89.0f : bounded;
    i32 n;
    const float p = reduced_expm1(bounded, n) + 1.0f;
    const i32 half = n >> 1;
    return p * two_to(half) * two_to(n - half);
}

/// 1 / x where x and the result are positive and normal, within 0.78 units in the last place: a guess by bits is off by a
/// twentieth at most, then by its third and by its sixth power. A division has a branch for what is not normal.
__device__ __forceinline__ float reciprocal_of_normal(float x) {
    float y = __uint_as_float(0x7EF311C7u - __float_as_uint(x));
    const float off = fmaf(-x, y, 1.0f);
    y = fmaf(y, fmaf(off, off, off), y);
    return fmaf(fmaf(-x, y, 1.0f), y, y);
}

/// exp(x) = 2^r · 2^n with r of at most a half: returns the first power, and n where the exponents of floats are.
__device__ __forceinline__ float split_power(float x, u32& n) {
    const float shifted = fmaf(x, 0x1.715476p+0f, 0x1.8p+23f);
    const float whole = shifted - 0x1.8p+23f;
    const float r = fmaf(x, 1.925962991e-8f, fmaf(x, 0x1.715476p+0f, -whole));
    const float c[] = {1.0f,           0.6931471882f,  0.2402265076f,  0.05550356248f,
                       0.009618081807f, 0.001339132359f, 0.000154535614f};
    n = __float_as_uint(shifted) << 23;
    return polynomial(r, c);
}

/// exp(x) for x <= 0 or little more, with 0 for what is below the normal numbers: the fast way, by powers of two. What
/// is below -88 has the power 2^-127, which in bits is 0.
__device__ __forceinline__ float exp_of_negative(float x) {
    u32 n;
    const float power = split_power(max_or_nan(x, -88.0f), n);
    return power * __uint_as_float(n + 0x3F800000u);
}

/// exp(x) for -86 <= x <= 86, where nothing leaves the normal numbers.
__device__ __forceinline__ float exp_of_moderate(float x) {
    u32 n;
    const float power = split_power(x, n);
    return __uint_as_float(__float_as_uint(power) + n);
}

/// exp(x) - 1 for x <= 0.
__device__ __forceinline__ float expm1_of_negative(float x) {
    i32 n;
    const float p = reduced_expm1(x < -104.0f ? -104.0f : x, n);
    const float power = n < -126 ? 0.0f : two_to(n);
    return fmaf(power, p, power - 1.0f);
}

__device__ __forceinline__ float log(float x) {
    const bool subnormal = x < 0x1p-126f;
    const u32 bits = __float_as_uint(subnormal ? x * 0x1p+23f : x);
    const i32 e = static_cast<i32>(bits - 0x3F3504F3u) >> 23;
    const float f = __uint_as_float(bits - (static_cast<u32>(e) << 23)) - 1.0f;
    const float n = static_cast<float>(subnormal ? e - 23 : e);
    const float c[] = {0.3333333112f, -0.2499999663f, 0.200007305f, -0.1666785097f, 0.1424855126f,
                       -0.1242403772f, 0.1168907114f, -0.1149454661f, 0.06980701959f};
    const float square = f * f;
    const float rest = fmaf(square * f, polynomial(f, c), fmaf(n, 0x1.7f7d1cp-20f, -0.5f * square));
    const float finite = fmaf(n, 0x1.62e4p-1f, f + rest);
    if (x > 0.0f && x < __uint_as_float(0x7F800000u)) {
        return finite;
    }
    return x == 0.0f ? __uint_as_float(0xFF800000u) : x > 0.0f ? x : __uint_as_float(0x7FC00000u);
}

/// The standard Gaussian: exp(-t^2/2), and the probability of more than t, for t >= 0.
__device__ __forceinline__ float gaussian_tail(float t, float& density) {
    t = t > 15.0f ? 15.0f : t;
    const float square = t * t;
    const float e = exp_of_negative(-0.5f * square);
    density = fmaf(e, -0.5f * fmaf(t, t, -square), e);
    const float c[] = {0.2219706133f, 0.1645794899f, 0.08654969223f, 0.02776025541f, 0.001816256244f,
                       -0.002423168326f, -0.000570639451f, 0.0002804780184f, 7.795056206e-5f, -4.092973484e-5f};
    const float w = reciprocal_of_normal(fmaf(0.3f, t, 1.0f));
    return density * (w * polynomial(fmaf(-0.6f, t * w, 1.0f), c));
}

}  // namespace math
}  // namespace remat
