namespace remat {
namespace elementwise_e265b77b5385_ {
struct Fused {
    typedef u32 Index;
    const bf16* p0;
    const bf16* p1;
    u32 n2;
    u64 n2d;
    const bf16* p2;
    Draws d0;
    u32 k6;
    float k7;
    bf16* q0;
    __device__ __forceinline__ Index at1(Index i0) const {
        const Index i1 = quotient(i0, n2d);
        return (i0 - i1 * n2);
    }
    template <int V> struct Columns {
        Pack<bf16, V> r1;
    };
    template <int V> __device__ __forceinline__ Columns<V> columns_of(Index i) const {
        Columns<V> x;
        {
            const bf16* const row = p1 + at1(i);
            x.r1 = load_pack<V>(row);
        }
        return x;
    }
    template <int V> struct Loaded {
        Pack<bf16, V> r0;
        Pack<bf16, V> r2;
    };
    template <int V> __device__ __forceinline__ Loaded<V> load(Index i) const {
        Loaded<V> x;
        {
            x.r0 = load_pack<V>(p0 + i);
        }
        {
            x.r2 = load_pack<V>(p2 + i);
        }
        return x;
    }
    template <int V> __device__ __forceinline__ void finish(Index i, const Columns<V>& columns, const Loaded<V>& x) const {
        const u64 index = i;
        u32 wordsd0[V];
        draw<V>(d0, index, wordsd0);
        Pack<bf16, V> y0;
#pragma unroll
        for (int l = 0; l < V; l++) {
            const float v0 = rounded<bf16>((wide(x.r0, l) + wide(columns.r1, l)));
            const float v1 = rounded<bf16>((wordsd0[l] >> 8 >= k6 ? v0 * k7 : 0));
            const float v2 = (v1 + wide(x.r2, l));
            y0.at[l] = narrow<bf16>(v2);
        }
        store_global(q0 + i, y0);
    }
};
}
extern "C" __global__ void __launch_bounds__(256) elementwise_e265b77b5385(const bf16* a0, const bf16* a1, u32 a2, u64 a3, const bf16* a4, const i64* a5, const i64* a6, u32 a7, u32 a8, float a9, bf16* a10, u32 a11, u32 a12) {
    using namespace elementwise_e265b77b5385_;
    elementwise_by_columns<8, 1>(Fused{a0, a1, a2, a3, a4, Draws{a5, a6, a7}, a8, a9, a10}, a11, a12);
}
}
