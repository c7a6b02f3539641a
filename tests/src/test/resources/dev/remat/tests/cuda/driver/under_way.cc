// Reads and writes right behind steps that nobody has waited for. Prints a hash of all that was read, which does not
// depend on how far the device has come; with `wait`, every step is waited for. A step that is refused is told, and the
// last.
//
//     under_way ARTIFACT [wait]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "step.h"

namespace {

constexpr int STEPS = 3;

void check(int failed, const char* what) {
    if (failed) {
        std::fprintf(stderr, "%s: %s\n", what, remat_error());
        std::exit(1);
    }
}

/** Multiples of 1/64 from 0 to 1, or whole numbers below 4. */
std::vector<unsigned char> drawn(const remat_tensor& tensor, uint64_t bytes, uint32_t seed) {
    std::vector<unsigned char> content(bytes);
    bool isFloat = std::strcmp(tensor.dtype, "f32") == 0;
    for (uint64_t at = 0; at + 4 <= bytes; at += 4) {
        seed = seed * 1664525 + 1013904223;
        float real = static_cast<float>(seed >> 26) / 64;
        uint32_t whole = seed >> 30;
        std::memcpy(content.data() + at, isFloat ? static_cast<void*>(&real) : &whole, 4);
    }
    return content;
}

class Tensors {
public:
    explicit Tensors(remat_step* step) : step(step), all(remat_tensors(&count)) {}

    void write(const char* kind, uint64_t times, int64_t number) {
        for (int i = 0; i < count; ++i) {
            if (std::strcmp(all[i].kind, kind) == 0) {
                auto content = drawn(all[i], times * all[i].bytes, static_cast<uint32_t>(100 * number + i));
                check(remat_write(step, all[i].name, content.data(), content.size()), all[i].name);
            }
        }
    }

    void read(const char* kind) {
        for (int i = 0; i < count; ++i) {
            if (std::strcmp(all[i].kind, kind) == 0) {
                std::vector<unsigned char> content(all[i].bytes);
                check(remat_read(step, all[i].name, content.data(), content.size()), all[i].name);
                for (unsigned char byte : content) {
                    hash = (hash ^ byte) * 1099511628211u;
                }
            }
        }
    }

    uint64_t hash = 14695981039346656037u;

private:
    remat_step* step;
    int count = 0;
    const remat_tensor* all;
};

}  // namespace

int main(int count, char** arguments) {
    bool waits = count > 2;
    remat_step* step;
    check(remat_create(arguments[1], 0, 0, &step), "create");
    Tensors tensors(step);
    tensors.write("parameter", 1, 0);
    tensors.write("data", static_cast<uint64_t>(remat_micro_batches()), 0);
    bool goesOn = true;
    for (int64_t number = 1; number <= STEPS && goesOn; ++number) {
        goesOn = remat_run(step, number) == 0;
        if (!goesOn) {
            std::printf("step %d: %s\n", static_cast<int>(number), remat_error());
        }
        if (waits) {
            check(remat_synchronize(step), "synchronize");
        }
        // What stands right behind a step is another thing each time.
        if (number == 2 && goesOn) {
            tensors.write("parameter", 1, number);
        } else if (number > 2 || !goesOn) {
            tensors.read("state");
            tensors.read("parameter");
        }
        tensors.write("data", static_cast<uint64_t>(remat_micro_batches()), number);
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(tensors.hash));
    remat_destroy(step);
    return 0;
}
