// wgmma as late as the hardware may be: operands are read and sums appear at the wait, and until then sums are poisoned.
#pragma once
#include <cstddef>
#include <cstring>
#include <vector>
#include "operands.h"

namespace shim {

/** The products of one thread, as one of four warps: its fragments of 64 rows and some columns of sums. */
class ProductQueue {
public:
    static constexpr unsigned TERMS = 16;

    struct Product {
        float* sums;
        unsigned count;  // of sums
        SharedOperand a, b;
        float (*value)(unsigned half);
    };

    /** From here on sums that nobody waits for may be added to. */
    void begin() { begun_ = true; }
    bool is_begun() const { return begun_; }

    void add(const Product& product) {
        Pending* pending = pending_of(product.sums);
        if (pending == nullptr) {
            pendings_.push_back({product.sums, 0, std::vector<float>(product.sums, product.sums + product.count)});
            pending = &pendings_.back();
            std::memset(product.sums, 0xff, product.count * sizeof(float));
        }
        pending->products++;
        products_.push_back(product);
        open_++;
    }

    void commit() {
        groups_.push_back(open_);
        open_ = 0;
    }

    /** Calls multiply(product, values of its sums) for each of the groups that are waited for. */
    template <class Multiply> void wait(unsigned groupsLeft, const Multiply& multiply) {
        while (groups_.size() - firstGroup_ > groupsLeft) {
            for (unsigned i = groups_[firstGroup_++]; i > 0; i--) {
                const Product& product = products_[firstProduct_++];
                Pending* pending = pending_of(product.sums);
                multiply(product, pending->values.data());
                if (--pending->products == 0) {
                    std::memcpy(product.sums, pending->values.data(), product.count * sizeof(float));
                    *pending = pendings_.back();
                    pendings_.pop_back();
                }
            }
        }
        if (firstGroup_ == groups_.size() && open_ == 0) {
            clear();
        }
    }

    /** Products that nobody has waited for. */
    std::size_t left() const { return products_.size() - firstProduct_; }

    void clear() {
        products_.clear();
        groups_.clear();
        pendings_.clear();
        firstProduct_ = 0;
        firstGroup_ = 0;
        open_ = 0;
        begun_ = false;
    }

private:
    struct Pending {
        float* sums;
        unsigned products;
        std::vector<float> values;
    };

    Pending* pending_of(const float* sums) {
        for (Pending& pending : pendings_) {
            if (pending.sums == sums) {
                return &pending;
            }
        }
        return nullptr;
    }

    std::vector<Product> products_;
    std::vector<unsigned> groups_;
    std::vector<Pending> pendings_;
    std::size_t firstProduct_ = 0;
    std::size_t firstGroup_ = 0;
    unsigned open_ = 0;
    bool begun_ = false;
};

/**
 * Which pieces of 16 bytes of dynamic shared memory tensor cores may read: those that their writer has fenced since, with
 * a barrier behind the fence where another warp reads.
 */
class ProxyFences {
public:
    void forget(std::size_t bytes) {
        cells_.assign((bytes + PIECE - 1) / PIECE, {});
        for (std::vector<unsigned>& written : written_) {
            written.clear();
        }
    }

    void write(std::size_t offset, std::size_t bytes, unsigned thread) {
        for (std::size_t i = offset / PIECE; i <= (offset + bytes - 1) / PIECE && i < cells_.size(); i++) {
            if (!cells_[i].open || cells_[i].thread != thread) {
                cells_[i] = {true, thread, 0};
                written_[thread].push_back(static_cast<unsigned>(i));
            }
        }
    }

    void fence(unsigned thread, unsigned barriers) {
        for (unsigned i : written_[thread]) {
            if (cells_[i].thread == thread) {
                cells_[i] = {false, thread, barriers};
            }
        }
        written_[thread].clear();
    }

    bool may_read(std::size_t offset, unsigned thread, unsigned barriers) const {
        const Cell& cell = cells_[offset / PIECE];
        return !cell.open && (cell.barriers != barriers || cell.thread / 32 == thread / 32);
    }

private:
    static constexpr std::size_t PIECE = 16;

    struct Cell {
        bool open = false;  // written and not fenced
        unsigned thread = 0;
        unsigned barriers = 0;  // when it was fenced; 0: never written
    };

    std::vector<Cell> cells_;
    std::vector<unsigned> written_[1024];
};

}  // namespace shim
