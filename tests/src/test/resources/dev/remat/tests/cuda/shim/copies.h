// cp.async as late as the hardware may be: the data arrive at the wait, and until then the destination is poisoned.
#pragma once
#include <cstddef>
#include <cstring>
#include <vector>
#include "memory.h"

namespace shim {

/** The asynchronous copies of one thread. */
class CopyQueue {
public:
    void add(unsigned char* to, const unsigned char* from, unsigned bytes, unsigned poison) {
        fill(to, bytes, poison);
        copies_.push_back({to, from, bytes});
        open_++;
    }

    void commit() {
        groups_.push_back(open_);
        open_ = 0;
    }

    /** Tells `arrives` where each copy goes before it does. */
    template <class Arrives> void wait(unsigned groupsLeft, const Arrives& arrives) {
        while (groups_.size() - firstGroup_ > groupsLeft) {
            for (unsigned i = groups_[firstGroup_++]; i > 0; i--) {
                const Copy& copy = copies_[firstCopy_++];
                arrives(copy.to, copy.bytes);
                if (copy.from == nullptr) {
                    std::memset(copy.to, 0, copy.bytes);
                } else {
                    std::memcpy(copy.to, copy.from, copy.bytes);
                }
            }
        }
        if (firstGroup_ == groups_.size() && open_ == 0) {
            clear();
        }
    }

    /** Copies that no group holds. */
    unsigned open() const { return open_; }

    bool is_empty() const { return copies_.empty() && groups_.empty(); }

    void clear() {
        copies_.clear();
        groups_.clear();
        firstCopy_ = 0;
        firstGroup_ = 0;
        open_ = 0;
    }

private:
    struct Copy {
        unsigned char* to;
        const unsigned char* from;  // null: zeros
        unsigned bytes;
    };

    std::vector<Copy> copies_;
    std::vector<unsigned> groups_;
    std::size_t firstCopy_ = 0;
    std::size_t firstGroup_ = 0;
    unsigned open_ = 0;
};

}  // namespace shim
