// Operands of wgmma in shared memory.
#pragma once

namespace shim {

/** Where wgmma finds an operand in shared memory; all numbers are bytes (PTX ISA, "Matrix descriptor"). */
struct SharedOperand {
    static constexpr unsigned ROW = 128;

    unsigned start;
    unsigned panels;  ///< between 64 rows or columns of the matrix and the next, where these run along rows of memory
    unsigned groups;  ///< between eight rows of memory and the next
    unsigned layout;
    bool transposed;  ///< terms run across rows of memory

    static SharedOperand of(unsigned long long descriptor, bool transposed) {
        const auto bytes = [&](int bit) { return static_cast<unsigned>(descriptor >> bit & 0x3fff) * 16; };
        return {bytes(0), bytes(16), bytes(32), static_cast<unsigned>(descriptor >> 62), transposed};
    }

    /** Whether it has the one layout that is modelled: pieces of 16 bytes permuted within eight rows of 128 bytes. */
    bool is_known() const { return layout == 1 && start % (8 * ROW) < ROW && groups % (8 * ROW) == 0; }

    /** The offset of a term of 16 bits of the matrix's row or column. */
    unsigned at(unsigned index, unsigned term) const {
        const unsigned offset = transposed
            ? start + index / 64 * panels + index % 64 * 2 + term / 8 * groups + term % 8 * ROW
            : start + index / 8 * groups + index % 8 * ROW + term * 2;
        return offset ^ (offset / ROW % 8) * 16;
    }
};

}  // namespace shim
