package dev.remat.tests.ptx;

/**
 * An operand of wgmma in shared memory as its descriptor tells (PTX ISA, "Matrix Descriptor Format"), in the one layout
 * that kernels use: rows of 128 bytes, whose 16-byte pieces are permuted within groups of eight.
 *
 * @param isAcross whether terms run across rows of memory
 */
record PtxPanels(PtxMemory shared, long descriptor, boolean isAcross, boolean isBf16) {
    PtxPanels {
        if (descriptor >>> 62 != 1) {
            throw new PtxException("has another layout than pieces permuted within rows of 128 bytes");
        }
    }

    private long bytes(int bit) {
        return (descriptor >>> bit & 0x3fff) << 4;
    }

    /** A term of the matrix's row or column. */
    double term(int index, int k) {
        long at = isAcross
                ? bytes(0) + index / 64 * bytes(16) + 2L * (index % 64) + k / 8 * bytes(32) + 128L * (k % 8)
                : bytes(0) + index / 8 * bytes(32) + 128L * (index % 8) + 2L * k;
        return PtxMatrices.half(shared.load(at ^ (at >> 7 & 7) << 4, 2), 0, isBf16);
    }
}
