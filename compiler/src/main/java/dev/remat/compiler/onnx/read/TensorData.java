package dev.remat.compiler.onnx.read;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Where the bytes of a tensor are: little-endian, row-major, dense. */
public sealed interface TensorData {
    /** In the model's file, or in memory where the file has them as a list of small numbers. */
    record Inside(MemorySegment bytes) implements TensorData {}

    /**
     * In a file beside the model.
     *
     * @param location as the file says, unchecked
     * @param length in bytes, if the file says
     * @param checksum SHA-1 of the whole file, if the file says
     */
    record Outside(String location, long offset, Optional<Long> length, Optional<String> checksum)
            implements TensorData {}
}
