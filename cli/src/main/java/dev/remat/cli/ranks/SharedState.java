package dev.remat.cli.ranks;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.ranks.Shares;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.Optional;

/**
 * What of the state ranks have in shares.
 *
 * @param inShares bytes of it that each rank has
 * @param wholeOptimizer bytes of what optimizers keep that every rank has whole
 */
record SharedState(Shares shares, long inShares, long wholeOptimizer) {
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
        return new SharedState(plan.step().options().shares(), inShares, whole);
    }

    /** In words; empty where everything is whole. */
    Optional<String> described() {
        return shares.level() == Sharding.NONE
                ? Optional.empty()
                : Optional.of(ByteSize.format(inShares) + " of it in shares; of what optimizers keep, "
                        + ByteSize.format(wholeOptimizer) + " whole"
                        + (shares.whole().isEmpty()
                                ? ""
                                : "; parameters of " + shares.whole().size() + " shares, too"));
    }

    /** Fields {@code shard}, {@code wholeShares}, {@code sharedBytes} and {@code wholeOptimizerBytes}. */
    void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("shard", shares.level().toString());
        JsonFields.array(out, "wholeShares", shares.whole(), out::writeString);
        out.writeNumberField("sharedBytes", inShares);
        out.writeNumberField("wholeOptimizerBytes", wholeOptimizer);
    }
}
