package dev.remat.ir.execution;

import dev.remat.ir.TensorType;

/**
 * A tensor that a step leaves in memory, dense and row-major.
 *
 * @param value the tensor, an id unique in the plan
 * @param name readable name of the tensor
 * @param offset first byte in the arena
 * @param instruction the instruction that computes it
 * @param result which of that instruction's results
 */
public record MemoryWrite(int value, String name, long offset, TensorType type, int instruction, int result) {
    public long bytes() {
        return type.bytes();
    }
}
