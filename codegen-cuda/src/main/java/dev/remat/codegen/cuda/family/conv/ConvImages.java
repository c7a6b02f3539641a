package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.gemm.GemmOperand;
import dev.remat.codegen.cuda.family.move.CopyBox;
import dev.remat.codegen.cuda.family.move.TransposeKernels;
import dev.remat.ir.DType;
import java.util.List;

/**
 * Images that a convolution gathers from: as they lie, or through a copy in which channels run fastest. Single 16-bit
 * elements are costly to gather, so images whose elements are gathered often are copied.
 *
 * @param channelsLast whether channels run fastest where the images are read
 * @param copied whether that is a copy
 */
record ConvImages(DType dtype, ConvGrid grid, boolean channelsLast, boolean copied) {
    /** Rows or columns of a product that share what was gathered, in usual tiles. */
    private static final long TILE = 128;
    /** Gatherings of an element that take as long as a copy. */
    private static final long COPY = 4;
    /** Neighbouring pixels that make whole images worth reading as they lie. */
    private static final long NEIGHBOURS = 4;

    /**
     * Decides whether to copy.
     *
     * @param shape of the convolution
     * @param grid what a product gathers, or a part of it
     * @param gatherings of elements for one tile's row or column of tiles
     * @param extent rows or columns of the product that all need these
     */
    static ConvImages of(ConvShape shape, ConvGrid grid, long gatherings, long extent) {
        DType dtype = shape.dtype();
        if (shape.channelsLast()) {
            return new ConvImages(dtype, grid, true, false);
        }
        boolean wide = grid.isWhole() && grid.height() * grid.width() % NEIGHBOURS == 0;
        boolean chunks = dtype.bytes() == 2 && grid.channels() * dtype.bytes() % GemmOperand.MOST_BYTES == 0;
        boolean often = gatherings * Math.ceilDiv(extent, TILE) >= COPY * grid.elements();
        boolean copied = chunks && !wide && often;
        return new ConvImages(dtype, grid, copied, copied);
    }

    /** Bytes of the copy. */
    long scratchBytes() {
        return copied ? grid.elements() * dtype.bytes() : 0;
    }

    /** Launches the copy, if there is one, and returns where what is gathered lies. */
    long lower(KernelStepBinding step, long address, long scratch) {
        if (!copied) {
            return address;
        }
        long area = grid.height() * grid.width();
        long channels = grid.totalChannels();
        CopyBox box = new CopyBox(List.of(
                new CopyBox.Axis(grid.images(), channels * area, channels * area),
                new CopyBox.Axis(area, 1, channels),
                new CopyBox.Axis(channels, area, 1)));
        TransposeKernels.launch(step, box, 1, dtype.bytes(), address, scratch);
        return scratch;
    }

    /** These images, gathered by {@code part} of the grid. */
    GemmOperand operand(long address, ConvGrid part, boolean positionsAlongK) {
        boolean alone = part.channels() == part.totalChannels();
        if (part.isWhole() && channelsLast && !copied && alone) {
            return new GemmOperand.Dense(
                    dtype,
                    address,
                    positionsAlongK ? part.channels() : part.positions(),
                    positionsAlongK ? part.positions() : part.channels(),
                    !positionsAlongK);
        }
        return part.isWhole() && !channelsLast
                ? new ConvOperand.Planes(dtype, address, part, positionsAlongK)
                : new ConvOperand.Taps(dtype, address, part, channelsLast, positionsAlongK);
    }
}
