// A training step that remat has compiled, over the CUDA driver alone: no toolkit, no headers of CUDA.
#include "step.h"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
//moving: #include <utility>
#include <vector>

namespace {

std::runtime_error failure(const std::string& message) {
    return std::runtime_error(message);
}

// remat: hash.cc

// remat: driver.cc

// remat: program.cc

}  // namespace

/** Data of a whole batch in memory of the host that the device copies from. */
struct Rows {
    unsigned char* bytes;
    bool isCurrent;  // rather than followed by the rows of one micro-batch alone
};

struct remat_step {
    int device = 0;
    Handle context = nullptr;
    Handle ownStream = nullptr;
    Handle stream = nullptr;  // in which steps run: its own, or one of the caller's
    Address arena = 0;
    bool ownsArena = false;
    const Program* program = nullptr;
    Handle module = nullptr;
    int64_t seed = SEED;
    std::vector<Handle> functions;    // of each kernel
    std::vector<Address> slots;       // arguments with addresses in place of offsets
    std::vector<void*> parameters;    // address of each slot, as cuLaunchKernel takes them
    std::vector<size_t> firstOfLaunch;
    std::map<std::string, const remat_tensor*> tensors;
    std::map<std::string, Rows> batches;  // data of whole batches, where a step cuts them
    int64_t number = 0;                   // of the step whose rounds the caller runs one by one
    int rounds = 0;                       // of these that have run
//moving:     unsigned char* host = nullptr;        // pinned: what has left the arena
//moving:     Handle lanes[LANES] = {};             // streams of copies
//moving:     Handle arrived = nullptr;             // kernels have, where a copy may begin
//moving:     std::vector<Handle> ended;            // of each copy, recorded behind it
//moving:     std::vector<bool> begun;              // by the section that is launched
//moving:     Handle last[LANES] = {};              // event of the last copy in each lane that it has begun
//moving:     const Section* running = nullptr;     // which is launched
//staged:     size_t stop = SIZE_MAX;               // that comes next
//staged:     size_t launched = 0;                  // launches of this step
    Handle graphs[SECTION_COUNT] = {};
    bool warm[SECTION_COUNT] = {};
    bool capturing = true;
    std::string warning;
};

namespace {

constexpr uint64_t ARENA_ALIGNMENT = 256;

/** Makes a step's context current as long as it lives. */
class Current {
public:
    explicit Current(const remat_step& step) {
        driver().check(driver().contextPush(step.context), "the device's context cannot be used");
    }
    ~Current() {
        Handle popped;
        driver().contextPop(&popped);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
};

void loadKernels(remat_step& step, const std::string& artifact) {
    const Driver& cuda = driver();
    const Program& program = *step.program;
    std::vector<unsigned char> content = cubin(artifact, program);
    cuda.check(cuda.moduleLoad(&step.module, content.data()), artifact + "/" + program.cubin + " cannot be loaded");
    std::vector<int> shared(KERNEL_COUNT, -1);
    for (size_t i = 0; i < program.launchCount; ++i) {
        const Shape& shape = program.shapes[program.shapeOfLaunch[i]];
        shared[shape.kernel] = std::max(shared[shape.kernel], static_cast<int>(shape.shared));
    }
    step.functions.resize(KERNEL_COUNT);
    for (size_t i = 0; i < KERNEL_COUNT; ++i) {
        if (shared[i] < 0) {
            continue;  // launched on other architectures only
        }
        const char* symbol = KERNELS[i].symbol;
        Handle& function = step.functions[i];
        cuda.check(cuda.moduleGetFunction(&function, step.module, symbol),
                std::string(program.cubin) + " lacks " + symbol);
        if (shared[i] > 0) {
            cuda.check(cuda.functionSetAttribute(function, MAX_DYNAMIC_SHARED, shared[i]),
                    std::string(symbol) + " does not get its shared memory");
        }
    }
}

void placeArguments(remat_step& step) {
    const Program& program = *step.program;
    step.slots.reserve(program.argumentCount);
    for (size_t i = 0; i < program.launchCount; ++i) {
        step.firstOfLaunch.push_back(step.slots.size());
        const char* types = KERNELS[program.shapes[program.shapeOfLaunch[i]].kernel].parameters;
        for (; *types != '\0'; ++types) {
            int64_t slot = program.arguments[step.slots.size()];
            bool place = *types == 'p';
            step.slots.push_back(!place ? static_cast<Address>(slot)
                            : slot < 0  ? 0
                                        : step.arena + static_cast<Address>(slot));
        }
    }
    for (Address& slot : step.slots) {
        step.parameters.push_back(&slot);
    }
}

//moving: // remat: lanes.cc
//moving:
void open(remat_step& step, const std::string& artifact, int ordinal, Address arena) {
    const Driver& cuda = driver();
    cuda.demand(CUDA_VERSION);
    int count = 0;
    cuda.check(cuda.deviceGetCount(&count), "devices cannot be counted");
    if (ordinal < 0 || ordinal >= count) {
        throw failure("there is no device " + std::to_string(ordinal) + " among " + std::to_string(count));
    }
    if (arena % ARENA_ALIGNMENT != 0) {
        throw failure("the arena's address is no multiple of " + std::to_string(ARENA_ALIGNMENT));
    }
    cuda.check(cuda.deviceGet(&step.device, ordinal), "the device cannot be used");
    int major = 0, minor = 0;
    char name[256] = "";
    cuda.check(cuda.deviceGetAttribute(&major, CAPABILITY_MAJOR, step.device), "the device cannot be asked");
    cuda.check(cuda.deviceGetAttribute(&minor, CAPABILITY_MINOR, step.device), "the device cannot be asked");
    cuda.check(cuda.deviceGetName(name, sizeof name, step.device), "the device cannot be asked");
    step.program = &choose(10 * major + minor, name);
    cuda.check(cuda.primaryRetain(&step.context, step.device), "the device's context cannot be created");
    Current current(step);
    cuda.check(cuda.streamCreate(&step.ownStream, NON_BLOCKING), "a stream cannot be created");
    step.stream = step.ownStream;
    step.arena = arena;
    if (arena == 0) {
        cuda.check(cuda.memoryAllocate(&step.arena, ARENA_BYTES),
                "the arena of " + std::to_string(ARENA_BYTES) + " bytes cannot be allocated");
        step.ownsArena = true;
        cuda.check(cuda.memorySet(step.arena, 0, ARENA_BYTES, step.stream), "the arena cannot be zeroed");
    }
//moving:     openLanes(step);
    loadKernels(step, artifact);
    placeArguments(step);
    for (const remat_tensor& tensor : TENSORS) {
        step.tensors.emplace(tensor.name, &tensor);
    }
    cuda.check(cuda.streamSynchronize(step.stream), "the device failed");
}

/** Frees what there is; a device that failed must not keep the host from going on. */
void close(remat_step& step) {
    if (step.context != nullptr) {
        const Driver& cuda = driver();
        cuda.contextPush(step.context);
        for (Handle graph : step.graphs) {
            if (graph != nullptr) {
                cuda.graphExecDestroy(graph);
            }
        }
        for (auto& batch : step.batches) {
            cuda.hostFree(batch.second.bytes);
        }
//moving:         closeLanes(step);
        if (step.module != nullptr) {
            cuda.moduleUnload(step.module);
        }
        if (step.ownsArena) {
            cuda.memoryFree(step.arena);
        }
        if (step.ownStream != nullptr) {
            cuda.streamDestroy(step.ownStream);
        }
        Handle popped;
        cuda.contextPop(&popped);
        cuda.primaryRelease(step.device);
    }
}

void wait(const remat_step& step) {
    driver().check(driver().streamSynchronize(step.stream), "the device failed");
}

//moving: /** Copies a tensor that lives in memory of the host, once nothing is under way. */
//moving: void copyBelow(const remat_step& step, void* to, const void* from, uint64_t bytes) {
//moving:     wait(step);
//moving:     std::memcpy(to, from, bytes);
//moving: }
//moving:
void copyToHost(const remat_step& step, void* to, uint64_t offset, uint64_t bytes) {
    driver().check(driver().copyToHost(to, step.arena + offset, bytes, step.stream), "the arena cannot be read");
    wait(step);
}

// remat: tensor.cc

// remat: launch.cc

//lossy: // remat: scalar.cc
//lossy:
thread_local std::string lastError;

template <class Body> int guarded(Body body) {
    try {
        body();
        return 0;
    } catch (const std::exception& e) {
        lastError = e.what();
        return 1;
    }
}

}  // namespace

extern "C" {

uint64_t remat_arena_bytes(void) {
    return ARENA_BYTES;
}
//moving:
//moving: uint64_t remat_host_bytes(void) {
//moving:     return HOST_BYTES;
//moving: }

const remat_tensor* remat_tensors(int* count) {
    *count = static_cast<int>(sizeof TENSORS / sizeof TENSORS[0]);
    return TENSORS;
}

int remat_create(const char* artifact, int device, uint64_t arena, remat_step** step) {
    *step = nullptr;
    return guarded([&] {
        remat_step* fresh = new remat_step;
        try {
            open(*fresh, artifact, device, arena);
        } catch (...) {
            close(*fresh);
            delete fresh;
            throw;
        }
        *step = fresh;
    });
}

void remat_destroy(remat_step* step) {
    if (step != nullptr) {
        driver().contextPush(step->context);
        driver().streamSynchronize(step->stream);
        Handle popped;
        driver().contextPop(&popped);
        close(*step);
        delete step;
    }
}

int remat_write(remat_step* step, const char* name, const void* from, uint64_t bytes) {
    return guarded([&] {
        Current current(*step);
        const remat_tensor& to = tensor(*step, name);
        if (isCut(to) && bytes == MICRO_BATCHES * to.bytes) {
            keep(*step, to, from);
        } else {
            tensor(*step, name, bytes);
//moving:             if (to.below) {
//moving:                 return copyBelow(*step, step->host + to.offset, from, bytes);
//moving:             }
            driver().check(driver().copyToDevice(step->arena + to.offset, from, bytes, step->stream),
                    "the arena cannot be written");
            wait(*step);
            forget(*step, to);
        }
    });
}

int remat_read(remat_step* step, const char* name, void* to, uint64_t bytes) {
    return guarded([&] {
        Current current(*step);
//moving:         const remat_tensor& from = tensor(*step, name, bytes);
//moving:         if (from.below) {
//moving:             return copyBelow(*step, to, step->host + from.offset, bytes);
//moving:         }
        copyToHost(*step, to, tensor(*step, name, bytes).offset, bytes);
    });
}

int remat_use_stream(remat_step* step, void* stream) {
    return guarded([&] {
        Current current(*step);
        wait(*step);
        step->stream = stream == nullptr ? step->ownStream : stream;
    });
}

int remat_seed(remat_step* step, int64_t seed) {
    return guarded([&] { step->seed = seed; });
}

//whole: int remat_run(remat_step* step, int64_t number) {
//whole:     return guarded([&] {
//whole:         Current current(*step);
//whole:         begin(*step, number);
//whole:         runSections(*step, 0, SECTION_COUNT);
//whole:     });
//whole: }
//whole:
//whole: int remat_run_to_loss(remat_step* step, int64_t number) {
//whole:     return guarded([&] {
//whole:         Current current(*step);
//whole:         begin(*step, number);
//whole:         runSections(*step, 0, SECTIONS_TO_LOSS);
//whole:     });
//whole: }
//whole:
//whole: int remat_run_from_loss(remat_step* step) {
//whole:     return guarded([&] {
//whole:         Current current(*step);
//whole:         runSections(*step, SECTIONS_TO_LOSS, SECTION_COUNT);
//whole:     });
//whole: }
//whole:
//whole: int remat_micro_batches(void) {
//whole:     return MICRO_BATCHES;
//whole: }
//whole:
//whole: int remat_passes(void) {
//whole:     return PASSES;
//whole: }
//whole:
//whole: int remat_run_micro_batch(remat_step* step, int64_t number, int pass, int micro_batch) {
//whole:     return guarded([&] {
//whole:         Current current(*step);
//whole:         runRound(*step, number, pass, micro_batch);
//whole:     });
//whole: }
//whole:
//whole: int remat_finish_step(remat_step* step) {
//whole:     return guarded([&] {
//whole:         Current current(*step);
//whole:         finish(*step);
//whole:     });
//whole: }
//staged: const remat_message* remat_messages(int* count) {
//staged:     *count = static_cast<int>(sizeof MESSAGES / sizeof MESSAGES[0]);
//staged:     return MESSAGES;
//staged: }
//staged:
//staged: uint64_t remat_arena(const remat_step* step) {
//staged:     return step->arena;
//staged: }
//staged:
//staged: int remat_begin_step(remat_step* step, int64_t number) {
//staged:     return guarded([&] {
//staged:         Current current(*step);
//staged:         beginStage(*step, number);
//staged:     });
//staged: }
//staged:
//staged: int remat_run_to_stop(remat_step* step, int* stop, int* message) {
//staged:     return guarded([&] {
//staged:         Current current(*step);
//staged:         runToStop(*step, stop, message);
//staged:     });
//staged: }

int remat_synchronize(remat_step* step) {
    return guarded([&] {
        Current current(*step);
        wait(*step);
    });
}

int remat_loss(remat_step* step, double* loss) {
    return guarded([&] {
        Current current(*step);
//lossy:         unsigned char bytes[8] = {};
//lossy:         copyToHost(*step, bytes, LOSS.offset, LOSS.bytes);
//lossy:         *loss = scalar(bytes, LOSS.dtype);
//lossless:         static_cast<void>(loss);
//lossless:         throw failure("another stage than this one knows the loss");
    });
}

const char* remat_warning(const remat_step* step) {
    return step->warning.c_str();
}

const char* remat_error(void) {
    return lastError.c_str();
}

}
