package dev.remat.compiler.account;

import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import java.util.Optional;

/**
 * A range of the arena that holds one tensor, or workspace, from step {@code first} through step {@code last}. A result
 * that reuses its operand's allocation follows it in the same range and has its size.
 *
 * @param name of the tensor in the plan, where a recomputation's ends with a mark; empty for workspace
 * @param value that it is, before planning; empty for workspace and seeds that are reset
 * @param location the model line that makes it
 * @param input whether no step makes it: a parameter, a state, the batch, an accumulator
 * @param again whether a recomputation made it
 */
public record Stay(
        Optional<String> name,
        Optional<ValueId> value,
        Location location,
        Kind kind,
        boolean input,
        boolean again,
        long offset,
        long bytes,
        int first,
        int last) {
    /** Whether it is in use while a step runs. */
    public boolean isLiveAt(int step) {
        return first <= step && step <= last;
    }
}
