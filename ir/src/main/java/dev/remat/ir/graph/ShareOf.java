package dev.remat.ir.graph;

import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import java.util.List;

/**
 * Says that a tensor is a rank's share of others, which lie one behind the other and outlive steps in shares of one
 * length, in the order of ranks.
 *
 * @param parts in the order in which they lie
 */
public record ShareOf(List<Part> parts) {
    /**
     * One of the tensors that are shared.
     *
     * @param first its first element among those of all
     */
    public record Part(String tensor, TensorType type, Initializer initializer, Location location, long first) {
        /** One past its last element among those of all. */
        public long end() {
            return first + type.elements();
        }
    }

    /** @throws IllegalArgumentException if there is no part, or one begins where another has not ended */
    public ShareOf {
        parts = List.copyOf(parts);
        long end = 0;
        for (Part part : parts) {
            if (part.first() < end) {
                throw new IllegalArgumentException("'" + part.tensor() + "' begins within another");
            }
            end = part.end();
        }
        if (end == 0) {
            throw new IllegalArgumentException("a share of nothing");
        }
    }
}
