package dev.remat.cli.option.tier;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.compiler.solve.CrowdedTiers;
import dev.remat.ir.plan.InvalidProblemException;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** What memory lies below the device, and what a graph's costs are beside it. */
public final class TierOptions extends CheckedOptions {
    /** Keeps products within a long; problems allow less. */
    private static final long MOST = 1L << 61;

    @Option(
            names = "--tiers",
            paramLabel = "TIER",
            split = ",",
            converter = TierConverter.class,
            description = "Memory below the device that values may be moved to, as NAME:SIZE:" + LinkRates.FORM
                    + ": what it holds, how much a second is stored and fetched, how long each transfer takes beside,"
                    + " and what time nodes lose to what is moved, such as host:64GiB:24GB/s:24GB/s:10us:1us/MB. The"
                    + " last two may be left out. Instead of the file's own.")
    private List<Tier> tiers;

    @Option(
            names = "--cost-unit",
            paramLabel = "UNIT",
            converter = CostUnit.Converter.class,
            description = "What one of the file's costs stands for, which tiers are compared by: ns, us, ms or s."
                    + " Without it, ns.")
    private CostUnit costUnit;

    /** The problem with the tiers and costs that the user asked for. */
    public RematProblem applied(RematProblem problem) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            long factor = costUnit == null ? 1 : costUnit.nanos();
            if (node.pin() == Pin.OFFLOAD && tiers == null && problem.tiers().isEmpty()) {
                throw misuse(
                        "'" + node.id() + "' is pinned to be offloaded, and nothing lies below the device; --tiers says"
                                + " what does");
            }
            nodes.add(node.withCost(node.cost() > MOST / factor ? MOST : node.cost() * factor));
        }
        try {
            RematProblem applied =
                    RematProblem.of(problem.name(), nodes, problem.outputs(), tiers == null ? problem.tiers() : tiers);
            CrowdedTiers.find(applied).ifPresent(why -> {
                throw misuse(why + "; --tiers can give it more");
            });
            return applied;
        } catch (InvalidProblemException e) {
            throw misuse("--tiers or --cost-unit: " + e.getMessage());
        }
    }
}
