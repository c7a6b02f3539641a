package dev.remat.ir.artifact;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What runs on one architecture.
 *
 * @param launches of one step, in order; their kernels are rows of the artifact's table
 * @param cubin an ELF file with every kernel that is launched
 */
public record DeviceCode(String architecture, List<Launch> launches, ByteBuffer cubin) {
    public DeviceCode {
        launches = List.copyOf(launches);
        cubin = cubin.asReadOnlyBuffer();
    }

    /** A view of its own at position 0. */
    @Override
    public ByteBuffer cubin() {
        return cubin.duplicate().rewind();
    }
}
