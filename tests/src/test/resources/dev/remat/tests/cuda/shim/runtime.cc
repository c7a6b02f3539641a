// The scheduler of the shim: runs the blocks of a launch one after another, the threads of a block as fibres.
#pragma GCC optimize("O3")
#include <setjmp.h>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include "context.h"
#include "copies.h"
#include "faults.h"
#include "fibre.h"
#include "launch.h"
#include "memory.h"
#include "products.h"
#include "races.h"

// Bounds of the static shared arrays: kernels are linked between the two files that define these.
extern "C" unsigned char shim_shared_begin[] __attribute__((visibility("hidden")));
extern "C" unsigned char shim_shared_end[] __attribute__((visibility("hidden")));

namespace shim {

Fibre* current = nullptr;
Grid grid;
Order threadOrder = FORWARD, blockOrder = FORWARD;
unsigned long long orderSeed = 1;

namespace {

enum State : int { FRESH, READY, AT_BLOCK, AT_WARP, DONE };

constexpr unsigned MAX_THREADS = 1024;
constexpr unsigned WARP = 32;
// Static shared arrays of a whole library are poisoned before each block if they are few, else before each launch.
constexpr std::size_t POISON_PER_BLOCK_BYTES = 64 * 1024;

Fibre fibres[MAX_THREADS];
CopyQueue queues[MAX_THREADS];
ProductQueue productQueues[MAX_THREADS];
ProxyFences proxyFences;
unsigned warpWaits[MAX_THREADS / WARP];
unsigned warpDone[MAX_THREADS / WARP];
unsigned threadSequence[MAX_THREADS];
unsigned threads;
unsigned threadsDone;
void* schedulerContext;
StackPool stacks;
SharedMemory sharedMemory;
Clock blockClock;
AccessHistory dynamicHistory;
AccessHistory staticHistory;
unsigned long long bankConflicts;
const Kernel* kernel;
const Request* request;
jmp_buf failure;
char error[1024];

class Random {
public:
    explicit Random(unsigned long long seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull) {}

    unsigned below(unsigned bound) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<unsigned>((state_ >> 32) % bound);
    }

private:
    unsigned long long state_;
};

void arrange(unsigned* sequence, unsigned count, unsigned order, Random& random) {
    for (unsigned i = 0; i < count; i++) {
        sequence[i] = order == BACKWARD ? count - 1 - i : i;
    }
    if (order == SHUFFLED) {
        for (unsigned i = count; i > 1; i--) {
            unsigned j = random.below(i);
            unsigned moved = sequence[i - 1];
            sequence[i - 1] = sequence[j];
            sequence[j] = moved;
        }
    }
}

bool same(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }

bool same(const Site& a, const Site& b) { return a.line == b.line && same(a.name, b.name) && same(a.file, b.file); }

void to_scheduler() { switch_context(&current->stackPointer, schedulerContext); }

void fibre_main() {
    kernel->run(request->slots, request->arena);
    CopyQueue& queue = queues[current->index];
    if (queue.open() != 0) {
        fail({"cp_async", "", 0}, "the thread ended with %u copies that no cp_async_commit took", queue.open());
    }
    queue.clear();
    if (productQueues[current->index].left() != 0) {
        fail({"wgmma", "", 0}, "the thread ended with %zu products that nobody waited for",
             productQueues[current->index].left());
    }
    current->state = DONE;
    warpDone[current->index / WARP] |= 1u << (current->index % WARP);
    threadsDone++;
    to_scheduler();
    std::abort();
}

void resume(Fibre& fibre) {
    current = &fibre;
    if (fibre.state == FRESH) {
        fibre.stack = stacks.take();
        if (fibre.stack < 0) {
            fail({"launch", "", 0}, "no memory for the stacks of %u threads", threads);
        }
        fibre.stackPointer = fresh_context(stacks.top(fibre.stack), STACK_BYTES, fibre_main);
    }
    fibre.state = READY;
    switch_context(&schedulerContext, fibre.stackPointer);
    if (fibre.state == DONE) {
        stacks.give_back(fibre.stack);
    }
}

/** Runs each lane that can run once, or as long as one can; returns whether any could. */
bool run_warp(unsigned warp, const unsigned* lanes, bool oncePerLane) {
    bool ever = false;
    bool progress = true;
    while (progress) {
        progress = false;
        for (unsigned i = 0; i < WARP; i++) {
            unsigned index = warp * WARP + lanes[i];
            if (index < threads && (fibres[index].state == READY || fibres[index].state == FRESH)) {
                resume(fibres[index]);
                progress = true;
                ever = true;
            }
        }
        if (oncePerLane) {
            break;
        }
    }
    return ever;
}

[[noreturn]] void report_warp(const Fibre& waiting) {
    unsigned first = waiting.index / WARP * WARP;
    current = &fibres[waiting.index];
    for (unsigned lane = 0; lane < WARP; lane++) {
        if ((waiting.mask >> lane & 1u) == 0) {
            continue;
        }
        const Fibre& other = fibres[first + lane];
        if (other.state == DONE) {
            fail(waiting.site, "lane %u of its mask 0x%08x has ended", lane, waiting.mask);
        }
        if (other.state == AT_BLOCK || !same(other.site, waiting.site)) {
            fail(waiting.site, "lane %u of its mask 0x%08x waits at %s (%s:%d)", lane, waiting.mask, other.site.name,
                 other.site.file, other.site.line);
        }
        if (other.mask != waiting.mask) {
            fail(waiting.site, "lane %u came with the mask 0x%08x, not 0x%08x", lane, other.mask, waiting.mask);
        }
    }
    fail(waiting.site, "lanes of the mask 0x%08x do not meet", waiting.mask);
}

/** Everything up to here is ordered before what follows. */
void pass_barrier() {
    if (!blockClock.pass_barrier()) {
        dynamicHistory.forget();
        staticHistory.forget();
    }
}

/** All threads wait or have ended: lets those at the block's barrier go on, or tells why they may not. */
void release_block() {
    const Fibre* first = nullptr;
    for (unsigned i = 0; i < threads; i++) {
        if (fibres[i].state == AT_WARP) {
            report_warp(fibres[i]);
        }
        if (fibres[i].state == AT_BLOCK && first == nullptr) {
            first = &fibres[i];
        }
    }
    for (unsigned i = 0; i < threads; i++) {
        Fibre& fibre = fibres[i];
        if (fibre.state == DONE) {
            current = &fibre;
            fail(first->site, "this thread has ended, as have %u of %u; others wait for it", threadsDone, threads);
        }
        if (!same(fibre.site, first->site)) {
            current = &fibre;
            fail(fibre.site, "this thread waits here, others at %s:%d", first->site.file, first->site.line);
        }
    }
    for (unsigned i = 0; i < threads; i++) {
        fibres[i].state = READY;
    }
    pass_barrier();
}

void poison_static() {
    fill(shim_shared_begin, static_cast<std::size_t>(shim_shared_end - shim_shared_begin), request->poison);
}

void run_block(Random& random) {
    unsigned order = request->threadOrder;
    unsigned warps = (threads + WARP - 1) / WARP;
    unsigned lanes[WARP];
    unsigned* warpSequence = threadSequence;
    stacks.take_all_back();
    threadsDone = 0;
    for (unsigned i = 0; i < threads; i++) {
        Fibre& fibre = fibres[i];
        fibre.state = FRESH;
        fibre.index = i;
        fibre.thread = {i % grid.blockExtent.x, i / grid.blockExtent.x % grid.blockExtent.y,
                        i / grid.blockExtent.x / grid.blockExtent.y};
    }
    for (unsigned i = 0; i < warps; i++) {
        warpWaits[i] = 0;
        warpDone[i] = 0;
    }
    arrange(lanes, WARP, order, random);
    arrange(warpSequence, warps, order, random);
    while (true) {
        bool progress = false;
        for (unsigned i = 0; i < warps; i++) {
            progress |= run_warp(warpSequence[i], lanes, order == SHUFFLED);
        }
        if (threadsDone == threads) {
            return;
        }
        if (!progress || order != SHUFFLED) {
            release_block();
        }
        if (order == SHUFFLED) {
            arrange(lanes, WARP, order, random);
            arrange(warpSequence, warps, order, random);
        }
    }
}

const char* refuse(const char* what, unsigned long long value, unsigned long long limit) {
    std::snprintf(error, sizeof error, "%s: %s is %llu, but must be 1 to %llu", kernel->symbol, what, value, limit);
    return error;
}

AccessHistory* history_of(const void* address) {
    return dynamicHistory.holds(address) ? &dynamicHistory : staticHistory.holds(address) ? &staticHistory : nullptr;
}

void expect_order(Race race, const void* address) {
    if (race == Race::NONE) {
        return;
    }
    const char* what = race == Race::READS_WRITTEN ? "reads what another thread wrote"
        : race == Race::WRITES_WRITTEN ? "overwrites what another thread wrote"
        : "overwrites what another thread reads";
    const bool dynamic = dynamicHistory.holds(address);
    const unsigned char* from = dynamic ? sharedMemory.base() : shim_shared_begin;
    fail({"shared memory", "", 0}, "%s (%s byte %td), and no __syncwarp or barrier of both comes between", what,
         dynamic ? "dynamic" : "static", static_cast<const unsigned char*>(address) - from);
}

void expect_write_order(const void* address, std::size_t bytes) {
    const std::ptrdiff_t offset = static_cast<const unsigned char*>(address) - sharedMemory.base();
    if (offset >= 0 && offset < static_cast<std::ptrdiff_t>(request->sharedBytes)) {
        proxyFences.write(static_cast<std::size_t>(offset), bytes, current->index);
    }
    if (AccessHistory* history = history_of(address)) {
        expect_order(history->write(address, bytes, current->index, blockClock), address);
    }
}

void expect_read_order(const void* address, std::size_t bytes) {
    if (AccessHistory* history = history_of(address)) {
        expect_order(history->read(address, bytes, current->index, blockClock), address);
    }
}

const char* check_extents() {
    const unsigned* g = request->grid;
    const unsigned* b = request->block;
    unsigned long long all = 1ull * b[0] * b[1] * b[2];
    if (all < 1 || all > MAX_THREADS) {
        return refuse("the threads of a block", all, MAX_THREADS);
    }
    if (g[0] < 1 || g[0] > 0x7fffffffu) {
        return refuse("grid x", g[0], 0x7fffffffu);
    }
    for (int i = 1; i < 3; i++) {
        if (g[i] < 1 || g[i] > 65535) {
            return refuse(i == 1 ? "grid y" : "grid z", g[i], 65535);
        }
    }
    return request->sharedBytes > MAX_SHARED_BYTES
        ? refuse("dynamic shared memory", request->sharedBytes, MAX_SHARED_BYTES) : nullptr;
}

void run_blocks() {
    unsigned long long blocks = 1ull * request->grid[0] * request->grid[1] * request->grid[2];
    bool poisonEach = shim_shared_end - shim_shared_begin <= static_cast<std::ptrdiff_t>(POISON_PER_BLOCK_BYTES);
    Random random(request->seed);
    // A permutation of any number of blocks without a table: steps coprime to the count, from a random start.
    unsigned long long step = 1;
    unsigned long long at = request->blockOrder == BACKWARD ? blocks - 1 : 0;
    if (request->blockOrder == SHUFFLED) {
        constexpr unsigned long long PRIME = 2654435761ull;
        step = blocks % PRIME == 0 ? 1 : PRIME % blocks;
        at = random.below(static_cast<unsigned>(blocks));
    }
    poison_static();
    current = &fibres[0];
    // Races are the same in every order, and looking for them takes time.
    const bool watches = request->threadOrder == SHUFFLED;
    const std::size_t staticBytes = static_cast<std::size_t>(shim_shared_end - shim_shared_begin);
    if (!staticHistory.watch(shim_shared_begin, watches ? staticBytes : 0)) {
        fail({"launch", "", 0}, "no memory to watch shared memory");
    }
    for (unsigned long long i = 0; i < blocks; i++) {
        grid.block = {static_cast<unsigned>(at % request->grid[0]),
                      static_cast<unsigned>(at / request->grid[0] % request->grid[1]),
                      static_cast<unsigned>(at / request->grid[0] / request->grid[1])};
        if (poisonEach && i > 0) {
            poison_static();
        }
        current = &fibres[0];
        if (!sharedMemory.prepare(request->sharedBytes, request->poison)) {
            fail({"launch", "", 0}, "no memory for %u bytes of shared memory", request->sharedBytes);
        }
        pass_barrier();
        proxyFences.forget(request->sharedBytes);
        if (!dynamicHistory.watch(sharedMemory.base(), watches ? request->sharedBytes : 0)) {
            fail({"launch", "", 0}, "no memory to watch %u bytes of shared memory", request->sharedBytes);
        }
        run_block(random);
        if (!sharedMemory.is_intact()) {
            fail({"shared memory", "", 0}, "write outside of its %u bytes", request->sharedBytes);
        }
        at = request->blockOrder == BACKWARD ? at - 1 : (at + step) % blocks;
    }
}

}  // namespace

void fail(Site site, const char* format, ...) {
    int length = std::snprintf(error, sizeof error, "%s: block (%u,%u,%u) thread (%u,%u,%u): %s", kernel->symbol,
                               grid.block.x, grid.block.y, grid.block.z, current->thread.x, current->thread.y,
                               current->thread.z, site.name);
    if (site.line > 0) {
        length += std::snprintf(error + length, sizeof error - static_cast<std::size_t>(length), " (%s:%d)", site.file,
                                site.line);
    }
    length += std::snprintf(error + length, sizeof error - static_cast<std::size_t>(length), ": ");
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(error + length, sizeof error - static_cast<std::size_t>(length), format, arguments);
    va_end(arguments);
    _longjmp(failure, 1);
}

void on_fault(int signal, int code, void* address) {
    const unsigned char* at = static_cast<const unsigned char*>(address);
    if (signal == SIGFPE) {
        fail({"arithmetic", "", 0}, "integer division by zero or overflow");
    }
    // x86 tells no address where an access is misaligned or no address at all.
    if (signal == SIGBUS || (signal == SIGSEGV && code == SI_KERNEL)) {
        fail({"memory", "", 0}, "misaligned access");
    }
    // Where the compiler checks and finds an error, it traps.
    if (signal == SIGILL || signal == SIGTRAP) {
        fail({"memory", "", 0}, "misaligned access, or an index outside of an array of known size");
    }
    if (stacks.is_below(current->stack, at)) {
        fail({"memory", "", 0}, "local variables take more than %zu bytes", STACK_BYTES);
    }
    if (sharedMemory.is_beside(at)) {
        fail({"shared memory", "", 0}, "access outside of its %u bytes", request->sharedBytes);
    }
    long long offset = at - request->arena;
    if (request->arena != nullptr) {
        fail({"memory", "", 0}, "access to address %p, arena offset %lld of %llu bytes", address, offset,
             request->arenaBytes);
    }
    fail({"memory", "", 0}, "access to address %p", address);
}

void await_block(Site site) {
    current->site = site;
    current->state = AT_BLOCK;
    to_scheduler();
}

void await_warp(Site site, unsigned mask, void* payload, Combine combine) {
    Fibre* self = current;
    unsigned warp = self->index / WARP;
    Fibre* lanes = fibres + warp * WARP;
    unsigned me = 1u << (self->index % WARP);
    if ((mask & me) == 0) {
        fail(site, "its own lane %d is not in the mask 0x%08x", lane(), mask);
    }
    if ((mask & ~existing_lanes()) != 0) {
        fail(site, "lane %d of the mask 0x%08x is not in the block", __builtin_ctz(mask & ~existing_lanes()), mask);
    }
    if ((mask & warpDone[warp]) != 0) {
        fail(site, "lane %d of the mask 0x%08x has ended", __builtin_ctz(mask & warpDone[warp]), mask);
    }
    self->site = site;
    self->mask = mask;
    self->payload = payload;
    self->combine = combine;
    self->state = AT_WARP;
    warpWaits[warp] |= me;
    bool complete = (warpWaits[warp] & mask) == mask;
    void* payloads[WARP];
    for (unsigned left = complete ? mask : 0; left != 0; left &= left - 1) {
        int i = __builtin_ctz(left);
        const Fibre& other = lanes[i];
        complete &= other.mask == mask && other.combine == combine && same(other.site, site);
        payloads[i] = other.payload;
    }
    if (!complete) {
        to_scheduler();
        return;
    }
    combine(payloads, mask);
    if (combine == nothing) {
        blockClock.pass_sync(warp);
    }
    warpWaits[warp] &= ~mask;
    for (unsigned left = mask; left != 0; left &= left - 1) {
        lanes[__builtin_ctz(left)].state = READY;
    }
}

void combine_shuffle(void* const* payloads, unsigned mask) {
    for (unsigned left = mask; left != 0; left &= left - 1) {
        Shuffled* lane = static_cast<Shuffled*>(payloads[__builtin_ctz(left)]);
        lane->result = static_cast<const Shuffled*>(payloads[lane->source])->value;
    }
}

void combine_ballot(void* const* payloads, unsigned mask) {
    unsigned votes = 0;
    for (unsigned left = mask; left != 0; left &= left - 1) {
        votes |= *static_cast<unsigned*>(payloads[__builtin_ctz(left)]) << __builtin_ctz(left);
    }
    for (unsigned left = mask; left != 0; left &= left - 1) {
        *static_cast<unsigned*>(payloads[__builtin_ctz(left)]) = votes;
    }
}

void multiply_add(float* d, const float* a, const float* b, int depth) {
    for (int row = 0; row < 16; row++) {
        double sums[8];
        for (int column = 0; column < 8; column++) {
            sums[column] = d[row * 8 + column];
        }
        for (int k = 0; k < depth; k++) {
            double left = a[row * depth + k];
            for (int column = 0; column < 8; column++) {
                sums[column] += left * static_cast<double>(b[k * 8 + column]);
            }
        }
        for (int column = 0; column < 8; column++) {
            d[row * 8 + column] = static_cast<float>(sums[column]);
        }
    }
}

unsigned char* dynamic_shared() { return sharedMemory.base(); }

void copy_later(Site site, void* shared, const void* global, unsigned bytes, bool valid) {
    if (reinterpret_cast<std::uintptr_t>(shared) % bytes != 0) {
        fail(site, "the address in shared memory is not aligned to %u bytes", bytes);
    }
    if (valid && reinterpret_cast<std::uintptr_t>(global) % bytes != 0) {
        fail(site, "the address in global memory is not aligned to %u bytes", bytes);
    }
    expect_write_order(shared, bytes);
    queues[current->index].add(static_cast<unsigned char*>(shared),
                               valid ? static_cast<const unsigned char*>(global) : nullptr, bytes, request->poison);
}

void commit_copies() { queues[current->index].commit(); }

void wait_copies(unsigned groupsLeft) {
    queues[current->index].wait(groupsLeft, [](const void* to, unsigned bytes) { expect_write_order(to, bytes); });
}

void fence_for_products() { proxyFences.fence(current->index, blockClock.barriers()); }

void begin_products() { productQueues[current->index].begin(); }

void multiply_later(Site site, float* sums, unsigned count, const SharedOperand& a, const SharedOperand& b,
                    float (*value)(unsigned half)) {
    if (threads % 128 != 0) {
        fail(site, "a block of %u threads is not made of groups of four warps", threads);
    }
    if (!productQueues[current->index].is_begun()) {
        fail(site, "no wgmma_begin has come before it since sums were last waited for");
    }
    if (!a.is_known() || !b.is_known()) {
        fail(site, "operands are not in rows of 128 bytes whose groups of eight begin at multiples of 1024");
    }
    productQueues[current->index].add({sums, count, a, b, value});
}

void commit_products() { productQueues[current->index].commit(); }

namespace {

/** A term of an operand, read now. */
double read_term(Site site, const ProductQueue::Product& product, const SharedOperand& from, unsigned index,
                 unsigned term) {
    const unsigned offset = from.at(index, term);
    if (offset + 2 > request->sharedBytes) {
        fail(site, "an operand reaches byte %u of %u of shared memory", offset, request->sharedBytes);
    }
    if (!proxyFences.may_read(offset, current->index, blockClock.barriers())) {
        fail(site, "byte %u of shared memory was written without a fence and a barrier before tensor cores read it",
             offset);
    }
    const unsigned char* at = sharedMemory.base() + offset;
    expect_read_order(at, 2);
    unsigned short half;
    std::memcpy(&half, at, sizeof half);
    return product.value(half);
}

/** PTX ISA, fragments of wgmma's accumulator: each warp has 16 rows, and of eight columns as mma has them. */
void multiply_fragments(Site site, const ProductQueue::Product& product, float* sums) {
    constexpr unsigned TERMS = ProductQueue::TERMS;
    const unsigned lane = current->index % WARP;
    double left[2][TERMS];
    for (unsigned half = 0; half < 2; half++) {
        const unsigned row = current->index / WARP % 4 * 16 + lane / 4 + half * 8;
        for (unsigned k = 0; k < TERMS; k++) {
            left[half][k] = read_term(site, product, product.a, row, k);
        }
    }
    for (unsigned column = lane % 4 * 2; column < product.count * 2; column += column % 2 == 0 ? 1 : 7) {
        float* const pair = sums + column / 8 * 4 + column % 2;
        double upper = pair[0];
        double lower = pair[2];
        for (unsigned k = 0; k < TERMS; k++) {
            const double right = read_term(site, product, product.b, column, k);
            upper += left[0][k] * right;
            lower += left[1][k] * right;
        }
        pair[0] = static_cast<float>(upper);
        pair[2] = static_cast<float>(lower);
    }
}

}  // namespace

void wait_products(Site site, unsigned groupsLeft) {
    productQueues[current->index].wait(groupsLeft, [&](const ProductQueue::Product& product, float* sums) {
        multiply_fragments(site, product, sums);
    });
}

void read_together(const unsigned char* const (&rows)[8]) {
    unsigned banks = 0;
    for (const unsigned char* row : rows) {
        if (AccessHistory* history = history_of(row)) {
            expect_order(history->read_together(row, 16, current->index, blockClock), row);
        }
        banks |= 1u << (reinterpret_cast<std::uintptr_t>(row) / 16 % 8);
    }
    bankConflicts += 8 - __builtin_popcount(banks);
}

const char* run(const Kernel& given, const Request& asked) {
    kernel = &given;
    request = &asked;
    if (const char* refused = check_extents()) {
        return refused;
    }
    grid.blockExtent = Extent3(asked.block[0], asked.block[1], asked.block[2]);
    grid.gridExtent = Extent3(asked.grid[0], asked.grid[1], asked.grid[2]);
    threads = asked.block[0] * asked.block[1] * asked.block[2];
    FaultScope faults;
    if (_setjmp(failure) != 0) {
        for (unsigned i = 0; i < threads; i++) {
            queues[i].clear();
            productQueues[i].clear();
        }
        return error;
    }
    run_blocks();
    return nullptr;
}

void give_up(const char* text) {
    std::fprintf(stderr, "%s\n", text);
    std::exit(1);
}

}  // namespace shim

// What the compiler calls before each access of a kernel to memory, where it is told to watch them.
#define WATCHED extern "C" __attribute__((visibility("hidden")))
#define WATCHED_BYTES(n)                                                                  \
    WATCHED void __tsan_read##n(void* address) { shim::expect_read_order(address, n); }   \
    WATCHED void __tsan_write##n(void* address) { shim::expect_write_order(address, n); } \
    WATCHED void __tsan_unaligned_read##n(void* address) { shim::expect_read_order(address, n); } \
    WATCHED void __tsan_unaligned_write##n(void* address) { shim::expect_write_order(address, n); }

WATCHED_BYTES(1)
WATCHED_BYTES(2)
WATCHED_BYTES(4)
WATCHED_BYTES(8)
WATCHED_BYTES(16)
WATCHED void __tsan_read_range(void* address, std::size_t bytes) { shim::expect_read_order(address, bytes); }
WATCHED void __tsan_write_range(void* address, std::size_t bytes) { shim::expect_write_order(address, bytes); }
WATCHED void __tsan_init() {}
WATCHED void __tsan_func_entry(void*) {}
WATCHED void __tsan_func_exit() {}

/** How often a row of a fragment has come from a bank that gave another row of the same eight. */
extern "C" __attribute__((visibility("default"))) unsigned long long shim_bank_conflicts() {
    return shim::bankConflicts;
}

// Stray addresses near an arena fault, and are reported as offsets from it.
constexpr std::size_t ARENA_GUARD_BYTES = std::size_t{1} << 28;

/** Memory whose end and beginning adjoin pages that may not be touched; null if there is none. */
extern "C" __attribute__((visibility("default"))) void* shim_map(std::size_t bytes) {
    std::size_t whole = shim::whole_pages(bytes);
    unsigned char* start = shim::map_guarded(whole, ARENA_GUARD_BYTES);
    return start == nullptr ? nullptr : start + (whole - bytes);
}

extern "C" __attribute__((visibility("default"))) void shim_unmap(void* start, std::size_t bytes) {
    std::size_t whole = shim::whole_pages(bytes);
    shim::unmap_guarded(static_cast<unsigned char*>(start) - (whole - bytes), whole,
                          ARENA_GUARD_BYTES);
}

/** Forbids every access to whole pages, or allows it again; 0 if it could. */
extern "C" __attribute__((visibility("default"))) int shim_protect(void* start, std::size_t bytes, int forbidden) {
    return mprotect(start, bytes, forbidden ? PROT_NONE : PROT_READ | PROT_WRITE);
}

/** The harness's entry: 0, or 1 with the error's text copied into `text`. Launches of several threads take turns. */
extern "C" __attribute__((visibility("default"))) int shim_launch(const shim::Kernel* kernel,
                                                                  const shim::Request* request, char* text,
                                                                  std::size_t capacity) {
    static std::mutex running;
    const std::lock_guard<std::mutex> turn(running);
    const char* error = shim::run(*kernel, *request);
    if (error == nullptr) {
        return 0;
    }
    std::snprintf(text, capacity, "%s", error);
    return 1;
}
