package dev.remat.cli.ranks;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import java.io.IOException;
import java.util.Optional;

/**
 * What of the state ranks have in shares.
 *
 * @param inShares bytes of it that each rank has
 * @param wholeOptimizer bytes of what optimizers keep that every rank has whole
 */
record SharedState(Sharding sharding, long inShares, long wholeOptimizer) {
    static SharedState of(Compilation plan) {
        long inShares = 0;
        long whole = 0;
        for (ArenaTensor input : plan.plan().inputs()) {
            if (input.share().isPresent()) {
                inShares += input.type().bytes();
            } else if (input.kind() == InputKind.STATE && ExecutionPlan.isOfOptimizer(input.whole())) {
                whole += input.type().bytes();
            }
        }
        return new SharedState(plan.step().options().sharding(), inShares, whole);
    }

    /** In words; empty where everything is whole. */
    Optional<String> described() {
        return sharding == Sharding.NONE
                ? Optional.empty()
                : Optional.of(ByteSize.format(inShares) + " of it in shares; of what optimizers keep, "
                        + ByteSize.format(wholeOptimizer) + " whole");
    }

    /** Fields {@code shard}, {@code sharedBytes} and {@code wholeOptimizerBytes}. */
    void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("shard", sharding.toString());
        out.writeNumberField("sharedBytes", inShares);
        out.writeNumberField("wholeOptimizerBytes", wholeOptimizer);
    }
}
