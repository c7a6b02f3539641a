// needs: math32.cuh
// Exponential, logarithm and Gaussian tail of doubles by + - * / fma and bits: the same bits on every machine.

namespace remat {
namespace math {

__device__ __forceinline__ double two_to_wide(i32 n) {
    return __longlong_as_double(static_cast<i64>(n + 1023) << 52);
}

/// Splits x = n·ln 2 + r for |x| < 2^20; returns exp(r) - 1.
__device__ __forceinline__ double reduced_expm1(double x, i32& n) {
    const double shifted = fma(x, 0x1.71547652b82fep+0, 0x1.8p+52);
    const double whole = shifted - 0x1.8p+52;
    n = static_cast<i32>(static_cast<u32>(__double_as_longlong(shifted)));
    double r = fma(whole, -0x1.62e42fefa38p-1, x);
    r = fma(whole, -0x1.ef35793c7673p-45, r);
    const double c[] = {1.0 / 2,        1.0 / 6,         1.0 / 24,         1.0 / 120,         1.0 / 720,
                        1.0 / 5040,     1.0 / 40320,     1.0 / 362880,     1.0 / 3628800,     1.0 / 39916800,
                        1.0 / 479001600, 1.0 / 6227020800.0};
    return fma(r * r, polynomial(r, c), r);
}

__device__ __forceinline__ double exp(double x) {
    double bounded = x < -746.0 ? -746.0 : x;
    bounded = bounded > 710.0 ? 710.0 : bounded;
    i32 n;
    const double p = reduced_expm1(bounded, n) + 1.0;
    const i32 half = n >> 1;
    return p * two_to_wide(half) * two_to_wide(n - half);
}

/// exp(x) for x <= 0 or little more, with 0 for what is below the normal numbers.
__device__ __forceinline__ double exp_of_negative(double x) {
    i32 n;
    const double p = reduced_expm1(x, n) + 1.0;
    return x < -708.0 ? 0.0 : p * two_to_wide(n);
}

__device__ __forceinline__ double exp_of_moderate(double x) { return exp(x); }
__device__ __forceinline__ double reciprocal_of_normal(double x) { return 1.0 / x; }

/// exp(x) - 1 for x <= 0.
__device__ __forceinline__ double expm1_of_negative(double x) {
    i32 n;
    const double p = reduced_expm1(x < -746.0 ? -746.0 : x, n);
    const double power = n < -1022 ? 0.0 : two_to_wide(n);
    return fma(power, p, power - 1.0);
}

/// log(x) = high + low for finite x > 0, good to about 2^-60.
__device__ __forceinline__ double log_parts(double x, double& low) {
    const bool subnormal = x < 0x1p-1022;
    const u64 bits = static_cast<u64>(__double_as_longlong(subnormal ? x * 0x1p+52 : x));
    const i64 e = static_cast<i64>(bits - 0x3FE6A09E667F3BCDull) >> 52;
    const double f = __longlong_as_double(static_cast<i64>(bits - (static_cast<u64>(e) << 52))) - 1.0;
    const double n = static_cast<double>(subnormal ? e - 52 : e);
    // log(1 + f) = 2·artanh(s) with s = f / (2 + f), here s + rest.
    const double d = f + 2.0;
    const double s = f / d;
    const double rest = (fma(-s, d, f) - s * (f - (d - 2.0))) / d;
    const double c[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                        1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    const double t = s * s;
    const double tail = 2.0 * fma(s * t, polynomial(t, c), rest);
    const double whole = n * 0x1.62e42fefa38p-1;
    const double sum = whole + 2.0 * s;
    const double lost = 2.0 * s - (sum - whole);
    const double small = tail + fma(n, 0x1.ef35793c7673p-45, lost);
    const double high = sum + small;
    low = small - (high - sum);
    return high;
}

__device__ __forceinline__ double log(double x) {
    if (x > 0.0 && x < __longlong_as_double(0x7FF0000000000000ll)) {
        double low;
        return log_parts(x, low);
    }
    return x == 0.0 ? -__longlong_as_double(0x7FF0000000000000ll)
                    : x > 0.0 ? x : __longlong_as_double(0x7FF8000000000000ll);
}

/// a to the power b as Java's StrictMath.pow has it: b = 0 gives 1, NaN anywhere else NaN.
__device__ __forceinline__ double pow(double a, double b) {
    if (b == 0.0) {
        return 1.0;
    }
    const double infinity = __longlong_as_double(0x7FF0000000000000ll);
    const double size = fabs(a);
    double low = 0.0;
    const double high = size > 0.0 && size < infinity ? log_parts(size, low) : log(size);
    const double exponent = high * b;
    double power = exp(exponent);
    if (power > 0.0 && power < infinity) {
        power = fma(power, fma(high, b, -exponent) + low * b, power);
    }
    const bool integer = floor(b) == b;
    const bool odd = integer && floor(b * 0.5) * 2.0 != b && fabs(b) < 0x1p53;
    const bool negative = __double_as_longlong(a) < 0;
    if (negative && !integer && size > 0.0 && size < infinity) {
        return __longlong_as_double(0x7FF8000000000000ll);
    }
    return negative && odd ? -power : power;
}

/// x to the power n >= 0 by repeated squaring.
__device__ __forceinline__ double power(double x, i64 n) {
    double result = 1.0;
    for (; n > 0; n >>= 1) {
        result = (n & 1) != 0 ? result * x : result;
        x = x * x;
    }
    return result;
}

/// The standard Gaussian: exp(-t^2/2), and the probability of more than t, for t >= 0.
__device__ __forceinline__ double gaussian_tail(double t, double& density) {
    t = t > 39.0 ? 39.0 : t;
    const double square = t * t;
    const double e = exp(-0.5 * square);
    density = fma(e, -0.5 * fma(t, t, -square), e);
    const double c[] = {0.18882128260393787,     0.15197416049297303,     0.096784350185553636,
                        0.046630464489914302,    0.015099143722734081,    0.0018850472416820312,
                        -0.00086992309184735947, -0.00040770461440261885, 3.333607809393808e-5,
                        5.7773733840677587e-5,   -4.7706458778153987e-7,  -8.7861717674553865e-6,
                        1.7916655639489827e-7,   1.480044153798025e-6,    -1.574243886220167e-7,
                        -2.5539014418958275e-7,  6.7952143491687663e-8,   3.874310977172839e-8,
                        -2.1353858314103596e-8,  -3.321220441925138e-9,   4.9064017041224353e-9,
                        -4.7956134803424125e-10, -6.3104003432424623e-10, 1.8172343807175169e-10};
    const double w = 1.0 / fma(0.25, t, 1.0);
    return density * (w * polynomial(fma(-0.5, t * w, 1.0), c));
}

/// cos(πx) for 0 <= x <= 1.
__device__ __forceinline__ double cos_pi(double x) {
    const double y = 3.14159265358979323846 * (0.5 - x);
    const double c[] = {-1.0 / 6,
                        1.0 / 120,
                        -1.0 / 5040,
                        1.0 / 362880,
                        -1.0 / 39916800,
                        1.0 / 6227020800.0,
                        -1.0 / 1307674368000.0,
                        1.0 / 355687428096000.0,
                        -1.0 / 121645100408832000.0,
                        1.0 / 51090942171709440000.0};
    const double square = y * y;
    return fma(y * square, polynomial(square, c), y);
}

}  // namespace math
}  // namespace remat
