// needs: math32.cuh math64.cuh
// Functions of the IR's elementwise operations, with Java's treatment of NaN, infinities and signed zeros.

namespace remat {
namespace math {

__device__ __forceinline__ float sqrt(float x) { return sqrtf(x); }
__device__ __forceinline__ double sqrt(double x) { return ::sqrt(x); }
__device__ __forceinline__ float rsqrt(float x) { return 1.0f / sqrtf(x); }
__device__ __forceinline__ double rsqrt(double x) { return 1.0 / ::sqrt(x); }
__device__ __forceinline__ float floor(float x) { return floorf(x); }
__device__ __forceinline__ double floor(double x) { return ::floor(x); }
__device__ __forceinline__ float abs(float x) { return fabsf(x); }
__device__ __forceinline__ double abs(double x) { return fabs(x); }
__device__ __forceinline__ i32 abs(i32 x) { return x < 0 ? static_cast<i32>(0u - static_cast<u32>(x)) : x; }
__device__ __forceinline__ i64 abs(i64 x) { return x < 0 ? static_cast<i64>(0ull - static_cast<u64>(x)) : x; }

__device__ __forceinline__ float fused(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double fused(double a, double b, double c) { return fma(a, b, c); }

template <class T> __device__ __forceinline__ T sign(T x) { return x > T(0) ? T(1) : x < T(0) ? T(-1) : x; }
template <class T> __device__ __forceinline__ T relu(T x) { return x <= T(0) ? T(0) : x; }
template <class T> __device__ __forceinline__ T leaky_relu(T x, T slope) { return x < T(0) ? x * slope : x; }
template <class T> __device__ __forceinline__ T div(T a, T b) { return a / b; }

/// Of a number and NaN the number.
__device__ __forceinline__ float larger(float a, float b) { return fmaxf(a, b); }
__device__ __forceinline__ double larger(double a, double b) { return fmax(a, b); }

/// NaN if either is; 0 is more than -0.
__device__ __forceinline__ float max(float a, float b) { return max_or_nan(a, b); }
__device__ __forceinline__ double max(double a, double b) {
    const double larger = a > b || a != a ? a : b;
    return a == b ? __longlong_as_double(__double_as_longlong(a) & __double_as_longlong(b)) : larger;
}
__device__ __forceinline__ i32 max(i32 a, i32 b) { return a > b ? a : b; }
__device__ __forceinline__ i64 max(i64 a, i64 b) { return a > b ? a : b; }

/// NaN if either is; -0 is less than 0.
__device__ __forceinline__ float min(float a, float b) { return min_or_nan(a, b); }
__device__ __forceinline__ double min(double a, double b) {
    const double smaller = a < b || a != a ? a : b;
    return a == b ? __longlong_as_double(__double_as_longlong(a) | __double_as_longlong(b)) : smaller;
}
__device__ __forceinline__ i32 min(i32 a, i32 b) { return a < b ? a : b; }
__device__ __forceinline__ i64 min(i64 a, i64 b) { return a < b ? a : b; }

/// Towards zero; beyond the integers the nearest of them, NaN gives 0. From integers it wraps.
template <class I, class T> __device__ __forceinline__ I truncated(T x) {
    if constexpr (T(0.5) == T(0)) {
        return static_cast<I>(x);
    } else {
        const T limit = sizeof(I) == 4 ? T(2147483648.0) : T(9223372036854775808.0);
        const I most = static_cast<I>(~(1ull << (8 * sizeof(I) - 1)));
        return x >= limit ? most : x <= -limit ? -most - 1 : x != x ? I(0) : static_cast<I>(x);
    }
}

__device__ __forceinline__ float pow(float a, float b) {
    return static_cast<float>(pow(static_cast<double>(a), static_cast<double>(b)));
}

template <class T> __device__ __forceinline__ T tanh(T x) {
    const T t = expm1_of_negative(T(-2) * abs(x));
    const T size = -t * reciprocal_of_normal(t + T(2));
    return x < T(0) ? -size : x == T(0) ? x : size;
}

template <class T> __device__ __forceinline__ T sigmoid(T x) {
    const T e = exp_of_negative(-abs(x));
    const T r = reciprocal_of_normal(T(1) + e);
    return x >= T(0) ? r : e * r;
}

/// The same for -86 <= x <= 86.
template <class T> __device__ __forceinline__ T moderate_sigmoid(T x) {
    return reciprocal_of_normal(T(1) + exp_of_moderate(-x));
}

/// s·(1 + z·(1 - s)) with s = sigmoid(x), for -86 <= x <= 86.
template <class T> __device__ __forceinline__ T sigmoid_slope(T x, T z) {
    const T e = exp_of_moderate(-x);
    const T s = reciprocal_of_normal(T(1) + e);
    return s * fused(z, e * s, T(1));
}

template <class T> __device__ __forceinline__ T silu(T x) {
    // Below -86 it is not worth telling from what it is there, nor the sigmoid above 86 from 1.
    const T near = max(x, T(-86));
    return near * moderate_sigmoid(min(near, T(86)));
}
template <class T> __device__ __forceinline__ T silu_grad(T dy, T x) {
    const T near = min(max(x, T(-86)), T(86));
    return dy * sigmoid_slope(near, near);
}

/// max(x, 0) + log(1 + exp(-|x|)); the sum of 1 and a tiny term is corrected for what it rounds away.
template <class T> __device__ __forceinline__ T softplus(T x) {
    const T e = exp(-abs(x));
    const T y = T(1) + e;
    return relu(x) + (log(y) + (e - (y - T(1))) * reciprocal_of_normal(y));
}
template <class T> __device__ __forceinline__ T softplus_grad(T dy, T x) { return dy * sigmoid(x); }

/// x·Φ(x) with the Gaussian distribution function Φ.
template <class T> __device__ __forceinline__ T gelu(T x) {
    T density;
    const T tail = gaussian_tail(abs(x), density);
    return x * (x > T(0) ? T(1) - tail : tail);
}
template <class T> __device__ __forceinline__ T gelu_grad(T dy, T x) {
    T density;
    const T tail = gaussian_tail(abs(x), density);
    return dy * fused(x * T(0.3989422804014327), density, x > T(0) ? T(1) - tail : tail);
}

/// x/2·(1 + tanh(u)) = x·sigmoid(2u) with u = √(2/π)·(x + 0.044715·x³); beyond ±9.5, where 2u is ±76, the sigmoid is
/// less than 1e-32 or 1.
template <class T> __device__ __forceinline__ T gelu_tanh(T x) {
    const T near = max(x, T(-9.5));
    const T twice = near * fused(T(0.07135481627260025) * near, near, T(1.5957691216057308));
    return near * moderate_sigmoid(min(twice, T(86)));
}
template <class T> __device__ __forceinline__ T gelu_tanh_grad(T dy, T x) {
    const T near = min(max(x, T(-9.5)), T(9.5));
    const T square = near * near;
    const T twice = near * fused(T(0.07135481627260025), square, T(1.5957691216057308));
    const T slope = near * fused(T(0.2140644488178008), square, T(1.5957691216057308));
    return dy * sigmoid_slope(twice, slope);
}

}  // namespace math
}  // namespace remat
