// One warp multiplies A (16 x k, row-major) with B (n-major, 8 x k, or k-major, k x 8) by each way to load fragments.
// Matrices of 16-bit floats are made of floats here, and lie in shared memory side by side.

namespace remat {

struct ToBf16 {
    static u16 of(float x) { return f32_to_bf16(x); }
    static void mma(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) { mma_m16n8k16_bf16(d, a, b); }
};

struct ToF16 {
    static u16 of(float x) { return f32_to_f16(x); }
    static void mma(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) { mma_m16n8k16_f16(d, a, b); }
};

__device__ void store_tile(float* c, const float (&d)[4]) {
    const u32 lane = threadIdx.x;
    for (u32 i = 0; i < 4; i++) {
        c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
    }
}

template <class Half, bool transposed> __device__ void product(float* c, const float* a, const float* b) {
    __shared__ __align__(16) u16 halves[16 * 16 + 16 * 8];
    u16* left = halves;
    u16* right = halves + 16 * 16;
    const u32 lane = threadIdx.x;
    for (u32 i = lane; i < 16 * 16; i += 32) {
        left[i] = Half::of(a[i]);
    }
    for (u32 i = lane; i < 16 * 8; i += 32) {
        right[i] = Half::of(b[i]);
    }
    __syncthreads();
    u32 fa[4];
    u32 fb[2];
    if (transposed) {
        ldmatrix_x4_trans(fa, left + (lane / 16 * 8 + lane % 8) * 16 + lane / 8 % 2 * 8);
        ldmatrix_x2_trans(fb, right + lane % 16 * 8);
    } else {
        ldmatrix_x4(fa, left + lane % 16 * 16 + lane / 16 * 8);
        ldmatrix_x2(fb, right + lane % 8 * 16 + lane / 8 % 2 * 8);
    }
    float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    Half::mma(d, fa, fb);
    store_tile(c, d);
}

/// A is 16 x 8 and B 8 x 8, n-major.
__device__ void product_of_floats(float* c, const float* a, const float* b) {
    const u32 group = threadIdx.x / 4;
    const u32 within = threadIdx.x % 4;
    const u32 fa[4] = {f32_to_tf32(a[group * 8 + within]), f32_to_tf32(a[(group + 8) * 8 + within]),
                       f32_to_tf32(a[group * 8 + within + 4]), f32_to_tf32(a[(group + 8) * 8 + within + 4])};
    const u32 fb[2] = {f32_to_tf32(b[group * 8 + within]), f32_to_tf32(b[group * 8 + within + 4])};
    float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    mma_m16n8k8_tf32(d, fa, fb);
    store_tile(c, d);
}

/// Bits of conversions: what is given to f16, bf16 and tf32, and the lower half of its bits from f16.
__device__ void convert_all(u32* to, const u32* from, u32 n) {
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        const float x = __uint_as_float(from[i]);
        to[4 * i] = f32_to_f16(x);
        to[4 * i + 1] = f32_to_bf16(x);
        to[4 * i + 2] = f32_to_tf32(x);
        to[4 * i + 3] = __float_as_uint(f16_to_f32(static_cast<u16>(from[i])));
    }
}

extern "C" __global__ void mma_bf16(float* c, const float* a, const float* b) { product<ToBf16, false>(c, a, b); }
extern "C" __global__ void mma_bf16_transposed(float* c, const float* a, const float* b) {
    product<ToBf16, true>(c, a, b);
}
extern "C" __global__ void mma_f16(float* c, const float* a, const float* b) { product<ToF16, false>(c, a, b); }
extern "C" __global__ void mma_f16_transposed(float* c, const float* a, const float* b) {
    product<ToF16, true>(c, a, b);
}
extern "C" __global__ void mma_tf32(float* c, const float* a, const float* b) { product_of_floats(c, a, b); }
extern "C" __global__ void convert(u32* to, const u32* from, u32 n) { convert_all(to, from, n); }

}  // namespace remat
