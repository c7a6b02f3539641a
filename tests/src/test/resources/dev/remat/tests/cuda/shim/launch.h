// Launching kernels on the CPU: from the test harness by symbol, or from plain C++ through shim::launch.
#pragma once
#include <type_traits>
#include <utility>
#include "fibre.h"

namespace shim {

using Slot = unsigned long long;

/** One kernel of a library: `signature` has a letter a parameter (P pointer, I i32, U u32, L i64, M u64, F f32, D f64). */
struct Kernel {
    const char* symbol;
    const char* signature;
    void (*run)(const Slot* slots, unsigned char* arena);
};

/** Which thread of several that could run does so first; likewise blocks. Shuffled threads are watched for races. */
enum Order : unsigned { FORWARD, BACKWARD, SHUFFLED };

struct Request {
    unsigned grid[3];
    unsigned block[3];
    unsigned sharedBytes;
    unsigned threadOrder;
    unsigned blockOrder;
    unsigned poison;  // 16 bits that fill shared memory before each block
    unsigned long long seed;
    unsigned char* arena;
    unsigned long long arenaBytes;
    const Slot* slots;
};

/** Runs a kernel; returns null, or the text of what went wrong, valid until the next call. */
const char* run(const Kernel& kernel, const Request& request);

template <class T> constexpr char letter() {
    if constexpr (std::is_pointer_v<T>) {
        return 'P';
    } else if constexpr (std::is_same_v<T, float>) {
        return 'F';
    } else if constexpr (std::is_same_v<T, double>) {
        return 'D';
    } else {
        static_assert(std::is_integral_v<T> && sizeof(T) >= 4, "kernel parameters are pointers or scalars of 4 or 8 bytes");
        return sizeof(T) == 4 ? (std::is_signed_v<T> ? 'I' : 'U') : (std::is_signed_v<T> ? 'L' : 'M');
    }
}

/** A slot's little-endian bits as a parameter; a pointer is an offset from the arena, all ones the null pointer. */
template <class T> inline T parameter(Slot slot, unsigned char* arena) {
    if constexpr (std::is_pointer_v<T>) {
        return slot == ~0ull ? nullptr : reinterpret_cast<T>(reinterpret_cast<std::uintptr_t>(arena) + slot);
    } else {
        T value;
        __builtin_memcpy(&value, &slot, sizeof value);
        return value;
    }
}

template <auto function> struct Entry;

template <class... P, void (*function)(P...)> struct Entry<function> {
    static constexpr char signature[] = {letter<P>()..., '\0'};

    template <std::size_t... I> static void call(const Slot* slots, unsigned char* arena, std::index_sequence<I...>) {
        function(parameter<P>(slots[I], arena)...);
    }

    static void run(const Slot* slots, unsigned char* arena) {
        call(slots, arena, std::index_sequence_for<P...>());
    }
};

template <class T> inline Slot slot(T value) {
    if constexpr (std::is_pointer_v<T>) {
        return value == nullptr ? ~0ull : static_cast<Slot>(reinterpret_cast<std::uintptr_t>(value));
    } else {
        Slot bits = 0;
        __builtin_memcpy(&bits, &value, sizeof value);
        return bits;
    }
}

/** What a plain C++ test may change before its launches. */
extern Order threadOrder, blockOrder;
extern unsigned long long orderSeed;

/** Prints the error and ends the process. */
[[noreturn]] void give_up(const char* error);

/** A kernel given as a function pointer at run time; one at a time. */
template <class... P> struct Pointed {
    static inline void (*function)(P...) = nullptr;

    template <std::size_t... I> static void call(const Slot* slots, std::index_sequence<I...>) {
        function(parameter<P>(slots[I], nullptr)...);
    }

    static void run(const Slot* slots, unsigned char*) { call(slots, std::index_sequence_for<P...>()); }
};

/** Runs a kernel with arguments converted to its parameter types; an error ends the process with status 1. */
template <class... P, class... A>
inline void launch(void (*kernel)(P...), Extent3 grid, Extent3 block, unsigned sharedBytes, A... arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "as many arguments as parameters");
    Pointed<P...>::function = kernel;
    const Slot slots[] = {slot(static_cast<P>(arguments))..., 0};
    const Kernel named{"kernel", "", &Pointed<P...>::run};
    const Request request{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, sharedBytes, threadOrder, blockOrder,
                          0xffff, orderSeed, nullptr, 0, slots};
    if (const char* error = run(named, request)) {
        give_up(error);
    }
}

}  // namespace shim

/** Makes a kernel known to the harness under its symbol. */
#define SHIM_KERNEL(symbol)                                                                             \
    extern "C" __attribute__((visibility("default"))) const shim::Kernel shim_kernel_##symbol = {      \
        #symbol, shim::Entry<&symbol>::signature, &shim::Entry<&symbol>::run};
