// What C++ has no words for: the only file with inline assembly. Needs sm_80.

namespace remat {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

/// Declares `name` as the block's dynamic shared memory.
#define REMAT_SHARED(name) extern __shared__ __align__(128) unsigned char name[]
/// The same for operands of wgmma.
#define REMAT_SHARED_PANELS(name) extern __shared__ __align__(1024) unsigned char name[]

__device__ __forceinline__ float f16_to_f32(u16 x) {
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
    return y;
}

__device__ __forceinline__ u16 f32_to_f16(float x) {
    u16 y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ u16 f32_to_bf16(float x) {
    u16 y;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
    return y;
}

/// Two floats rounded, the first in the lower half.
__device__ __forceinline__ u32 f32x2_to_f16x2(float low, float high) {
    u32 y;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
    return y;
}

__device__ __forceinline__ u32 f32x2_to_bf16x2(float low, float high) {
    u32 y;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
    return y;
}

/// Rounds to the ten bits of mantissa that tf32 products use.
__device__ __forceinline__ u32 f32_to_tf32(float x) {
    u32 y;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
    return y;
}

/// 2 to the power of x to about 22 bits; subnormal results are 0.
__device__ __forceinline__ float exp2_approx(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/// The larger; NaN if either is, and 0 is more than -0.
__device__ __forceinline__ float max_or_nan(float a, float b) {
    float y;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
}

/// The smaller, likewise.
__device__ __forceinline__ float min_or_nan(float a, float b) {
    float y;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
}

/// Writes 16 bytes to global memory if they are there to be written; without a branch, which computing them would follow.
__device__ __forceinline__ void store_16(void* global, const u32 (&words)[4], bool there) {
    asm volatile("{\n"
                 ".reg .pred %%there<1>;\n"
                 "setp.ne.b32 %%there0, %5, 0;\n"
                 "@%%there0 st.global.v4.b32 [%0], {%1, %2, %3, %4};\n"
                 "}" ::"l"(global), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]),
                 "r"(there ? 1 : 0)
                 : "memory");
}

__device__ __forceinline__ u32 shared_address(const void* shared) {
    return static_cast<u32>(__cvta_generic_to_shared(shared));
}

/// Starts a copy of 16 bytes to shared memory; zeros where not valid.
__device__ __forceinline__ void cp_async_16(void* shared, const void* global, bool valid) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global),
                 "r"(valid ? 16 : 0)
                 : "memory");
}

__device__ __forceinline__ void cp_async_8(void* shared, const void* global, bool valid) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared_address(shared)), "l"(global),
                 "r"(valid ? 8 : 0)
                 : "memory");
}

__device__ __forceinline__ void cp_async_4(void* shared, const void* global, bool valid) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(shared)), "l"(global),
                 "r"(valid ? 4 : 0)
                 : "memory");
}

/// Ends a group of copies.
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until at most N of this thread's groups are under way.
template <int N> __device__ __forceinline__ void cp_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/// Four 8x8 matrices of 16-bit elements; lane i gives the address of row i % 8 of matrix i / 8.
__device__ __forceinline__ void ldmatrix_x4(u32 (&r)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

__device__ __forceinline__ void ldmatrix_x4_trans(u32 (&r)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

__device__ __forceinline__ void ldmatrix_x2(u32 (&r)[2], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(shared_address(row))
                 : "memory");
}

__device__ __forceinline__ void ldmatrix_x2_trans(u32 (&r)[2], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(shared_address(row))
                 : "memory");
}

/// d += a · b, with a 16x16 and b 16x8.
__device__ __forceinline__ void mma_m16n8k16_bf16(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void mma_m16n8k16_f16(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// d += a · b, with a 16x8 and b 8x8 in tf32.
__device__ __forceinline__ void mma_m16n8k8_tf32(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// How wgmma is told of a distance in shared memory.
constexpr __device__ __forceinline__ u64 wgmma_distance(u32 bytes) { return bytes / 16; }

/// How wgmma finds an operand: rows of 128 bytes whose pieces of 16 bytes are permuted within groups of eight rows that
/// begin at multiples of 1024 bytes. `panels` lie between neighbouring 64 rows or columns of the matrix where these run
/// along rows of memory, `groups` between neighbouring groups.
__device__ __forceinline__ u64 wgmma_operand(const void* shared, u32 panels, u32 groups) {
    constexpr u64 SWIZZLED_BY_128_BYTES = 1;
    return wgmma_distance(shared_address(shared)) | wgmma_distance(panels) << 16 | wgmma_distance(groups) << 32
         | SWIZZLED_BY_128_BYTES << 62;
}

/// Lets wgmma see what this thread has written to shared memory, once a barrier has come between.
__device__ __forceinline__ void fence_shared_for_wgmma() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Sums are ready to be added to.
__device__ __forceinline__ void wgmma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// Ends a group of products.
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/// Waits until at most N of this warp's groups are under way.
template <int N> __device__ __forceinline__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

/// Nothing that reads sums comes before this; all products have been waited for.
__device__ __forceinline__ void wgmma_end(float (&d)[64]) {
#pragma unroll
    for (int i = 0; i < 64; i++) {
        asm volatile("" : "+f"(d[i])::"memory");
    }
}

#define REMAT_EIGHT(d, i)                                                                                             \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]),       \
        "+f"(d[i + 7])
#define REMAT_WGMMA(types, d, a, b)                                                                                   \
    asm volatile("{\n"                                                                                                \
                 ".reg .pred %%add<1>;\n"                                                                             \
                 "setp.ne.b32 %%add0, 1, 0;\n"                                                                        \
                 "wgmma.mma_async.sync.aligned.m64n128k16." types " {"                                                \
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                             \
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                   \
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                   \
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "                  \
                 "%64, %65, %%add0, 1, 1, %66, %67;\n"                                                                \
                 "}"                                                                                                  \
                 : REMAT_EIGHT(d, 0), REMAT_EIGHT(d, 8), REMAT_EIGHT(d, 16), REMAT_EIGHT(d, 24), REMAT_EIGHT(d, 32),  \
                   REMAT_EIGHT(d, 40), REMAT_EIGHT(d, 48), REMAT_EIGHT(d, 56)                                         \
                 : "l"(a), "l"(b), "n"(A_ALONG_M ? 1 : 0), "n"(B_ALONG_N ? 1 : 0)                                     \
                 : "memory")

/// d += a · b by four warps, with a 64x16 and b 16x128; each warp has 16 rows of d, as mma has two fragments of eight.
template <bool A_ALONG_M, bool B_ALONG_N>
__device__ __forceinline__ void wgmma_m64n128k16_bf16(float (&d)[64], u64 a, u64 b) {
    REMAT_WGMMA("f32.bf16.bf16", d, a, b);
}
template <bool A_ALONG_M, bool B_ALONG_N>
__device__ __forceinline__ void wgmma_m64n128k16_f16(float (&d)[64], u64 a, u64 b) {
    REMAT_WGMMA("f32.f16.f16", d, a, b);
}
#undef REMAT_WGMMA
#undef REMAT_EIGHT

}  // namespace remat
