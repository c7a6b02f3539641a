// Errors of warp operations and asynchronous copies, each beside its correct twin.

/// The sum of each warp's lanes in every lane, of which half may stay away.
template <bool right> __device__ void sum_warp(float* out, const float* in, unsigned n) {
    float sum = in[threadIdx.x];
    if (right || threadIdx.x % 32 < 16) {
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
        }
    }
    out[threadIdx.x] = sum;
}

/// Half a warp exchanges, under a mask that names only half of those.
template <bool right> __device__ void sum_masked(float* out, const float* in, unsigned n) {
    float sum = in[threadIdx.x];
    unsigned mask = threadIdx.x % 32 < 16 ? (right ? 0x0000ffffu : 0x000000ffu) : 0xffff0000u;
    for (int lanes = 8; lanes > 0; lanes /= 2) {
        sum += __shfl_xor_sync(mask, sum, lanes, 16);
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 16);
    out[threadIdx.x] = sum;
}

/// A thread leaves before the others vote.
template <bool right> __device__ void sum_voted(float* out, const float* in, unsigned n) {
    if (!right && threadIdx.x == 7) {
        return;
    }
    unsigned all = __ballot_sync(0xffffffffu, threadIdx.x % 32 < n);
    float sum = in[threadIdx.x];
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        sum += __shfl_xor_sync(all, sum, lanes);
    }
    out[threadIdx.x] = sum;
}

/// Copies through shared memory; what goes wrong is the number of steps left out: 1 the wait, 2 the commit too.
template <int missing> __device__ void copy_async(float* out, const float* in, unsigned n) {
    REMAT_SHARED(bytes);
    float* values = reinterpret_cast<float*>(bytes);
    remat::cp_async_4(values + threadIdx.x, in + threadIdx.x, threadIdx.x < n);
    if (missing < 2) {
        remat::cp_async_commit();
    }
    if (missing < 1) {
        remat::cp_async_wait<0>();
    }
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x];
}

/// Waits for the group before the one that it needs.
template <bool right> __device__ void copy_grouped(float* out, const float* in, unsigned n) {
    REMAT_SHARED(bytes);
    float* values = reinterpret_cast<float*>(bytes);
    remat::cp_async_4(values + threadIdx.x, in + n - 1 - threadIdx.x, true);
    remat::cp_async_commit();
    remat::cp_async_wait<0>();
    remat::cp_async_4(values + threadIdx.x, in + threadIdx.x, true);
    remat::cp_async_commit();
    if (right) {
        remat::cp_async_wait<0>();
    } else {
        remat::cp_async_wait<1>();
    }
    out[threadIdx.x] = values[threadIdx.x];
}

/// Lanes hand values to their neighbours. A vote between writing and reading orders neither.
template <bool right> __device__ void hand_over(float* out, const float* in, unsigned n) {
    __shared__ float values[64];
    values[threadIdx.x] = in[threadIdx.x];
    if (right) {
        __syncwarp();
    } else {
        __ballot_sync(0xffffffffu, true);
    }
    out[threadIdx.x] = values[threadIdx.x ^ 1];
}

/// Each lane overwrites what its neighbour reads, behind a shuffle or behind what orders it.
template <bool right> __device__ void change_places(float* out, const float* in, unsigned n) {
    __shared__ float values[64];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    float other = values[threadIdx.x ^ 1];
    if (right) {
        __syncwarp();
    } else {
        other = __shfl_xor_sync(0xffffffffu, __shfl_xor_sync(0xffffffffu, other, 1), 1);
    }
    values[threadIdx.x] = other;
    out[threadIdx.x] = values[threadIdx.x];
}

extern "C" __global__ void handed_wrong(float* out, const float* in, unsigned n) { hand_over<false>(out, in, n); }
extern "C" __global__ void handed_right(float* out, const float* in, unsigned n) { hand_over<true>(out, in, n); }
extern "C" __global__ void places_wrong(float* out, const float* in, unsigned n) { change_places<false>(out, in, n); }
extern "C" __global__ void places_right(float* out, const float* in, unsigned n) { change_places<true>(out, in, n); }
extern "C" __global__ void warp_wrong(float* out, const float* in, unsigned n) { sum_warp<false>(out, in, n); }
extern "C" __global__ void warp_right(float* out, const float* in, unsigned n) { sum_warp<true>(out, in, n); }
extern "C" __global__ void mask_wrong(float* out, const float* in, unsigned n) { sum_masked<false>(out, in, n); }
extern "C" __global__ void mask_right(float* out, const float* in, unsigned n) { sum_masked<true>(out, in, n); }
extern "C" __global__ void vote_wrong(float* out, const float* in, unsigned n) { sum_voted<false>(out, in, n); }
extern "C" __global__ void vote_right(float* out, const float* in, unsigned n) { sum_voted<true>(out, in, n); }
extern "C" __global__ void wait_wrong(float* out, const float* in, unsigned n) { copy_async<1>(out, in, n); }
extern "C" __global__ void wait_right(float* out, const float* in, unsigned n) { copy_async<0>(out, in, n); }
extern "C" __global__ void commit_wrong(float* out, const float* in, unsigned n) { copy_async<2>(out, in, n); }
extern "C" __global__ void commit_right(float* out, const float* in, unsigned n) { copy_async<0>(out, in, n); }
extern "C" __global__ void group_wrong(float* out, const float* in, unsigned n) { copy_grouped<false>(out, in, n); }
extern "C" __global__ void group_right(float* out, const float* in, unsigned n) { copy_grouped<true>(out, in, n); }
