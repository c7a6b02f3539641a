package dev.remat.compiler.ranks;

import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.target.CostFile;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.Link;
import java.util.Optional;

/**
 * Costs by which planners decide what to gather again: a gather takes what the link takes, as if nothing ran beside it.
 *
 * @param costs of kernels, which are times
 */
public record LinkCosts(CostModel costs, Link link) implements CostModel {
    /** The same costs where there is no link, or they are no times. */
    public static CostModel over(CostModel costs, Optional<Link> link) {
        return link.filter(_ -> costs.isTime())
                .<CostModel>map(by -> new LinkCosts(costs, by))
                .orElse(costs);
    }

    @Override
    public String name() {
        return costs.name();
    }

    @Override
    public long cost(KernelWork work) {
        KernelBody body = work.signature().body();
        Instruction instruction = body.instructions().get(body.anchor());
        if (instruction.op() instanceof GatherShares gather) {
            long bytes = gather.sentBytes(instruction.types().getFirst());
            return Math.max(1, Math.round(link.nanos(gather.ranks(), bytes)));
        }
        return costs.cost(work);
    }

    @Override
    public Optional<CostFile> file() {
        return costs.file();
    }
}
