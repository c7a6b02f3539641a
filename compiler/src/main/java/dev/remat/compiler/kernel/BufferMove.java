package dev.remat.compiler.kernel;

import dev.remat.ir.ValueId;

/** What happens to a buffer in front of a kernel, or behind the last. */
public sealed interface BufferMove {
    /** The kernel that follows; as many as there are kernels where none does. */
    int before();

    /** The same with as many kernels in front of all. */
    default BufferMove behind(int kernels) {
        return switch (this) {
            case Store(int before, ValueId buffer, int tier) -> new Store(before + kernels, buffer, tier);
            case Fetch(int before, ValueId buffer, int store) -> new Fetch(before + kernels, buffer, store);
            case Await(int before, int move) -> new Await(before + kernels, move);
        };
    }

    /** @param tier that a copy of the buffer goes to */
    record Store(int before, ValueId buffer, int tier) implements BufferMove {}

    /**
     * @param buffer that the copy comes back to, which has no other writer
     * @param store number of the move that made the copy
     */
    record Fetch(int before, ValueId buffer, int store) implements BufferMove {}

    /** @param move number of the store or fetch that has to have ended */
    record Await(int before, int move) implements BufferMove {}
}
