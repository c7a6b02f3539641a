// The threads of a block as fibres: what kernels see of the scheduler in runtime.cc.
#pragma once
#include <cstddef>
#include <cstdint>
#include "operands.h"

// The source line of the call, as default arguments: names a barrier or a warp operation in errors.
#define SHIM_HERE const char* file = __builtin_FILE(), int line = __builtin_LINE()

namespace shim {

struct Index3 {
    unsigned x, y, z;
};

struct Extent3 {
    unsigned x, y, z;
    constexpr Extent3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

/** A place where threads wait for one another. Equal names, files and lines are the same place. */
struct Site {
    const char* name;
    const char* file;
    int line;
};

/** What a warp operation does once all its lanes have come: payloads[lane] is valid for the lanes of the mask. */
using Combine = void (*)(void* const* payloads, unsigned mask);

/** One thread of a block. */
struct Fibre {
    Index3 thread;
    unsigned index;  // flat within the block
    int state;
    void* stackPointer;
    int stack;
    Site site;       // where it waits
    unsigned mask;   // the lanes it waits for
    void* payload;
    Combine combine;
};

/** The launch that runs, and the block of it. */
struct Grid {
    Index3 block;
    Extent3 blockExtent;
    Extent3 gridExtent;
};

extern Fibre* current;
extern Grid grid;

/** Waits until all threads of the block are here. */
void await_block(Site site);

/** Waits until all lanes of the mask are here; the last one combines the payloads of all. */
void await_warp(Site site, unsigned mask, void* payload, Combine combine);

/** Ends the launch with an error that names kernel, block, thread and place. Does not return. */
[[noreturn]] void fail(Site site, const char* format, ...) __attribute__((format(printf, 2, 3)));

/** The block's dynamic shared memory, aligned to 128 bytes. */
unsigned char* dynamic_shared();

/** Asynchronous copies of the calling thread: carried out by wait_copies alone, as late as the hardware may. */
void copy_later(Site site, void* shared, const void* global, unsigned bytes, bool valid);
void commit_copies();
void wait_copies(unsigned groupsLeft);

/** What the calling thread has written to shared memory may be read by wgmma, behind the next barrier. */
void fence_for_products();

/** Products of the calling thread's warp: carried out by wait_products alone, as late as the hardware may. */
void begin_products();
void multiply_later(Site site, float* sums, unsigned count, const SharedOperand& a, const SharedOperand& b,
                    float (*value)(unsigned half));
void commit_products();
void wait_products(Site site, unsigned groupsLeft);

/** Eight rows of 16 bytes that a whole warp reads from shared memory at once. */
void read_together(const unsigned char* const (&rows)[8]);

inline int lane() { return static_cast<int>(current->index & 31u); }

/** The lanes that the block's extents give the calling thread's warp: the last warp may have fewer than 32. */
inline unsigned existing_lanes() {
    unsigned threads = grid.blockExtent.x * grid.blockExtent.y * grid.blockExtent.z;
    unsigned left = threads - (current->index & ~31u);
    return left >= 32 ? 0xffffffffu : (1u << left) - 1u;
}

inline void nothing(void* const*, unsigned) {}

struct Shuffled {
    unsigned long long value;
    unsigned long long result;
    int source;
};

/** d (16 x 8) += a (16 x depth) b (depth x 8): products exact in double, added along depth, each sum rounded once. */
void multiply_add(float* d, const float* a, const float* b, int depth);

void combine_shuffle(void* const* payloads, unsigned mask);
void combine_ballot(void* const* payloads, unsigned mask);

template <class T> inline T shuffle(Site site, unsigned mask, T value, int source) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "CUDA shuffles values of 4 or 8 bytes");
    Shuffled lane{0, 0, source};
    __builtin_memcpy(&lane.value, &value, sizeof value);
    if ((mask >> source & 1u) == 0) {
        fail(site, "reads lane %d, which the mask 0x%08x leaves out", source, mask);
    }
    await_warp(site, mask, &lane, combine_shuffle);
    __builtin_memcpy(&value, &lane.result, sizeof value);
    return value;
}

inline unsigned ballot(Site site, unsigned mask, bool predicate) {
    unsigned vote = predicate;
    await_warp(site, mask, &vote, combine_ballot);
    return vote;
}

}  // namespace shim
