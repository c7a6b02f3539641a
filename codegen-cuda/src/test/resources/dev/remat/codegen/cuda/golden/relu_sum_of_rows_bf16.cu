namespace remat {
namespace reduce_sum_bf16_rows_89bdcf0ab3c6_ {
struct Fused {
    typedef u32 Index;
    const bf16* p0;
    template <int V> struct Loaded {
        Pack<bf16, V> r0;
    };
    template <int V> __device__ __forceinline__ Loaded<V> load(Index i) const {
        Loaded<V> x;
        {
            x.r0 = load_pack<V>(p0 + i);
        }
        return x;
    }
    template <int V> __device__ __forceinline__ void load(u64 index, float (&values)[V]) const {
        const Index i = static_cast<Index>(index);
        const Loaded<V> x = load<V>(i);
#pragma unroll
        for (int l = 0; l < V; l++) {
            const float v0 = rounded<bf16>(math::relu(wide(x.r0, l)));
            values[l] = v0;
        }
    }
};
}
extern "C" __global__ void __launch_bounds__(256) reduce_sum_bf16_rows_89bdcf0ab3c6(const bf16* a0, bf16* a1, u32 a2, u32 a3, u32 a4, u32 a5, u32 a6, u32 a7) {
    using namespace reduce_sum_bf16_rows_89bdcf0ab3c6_;
    reduce<SumFold<float>, 8, true, 8, float>(Fused{a0}, Folded<bf16>{a1}, a2, Walk<u32, 1>{{}, {}, {a3}}, a4, Walk<u32, 1>{{}, {}, {a5}}, a6, a7);
}
}
