// Steps of TinyProgram in a stream of the caller's, whose weights and data are round numbers, so that results are exact.
//
//     own_stream ARTIFACT
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "step.h"

namespace {

constexpr int ELEMENTS = 64;
constexpr uint64_t BYTES = ELEMENTS * sizeof(float);

void check(int failed, const char* what) {
    if (failed) {
        std::fprintf(stderr, "%s: %s\n", what, remat_error());
        std::exit(1);
    }
}

template <class F> F* function(const char* name) {
    static void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    return reinterpret_cast<F*>(dlsym(driver, name));
}

uint64_t offset(const char* name) {
    int count = 0;
    const remat_tensor* tensors = remat_tensors(&count);
    for (int i = 0; i < count; ++i) {
        if (std::strcmp(tensors[i].name, name) == 0) {
            return tensors[i].offset;
        }
    }
    std::exit(2);
}

size_t heldUp() {
    return function<size_t()>("testHeldUp")();
}

}  // namespace

int main(int, char** arguments) {
    void *context, *stream;
    unsigned long long arena;
    function<int(unsigned)>("cuInit")(0);
    function<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0);
    function<int(void*)>("cuCtxPushCurrent_v2")(context);
    function<int(void**, unsigned)>("cuStreamCreate")(&stream, 1);
    function<int(unsigned long long*, size_t)>("cuMemAlloc_v2")(&arena, remat_arena_bytes());
    float* pinned;
    function<int(void**, size_t, unsigned)>("cuMemHostAlloc")(reinterpret_cast<void**>(&pinned), BYTES, 0);

    remat_step* step;
    check(remat_create(arguments[1], 0, arena, &step), "create");
    float ones[ELEMENTS], w[ELEMENTS] = {};
    for (float& x : ones) {
        x = 1;
    }
    check(remat_write(step, "w", w, BYTES), "write w");
    check(remat_write(step, "x.\u03b2", ones, BYTES), "write x");
    for (int64_t number : {INT64_C(0), INT64_C(-1)}) {
        bool refused = remat_run(step, number) != 0 && remat_run_to_loss(step, number) != 0;
        std::printf("step %lld: %s\n", static_cast<long long>(number), refused ? remat_error() : "taken");
    }

    // Each step has its own number although none is waited for.
    size_t before = heldUp();
    for (int64_t number : {INT64_C(1), INT64_C(2), INT64_C(5000000000)}) {
        check(remat_run(step, number), "run");
    }
    std::printf("held up %zu times\n", heldUp() - before);
    check(remat_read(step, "w", w, BYTES), "read w");
    std::printf("w %.9g\n", w[0]);

    // New data is on its way in the caller's stream when the step is put behind it.
    check(remat_use_stream(step, stream), "use_stream");
    for (int i = 0; i < ELEMENTS; ++i) {
        w[i] = 0.25f;
        pinned[i] = 2;
    }
    check(remat_write(step, "w", w, BYTES), "write w");
    using Copy = int(unsigned long long, const void*, size_t, void*);
    function<Copy>("cuMemcpyHtoDAsync_v2")(arena + offset("x.\u03b2"), pinned, BYTES, stream);
    check(remat_run(step, 1), "run");
    double loss = 0;
    check(remat_loss(step, &loss), "loss");
    std::printf("loss %.9g\n", loss);
    check(remat_use_stream(step, nullptr), "use_stream");
    check(remat_run(step, 1), "run");
    check(remat_synchronize(step), "synchronize");
    std::printf("warning: %s\n", remat_warning(step));

    remat_destroy(step);
    function<int(void*)>("cuMemFreeHost")(pinned);
    function<int(unsigned long long)>("cuMemFree_v2")(arena);
    function<int(void*)>("cuStreamDestroy_v2")(stream);
    function<int(void**)>("cuCtxPopCurrent_v2")(&context);
    return function<int(int)>("cuDevicePrimaryCtxRelease_v2")(0);
}
