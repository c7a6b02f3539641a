// The test driver's only device: what it has been given, and streams that run what is in them when somebody waits.
#pragma once
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    LAUNCH_FAILED = 719,
    CAPTURE_UNSUPPORTED = 900
};

using Handle = void*;
using Address = unsigned long long;
using Clock = std::chrono::steady_clock;

constexpr unsigned long long TOTAL_BYTES = 16ull << 30;

/** Something in a stream, or in a graph; a launch is counted where it is replayed. */
struct Work {
    std::function<int()> run;
    bool isLaunch;
};

struct Graph {
    std::vector<Work> works;
};

struct Stream {
    bool capturing = false;
    std::vector<Work> queue;
    Graph captured;
};

struct Event {
    Stream* stream = nullptr;
    Clock::time_point time;
};

std::string error;
int failed = SUCCESS;  // once it is set every call returns it
size_t replayed = 0, heldUp = 0;
int retained = 0, streams = 0, events = 0, modules = 0, graphs = 0;
std::vector<Handle> contexts;
std::map<Address, unsigned long long> allocations, pinned;

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

int state() {
    return failed != SUCCESS ? failed : contexts.empty() ? INVALID_CONTEXT : SUCCESS;
}

int put(Handle stream, Work work) {
    Stream& to = *static_cast<Stream*>(stream);
    if (int bad = state()) {
        return bad;
    }
    (to.capturing ? to.captured.works : to.queue).push_back(std::move(work));
    return SUCCESS;
}

int drain(Stream& stream) {
    std::vector<Work> works = std::move(stream.queue);
    stream.queue.clear();
    for (Work& work : works) {
        if (failed == SUCCESS) {
            failed = work.run();
        }
    }
    return state();
}

}  // namespace
