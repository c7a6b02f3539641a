namespace remat {
namespace elementwise_fea1ef8d3944_ {
struct Fused {
    typedef u32 Index;
    const float* p0;
    Draws d0;
    Piece<u32, true, u32> piece0;
    u32 k3;
    float k4;
    Piece<u32, true, u32> piece1;
    u32 k6;
    float k7;
    float* q0;
    template <int V> struct Loaded {
        Pack<float, V> r0;
    };
    template <int V> __device__ __forceinline__ Loaded<V> load(Index i) const {
        Loaded<V> x;
        {
            x.r0 = load_pack<V>(p0 + i);
        }
        return x;
    }
    template <int V> __device__ __forceinline__ void finish(Index i, const Loaded<V>& x) const {
        const u64 index = i;
        u32 wordsd0piece0[V];
        draw<V>(d0, piece0, index, wordsd0piece0);
        u32 wordsd0piece1[V];
        draw<V>(d0, piece1, index, wordsd0piece1);
        Pack<float, V> y0;
#pragma unroll
        for (int l = 0; l < V; l++) {
            const float v0 = rounded<float>((wordsd0piece0[l] >> 8 >= k3 ? wide(x.r0, l) * k4 : 0));
            const float v1 = rounded<float>((wordsd0piece1[l] >> 8 >= k6 ? wide(x.r0, l) * k7 : 0));
            const float v2 = (v0 + v1);
            y0.at[l] = narrow<float>(v2);
        }
        store_global(q0 + i, y0);
    }
};
}
extern "C" __global__ void __launch_bounds__(256) elementwise_fea1ef8d3944(const float* a0, const i64* a1, const i64* a2, u32 a3, u32 a4, u64 a5, u64 a6, u32 a7, u32 a8, float a9, u32 a10, u64 a11, u64 a12, u32 a13, u32 a14, float a15, float* a16, u32 a17) {
    using namespace elementwise_fea1ef8d3944_;
    elementwise<4, 1>(Fused{a0, Draws{a1, a2, a3}, Piece<u32, true, u32>{a4, a5, a6, a7}, a8, a9, Piece<u32, true, u32>{a10, a11, a12, a13}, a14, a15, a16}, a17);
}
}
