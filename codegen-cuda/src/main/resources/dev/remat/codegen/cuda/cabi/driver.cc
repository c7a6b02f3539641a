// The CUDA driver: prototypes of our own, bound by name when the first step is created.

using Address = unsigned long long;
using Handle = void*;

struct Driver {
    Handle library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned) = nullptr;
    int (*getErrorString)(int, const char**) = nullptr;
    int (*getVersion)(int*) = nullptr;
    int (*deviceGetCount)(int*) = nullptr;
    int (*deviceGet)(int*, int) = nullptr;
    int (*deviceGetAttribute)(int*, int, int) = nullptr;
    int (*deviceGetName)(char*, int, int) = nullptr;
    int (*primaryRetain)(Handle*, int) = nullptr;
    int (*primaryRelease)(int) = nullptr;
    int (*contextPush)(Handle) = nullptr;
    int (*contextPop)(Handle*) = nullptr;
    int (*memoryAllocate)(Address*, size_t) = nullptr;
    int (*memoryFree)(Address) = nullptr;
    int (*hostAllocate)(void**, size_t, unsigned) = nullptr;
    int (*hostFree)(void*) = nullptr;
    int (*memorySet)(Address, unsigned char, size_t, Handle) = nullptr;
    int (*memorySet32)(Address, unsigned, size_t, Handle) = nullptr;
    int (*copyToDevice)(Address, const void*, size_t, Handle) = nullptr;
    int (*copyToHost)(void*, Address, size_t, Handle) = nullptr;
    int (*streamCreate)(Handle*, unsigned) = nullptr;
    int (*streamDestroy)(Handle) = nullptr;
    int (*streamSynchronize)(Handle) = nullptr;
//moving:     int (*streamWait)(Handle, Handle, unsigned) = nullptr;
//moving:     int (*eventCreate)(Handle*, unsigned) = nullptr;
//moving:     int (*eventDestroy)(Handle) = nullptr;
//moving:     int (*eventRecord)(Handle, Handle) = nullptr;
    int (*moduleLoad)(Handle*, const void*) = nullptr;
    int (*moduleUnload)(Handle) = nullptr;
    int (*moduleGetFunction)(Handle*, Handle, const char*) = nullptr;
    int (*functionSetAttribute)(Handle, int, int) = nullptr;
    int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**)
            = nullptr;
    // Graphs are an optimisation: where one of these is missing, kernels are launched one by one.
    int (*captureBegin)(Handle, int) = nullptr;
    int (*captureEnd)(Handle, Handle*) = nullptr;
    int (*graphInstantiate)(Handle*, Handle, unsigned long long) = nullptr;
    int (*graphUpload)(Handle, Handle) = nullptr;
    int (*graphLaunch)(Handle, Handle) = nullptr;
    int (*graphDestroy)(Handle) = nullptr;
    int (*graphExecDestroy)(Handle) = nullptr;

    Driver() {
        if (library == nullptr) {
            throw failure(std::string("there is no CUDA driver: ") + dlerror());
        }
        bind(init, "cuInit");
        bind(getErrorString, "cuGetErrorString");
        bind(getVersion, "cuDriverGetVersion");
        bind(deviceGetCount, "cuDeviceGetCount");
        bind(deviceGet, "cuDeviceGet");
        bind(deviceGetAttribute, "cuDeviceGetAttribute");
        bind(deviceGetName, "cuDeviceGetName");
        bind(primaryRetain, "cuDevicePrimaryCtxRetain");
        bind(primaryRelease, "cuDevicePrimaryCtxRelease_v2");
        bind(contextPush, "cuCtxPushCurrent_v2");
        bind(contextPop, "cuCtxPopCurrent_v2");
        bind(memoryAllocate, "cuMemAlloc_v2");
        bind(memoryFree, "cuMemFree_v2");
        bind(hostAllocate, "cuMemHostAlloc");
        bind(hostFree, "cuMemFreeHost");
        bind(memorySet, "cuMemsetD8Async");
        bind(memorySet32, "cuMemsetD32Async");
        bind(copyToDevice, "cuMemcpyHtoDAsync_v2");
        bind(copyToHost, "cuMemcpyDtoHAsync_v2");
        bind(streamCreate, "cuStreamCreate");
        bind(streamDestroy, "cuStreamDestroy_v2");
        bind(streamSynchronize, "cuStreamSynchronize");
//moving:         bind(streamWait, "cuStreamWaitEvent");
//moving:         bind(eventCreate, "cuEventCreate");
//moving:         bind(eventDestroy, "cuEventDestroy_v2");
//moving:         bind(eventRecord, "cuEventRecord");
        bind(moduleLoad, "cuModuleLoadData");
        bind(moduleUnload, "cuModuleUnload");
        bind(moduleGetFunction, "cuModuleGetFunction");
        bind(functionSetAttribute, "cuFuncSetAttribute");
        bind(launch, "cuLaunchKernel");
        find(captureBegin, "cuStreamBeginCapture_v2");
        find(captureEnd, "cuStreamEndCapture");
        find(graphInstantiate, "cuGraphInstantiateWithFlags");
        find(graphUpload, "cuGraphUpload");
        find(graphLaunch, "cuGraphLaunch");
        find(graphDestroy, "cuGraphDestroy");
        find(graphExecDestroy, "cuGraphExecDestroy");
        check(init(0), "the CUDA driver cannot start");
    }

    template <class F> void find(F*& function, const char* name) {
        function = reinterpret_cast<F*>(dlsym(library, name));
    }

    template <class F> void bind(F*& function, const char* name) {
        find(function, name);
        if (function == nullptr) {
            throw failure(std::string("this CUDA driver is too old: it has no ") + name);
        }
    }

    bool hasGraphs() const {
        return captureBegin && captureEnd && graphInstantiate && graphUpload && graphLaunch && graphDestroy
                && graphExecDestroy;
    }

    void check(int result, const std::string& what) const {
        if (result != 0) {
            throw failure(what + ": " + error(result));
        }
    }

    std::string error(int result) const {
        const char* text = nullptr;
        getErrorString(result, &text);
        return std::string(text ? text : "unknown error") + " (" + std::to_string(result) + ")";
    }

    /** Code runs on every driver of its major version of CUDA, and on later ones. */
    void demand(int version) const {
        int own = 0;
        check(getVersion(&own), "the CUDA driver does not tell its version");
        if (own / 1000 < version / 1000) {
            auto text = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
            throw failure("the CUDA driver supports CUDA " + text(own) + ", and the kernels were compiled by CUDA "
                    + text(version) + "; install a driver for CUDA " + std::to_string(version / 1000) + " or later");
        }
    }
};

const Driver& driver() {
    static const Driver bound;
    return bound;
}
