package dev.remat.compiler.account;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import java.util.List;
import java.util.Map;

/**
 * One step of a finished plan: a kernel.
 *
 * @param index counted from 0
 * @param times how often it runs in a training step: once, or for each micro-batch
 * @param name of the first tensor that it makes; a recomputation's ends with a mark
 * @param value the same before planning
 * @param op mnemonic of the operation that it is there for
 * @param again whether it is a recomputation
 * @param cost of one run in the plan's cost model
 * @param reads tensors that it reads
 * @param writes tensors that it leaves in memory
 * @param dies tensors that are in memory while it runs and not after it
 * @param live bytes in memory while it runs, by what they are for; kinds without any are left out
 */
public record StepFacts(
        int index,
        int times,
        String name,
        Value value,
        String op,
        Role role,
        Location location,
        String scope,
        boolean again,
        long cost,
        List<Stay> reads,
        List<Stay> writes,
        List<Stay> dies,
        Map<Kind, Long> live) {
    public StepFacts {
        reads = List.copyOf(reads);
        writes = List.copyOf(writes);
        dies = List.copyOf(dies);
    }

    /** Bytes in memory while it runs. */
    public long liveBytes() {
        return live.values().stream().mapToLong(Long::longValue).sum();
    }
}
