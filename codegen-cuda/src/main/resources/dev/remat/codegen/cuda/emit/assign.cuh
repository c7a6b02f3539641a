// needs: optimizer.cuh
// States that take a value which the step has computed.

namespace remat {

/// A copy of what is computed; nobody may read the state.
template <class T> struct Assign {
    const T* value;
    T* state;

    template <int V> __device__ __forceinline__ void run(u64 i) const {
        if (state != nullptr) {
            store_pack(state + i, load_pack<V>(value + i));
        }
    }
};

}  // namespace remat
