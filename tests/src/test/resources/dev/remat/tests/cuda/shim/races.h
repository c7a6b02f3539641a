// Who wrote and read each byte of shared memory, and whether anything orders that before another thread's access.
#pragma once
#include <sys/mman.h>
#include <cstddef>
#include <cstdint>
#include "memory.h"

namespace shim {

/** What a thread does that nothing orders after what another thread has done. */
enum class Race { NONE, READS_WRITTEN, WRITES_WRITTEN, WRITES_READ };

/**
 * The time of a block: barriers order everything before them, __syncwarp what lanes of one warp do. Shuffles, votes and
 * matrix operations order nothing.
 */
class Clock {
public:
    static constexpr unsigned MOST_BARRIERS = (1u << 12) - 1;
    static constexpr unsigned MOST_SYNCS = (1u << 8) - 1;

    unsigned barriers() const { return barriers_; }
    unsigned syncs(unsigned warp) const { return syncs_[warp]; }

    /** Goes on by a barrier; false where the count is used up and starts anew. */
    bool pass_barrier() {
        std::memset(syncs_, 0, sizeof syncs_);
        barriers_ = barriers_ == MOST_BARRIERS ? 1 : barriers_ + 1;
        return barriers_ != 1;
    }

    /** More than can be counted are one, so that lanes are trusted from there to the next barrier. */
    void pass_sync(unsigned warp) { syncs_[warp] += syncs_[warp] < MOST_SYNCS; }

private:
    unsigned barriers_ = 1;
    unsigned syncs_[32] = {};
};

/** The last accesses to the bytes of one range of shared memory. */
class AccessHistory {
public:
    /** Forgets everything, and takes another range. */
    bool watch(const unsigned char* start, std::size_t bytes) {
        if (bytes > capacity_) {
            if (writes_ != nullptr) {
                munmap(writes_, 2 * capacity_ * sizeof(Stamp));
            }
            capacity_ = whole_pages(bytes);
            void* mapped = mmap(nullptr, 2 * capacity_ * sizeof(Stamp), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            writes_ = mapped == MAP_FAILED ? nullptr : static_cast<Stamp*>(mapped);
            reads_ = writes_ + capacity_;
        }
        start_ = reinterpret_cast<std::uintptr_t>(start);
        bytes_ = writes_ == nullptr ? 0 : bytes;
        return bytes_ == bytes;
    }

    void forget() {
        if (writes_ != nullptr) {
            madvise(writes_, 2 * capacity_ * sizeof(Stamp), MADV_DONTNEED);
        }
    }

    bool holds(const void* address) const { return reinterpret_cast<std::uintptr_t>(address) - start_ < bytes_; }

    Race read(const void* address, std::size_t bytes, unsigned thread, const Clock& clock) {
        const Stamp now = stamp(thread, ONE, clock);
        bool raced = false;
        each_cell(address, bytes, [&](Stamp& written, Stamp& read) {
            raced |= read != now && !is_ordered(written, thread, clock);
            read = joined(read, now);
        });
        return raced ? Race::READS_WRITTEN : Race::NONE;
    }

    /** All lanes of a warp read at once. */
    Race read_together(const void* address, std::size_t bytes, unsigned thread, const Clock& clock) {
        const Stamp now = stamp(thread, LANES, clock);
        bool raced = false;
        each_cell(address, bytes, [&](Stamp& written, Stamp& read) {
            raced |= barriers(written) == clock.barriers() && !is_earlier_in_warp(written, thread, clock);
            read = joined(read, now);
        });
        return raced ? Race::READS_WRITTEN : Race::NONE;
    }

    Race write(const void* address, std::size_t bytes, unsigned thread, const Clock& clock) {
        const Stamp now = stamp(thread, ONE, clock);
        bool overwrites = false;
        bool disturbs = false;
        each_cell(address, bytes, [&](Stamp& written, Stamp& read) {
            overwrites |= !is_ordered(written, thread, clock);
            disturbs |= !is_ordered(read, thread, clock);
            written = now;
        });
        return overwrites ? Race::WRITES_WRITTEN : disturbs ? Race::WRITES_READ : Race::NONE;
    }

private:
    /** From the highest bit on: barriers, syncs of the warp, how many threads, the thread. Zero: nobody. */
    using Stamp = std::uint32_t;
    enum Threads : Stamp { ONE, LANES, WARPS };

    /** Visits the stamps of every byte; those of four that are equal once for all. */
    template <class Visit> void each_cell(const void* address, std::size_t bytes, const Visit& visit) {
        const std::size_t at = reinterpret_cast<std::uintptr_t>(address) - start_;
        if (at % 4 != 0 || bytes % 4 != 0) {
            for (std::size_t i = at; i < at + bytes; i++) {
                visit(writes_[i], reads_[i]);
            }
            return;
        }
        for (std::size_t i = at; i < at + bytes; i += 4) {
            Stamp* const written = writes_ + i;
            Stamp* const read = reads_ + i;
            if (are_equal(written) && are_equal(read)) {
                visit(written[0], read[0]);
                fill_four(written);
                fill_four(read);
            } else {
                for (std::size_t j = 0; j < 4; j++) {
                    visit(written[j], read[j]);
                }
            }
        }
    }
    static bool are_equal(const Stamp* four) {
        std::uint64_t halves[2];
        std::memcpy(halves, four, sizeof halves);
        return halves[0] == halves[1] && static_cast<Stamp>(halves[0]) == static_cast<Stamp>(halves[0] >> 32);
    }
    static void fill_four(Stamp* four) {
        const std::uint64_t halves[2] = {four[0] | static_cast<std::uint64_t>(four[0]) << 32,
                                         four[0] | static_cast<std::uint64_t>(four[0]) << 32};
        std::memcpy(four, halves, sizeof halves);
    }

    static Stamp stamp(unsigned thread, Threads threads, const Clock& clock) {
        return clock.barriers() << 20 | clock.syncs(thread / 32) << 12 | threads << 10 | thread;
    }
    static unsigned barriers(Stamp stamp) { return stamp >> 20; }
    static unsigned syncs(Stamp stamp) { return stamp >> 12 & Clock::MOST_SYNCS; }
    static unsigned threads(Stamp stamp) { return stamp >> 10 & 3; }
    static unsigned thread(Stamp stamp) { return stamp & 1023; }

    static bool is_earlier_in_warp(Stamp stamp, unsigned thread, const Clock& clock) {
        const unsigned now = clock.syncs(thread / 32);
        return AccessHistory::thread(stamp) / 32 == thread / 32 && threads(stamp) != WARPS
            && (syncs(stamp) < now || now == Clock::MOST_SYNCS);
    }

    static bool is_ordered(Stamp stamp, unsigned thread, const Clock& clock) {
        return barriers(stamp) != clock.barriers()
            || (threads(stamp) == ONE && AccessHistory::thread(stamp) == thread)
            || is_earlier_in_warp(stamp, thread, clock);
    }

    /** Who has read, after one more has. */
    static Stamp joined(Stamp before, Stamp now) {
        if (before == now || barriers(before) != barriers(now)) {
            return now;
        }
        if (threads(before) == WARPS || thread(before) / 32 != thread(now) / 32) {
            return now | WARPS << 10;
        }
        const bool same = thread(before) == thread(now) && threads(before) == ONE;
        return same || syncs(before) < syncs(now) ? now : (now & ~(3u << 10)) | LANES << 10;
    }

    std::uintptr_t start_ = 0;
    std::size_t bytes_ = 0;
    std::size_t capacity_ = 0;
    Stamp* writes_ = nullptr;
    Stamp* reads_ = nullptr;
};

}  // namespace shim
