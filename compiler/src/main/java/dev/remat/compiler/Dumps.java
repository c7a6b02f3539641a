package dev.remat.compiler;

import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import dev.remat.ir.text.GraphPrinter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Texts of the stages that are no graphs, for {@code --dump-dir}. */
final class Dumps {
    private Dumps() {}

    static String groups(FusedGraph fused) {
        return list(fused.graph(), "group", fused.groups());
    }

    static String kernels(KernelGraph kernels) {
        return list(kernels.graph(), "kernel", kernels.kernels());
    }

    private static String list(Graph graph, String title, List<FusionGroup> groups) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < groups.size(); i++) {
            FusionGroup group = groups.get(i);
            out.append("%s %d %s %s reads %s writes %s\n"
                    .formatted(
                            title,
                            i,
                            group.form().name().toLowerCase(Locale.ROOT),
                            group.role().label(),
                            ids(group.reads()),
                            ids(group.writes())));
            group.nodes()
                    .forEach(id -> out.append("  ")
                            .append(GraphPrinter.print(graph, graph.node(id)))
                            .append('\n'));
        }
        return out.toString();
    }

    private static String ids(List<ValueId> values) {
        return values.stream().map(ValueId::toString).collect(Collectors.joining(", ", "[", "]"));
    }

    static String sequence(PlanningProblem planning, RealizedPlan plan) {
        OperatorSequence sequence = plan.sequence();
        long[] live = plan.evaluation().liveBytes();
        boolean[] seen = new boolean[planning.problem().nodeCount()];
        StringBuilder out = new StringBuilder("strategy " + sequence.strategy() + "\n");
        for (int t = 0; t < sequence.length(); t++) {
            if (!sequence.runs(t)) {
                out.append("%d %s live %d\n".formatted(t, moved(planning.problem(), sequence.step(t)), live[t]));
                continue;
            }
            int node = sequence.node(t);
            FusionGroup group = planning.group(node);
            Graph graph = planning.fused().graph();
            String what = graph.node(group.root()).results().stream()
                    .map(id -> graph.value(id).name())
                    .collect(Collectors.joining(", "));
            out.append("%d %s%s live %d\n".formatted(t, what, seen[node] ? " (again)" : "", live[t]));
            seen[node] = true;
        }
        return out.toString();
    }

    private static String moved(RematProblem problem, SequenceStep step) {
        return switch (step) {
            case SequenceStep.Run run -> throw new IllegalArgumentException(run + " moves nothing");
            case SequenceStep.Store(int value, int tier) ->
                "store " + problem.valueId(value) + " in "
                        + problem.tiers().get(tier).name();
            case SequenceStep.Await(int value) -> "await " + problem.valueId(value);
            case SequenceStep.Fetch(int value) -> "fetch " + problem.valueId(value);
        };
    }

    static String memory(KernelGraph kernels, MemoryPlan memory) {
        StringBuilder out = new StringBuilder(
                "arena %s, largest live sum %d\n".formatted(Count.bytes(memory.arenaBytes()), memory.peakLiveBytes()));
        for (int k = 0; k < kernels.kernels().size(); k++) {
            out.append("kernel %d live %d".formatted(k, memory.liveBytes().get(k)));
            for (ValueId write : kernels.kernels().get(k).writes()) {
                out.append(" %s@%d"
                        .formatted(
                                kernels.graph().value(write).name(),
                                memory.offsets().get(write)));
            }
            ByteRange workspace = memory.workspaces().get(k);
            out.append(
                    workspace.bytes() == 0 ? "" : " workspace@%d+%d".formatted(workspace.offset(), workspace.bytes()));
            out.append('\n');
        }
        return out.toString();
    }
}
