// needs: math.cuh
// Rounding, and exponentials and logarithms beside the common ones, with Java's treatment of special values.

namespace remat {
namespace math {

__device__ __forceinline__ float ceil(float x) { return -floorf(-x); }
__device__ __forceinline__ double ceil(double x) { return -::floor(-x); }
template <class T> __device__ __forceinline__ T trunc(T x) { return x < T(0) ? ceil(x) : floor(x); }
template <class T> __device__ __forceinline__ T reciprocal(T x) { return T(1) / x; }

/// To the nearest integer, halves to the even one: beyond the limit all numbers are integers.
template <class T> __device__ __forceinline__ T rounded_to_integer(T x, T limit) {
    const T size = abs(x);
    const T whole = size < limit ? (size + limit) - limit : size;
    return x < T(0) ? -whole : x == T(0) ? x : whole;
}
__device__ __forceinline__ float round(float x) { return rounded_to_integer(x, 0x1p+23f); }
__device__ __forceinline__ double round(double x) { return rounded_to_integer(x, 0x1p+52); }

/// exp(x) - 1.
template <class T> __device__ __forceinline__ T expm1(T x) {
    if (x <= T(0)) {
        return x == T(0) ? x : expm1_of_negative(x);
    }
    if (x > T(40)) {
        return exp(x);
    }
    i32 n;
    const T p = reduced_expm1(x, n);
    const T power = sizeof(T) == 4 ? T(two_to(n)) : T(two_to_wide(n));
    return fused(power, p, power - T(1));
}

/// log(1 + x): the sum is corrected for what it rounds away.
template <class T> __device__ __forceinline__ T log1p(T x) {
    const T sum = T(1) + x;
    const T value = log(sum);
    if (!(sum > T(0)) || sum - sum != T(0)) {
        return value;
    }
    const T lost = (x - (sum - T(1))) / sum;
    return value == T(0) ? (x == T(0) ? x : lost) : value + lost;
}

/// log(x) / log(2), exact where x is a power of two.
__device__ __forceinline__ double log2(double x) {
    if (!(x > 0.0) || x - x != 0.0) {
        return log(x);
    }
    double low;
    const double high = log_parts(x, low);
    const double product = high * 0x1.71547652b82fep+0;
    return product + (fma(high, 0x1.71547652b82fep+0, -product) +
                      fma(high, 0x1.777d0ffda0d24p-56, low * 0x1.71547652b82fep+0));
}
__device__ __forceinline__ double log10(double x) {
    if (!(x > 0.0) || x - x != 0.0) {
        return log(x);
    }
    double low;
    const double high = log_parts(x, low);
    const double product = high * 0x1.bcb7b1526e50ep-2;
    return product + (fma(high, 0x1.bcb7b1526e50ep-2, -product) +
                      fma(high, 0x1.95355baaafad3p-57, low * 0x1.bcb7b1526e50ep-2));
}
__device__ __forceinline__ float log2(float x) { return static_cast<float>(log2(static_cast<double>(x))); }
__device__ __forceinline__ float log10(float x) { return static_cast<float>(log10(static_cast<double>(x))); }

/// 2 to the power x, exact where x is an integer.
__device__ __forceinline__ double exp2(double x) {
    const double bounded = x < -1080.0 ? -1080.0 : x > 1025.0 ? 1025.0 : x;
    const double whole = round(bounded);
    const double fraction = exp((bounded - whole) * 0.6931471805599453);
    const i32 n = static_cast<i32>(whole);
    const i32 half = n >> 1;
    return x != x ? x : fraction * two_to_wide(half) * two_to_wide(n - half);
}
__device__ __forceinline__ float exp2(float x) { return static_cast<float>(exp2(static_cast<double>(x))); }

/// 2/√π · ∫ exp(-t²) dt from 0 to x: its series near 0, the Gaussian tail beyond.
template <class T> __device__ __forceinline__ T erf(T x) {
    const T size = abs(x);
    if (!(size > T(0.5))) {
        const T c[] = {T(1.1283791670955126),    T(-0.37612638903183754),  T(0.11283791670955126),
                       T(-0.026866170645131252), T(0.005223977625442188),  T(-0.0008548327023450853),
                       T(0.00012055332981789664), T(-1.492565035840625e-5), T(1.6462114365889247e-6),
                       T(-1.6365844691234924e-7), T(1.4807192815879218e-8), T(-1.2290555301717926e-9),
                       T(9.422759064650411e-11), T(-6.7113668551641105e-12)};
        return x * polynomial(size * size, c);
    }
    T density;
    const T value = T(1) - T(2) * gaussian_tail(size * T(1.4142135623730951), density);
    return x < T(0) ? -value : value;
}

/// (t + t/(t + 1))/2 of the size, where t is exp(x) - 1; by halves where exp(x) overflows.
template <class T> __device__ __forceinline__ T sinh(T x) {
    const T size = abs(x);
    const T t = expm1(size);
    const T root = exp(T(0.5) * size);
    const T value = size > T(30) ? T(0.5) * root * root : T(0.5) * (t + t / (t + T(1)));
    return x < T(0) ? -value : x == T(0) ? x : value;
}

template <class T> __device__ __forceinline__ T cosh(T x) {
    const T root = exp(T(0.5) * abs(x));
    const T power = exp(abs(x));
    return abs(x) > T(30) ? T(0.5) * root * root : T(0.5) * (power + T(1) / power);
}

/// log(x + √(x² + 1)) of the size, as log1p; large ones without the root.
template <class T> __device__ __forceinline__ T asinh(T x) {
    const T size = abs(x);
    const T square = size * size;
    const T value = size > T(1e9) ? log(size) + T(0.6931471805599453)
                                  : log1p(size + square / (T(1) + sqrt(square + T(1))));
    return x < T(0) ? -value : x == T(0) ? x : value;
}

template <class T> __device__ __forceinline__ T acosh(T x) {
    const T above = x - T(1);
    return x > T(1e9) ? log(x) + T(0.6931471805599453) : log1p(above + sqrt(above) * sqrt(above + T(2)));
}

template <class T> __device__ __forceinline__ T atanh(T x) {
    const T size = abs(x);
    const T value = T(0.5) * log1p(T(2) * size / (T(1) - size));
    return x < T(0) ? -value : x == T(0) ? x : value;
}

/// The rest of the quotient rounded towards 0, exact: the divisor is taken off bit by bit.
__device__ __noinline__ double fmod(double a, double b) {
    const double infinity = __longlong_as_double(0x7FF0000000000000ll);
    double rest = fabs(a);
    const double least = fabs(b);
    if (!(rest < infinity) || !(least > 0.0)) {
        return __longlong_as_double(0x7FF8000000000000ll);
    }
    while (rest >= least) {
        // The largest multiple by a power of two that is not more: their difference is exact.
        double multiple = least;
        const i64 apart = (__double_as_longlong(rest) >> 52) - (__double_as_longlong(least) >> 52);
        if (least >= 0x1p-1022 && apart > 0) {
            multiple = __longlong_as_double(__double_as_longlong(least) + ((apart - 1) << 52));
        }
        while (multiple * 2.0 <= rest) {
            multiple *= 2.0;
        }
        rest -= multiple;
    }
    return __double_as_longlong(a) < 0 ? -rest : rest;
}
__device__ __forceinline__ float fmod(float a, float b) {
    return static_cast<float>(fmod(static_cast<double>(a), static_cast<double>(b)));
}
/// The exact rest, with the sign of b.
__device__ __forceinline__ double remainder(double a, double b) {
    const double rest = fmod(a, b);
    return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}
__device__ __forceinline__ float remainder(float a, float b) {
    return static_cast<float>(remainder(static_cast<double>(a), static_cast<double>(b)));
}
__device__ __forceinline__ double floordiv(double a, double b) {
    const double quotient = a / b;
    return b == 0.0 || a - a != 0.0 || b - b != 0.0 ? floor(quotient) : round((a - remainder(a, b)) / b);
}
__device__ __forceinline__ float floordiv(float a, float b) {
    return static_cast<float>(floordiv(static_cast<double>(a), static_cast<double>(b)));
}

/// Of integers by 0 it is 0.
template <class I> __device__ __forceinline__ I integer_fmod(I a, I b) { return b == 0 || b == -1 ? 0 : a % b; }
template <class I> __device__ __forceinline__ I integer_remainder(I a, I b) {
    const I rest = integer_fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
template <class I> __device__ __forceinline__ I integer_floordiv(I a, I b) {
    if (b == 0 || b == -1) {
        return b == 0 ? 0 : I(0ull - static_cast<u64>(a));
    }
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
__device__ __forceinline__ i32 fmod(i32 a, i32 b) { return integer_fmod(a, b); }
__device__ __forceinline__ i64 fmod(i64 a, i64 b) { return integer_fmod(a, b); }
__device__ __forceinline__ i32 remainder(i32 a, i32 b) { return integer_remainder(a, b); }
__device__ __forceinline__ i64 remainder(i64 a, i64 b) { return integer_remainder(a, b); }
__device__ __forceinline__ i32 floordiv(i32 a, i32 b) { return integer_floordiv(a, b); }
__device__ __forceinline__ i64 floordiv(i64 a, i64 b) { return integer_floordiv(a, b); }

}  // namespace math
}  // namespace remat
