// Stray accesses, each beside its correct twin. All copy n floats.

template <bool right> __device__ void copy_tail(float* out, const float* in, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; right ? i < n : i <= n; i += gridDim.x * blockDim.x) {
        out[i] = in[i < n ? i : n - 1];
    }
}

/// The stride of a grid-stride loop leaves out one thread.
template <bool right> __device__ void copy_strided(float* out, const float* in, unsigned n) {
    unsigned stride = gridDim.x * blockDim.x + (right ? 0 : 1);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        out[i] = in[i];
    }
}

/// Reads one element too far, which does not matter to the sum if memory happens to hold zeros.
template <bool right> __device__ void copy_sum(float* out, const float* in, unsigned n) {
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        float next = right ? 0.0f : in[i + 1 < n ? n - 1 : n] * 0.0f;
        out[i] = in[i] + next;
    }
}

/// Addresses far from all buffers.
template <bool right> __device__ void copy_far(float* out, const float* in, unsigned n) {
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        out[right ? i : i + 4000000u] = in[i];
    }
}

/// Packs at addresses that are not multiples of their size.
template <bool right> __device__ void copy_packs(float* out, const float* in, unsigned n) {
    struct alignas(8) Two {
        float at[2];
    };
    const unsigned first = right ? 0 : 1;
    for (unsigned i = first + 2 * threadIdx.x; i + 2 <= n; i += 2 * blockDim.x) {
        *reinterpret_cast<Two*>(out + i) = *reinterpret_cast<const Two*>(in + i);
    }
    if (threadIdx.x == 0) {
        out[0] = in[0];
        out[n - 1] = in[n - 1];
    }
}

/// An index outside of registers.
template <bool right> __device__ void copy_registers(float* out, const float* in, unsigned n) {
    float values[4] = {in[threadIdx.x], 0.0f, 0.0f, 0.0f};
    out[threadIdx.x] = values[n / (right ? 65 : 16)];
}

/// Writes past dynamic shared memory, which the launch gives 64 floats.
template <bool right> __device__ void copy_shared(float* out, const float* in, unsigned n) {
    REMAT_SHARED(bytes);
    float* values = reinterpret_cast<float*>(bytes);
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        values[right ? threadIdx.x : threadIdx.x + 1] = in[i];
        out[i] = values[right ? threadIdx.x : threadIdx.x + 1];
    }
}

/// Counts on shared memory being zero.
template <bool right> __device__ void copy_unset(float* out, const float* in, unsigned n) {
    __shared__ float sums[64];
    if (right) {
        sums[threadIdx.x] = 0.0f;
    }
    sums[threadIdx.x] += 0.0f;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = in[i] + sums[threadIdx.x];
    }
}

/// Divides by an extent that is zero.
template <bool right> __device__ void copy_divided(float* out, const float* in, unsigned n) {
    unsigned rows = n / (right ? blockDim.x : blockDim.x * n);
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = in[i + i % rows];
    }
}

extern "C" __global__ void end_wrong(float* out, const float* in, unsigned n) { copy_tail<false>(out, in, n); }
extern "C" __global__ void end_right(float* out, const float* in, unsigned n) { copy_tail<true>(out, in, n); }
extern "C" __global__ void stride_wrong(float* out, const float* in, unsigned n) { copy_strided<false>(out, in, n); }
extern "C" __global__ void stride_right(float* out, const float* in, unsigned n) { copy_strided<true>(out, in, n); }
extern "C" __global__ void sum_wrong(float* out, const float* in, unsigned n) { copy_sum<false>(out, in, n); }
extern "C" __global__ void sum_right(float* out, const float* in, unsigned n) { copy_sum<true>(out, in, n); }
extern "C" __global__ void far_wrong(float* out, const float* in, unsigned n) { copy_far<false>(out, in, n); }
extern "C" __global__ void far_right(float* out, const float* in, unsigned n) { copy_far<true>(out, in, n); }
extern "C" __global__ void packs_wrong(float* out, const float* in, unsigned n) { copy_packs<false>(out, in, n); }
extern "C" __global__ void packs_right(float* out, const float* in, unsigned n) { copy_packs<true>(out, in, n); }
extern "C" __global__ void shared_wrong(float* out, const float* in, unsigned n) { copy_shared<false>(out, in, n); }
extern "C" __global__ void shared_right(float* out, const float* in, unsigned n) { copy_shared<true>(out, in, n); }
extern "C" __global__ void unset_wrong(float* out, const float* in, unsigned n) { copy_unset<false>(out, in, n); }
extern "C" __global__ void unset_right(float* out, const float* in, unsigned n) { copy_unset<true>(out, in, n); }
extern "C" __global__ void divided_wrong(float* out, const float* in, unsigned n) { copy_divided<false>(out, in, n); }
extern "C" __global__ void divided_right(float* out, const float* in, unsigned n) { copy_divided<true>(out, in, n); }
extern "C" __global__ void registers_wrong(float* out, const float* in, unsigned n) {
    copy_registers<false>(out, in, n);
}
extern "C" __global__ void registers_right(float* out, const float* in, unsigned n) {
    copy_registers<true>(out, in, n);
}
