// Runs the stages of a step against each other, each a library of its own, and holds them against a recording of the
// step that is not cut, bit for bit. All are on one device, so that messages are copies within its memory: as soon as both
// ends have begun them, or when one has to have ended. On a GPU the recording is one of the same kernels (run_step --write).
//
//     run_stages RECORDING early|late STEP.so ARTIFACT [STEP.so ARTIFACT]...
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "step.h"

namespace {

[[noreturn]] void fail(const std::string& message) {
    std::fprintf(stderr, "run_stages: %s\n", message.c_str());
    std::exit(1);
}

struct Stage {
    void* library;
    remat_step* step = nullptr;
    const remat_message* messages = nullptr;
    std::map<std::string, uint64_t> tensors;
    std::vector<bool> arrived;
    int waits = -1;  // for the end of this message
    bool held = false, done = false;

    template <class F> F* function(const char* name) const {
        void* symbol = dlsym(library, name);
        if (symbol == nullptr) {
            fail(std::string("no ") + name);
        }
        return reinterpret_cast<F*>(symbol);
    }

    void check(int failed) const {
        if (failed) {
            fail(function<decltype(remat_error)>("remat_error")());
        }
    }
};

/** What copies within the device's memory, in its primary context, which all stages share. */
class Copies {
public:
    Copies() {
        bind(retain, "cuDevicePrimaryCtxRetain");
        bind(release, "cuDevicePrimaryCtxRelease_v2");
        bind(push, "cuCtxPushCurrent_v2");
        bind(pop, "cuCtxPopCurrent_v2");
        bind(create, "cuStreamCreate");
        bind(destroy, "cuStreamDestroy_v2");
        bind(synchronize, "cuStreamSynchronize");
        bind(copy, "cuMemcpyDtoDAsync_v2");
        void* context = nullptr;
        check(retain(&context, 0));
        check(push(context));
        check(create(&stream, 0));
    }

    ~Copies() {
        void* popped = nullptr;
        destroy(stream);
        pop(&popped);
        release(0);
    }

    void run(uint64_t to, uint64_t from, uint64_t bytes) {
        check(copy(to, from, bytes, stream));
        check(synchronize(stream));
    }

private:
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void* stream = nullptr;
    int (*retain)(void**, int);
    int (*release)(int);
    int (*push)(void*);
    int (*pop)(void**);
    int (*create)(void**, unsigned);
    int (*destroy)(void*);
    int (*synchronize)(void*);
    int (*copy)(uint64_t, uint64_t, size_t, void*);

    template <class F> void bind(F& function, const char* name) const {
        function = library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
        if (!function) {
            fail(std::string("the driver has no ") + name);
        }
    }

    static void check(int failed) {
        if (failed) {
            fail("the driver answers " + std::to_string(failed));
        }
    }
};

struct End {
    size_t stage;
    int message;
};

/** Messages from one stage to another that have begun, in their order. */
struct Way {
    std::deque<End> sent, taken;
};

class Pipeline {
public:
    Pipeline(bool late, int count, char** words) : late(late) {
        for (int i = 0; i + 1 < count; i += 2) {
            auto stage = std::make_unique<Stage>();
            stage->library = dlopen(words[i], RTLD_NOW | RTLD_LOCAL);
            if (stage->library == nullptr) {
                fail(dlerror());
            }
            stage->check(stage->function<decltype(remat_create)>("remat_create")(words[i + 1], 0, 0, &stage->step));
            int number = 0;
            const remat_tensor* tensors = stage->function<decltype(remat_tensors)>("remat_tensors")(&number);
            for (int k = 0; k < number; ++k) {
                stage->tensors.emplace(tensors[k].name, tensors[k].bytes);
            }
            stage->messages = stage->function<decltype(remat_messages)>("remat_messages")(&number);
            stage->arrived.resize(static_cast<size_t>(number));
            stages.push_back(std::move(stage));
        }
        copies = std::make_unique<Copies>();
    }

    ~Pipeline() {
        copies.reset();
        for (auto& stage : stages) {
            stage->function<decltype(remat_destroy)>("remat_destroy")(stage->step);
        }
    }

    void write(const std::string& name, const std::vector<char>& bytes) {
        const Stage& stage = of(name);
        stage.check(stage.function<decltype(remat_write)>("remat_write")(
                stage.step, name.c_str(), bytes.data(), bytes.size()));
    }

    std::vector<char> read(const std::string& name, size_t bytes) {
        std::vector<char> found(bytes);
        const Stage& stage = of(name);
        stage.check(stage.function<decltype(remat_read)>("remat_read")(
                stage.step, name.c_str(), found.data(), found.size()));
        return found;
    }

    /** Runs a step and returns its loss, which is known before anything is updated. */
    double run(int64_t number) {
        for (auto& stage : stages) {
            stage->check(stage->function<decltype(remat_begin_step)>("remat_begin_step")(stage->step, number));
            stage->arrived.assign(stage->arrived.size(), false);
            stage->waits = -1;
            stage->held = stage->done = false;
        }
        while (goOn()) {
        }
        double loss = 0;
        int knowing = 0;
        for (auto& stage : stages) {
            if (!stage->held && !stage->done && stage->waits < 0) {
                fail("a stage neither waits nor is held");
            }
            knowing += stage->function<decltype(remat_loss)>("remat_loss")(stage->step, &loss) == 0;
            stage->held = false;
        }
        if (knowing != 1) {
            fail(std::to_string(knowing) + " stages know the loss");
        }
        while (goOn()) {
        }
        for (auto& stage : stages) {
            if (!stage->done) {
                fail("stages stand still");
            }
        }
        return loss;
    }

private:
    const bool late;
    std::vector<std::unique_ptr<Stage>> stages;
    std::unique_ptr<Copies> copies;
    std::map<std::pair<size_t, size_t>, Way> ways;

    const Stage& of(const std::string& name) const {
        const Stage* found = nullptr;
        for (const auto& stage : stages) {
            if (stage->tensors.count(name)) {
                if (found != nullptr) {
                    fail(name + " is on two stages");
                }
                found = stage.get();
            }
        }
        if (found == nullptr) {
            fail("no stage has " + name);
        }
        return *found;
    }

    /** Lets each stage come as far as it does without the others. */
    bool goOn() {
        bool moved = false;
        for (size_t i = 0; i < stages.size(); ++i) {
            Stage& stage = *stages[i];
            while (!stage.held && !stage.done && (stage.waits < 0 || hasArrived(i, stage.waits))) {
                moved = true;
                stage.waits = -1;
                int stop = 0, message = 0;
                stage.check(stage.function<decltype(remat_run_to_stop)>("remat_run_to_stop")(
                        stage.step, &stop, &message));
                if (stop == REMAT_BEGINS) {
                    begin(i, message);
                } else if (stop == REMAT_ENDS) {
                    stage.waits = message;
                } else if (stop == REMAT_UPDATES) {
                    stage.held = true;
                } else {
                    stage.done = true;
                }
            }
        }
        return moved;
    }

    Way& way(size_t stage, const remat_message& end) {
        size_t other = static_cast<size_t>(end.stage);
        return ways[end.sends ? std::make_pair(stage, other) : std::make_pair(other, stage)];
    }

    void begin(size_t stage, int message) {
        const remat_message& end = stages[stage]->messages[message];
        (end.sends ? way(stage, end).sent : way(stage, end).taken).push_back({stage, message});
        if (!late) {
            move(way(stage, end));
        }
    }

    bool hasArrived(size_t stage, int message) {
        if (!stages[stage]->arrived[static_cast<size_t>(message)]) {
            move(way(stage, stages[stage]->messages[message]));
        }
        return stages[stage]->arrived[static_cast<size_t>(message)];
    }

    /** Moves what both ends have begun. */
    void move(Way& way) {
        while (!way.sent.empty() && !way.taken.empty()) {
            Stage& from = *stages[way.sent.front().stage];
            Stage& to = *stages[way.taken.front().stage];
            const remat_message& sent = from.messages[way.sent.front().message];
            const remat_message& taken = to.messages[way.taken.front().message];
            if (sent.number != taken.number || sent.bytes != taken.bytes) {
                fail(std::string(sent.name) + " is sent where " + taken.name + " is taken");
            }
            from.check(from.function<decltype(remat_synchronize)>("remat_synchronize")(from.step));
            to.check(to.function<decltype(remat_synchronize)>("remat_synchronize")(to.step));
            copies->run(place(to) + taken.offset, place(from) + sent.offset, sent.bytes);
            from.arrived[static_cast<size_t>(way.sent.front().message)] = true;
            to.arrived[static_cast<size_t>(way.taken.front().message)] = true;
            way.sent.pop_front();
            way.taken.pop_front();
        }
    }

    static uint64_t place(const Stage& stage) {
        return stage.function<decltype(remat_arena)>("remat_arena")(stage.step);
    }
};

}  // namespace

int main(int count, char** words) {
    if (count < 5) {
        fail("run_stages RECORDING early|late STEP.so ARTIFACT [STEP.so ARTIFACT]...");
    }
    std::ifstream file(words[1], std::ios::binary);
    std::string line;
    if (!std::getline(file, line) || line != "remat-recording/1") {
        fail("no recording");
    }
    std::vector<std::pair<std::string, uint64_t>> entries;
    while (std::getline(file, line) && !line.empty()) {
        size_t space = line.rfind(' ');
        entries.emplace_back(line.substr(0, space), std::strtoull(line.c_str() + space, nullptr, 10));
    }
    Pipeline pipeline(std::strcmp(words[2], "late") == 0, count - 3, words + 3);
    int64_t steps = 0;
    int wrong = 0, equal = 0;
    for (const auto& [entry, bytes] : entries) {
        std::vector<char> content(bytes);
        if (!file.read(content.data(), static_cast<std::streamsize>(bytes))) {
            fail("the recording ends within " + entry);
        }
        std::string kind = entry.substr(0, entry.find('/'));
        std::string name = entry.substr(std::min(kind.size() + 1, entry.size()));
        bool same = true;
        if (kind.rfind("loss.", 0) == 0) {
            double loss = pipeline.run(++steps);
            same = std::memcmp(&loss, content.data(), sizeof loss) == 0;
        } else if (kind == "final") {
            same = pipeline.read(name, bytes) == content;
        } else {
            pipeline.write(name, content);
            continue;
        }
        if (!same) {
            std::printf("%s differs\n", entry.c_str());
        }
        wrong += !same;
        equal += same;
    }
    std::printf("%d equal, %d differ\n", equal, wrong);
    return wrong == 0 ? 0 : 1;
}
