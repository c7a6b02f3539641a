// Stacks of fibres and a block's dynamic shared memory, each beside pages that may not be touched.
#pragma once
#include <sys/mman.h>
#include <unistd.h>
#include <cstddef>
#include <cstring>
#include <vector>

namespace shim {

constexpr std::size_t STACK_BYTES = 128 * 1024;
constexpr std::size_t MAX_SHARED_BYTES = 227 * 1024;

inline std::size_t page_bytes() {
    static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

/** Fresh zeroed memory, whole pages of it, between `guard` inaccessible bytes; null if the system gives none. */
inline unsigned char* map_guarded(std::size_t bytes, std::size_t guard) {
    void* mapped = mmap(nullptr, bytes + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
        return nullptr;
    }
    unsigned char* start = static_cast<unsigned char*>(mapped) + guard;
    return mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0 ? start : nullptr;
}

inline void unmap_guarded(unsigned char* start, std::size_t bytes, std::size_t guard) {
    munmap(start - guard, bytes + 2 * guard);
}

/** The least multiple of a page that holds so many bytes, one page at least. */
inline std::size_t whole_pages(std::size_t bytes) {
    std::size_t page = page_bytes();
    return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

/** Stacks that are kept from one launch to the next. */
class StackPool {
public:
    /** Takes a stack, by number; -1 if the system gives no more memory. */
    int take() {
        if (!free_.empty()) {
            int stack = free_.back();
            free_.pop_back();
            return stack;
        }
        unsigned char* low = map_guarded(STACK_BYTES, page_bytes());
        if (low == nullptr) {
            return -1;
        }
        lows_.push_back(low);
        return static_cast<int>(lows_.size()) - 1;
    }

    void give_back(int stack) { free_.push_back(stack); }

    unsigned char* top(int stack) const { return lows_[static_cast<std::size_t>(stack)] + STACK_BYTES; }

    bool is_below(int stack, const unsigned char* address) const {
        const unsigned char* low = lows_[static_cast<std::size_t>(stack)];
        return address < low && address >= low - page_bytes();
    }

    void take_all_back() {
        free_.clear();
        for (std::size_t i = lows_.size(); i-- > 0;) {
            free_.push_back(static_cast<int>(i));
        }
    }

private:
    std::vector<unsigned char*> lows_;
    std::vector<int> free_;
};

inline void fill(unsigned char* start, std::size_t bytes, unsigned pattern) {
    unsigned short half = static_cast<unsigned short>(pattern);
    for (std::size_t i = 0; i + 1 < bytes; i += 2) {
        std::memcpy(start + i, &half, 2);
    }
}

/** Dynamic shared memory that ends at an inaccessible page, with a canary where alignment leaves a gap and before it. */
class SharedMemory {
public:
    bool prepare(unsigned bytes, unsigned poison) {
        if (low_ == nullptr) {
            low_ = map_guarded(CANARY_BYTES + SIZE, page_bytes());
        }
        if (low_ == nullptr) {
            return false;
        }
        bytes_ = bytes;
        base_ = low_ + CANARY_BYTES + SIZE - (bytes + 127u) / 128u * 128u;
        std::memset(base_ - CANARY_BYTES, CANARY, CANARY_BYTES);
        fill(base_, bytes, poison);
        std::memset(base_ + bytes, CANARY, gap());
        return true;
    }

    unsigned char* base() const { return base_; }

    bool is_beside(const unsigned char* address) const {
        return low_ != nullptr && address >= low_ - page_bytes() && address < low_ + CANARY_BYTES + SIZE + page_bytes();
    }

    bool is_intact() const { return holds(base_ - CANARY_BYTES, CANARY_BYTES) && holds(base_ + bytes_, gap()); }

private:
    static constexpr std::size_t SIZE = (MAX_SHARED_BYTES + 4095) / 4096 * 4096;
    static constexpr std::size_t CANARY_BYTES = 4096;
    static constexpr unsigned char CANARY = 0xa5;

    std::size_t gap() const { return (128u - bytes_ % 128u) % 128u; }

    static bool holds(const unsigned char* start, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; i++) {
            if (start[i] != CANARY) {
                return false;
            }
        }
        return true;
    }

    unsigned char* low_ = nullptr;
    unsigned char* base_ = nullptr;
    unsigned bytes_ = 0;
};

}  // namespace shim
