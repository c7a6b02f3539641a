// The test driver's only device: what it has been given, and streams that run what is in them when somebody waits.
#pragma once
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    LAUNCH_REFUSED = 701,
    NO_DEVICE = 100,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    LAUNCH_FAILED = 719,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_UNJOINED = 904,
    CAPTURE_ISOLATION = 905,
    CAPTURED_EVENT = 907
};

using Handle = void*;
using Address = unsigned long long;
using Clock = std::chrono::steady_clock;

constexpr unsigned long long TOTAL_BYTES = 16ull << 30;

/** Something in a stream, or in a graph; a launch is counted where it is replayed. */
struct Work {
    std::function<int()> run;
    bool isLaunch;
    Address pinned = 0;  // block of the host's memory that it reads or writes
};

struct Stream;

/** Work that may run when what it comes after has. */
struct Task {
    Work work;
    std::vector<std::shared_ptr<Task>> after;
    const Stream* stream;
    bool isDone = false;
};

/** Work and what it comes after: numbers of earlier work, in the order of the calls that recorded it. */
struct Graph {
    struct Node {
        Work work;
        std::vector<size_t> after;
        const Stream* stream;
    };
    std::vector<Node> nodes;
};

/** A graph while it is recorded, of one stream and those that are forked off it. */
struct Capture {
    Graph graph;
    bool isOver = false;
};

struct Stream {
    std::shared_ptr<Capture> capture;  // what is recorded, if anything is
    size_t captured = NOTHING;         // the node that the next one in this stream comes after
    std::shared_ptr<Task> last;
    static constexpr size_t NOTHING = ~size_t{0};
};

struct Event {
    bool isTimed;
    std::shared_ptr<Task> task;        // what it was recorded behind
    std::shared_ptr<Capture> capture;  // or the graph, and the node in it
    size_t node = Stream::NOTHING;
    bool hasTime = false;
    Clock::time_point time;
};

std::string error;
int failed = SUCCESS;  // once it is set every call returns it
size_t replayed = 0, heldUp = 0;
int retained = 0, streams = 0, events = 0, modules = 0, graphs = 0;
std::vector<Handle> contexts;
std::vector<Stream*> living;
std::map<Address, unsigned long long> allocations, pinned;
std::vector<std::shared_ptr<Task>> pending;  // in the order of the calls that asked for it

const char* setting(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value ? value : otherwise;
}

/** How many are done, and which one is meant: PREFIX@N is the Nth of those whose names begin so. */
class Counted {
public:
    explicit Counted(const char* name) : which(setting(name, "")), at(which.find('@')) {}

    bool isMeant(const std::string& symbol) {
        return at != std::string::npos && symbol.compare(0, at, which, 0, at) == 0
                && ++count == std::atoi(which.c_str() + at + 1);
    }

private:
    std::string which;
    size_t at;
    int count = 0;
};

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

/** Puts work into a stream, or a graph, behind what is there and behind what an event was recorded behind. */
int put(Handle handle, Work work, const Event* event = nullptr) {
    Stream& to = *static_cast<Stream*>(handle);
    if (int bad = state()) {
        return bad;
    }
    if (event != nullptr && event->capture != nullptr && event->capture->isOver) {
        return CAPTURED_EVENT;
    }
    if (event != nullptr && event->capture != nullptr && to.capture == nullptr) {
        to.capture = event->capture;  // forked off: this stream is recorded, too
    }
    if (to.capture != nullptr) {
        if (event != nullptr && event->capture != to.capture) {
            return CAPTURE_ISOLATION;
        }
        Graph::Node node{std::move(work), {}, &to};
        for (size_t before : {to.captured, event ? event->node : Stream::NOTHING}) {
            if (before != Stream::NOTHING) {
                node.after.push_back(before);
            }
        }
        to.captured = to.capture->graph.nodes.size();
        to.capture->graph.nodes.push_back(std::move(node));
        return SUCCESS;
    }
    auto task = std::make_shared<Task>(Task{std::move(work), {}, &to});
    for (const auto& before : {to.last, event ? event->task : nullptr}) {
        if (before != nullptr) {
            task->after.push_back(before);
        }
    }
    to.last = task;
    pending.push_back(task);
    return SUCCESS;
}

/** Puts a graph's work into a stream: each behind what it comes after, and what follows in the stream behind all. */
int replay(const Graph& graph, Stream& to) {
    std::vector<std::shared_ptr<Task>> tasks;
    auto end = std::make_shared<Task>(Task{{[] { return SUCCESS; }, false}, {}, &to});
    for (const Graph::Node& node : graph.nodes) {
        auto task = std::make_shared<Task>(Task{node.work, {}, node.stream});
        for (size_t before : node.after) {
            task->after.push_back(tasks[before]);
        }
        if (to.last != nullptr) {
            task->after.push_back(to.last);
        }
        replayed += node.work.isLaunch;
        tasks.push_back(task);
        pending.push_back(task);
        end->after.push_back(task);
    }
    to.last = end;
    pending.push_back(end);
    return state();
}

void run(Task& task) {
    if (failed == SUCCESS) {
        failed = task.work.run();
    }
    task.isDone = true;
    task.after.clear();
}

/** Runs a task, and of all others what it comes after: nothing that could still wait. */
void runLate(const std::shared_ptr<Task>& last) {
    std::vector<std::shared_ptr<Task>> open{last};
    while (!open.empty()) {
        std::shared_ptr<Task> task = open.back();
        auto before = std::find_if(
                task->after.begin(), task->after.end(), [](const auto& each) { return !each->isDone; });
        if (task->isDone || before == task->after.end()) {
            open.pop_back();
            if (!task->isDone) {
                run(*task);
            }
        } else {
            open.push_back(*before);
        }
    }
}

/** Runs whatever may run, in any order, until a task has run; what is in other streams first, or by chance. */
void runAsItComes(const std::shared_ptr<Task>& last, const std::string& order) {
    static std::mt19937 random(static_cast<unsigned>(std::strtoul(order.c_str(), nullptr, 10)));
    while (!last->isDone) {
        std::vector<std::shared_ptr<Task>> ready, others;
        for (const auto& task : pending) {
            bool may = std::all_of(task->after.begin(), task->after.end(), [](const auto& each) { return each->isDone; });
            if (!task->isDone && may) {
                ready.push_back(task);
                if (task->stream != last->stream) {
                    others.push_back(task);
                }
            }
        }
        run(order != "early" ? *ready[random() % ready.size()] : others.empty() ? *ready.front() : *others.front());
    }
}

/** Returns when a task has run. Which of several streams goes on while others wait, REMAT_TEST_ORDER says. */
int finish(const std::shared_ptr<Task>& task) {
    static const std::string order = setting("REMAT_TEST_ORDER", "late");
    if (task != nullptr && !task->isDone) {
        if (order == "late") {
            runLate(task);
        } else {
            runAsItComes(task, order);
        }
        pending.erase(std::remove_if(pending.begin(), pending.end(), [](const auto& each) { return each->isDone; }),
                pending.end());
    }
    return state();
}

/** Whether something that a block of the host's memory is needed for has yet to run. */
bool isUnderWay(Address block) {
    return failed == SUCCESS && std::any_of(pending.begin(), pending.end(), [=](const auto& task) {
        return !task->isDone && task->work.pinned == block;
    });
}

int drain(Stream& stream) {
    return stream.capture != nullptr ? CAPTURE_UNSUPPORTED : finish(stream.last);
}

}  // namespace
