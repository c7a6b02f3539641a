package dev.remat.compiler.solve;

import dev.remat.compiler.plan.transfer.TierRoom;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.Optional;
import java.util.OptionalInt;

/** Finds tiers that are too small whatever is planned. */
public final class CrowdedTiers {
    private CrowdedTiers() {}

    /** What is wrong where more lives in a tier than that holds, or pins offload what no tier has room for. */
    public static Optional<String> find(RematProblem problem) {
        for (int tier = 0; tier < problem.tiers().size(); tier++) {
            Tier below = problem.tiers().get(tier);
            if (problem.residentBytes(tier) > below.bytes()) {
                return Optional.of("tier '" + below.name() + "' holds " + Count.bytes(below.bytes()) + ", and "
                        + Count.bytes(problem.residentBytes(tier)) + " live there");
            }
        }
        OptionalInt homeless = problem.tiers().isEmpty() ? OptionalInt.empty() : TierRoom.withoutRoom(problem);
        return homeless.isEmpty()
                ? Optional.empty()
                : Optional.of("'" + problem.valueId(homeless.getAsInt())
                        + "' is pinned to be offloaded, and no tier has room for its "
                        + Count.bytes(problem.bytes(homeless.getAsInt())));
    }
}
