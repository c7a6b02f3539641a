package dev.remat.compiler.account;

import dev.remat.compiler.plan.price.Price;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a plan does with one value of the training step, and why. Steps are those of the finished plan, counted from 0.
 *
 * @param value itself, named as in the model
 * @param bytes that it takes while it is in memory, aligned; 0 where it never is
 * @param location the model line that makes it
 * @param scope path of the layers around that line
 * @param producer how it comes about: the mnemonic of its operation, or {@code input}
 * @param cost of computing it once, with all else that its kernel computes; empty for what no kernel leaves behind
 * @param storage for views and what is fused: the value whose storage or kernel it shares
 * @param reason why it is kept, such as {@code segment-boundary}; see {@link dev.remat.ir.plan.RetainReason}
 * @param recomputations how often it is computed again
 * @param recomputation how it comes about again, or would where it is kept
 * @param moves each time that it leaves the arena and comes back
 * @param price of the other decision, where the plan decides about it; of keeping it, where it is moved
 * @param instead where it is moved: price of computing it again
 */
public record ValueFacts(
        Value value,
        long bytes,
        Location location,
        String scope,
        Role role,
        String producer,
        OptionalLong cost,
        State state,
        Optional<Value> storage,
        Optional<String> reason,
        int recomputations,
        List<Consumer> consumers,
        List<Stay> stays,
        Optional<Recomputation> recomputation,
        List<OffloadedTensor> moves,
        Optional<Price> price,
        Optional<Price> instead) {
    /** A node that reads the value, by the first value that it makes. */
    public record Consumer(Value value, String op, Role role, Location location) {}

    /**
     * A chain of recomputation.
     *
     * @param runs kernels that run, by what they make, the value itself last
     * @param from values in memory that the chain starts from; parameters only where there are no others
     */
    public record Recomputation(List<Value> runs, List<Value> from) {
        public Recomputation {
            runs = List.copyOf(runs);
            from = List.copyOf(from);
        }
    }

    public ValueFacts {
        consumers = List.copyOf(consumers);
        stays = List.copyOf(stays);
        moves = List.copyOf(moves);
    }
}
