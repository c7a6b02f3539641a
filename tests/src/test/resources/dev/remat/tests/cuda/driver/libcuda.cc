// A CUDA driver for tests: its one device is host memory, and its kernels are those of a library of the shim.
// REMAT_TEST_KERNELS names that library, REMAT_TEST_CAPABILITY the device (80). REMAT_TEST_GRAPHS=none refuses graphs,
// =count prints at the end how many launches were replayed.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "launch.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

enum { SUCCESS = 0, INVALID_VALUE = 1, NO_DEVICE = 100, INVALID_IMAGE = 200, NOT_FOUND = 500, LAUNCH_FAILED = 719 };

using Handle = void*;
using Address = unsigned long long;

struct Launch {
    const shim::Kernel* kernel;
    shim::Request request;
    std::vector<shim::Slot> slots;
};

struct Graph {
    std::vector<Launch> launches;
};

struct Stream {
    bool capturing = false;
    Graph captured;
};

std::string error;
size_t replayed = 0;
std::map<Address, unsigned long long> allocations;

const char* setting(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value ? value : otherwise;
}

Handle kernels() {
    static Handle library = dlopen(setting("REMAT_TEST_KERNELS", ""), RTLD_NOW | RTLD_LOCAL);
    return library;
}

template <class F> F* function(const char* name) {
    return reinterpret_cast<F*>(dlsym(kernels(), name));
}

int run(Launch& launch) {
    using Run = int(const shim::Kernel*, const shim::Request*, char*, std::size_t);
    static Run* shimLaunch = function<Run>("shim_launch");
    char text[1024];
    launch.request.slots = launch.slots.data();
    if (shimLaunch(launch.kernel, &launch.request, text, sizeof text) != 0) {
        error = text;
        return LAUNCH_FAILED;
    }
    return SUCCESS;
}

}  // namespace

EXPORTED int cuInit(unsigned) {
    return kernels() ? SUCCESS : NO_DEVICE;
}

EXPORTED int cuGetErrorString(int code, const char** text) {
    *text = code == LAUNCH_FAILED ? error.c_str()
            : code == NO_DEVICE   ? "no device"
            : code == NOT_FOUND   ? "named symbol not found"
                                  : "invalid";
    return SUCCESS;
}

EXPORTED int cuDeviceGetCount(int* count) {
    *count = 1;
    return SUCCESS;
}

EXPORTED int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return SUCCESS;
}

EXPORTED int cuDeviceGetAttribute(int* value, int attribute, int) {
    int capability = std::atoi(setting("REMAT_TEST_CAPABILITY", "80"));
    *value = attribute == 75 ? capability / 10 : capability % 10;
    return attribute == 75 || attribute == 76 ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuDeviceGetName(char* name, int length, int) {
    std::snprintf(name, static_cast<size_t>(length), "Test Device");
    return SUCCESS;
}

EXPORTED int cuDevicePrimaryCtxRetain(Handle* context, int) {
    static int only;
    *context = &only;
    return SUCCESS;
}

EXPORTED int cuDevicePrimaryCtxRelease_v2(int) {
    if (!allocations.empty()) {
        std::fprintf(stderr, "memory is left on the device\n");
        std::_Exit(9);
    }
    if (std::strcmp(setting("REMAT_TEST_GRAPHS", ""), "count") == 0) {
        std::fprintf(stderr, "%zu launches replayed\n", replayed);
    }
    return SUCCESS;
}

EXPORTED int cuCtxPushCurrent_v2(Handle context) {
    return context ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuCtxPopCurrent_v2(Handle* context) {
    *context = nullptr;
    return SUCCESS;
}

EXPORTED int cuMemAlloc_v2(Address* address, size_t bytes) {
    *address = reinterpret_cast<Address>(function<void*(unsigned long long)>("shim_map")(bytes));
    allocations[*address] = bytes;
    return SUCCESS;
}

EXPORTED int cuMemFree_v2(Address address) {
    function<void(void*, unsigned long long)>("shim_unmap")(reinterpret_cast<void*>(address), allocations[address]);
    return allocations.erase(address) ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuMemsetD8Async(Address address, unsigned char value, size_t bytes, Handle) {
    std::memset(reinterpret_cast<void*>(address), value, bytes);
    return SUCCESS;
}

EXPORTED int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Handle stream) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return static_cast<Stream*>(stream)->capturing ? INVALID_VALUE : SUCCESS;
}

EXPORTED int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Handle stream) {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return static_cast<Stream*>(stream)->capturing ? INVALID_VALUE : SUCCESS;
}

EXPORTED int cuStreamCreate(Handle* stream, unsigned) {
    *stream = new Stream;
    return SUCCESS;
}

EXPORTED int cuStreamDestroy_v2(Handle stream) {
    delete static_cast<Stream*>(stream);
    return SUCCESS;
}

EXPORTED int cuStreamSynchronize(Handle) {
    return SUCCESS;
}

EXPORTED int cuModuleLoadData(Handle* module, const void* image) {
    *module = kernels();
    return std::memcmp(image, "\177ELF", 4) == 0 ? SUCCESS : INVALID_IMAGE;
}

EXPORTED int cuModuleUnload(Handle) {
    return SUCCESS;
}

EXPORTED int cuModuleGetFunction(Handle* kernel, Handle module, const char* symbol) {
    *kernel = dlsym(module, (std::string("shim_kernel_") + symbol).c_str());
    return *kernel ? SUCCESS : NOT_FOUND;
}

EXPORTED int cuFuncSetAttribute(Handle, int attribute, int value) {
    return attribute == 8 && value <= 232448 ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuLaunchKernel(Handle kernel, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
        unsigned blockY, unsigned blockZ, unsigned shared, Handle stream, void** parameters, void**) {
    Launch launch{static_cast<const shim::Kernel*>(kernel),
            {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, shared, shim::FORWARD, shim::FORWARD, 0xffff, 1, nullptr,
                    0, nullptr},
            {}};
    for (const char* type = launch.kernel->signature; *type != '\0'; ++type, ++parameters) {
        shim::Slot slot = 0;
        std::memcpy(&slot, *parameters, std::strchr("UIF", *type) ? 4 : 8);
        launch.slots.push_back(*type == 'P' && slot == 0 ? ~0ull : slot);
    }
    Stream& queue = *static_cast<Stream*>(stream);
    if (queue.capturing) {
        queue.captured.launches.push_back(launch);
        return SUCCESS;
    }
    return run(launch);
}

EXPORTED int cuStreamBeginCapture_v2(Handle stream, int) {
    static_cast<Stream*>(stream)->capturing = std::strcmp(setting("REMAT_TEST_GRAPHS", ""), "none") != 0;
    return static_cast<Stream*>(stream)->capturing ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuStreamEndCapture(Handle stream, Handle* graph) {
    Stream& queue = *static_cast<Stream*>(stream);
    queue.capturing = false;
    *graph = new Graph(std::move(queue.captured));
    queue.captured = {};
    return SUCCESS;
}

EXPORTED int cuGraphInstantiateWithFlags(Handle* executable, Handle graph, unsigned long long) {
    *executable = new Graph(*static_cast<Graph*>(graph));
    return SUCCESS;
}

EXPORTED int cuGraphDestroy(Handle graph) {
    delete static_cast<Graph*>(graph);
    return SUCCESS;
}

EXPORTED int cuGraphExecDestroy(Handle executable) {
    delete static_cast<Graph*>(executable);
    return SUCCESS;
}

EXPORTED int cuGraphLaunch(Handle executable, Handle) {
    for (Launch& launch : static_cast<Graph*>(executable)->launches) {
        ++replayed;
        if (int failed = run(launch)) {
            return failed;
        }
    }
    return SUCCESS;
}
