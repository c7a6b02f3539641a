// A CUDA driver for tests: its one device is host memory, and its kernels are those of a library of the shim. What is
// put into a stream runs when somebody waits for it, as late as a device may. It is strict: calls need a context, what
// is allocated must be freed, and not while a copy of it is under way, a launch has as much dynamic shared memory as was
// asked for its function, and a device that has failed stays so.
//
// REMAT_TEST_KERNELS names the library. REMAT_TEST_CAPABILITY (80) and REMAT_TEST_VERSION (13010) say what device and
// driver this is, REMAT_TEST_FREE how many bytes of its memory are free, REMAT_TEST_SHARED (166912) how much shared
// memory a block may have. REMAT_TEST_FAULT=PREFIX@N lets the Nth launch of kernels whose symbols begin so fail, which
// shows when somebody waits; REMAT_TEST_REFUSE=PREFIX@N refuses the Nth call for one, which leaves the device as it is.
// REMAT_TEST_GRAPHS=none refuses graphs, =count prints at the end how many launches were replayed, and how often the
// stream was held up by a copy from memory that is not pinned. REMAT_TEST_ORDER says when streams run beside the one
// that is waited for: late, as late as events let them; early; or a number, by chance that it seeds. REMAT_TEST_PINNED
// is how many bytes of the host can be pinned at once. REMAT_TEST_FORGET=N forgets a wait of one stream for another, the
// one before which there were N.
#include <cstdio>
#include <cstring>

#include "device.h"
#include "launch.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

/** A kernel of a module. */
struct Function {
    const shim::Kernel* kernel;
    unsigned shared = 0;  // dynamic shared memory that a block may have
};

struct Module {
    std::vector<std::unique_ptr<Function>> functions;
};

[[noreturn]] void refuse(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::_Exit(9);
}

int run(const shim::Kernel* kernel, shim::Request request, const std::vector<shim::Slot>& slots) {
    using Run = int(const shim::Kernel*, const shim::Request*, char*, std::size_t);
    static Run* shimLaunch = function<Run>("shim_launch");
    static Counted fault("REMAT_TEST_FAULT");
    char text[1024] = "unspecified launch failure";
    request.slots = slots.data();
    if (fault.isMeant(kernel->symbol) || shimLaunch(kernel, &request, text, sizeof text) != 0) {
        error = text;
        return LAUNCH_FAILED;
    }
    return SUCCESS;
}

/** A copy between host and device: at once where the host's memory is not pinned, after all that is in the stream. */
int copy(Handle handle, void* to, const void* from, const void* host, size_t bytes) {
    Stream& stream = *static_cast<Stream*>(handle);
    auto after = pinned.upper_bound(reinterpret_cast<Address>(host));
    bool isPinned = after != pinned.begin()
            && reinterpret_cast<Address>(host) + bytes <= std::prev(after)->first + std::prev(after)->second;
    if (!isPinned && stream.capture != nullptr) {
        return CAPTURE_UNSUPPORTED;
    }
    Address block = isPinned ? std::prev(after)->first : 0;
    int result = put(handle, {[=] { return std::memcpy(to, from, bytes), SUCCESS; }, false, block});
    if (result != SUCCESS || isPinned) {
        return result;
    }
    ++heldUp;
    return drain(stream);
}

template <class T> int make(Handle* to, int& count) {
    *to = new T;
    ++count;
    return state();
}

template <class T> int destroy(Handle handle, int& count) {
    delete static_cast<T*>(handle);
    --count;
    return SUCCESS;
}

}  // namespace

/** How often a stream was held up so far; no function of a real driver. */
EXPORTED size_t testHeldUp() {
    return heldUp;
}

EXPORTED int cuInit(unsigned) {
    return kernels() ? SUCCESS : NO_DEVICE;
}

EXPORTED int cuDriverGetVersion(int* version) {
    *version = std::atoi(setting("REMAT_TEST_VERSION", "13010"));
    return SUCCESS;
}

/** NVRTC asks for one, and takes no for an answer. */
EXPORTED int cuGetExportTable(const void** table, const void*) {
    *table = nullptr;
    return NOT_FOUND;
}

EXPORTED int cuGetErrorString(int code, const char** text) {
    *text = code == LAUNCH_FAILED         ? error.c_str()
            : code == NO_DEVICE           ? "no device"
            : code == NOT_FOUND           ? "named symbol not found"
            : code == INVALID_CONTEXT     ? "invalid device context"
            : code == OUT_OF_MEMORY       ? "out of memory"
            : code == LAUNCH_REFUSED      ? "too many resources requested for launch"
            : code == CAPTURE_UNSUPPORTED ? "operation not permitted when stream is capturing"
            : code == CAPTURE_UNJOINED    ? "capture has forked streams that have not been joined"
            : code == CAPTURED_EVENT      ? "what is not captured waits for what was"
            : code == CAPTURE_ISOLATION   ? "what is captured waits for what is not"
                                          : "invalid";
    return SUCCESS;
}

EXPORTED int cuGetErrorName(int code, const char** name) {
    *name = code == LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : code == NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR";
    return SUCCESS;
}

EXPORTED int cuDeviceGetCount(int* count) {
    *count = 1;
    return SUCCESS;
}

EXPORTED int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return ordinal == 0 ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuDeviceGetAttribute(int* value, int attribute, int) {
    int capability = std::atoi(setting("REMAT_TEST_CAPABILITY", "80"));
    int shared = std::atoi(setting("REMAT_TEST_SHARED", "166912"));
    // Multiprocessors, their clock, that of the memory, the width of its bus, and shared memory of a block.
    static const std::map<int, int> constant = {{16, 2}, {13, 1000000}, {36, 1000000}, {37, 128}, {97, shared}};
    auto known = constant.find(attribute);
    *value = known != constant.end() ? known->second : attribute == 75 ? capability / 10 : capability % 10;
    return known != constant.end() || attribute == 75 || attribute == 76 ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuDeviceGetName(char* name, int length, int) {
    std::snprintf(name, static_cast<size_t>(length), "Test Device");
    return SUCCESS;
}

EXPORTED int cuDeviceTotalMem_v2(size_t* bytes, int) {
    *bytes = TOTAL_BYTES;
    return SUCCESS;
}

EXPORTED int cuDevicePrimaryCtxRetain(Handle* context, int) {
    static int only;
    *context = &only;
    ++retained;
    return failed;
}

EXPORTED int cuDevicePrimaryCtxRelease_v2(int) {
    if (--retained > 0) {
        return SUCCESS;
    }
    if (!allocations.empty() || !pinned.empty() || streams + events + modules + graphs != 0 || !contexts.empty()) {
        std::fprintf(stderr, "left on the device: %zu allocations, %zu pinned, %d streams, %d events, %d modules, "
                "%d graphs, %zu contexts\n", allocations.size(), pinned.size(), streams, events, modules, graphs,
                contexts.size());
        std::_Exit(9);
    }
    if (std::strcmp(setting("REMAT_TEST_GRAPHS", ""), "count") == 0) {
        std::fprintf(stderr, "%zu launches replayed, held up %zu times\n", replayed, heldUp);
    }
    return SUCCESS;
}

EXPORTED int cuCtxPushCurrent_v2(Handle context) {
    contexts.push_back(context);
    return context ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuCtxPopCurrent_v2(Handle* context) {
    if (contexts.empty()) {
        return INVALID_CONTEXT;
    }
    *context = contexts.back();
    contexts.pop_back();
    return SUCCESS;
}

EXPORTED int cuMemGetInfo_v2(size_t* free, size_t* total) {
    *free = std::strtoull(setting("REMAT_TEST_FREE", "17000000000"), nullptr, 10);
    *total = TOTAL_BYTES;
    return state();
}

EXPORTED int cuMemAlloc_v2(Address* address, size_t bytes) {
    *address = reinterpret_cast<Address>(function<void*(unsigned long long)>("shim_map")(bytes));
    if (*address == 0 || bytes == 0) {
        return OUT_OF_MEMORY;
    }
    std::memset(reinterpret_cast<void*>(*address), 0xff, bytes);
    allocations[*address] = bytes;
    return state();
}

EXPORTED int cuMemFree_v2(Address address) {
    function<void(void*, unsigned long long)>("shim_unmap")(reinterpret_cast<void*>(address), allocations[address]);
    return allocations.erase(address) ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuMemHostAlloc(void** address, size_t bytes, unsigned) {
    unsigned long long all = bytes;
    for (const auto& block : pinned) {
        all += block.second;
    }
    if (all > std::strtoull(setting("REMAT_TEST_PINNED", "17000000000"), nullptr, 10)) {
        return OUT_OF_MEMORY;
    }
    *address = std::malloc(bytes);
    std::memset(*address, 0xff, bytes);
    pinned[reinterpret_cast<Address>(*address)] = bytes;
    return state();
}

EXPORTED int cuMemFreeHost(void* address) {
    if (isUnderWay(reinterpret_cast<Address>(address))) {
        refuse("memory of the host is freed while a copy of it is under way");
    }
    bool isPinned = pinned.erase(reinterpret_cast<Address>(address)) > 0;
    std::free(address);
    return isPinned ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuMemsetD8Async(Address address, unsigned char value, size_t bytes, Handle stream) {
    return put(stream, {[=] { return std::memset(reinterpret_cast<void*>(address), value, bytes), SUCCESS; }, false});
}

EXPORTED int cuMemsetD32Async(Address address, unsigned value, size_t count, Handle stream) {
    auto set = [=] {
        for (size_t i = 0; i < count; ++i) {
            std::memcpy(reinterpret_cast<void*>(address + i * sizeof value), &value, sizeof value);
        }
        return SUCCESS;
    };
    return address % sizeof value == 0 ? put(stream, {set, false}) : INVALID_VALUE;
}

EXPORTED int cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Handle stream) {
    return copy(stream, reinterpret_cast<void*>(to), from, from, bytes);
}

EXPORTED int cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Handle stream) {
    return copy(stream, to, reinterpret_cast<const void*>(from), to, bytes);
}

EXPORTED int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Handle stream) {
    auto run = [=] { return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes), SUCCESS; };
    return put(stream, {run, false});
}

EXPORTED int cuStreamCreate(Handle* stream, unsigned) {
    int result = make<Stream>(stream, streams);
    living.push_back(static_cast<Stream*>(*stream));
    return result;
}

EXPORTED int cuStreamDestroy_v2(Handle stream) {
    living.erase(std::find(living.begin(), living.end(), stream));
    return destroy<Stream>(stream, streams);
}

EXPORTED int cuStreamSynchronize(Handle stream) {
    return drain(*static_cast<Stream*>(stream));
}

EXPORTED int cuStreamWaitEvent(Handle stream, Handle event, unsigned) {
    const Event* awaited = static_cast<const Event*>(event);
    bool isRecorded = awaited->task != nullptr || awaited->capture != nullptr;
    static const int forgotten = std::atoi(setting("REMAT_TEST_FORGET", "-1"));
    static int waits = 0;
    if (waits++ == forgotten) {
        std::fprintf(stderr, "a wait is forgotten\n");
        return state();
    }
    return isRecorded ? put(stream, {[] { return SUCCESS; }, false}, awaited) : state();
}

EXPORTED int cuEventCreate(Handle* event, unsigned flags) {
    *event = new Event{(flags & 2) == 0, nullptr, nullptr, Stream::NOTHING, false, {}};
    ++events;
    return state();
}

EXPORTED int cuEventDestroy_v2(Handle event) {
    return destroy<Event>(event, events);
}

EXPORTED int cuEventRecordWithFlags(Handle handle, Handle to, unsigned flags) {
    Event* event = static_cast<Event*>(handle);
    Stream& stream = *static_cast<Stream*>(to);
    bool isExternal = flags == 1;
    if (isExternal && stream.capture == nullptr) {
        return INVALID_VALUE;
    }
    // Within a graph an event without the flag orders work, and tells no time.
    event->hasTime = event->isTimed && (isExternal || stream.capture == nullptr);
    int result = put(to, {[=] { return event->time = Clock::now(), SUCCESS; }, false});
    if (result == SUCCESS && !isExternal) {
        event->capture = stream.capture;
        event->node = stream.captured;
        event->task = stream.capture == nullptr ? stream.last : nullptr;
    }
    return result;
}

EXPORTED int cuEventRecord(Handle event, Handle stream) {
    return cuEventRecordWithFlags(event, stream, 0);
}

EXPORTED int cuEventSynchronize(Handle event) {
    const Event& awaited = *static_cast<Event*>(event);
    return awaited.capture != nullptr ? CAPTURE_UNSUPPORTED : finish(awaited.task);
}

EXPORTED int cuEventElapsedTime_v2(float* millis, Handle from, Handle to) {
    const Event &first = *static_cast<Event*>(from), &second = *static_cast<Event*>(to);
    *millis = std::chrono::duration<float, std::milli>(second.time - first.time).count();
    return first.hasTime && second.hasTime ? state() : INVALID_VALUE;
}

EXPORTED int cuModuleLoadData(Handle* module, const void* image) {
    if (std::memcmp(image, "\177ELF", 4) != 0) {
        return INVALID_IMAGE;
    }
    return make<Module>(module, modules);
}

EXPORTED int cuModuleUnload(Handle module) {
    return destroy<Module>(module, modules);
}

EXPORTED int cuModuleGetFunction(Handle* function, Handle module, const char* symbol) {
    const void* kernel = dlsym(kernels(), (std::string("shim_kernel_") + symbol).c_str());
    if (kernel == nullptr) {
        return NOT_FOUND;
    }
    auto& functions = static_cast<Module*>(module)->functions;
    functions.push_back(std::make_unique<Function>(Function{static_cast<const shim::Kernel*>(kernel)}));
    *function = functions.back().get();
    return state();
}

EXPORTED int cuFuncSetAttribute(Handle function, int attribute, int value) {
    int capability = std::atoi(setting("REMAT_TEST_CAPABILITY", "80"));
    int most = capability >= 90 ? 227 : capability == 80 || capability == 87 ? 163 : capability > 80 ? 99 : 64;
    if (attribute != 8 || value < 0 || value > most << 10) {
        return INVALID_VALUE;
    }
    static_cast<Function*>(function)->shared = static_cast<unsigned>(value);
    return state();
}

EXPORTED int cuLaunchKernel(Handle handle, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
        unsigned blockY, unsigned blockZ, unsigned shared, Handle stream, void** parameters, void**) {
    const Function& function = *static_cast<const Function*>(handle);
    const shim::Kernel* kernel = function.kernel;
    static Counted refused("REMAT_TEST_REFUSE");
    if (shared > function.shared) {
        return INVALID_VALUE;
    }
    if (refused.isMeant(kernel->symbol)) {
        return LAUNCH_REFUSED;
    }
    shim::Request request{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, shared, shim::FORWARD, shim::FORWARD, 0xffff,
            1, nullptr, 0, nullptr};
    std::vector<shim::Slot> slots;
    for (const char* type = kernel->signature; *type != '\0'; ++type, ++parameters) {
        shim::Slot slot = 0;
        std::memcpy(&slot, *parameters, std::strchr("UIF", *type) ? 4 : 8);
        slots.push_back(*type == 'P' && slot == 0 ? ~0ull : slot);
    }
    return put(stream, {[=] { return run(kernel, request, slots); }, true});
}

EXPORTED int cuStreamBeginCapture_v2(Handle handle, int) {
    if (std::strcmp(setting("REMAT_TEST_GRAPHS", ""), "none") == 0) {
        return CAPTURE_UNSUPPORTED;
    }
    Stream& stream = *static_cast<Stream*>(handle);
    stream.capture = std::make_shared<Capture>();
    stream.captured = Stream::NOTHING;
    return state();
}

/** All that was forked off must have been joined, so that it is among what the origin's last node comes after. */
EXPORTED int cuStreamEndCapture(Handle handle, Handle* graph) {
    Stream& origin = *static_cast<Stream*>(handle);
    std::shared_ptr<Capture> capture = origin.capture;
    const std::vector<Graph::Node>& nodes = capture->graph.nodes;
    std::vector<bool> joined(nodes.size());
    for (size_t i = nodes.size(); i-- > 0;) {
        if (i == origin.captured || joined[i]) {
            joined[i] = true;
            for (size_t before : nodes[i].after) {
                joined[before] = true;
            }
        }
    }
    capture->isOver = true;
    for (Stream* stream : living) {
        if (stream->capture == capture) {
            stream->capture = nullptr;
            stream->captured = Stream::NOTHING;
        }
    }
    if (std::find(joined.begin(), joined.end(), false) != joined.end()) {
        *graph = nullptr;
        return CAPTURE_UNJOINED;
    }
    *graph = new Graph(std::move(capture->graph));
    ++graphs;
    return state();
}

EXPORTED int cuGraphInstantiateWithFlags(Handle* executable, Handle graph, unsigned long long) {
    *executable = new Graph(*static_cast<Graph*>(graph));
    ++graphs;
    return state();
}

EXPORTED int cuGraphDestroy(Handle graph) {
    return destroy<Graph>(graph, graphs);
}

EXPORTED int cuGraphExecDestroy(Handle executable) {
    return destroy<Graph>(executable, graphs);
}

EXPORTED int cuGraphUpload(Handle, Handle) {
    return state();
}

EXPORTED int cuGraphLaunch(Handle executable, Handle stream) {
    return replay(*static_cast<Graph*>(executable), *static_cast<Stream*>(stream));
}
