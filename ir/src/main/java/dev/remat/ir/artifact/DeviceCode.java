package dev.remat.ir.artifact;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What runs on one architecture.
 *
 * @param launches of one step, in order; their kernels are rows of the artifact's table
 * @param images content of the cubin file; positions in it are those of {@link KernelCode#image}
 */
public record DeviceCode(String architecture, List<Launch> launches, ByteBuffer images) {
    public DeviceCode {
        launches = List.copyOf(launches);
        images = images.asReadOnlyBuffer();
    }

    /** A view of its own at position 0. */
    @Override
    public ByteBuffer images() {
        return images.duplicate().rewind();
    }
}
