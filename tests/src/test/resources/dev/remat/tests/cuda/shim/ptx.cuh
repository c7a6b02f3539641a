// The functions of the generator's ptx.cuh for the CPU: same names, same results, checked addresses.

#define REMAT_SHARED(name) unsigned char* name = ::shim::dynamic_shared()
#define REMAT_SHARED_PANELS(name) REMAT_SHARED(name)

namespace remat {

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

namespace shim_ptx {
/** PTX's canonical NaN in the formats that have one here. */
constexpr u32 NAN_F32 = 0x7fffffffu;
constexpr u16 NAN_F16 = 0x7fffu;

/** Drops low bits, to nearest, ties to even. */
inline u32 round_even(u32 bits, int drop) {
    u32 half = 1u << (drop - 1);
    return (bits + (half - 1) + (bits >> drop & 1u)) >> drop;
}
}  // namespace shim_ptx

inline float f16_to_f32(u16 x) {
    u32 sign = static_cast<u32>(x & 0x8000) << 16;
    u32 exponent = x >> 10 & 0x1f;
    u32 fraction = x & 0x3ff;
    if (exponent == 0x1f) {
        return __uint_as_float(fraction != 0 ? shim_ptx::NAN_F32 : sign | 0x7f800000u);
    }
    if (exponent == 0) {
        float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return __uint_as_float(__float_as_uint(magnitude) | sign);
    }
    return __uint_as_float(sign | (exponent + 112) << 23 | fraction << 13);
}

inline u16 f32_to_f16(float x) {
    u32 bits = __float_as_uint(x);
    u32 sign = bits >> 16 & 0x8000u;
    u32 magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return shim_ptx::NAN_F16;
    }
    if (magnitude >= 0x47800000u) {  // 2^16 and more, infinity too
        return static_cast<u16>(sign | 0x7c00u);
    }
    if (magnitude < 0x33000000u) {  // below half of the smallest subnormal
        return static_cast<u16>(sign);
    }
    if (magnitude < 0x38800000u) {  // subnormal: below 2^-14
        int drop = 126 - static_cast<int>(magnitude >> 23);
        u32 fraction = (magnitude & 0x7fffffu) | 0x800000u;
        return static_cast<u16>(sign | shim_ptx::round_even(fraction, drop));
    }
    return static_cast<u16>(sign | shim_ptx::round_even(magnitude - (112u << 23), 13));
}

inline u16 f32_to_bf16(float x) {
    u32 bits = __float_as_uint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return 0x7fffu;
    }
    return static_cast<u16>(shim_ptx::round_even(bits, 16));
}

inline u32 f32x2_to_f16x2(float low, float high) {
    return f32_to_f16(low) | static_cast<u32>(f32_to_f16(high)) << 16;
}

inline u32 f32x2_to_bf16x2(float low, float high) {
    return f32_to_bf16(low) | static_cast<u32>(f32_to_bf16(high)) << 16;
}

/** Rounds to 10 fraction bits, ties away from zero. */
inline u32 f32_to_tf32(float x) {
    u32 bits = __float_as_uint(x);
    u32 magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return shim_ptx::NAN_F32;
    }
    return magnitude == 0x7f800000u ? bits : (bits + 0x1000u) & ~0x1fffu;
}

/** The hardware's own function is off by at most 2 units in the last place. */
inline float exp2_approx(float x) {
    float y = __builtin_exp2f(x);
    return __builtin_fabsf(y) < 0x1p-126f ? 0.0f : y;
}

inline float max_or_nan(float a, float b) {
    return a != a || b != b ? __uint_as_float(shim_ptx::NAN_F32)
         : a == b ? __uint_as_float(__float_as_uint(a) & __float_as_uint(b)) : a > b ? a : b;
}
inline float min_or_nan(float a, float b) {
    return a != a || b != b ? __uint_as_float(shim_ptx::NAN_F32)
         : a == b ? __uint_as_float(__float_as_uint(a) | __float_as_uint(b)) : a < b ? a : b;
}

namespace shim_ptx {
struct alignas(16) Words {
    u32 at[4];
};
}  // namespace shim_ptx

inline void store_16(void* global, const u32 (&words)[4], bool there) {
    if (there) {
        *static_cast<shim_ptx::Words*>(global) = {{words[0], words[1], words[2], words[3]}};
    }
}

inline void cp_async_16(void* shared, const void* global, bool valid, SHIM_HERE) {
    ::shim::copy_later({"cp_async_16", file, line}, shared, global, 16, valid);
}
inline void cp_async_8(void* shared, const void* global, bool valid, SHIM_HERE) {
    ::shim::copy_later({"cp_async_8", file, line}, shared, global, 8, valid);
}
inline void cp_async_4(void* shared, const void* global, bool valid, SHIM_HERE) {
    ::shim::copy_later({"cp_async_4", file, line}, shared, global, 4, valid);
}
inline void cp_async_commit() { ::shim::commit_copies(); }
template <int N> inline void cp_async_wait() { ::shim::wait_copies(N); }

namespace shim_ptx {
struct MatrixRows {
    const u8* row;
    u32* registers;
};

/** Lane 8i + r names row r of the i-th 8x8 matrix; lane l gets two neighbours of row l / 4, or of column l / 4. */
template <int count, bool transposed>
__attribute__((no_sanitize("thread"))) inline void load_matrices(void* const* payloads, u32) {
    for (int matrix = 0; matrix < count; matrix++) {
        const u8* rows[8];
        for (int row = 0; row < 8; row++) {
            rows[row] = static_cast<const MatrixRows*>(payloads[matrix * 8 + row])->row;
        }
        ::shim::read_together(rows);
        for (int lane = 0; lane < 32; lane++) {
            u32 halves[2];
            for (int i = 0; i < 2; i++) {
                int row = transposed ? lane % 4 * 2 + i : lane / 4;
                int column = transposed ? lane / 4 : lane % 4 * 2 + i;
                u16 half;
                __builtin_memcpy(&half, rows[row] + column * 2, 2);
                halves[i] = half;
            }
            static_cast<MatrixRows*>(payloads[lane])->registers[matrix] = halves[0] | halves[1] << 16;
        }
    }
}

template <int count, bool transposed>
inline void ldmatrix(::shim::Site site, u32* registers, const void* sharedRow) {
    bool named = ::shim::lane() < count * 8;
    if (named && reinterpret_cast<std::uintptr_t>(sharedRow) % 16 != 0) {
        ::shim::fail(site, "the row's address is not aligned to 16 bytes");
    }
    MatrixRows rows{static_cast<const u8*>(sharedRow), registers};
    ::shim::await_warp(site, 0xffffffffu, &rows, load_matrices<count, transposed>);
}
}  // namespace shim_ptx

inline void ldmatrix_x4(u32 (&r)[4], const void* sharedRow, SHIM_HERE) {
    shim_ptx::ldmatrix<4, false>({"ldmatrix_x4", file, line}, r, sharedRow);
}
inline void ldmatrix_x4_trans(u32 (&r)[4], const void* sharedRow, SHIM_HERE) {
    shim_ptx::ldmatrix<4, true>({"ldmatrix_x4_trans", file, line}, r, sharedRow);
}
inline void ldmatrix_x2(u32 (&r)[2], const void* sharedRow, SHIM_HERE) {
    shim_ptx::ldmatrix<2, false>({"ldmatrix_x2", file, line}, r, sharedRow);
}
inline void ldmatrix_x2_trans(u32 (&r)[2], const void* sharedRow, SHIM_HERE) {
    shim_ptx::ldmatrix<2, true>({"ldmatrix_x2_trans", file, line}, r, sharedRow);
}

namespace shim_ptx {
struct Fragments {
    float* d;
    const u32* a;
    const u32* b;
};

inline float bf16_value(u32 half) { return __uint_as_float(half << 16); }
inline float f16_value(u32 half) { return f16_to_f32(static_cast<u16>(half)); }

/** Adds the product of whole tiles to the lanes' fragments of D. */
template <int depth>
inline void multiply(void* const* payloads, const float (&a)[16][depth], const float (&b)[depth][8]) {
    float d[16][8];
    for (int lane = 0; lane < 32; lane++) {
        const float* own = static_cast<const Fragments*>(payloads[lane])->d;
        for (int i = 0; i < 4; i++) {
            d[lane / 4 + i / 2 * 8][lane % 4 * 2 + (i & 1)] = own[i];
        }
    }
    ::shim::multiply_add(&d[0][0], &a[0][0], &b[0][0], depth);
    for (int lane = 0; lane < 32; lane++) {
        float* own = static_cast<const Fragments*>(payloads[lane])->d;
        for (int i = 0; i < 4; i++) {
            own[i] = d[lane / 4 + i / 2 * 8][lane % 4 * 2 + (i & 1)];
        }
    }
}

/** PTX ISA, matrix fragments of mma.m16n8k16 with 16-bit floats: two neighbours along k in a register. */
template <float (*value)(u32)> inline void mma_16(void* const* payloads, u32) {
    float a[16][16];
    float b[16][8];
    for (int lane = 0; lane < 32; lane++) {
        const auto* own = static_cast<const Fragments*>(payloads[lane]);
        int group = lane / 4;
        int within = lane % 4;
        for (int i = 0; i < 8; i++) {
            int row = group + (i / 2 % 2 == 1 ? 8 : 0);
            int k = within * 2 + (i & 1) + (i >= 4 ? 8 : 0);
            a[row][k] = value(own->a[i / 2] >> i % 2 * 16 & 0xffffu);
        }
        for (int i = 0; i < 4; i++) {
            b[within * 2 + (i & 1) + (i >= 2 ? 8 : 0)][group] = value(own->b[i / 2] >> i % 2 * 16 & 0xffffu);
        }
    }
    multiply<16>(payloads, a, b);
}

/** PTX ISA, matrix fragments of mma.m16n8k8 with tf32; the hardware ignores the low 13 bits. */
inline void mma_tf32(void* const* payloads, u32) {
    float a[16][8];
    float b[8][8];
    for (int lane = 0; lane < 32; lane++) {
        const auto* own = static_cast<const Fragments*>(payloads[lane]);
        int group = lane / 4;
        int within = lane % 4;
        for (int i = 0; i < 4; i++) {
            a[group + (i & 1) * 8][within + i / 2 * 4] = __uint_as_float(own->a[i] & ~0x1fffu);
        }
        for (int i = 0; i < 2; i++) {
            b[within + i * 4][group] = __uint_as_float(own->b[i] & ~0x1fffu);
        }
    }
    multiply<8>(payloads, a, b);
}
}  // namespace shim_ptx

inline void mma_m16n8k16_bf16(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2], SHIM_HERE) {
    shim_ptx::Fragments own{d, a, b};
    ::shim::await_warp({"mma_m16n8k16_bf16", file, line}, 0xffffffffu, &own,
                       shim_ptx::mma_16<shim_ptx::bf16_value>);
}
inline void mma_m16n8k16_f16(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2], SHIM_HERE) {
    shim_ptx::Fragments own{d, a, b};
    ::shim::await_warp({"mma_m16n8k16_f16", file, line}, 0xffffffffu, &own, shim_ptx::mma_16<shim_ptx::f16_value>);
}
inline void mma_m16n8k8_tf32(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2], SHIM_HERE) {
    shim_ptx::Fragments own{d, a, b};
    ::shim::await_warp({"mma_m16n8k8_tf32", file, line}, 0xffffffffu, &own, shim_ptx::mma_tf32);
}

constexpr u64 wgmma_distance(u32 bytes) { return bytes / 16; }

/** Addresses are those of a block's dynamic shared memory, which begins at a multiple of 1024 bytes. */
inline u64 wgmma_operand(const void* shared, u32 panels, u32 groups, SHIM_HERE) {
    const auto start = static_cast<const u8*>(shared) - ::shim::dynamic_shared();
    if (start % 16 != 0 || panels % 16 != 0 || groups % 16 != 0) {
        ::shim::fail({"wgmma_operand", file, line}, "addresses and distances are not multiples of 16 bytes");
    }
    return wgmma_distance(static_cast<u32>(start)) | wgmma_distance(panels) << 16 | wgmma_distance(groups) << 32
         | u64{1} << 62;
}

inline void fence_shared_for_wgmma() { ::shim::fence_for_products(); }
inline void wgmma_begin() { ::shim::begin_products(); }
inline void wgmma_commit() { ::shim::commit_products(); }
template <int N> inline void wgmma_wait(SHIM_HERE) { ::shim::wait_products({"wgmma_wait", file, line}, N); }
inline void wgmma_end(float (&)[64]) {}

namespace shim_ptx {
struct Operands {
    u64 a, b;
};

/** All lanes name the same matrices. */
inline void agree(void* const* payloads, u32) {
    const auto* first = static_cast<const Operands*>(payloads[0]);
    for (int lane = 1; lane < 32; lane++) {
        const auto* own = static_cast<const Operands*>(payloads[lane]);
        if (own->a != first->a || own->b != first->b) {
            ::shim::fail({"wgmma", "", 0}, "lane %d names other operands than lane 0", lane);
        }
    }
}

template <bool A_ALONG_M, bool B_ALONG_N, float (*value)(u32)>
inline void wgmma(::shim::Site site, float (&d)[64], u64 a, u64 b) {
    Operands operands{a, b};
    ::shim::await_warp(site, 0xffffffffu, &operands, agree);
    ::shim::multiply_later(site, d, 64, ::shim::SharedOperand::of(a, A_ALONG_M),
                           ::shim::SharedOperand::of(b, B_ALONG_N), value);
}
}  // namespace shim_ptx

template <bool A_ALONG_M, bool B_ALONG_N>
inline void wgmma_m64n128k16_bf16(float (&d)[64], u64 a, u64 b, SHIM_HERE) {
    shim_ptx::wgmma<A_ALONG_M, B_ALONG_N, shim_ptx::bf16_value>({"wgmma_m64n128k16_bf16", file, line}, d, a, b);
}
template <bool A_ALONG_M, bool B_ALONG_N>
inline void wgmma_m64n128k16_f16(float (&d)[64], u64 a, u64 b, SHIM_HERE) {
    shim_ptx::wgmma<A_ALONG_M, B_ALONG_N, shim_ptx::f16_value>({"wgmma_m64n128k16_f16", file, line}, d, a, b);
}

}  // namespace remat
