// Errors at barriers, each beside its correct twin.

/// Reverses a block through shared memory.
template <bool right> __device__ void reverse(float* out, const float* in, unsigned n) {
    __shared__ float values[64];
    values[threadIdx.x] = in[threadIdx.x];
    if (right) {
        __syncthreads();
    }
    out[threadIdx.x] = values[n - 1 - threadIdx.x];
}

/// Overwrites what other threads have not read yet.
template <bool right> __device__ void rotate_twice(float* out, const float* in, unsigned n) {
    __shared__ float values[64];
    values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float next = values[(threadIdx.x + 1) % n];
    if (right) {
        __syncthreads();
    }
    values[threadIdx.x] = next;
    __syncthreads();
    out[threadIdx.x] = values[(threadIdx.x + n - 2) % n];
}

/// Some threads leave before the barrier.
template <bool right> __device__ void reverse_tail(float* out, const float* in, unsigned n) {
    __shared__ float values[64];
    if (!right && threadIdx.x >= n / 2) {
        return;
    }
    values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = values[n - 1 - threadIdx.x];
}

/// Two halves of the block wait at barriers of their own.
template <bool right> __device__ void reverse_apart(float* out, const float* in, unsigned n) {
    __shared__ float values[64];
    values[threadIdx.x] = in[threadIdx.x];
    if (right || threadIdx.x < 32) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    out[threadIdx.x] = values[n - 1 - threadIdx.x];
}

/// Lanes of one warp exchange through shared memory.
template <bool right> __device__ void swap_lanes(float* out, const float* in, unsigned n) {
    __shared__ float values[64];
    values[threadIdx.x] = in[threadIdx.x];
    if (right) {
        __syncwarp();
    }
    out[n - 1 - threadIdx.x] = values[threadIdx.x ^ 1u];
}

extern "C" __global__ void reverse_wrong(float* out, const float* in, unsigned n) { reverse<false>(out, in, n); }
extern "C" __global__ void reverse_right(float* out, const float* in, unsigned n) { reverse<true>(out, in, n); }
extern "C" __global__ void rotate_wrong(float* out, const float* in, unsigned n) { rotate_twice<false>(out, in, n); }
extern "C" __global__ void rotate_right(float* out, const float* in, unsigned n) { rotate_twice<true>(out, in, n); }
extern "C" __global__ void tail_wrong(float* out, const float* in, unsigned n) { reverse_tail<false>(out, in, n); }
extern "C" __global__ void tail_right(float* out, const float* in, unsigned n) { reverse_tail<true>(out, in, n); }
extern "C" __global__ void apart_wrong(float* out, const float* in, unsigned n) { reverse_apart<false>(out, in, n); }
extern "C" __global__ void apart_right(float* out, const float* in, unsigned n) { reverse_apart<true>(out, in, n); }
extern "C" __global__ void lanes_wrong(float* out, const float* in, unsigned n) { swap_lanes<false>(out, in, n); }
extern "C" __global__ void lanes_right(float* out, const float* in, unsigned n) { swap_lanes<true>(out, in, n); }
