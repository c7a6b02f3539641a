// needs: optimizer.cuh
// Learning rates beyond warm-ups, lines, cosines and steps.

namespace remat {

__device__ __forceinline__ double polynomial_rate(double rate, i64 warmup, i64 total, double floor, double power,
                                                  i64 step) {
    const double left = 1.0 - schedule_progress(warmup, total, step);
    const double share = left == 0.0 ? 0.0 : math::pow(left, power);
    return step < warmup ? rising_rate(rate, warmup, step) : floor + (rate - floor) * share;
}

__device__ __forceinline__ double inverse_sqrt_rate(double rate, i64 warmup, i64 step) {
    return step < warmup ? rising_rate(rate, warmup, step)
                         : rate * math::sqrt(static_cast<double>(warmup) / static_cast<double>(step));
}

/// From `start` up to `rate` after `peak` steps, which need not be whole, then down to `end` in step `total`.
__device__ __forceinline__ double one_cycle_rate(double rate, double start, double end, double peak, i64 total,
                                                 bool cosine, i64 step) {
    const double at = static_cast<double>((step < total ? step : total) - 1);
    const bool rises = at <= peak;
    const double share = rises ? (peak == 0.0 ? 1.0 : at / peak)
                               : (at - peak) / (static_cast<double>(total - 1) - peak);
    const double gone = cosine ? (1.0 - math::cos_pi(share)) / 2.0 : share;
    return rises ? start + (rate - start) * gone : rate + (end - rate) * gone;
}

}  // namespace remat
