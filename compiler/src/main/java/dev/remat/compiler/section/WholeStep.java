package dev.remat.compiler.section;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.Layout;
import dev.remat.compiler.kernel.BufferMove;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.memory.PlacesBelow;
import dev.remat.compiler.section.JoinGraphs.Renumbering;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.Section;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A planned step with all its sections side by side, as the plan has them: its kernels are the steps of the plan.
 * Values and nodes of the body have the same numbers here.
 *
 * @param source what was planned: the graph before recomputations, of all sections
 * @param layouts of its values
 * @param kernels of all sections in the order in which they run
 * @param from what each value that kernels compute is in {@code source}; nothing of seeds that are reset
 * @param memory where they find everything
 * @param parts in the same order
 */
public record WholeStep(
        Graph source,
        ValueMap<Layout> layouts,
        KernelGraph kernels,
        ValueMap<ValueId> from,
        MemoryPlan memory,
        List<SectionPart> parts) {
    public WholeStep {
        parts = List.copyOf(parts);
    }

    /**
     * @param before sections that run before the body
     * @param after sections that run after it
     */
    public static WholeStep of(List<PlacedSection> before, PlacedSection body, List<PlacedSection> after) {
        if (before.isEmpty() && after.isEmpty()) {
            return alone(body);
        }
        JoinGraphs sources = new JoinGraphs(body.planning().fused().graph());
        JoinGraphs planned = new JoinGraphs(body.kernels().graph());
        Join join = new Join(body.memory().arenaBytes());
        for (PlacedSection section : before) {
            join.add(section, sources.add(source(section)), planned.add(graph(section)), false);
        }
        join.add(body, sources.unchanged(), planned.unchanged(), true);
        for (PlacedSection section : after) {
            join.add(section, sources.add(source(section)), planned.add(graph(section)), false);
        }
        return join.step(sources.graph(), planned.graph());
    }

    private static WholeStep alone(PlacedSection body) {
        JoinGraphs sources = new JoinGraphs(source(body));
        ValueMap<ValueId> from = new ValueMap<>(graph(body).values().size());
        trace(body, sources.unchanged(), new JoinGraphs(graph(body)).unchanged(), from);
        int kernels = body.kernels().kernels().size();
        Section all = new Section(0, kernels, body.rounds());
        return new WholeStep(
                source(body),
                body.planning().fused().layouts(),
                body.kernels(),
                from,
                body.memory(),
                List.of(new SectionPart(body, all, true, sources.unchanged().values(), 0)));
    }

    private static Graph source(PlacedSection section) {
        return section.planning().fused().graph();
    }

    private static Graph graph(PlacedSection section) {
        return section.kernels().graph();
    }

    /** What is fetched is what was stored. */
    private static void trace(PlacedSection section, Renumbering sources, Renumbering planned, ValueMap<ValueId> from) {
        Graph graph = graph(section);
        for (Value value : graph.values()) {
            section.rematerialized()
                    .from()
                    .find(graph.stored(value).id())
                    .ifPresent(own -> from.put(planned.value(value.id()), sources.value(own)));
        }
    }

    /** The part that a step of the plan is of. */
    public SectionPart part(int step) {
        return parts.stream()
                .filter(part -> part.steps().contains(step))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no step " + step));
    }

    /** The part that a node of {@link #source} is of. */
    public SectionPart part(NodeId node) {
        return parts.stream()
                .filter(part -> part.contains(node))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no node " + node));
    }

    /** Collects sections in the order in which they run. */
    private static final class Join {
        private final long arenaBytes;
        private long peakLiveBytes;
        private final ValueMap<Layout> sourceLayouts = new ValueMap<>(0);
        private final ValueMap<Layout> layouts = new ValueMap<>(0);
        private final ValueMap<ValueId> from = new ValueMap<>(0);
        private final ValueMap<Long> offsets = new ValueMap<>(0);
        private final List<FusionGroup> kernels = new ArrayList<>();
        private final List<ByteRange> workspaces = new ArrayList<>();
        private final List<List<ByteRange>> freed = new ArrayList<>();
        private final List<Long> liveBytes = new ArrayList<>();
        private final List<SectionPart> parts = new ArrayList<>();
        private final List<BufferMove> moves = new ArrayList<>();
        private final SortedMap<Integer, Integer> homes = new TreeMap<>();
        private PlacesBelow below = PlacesBelow.NONE;

        Join(long arenaBytes) {
            this.arenaBytes = arenaBytes;
        }

        void add(PlacedSection section, Renumbering sources, Renumbering planned, boolean isBody) {
            int first = kernels.size();
            place(source(section), section.planning().fused().layouts(), sources, sourceLayouts);
            place(graph(section), section.kernels().layouts(), planned, layouts);
            trace(section, sources, planned, from);
            MemoryPlan memory = section.memory();
            graph(section)
                    .values()
                    .forEach(value -> memory.offsets()
                            .find(value.id())
                            .ifPresent(offset -> offsets.put(planned.value(value.id()), offset)));
            section.kernels().kernels().forEach(kernel -> kernels.add(renumbered(kernel, planned)));
            workspaces.addAll(memory.workspaces());
            freed.addAll(memory.freed());
            liveBytes.addAll(memory.liveBytes());
            peakLiveBytes = Math.max(peakLiveBytes, memory.peakLiveBytes());
            int firstMove = moves.size();
            section.kernels().moves().forEach(move -> moves.add(move.behind(first, firstMove, planned::value)));
            section.kernels()
                    .homes()
                    .forEach((input, tier) ->
                            homes.put(planned.value(new ValueId(input)).index(), tier));
            below = below.and(memory.below(), firstMove, planned::value);
            Section steps = new Section(first, kernels.size(), section.rounds());
            parts.add(new SectionPart(section, steps, isBody, sources.values(), sources.firstNode()));
        }

        private static void place(Graph graph, ValueMap<Layout> own, Renumbering numbers, ValueMap<Layout> all) {
            graph.values()
                    .forEach(value -> own.find(value.id())
                            .ifPresent(layout -> all.put(
                                    numbers.value(value.id()),
                                    new Layout(numbers.value(layout.base()), layout.view()))));
        }

        private static FusionGroup renumbered(FusionGroup kernel, Renumbering numbers) {
            return new FusionGroup(
                    kernel.nodes().stream().map(numbers::node).toList(),
                    kernel.role(),
                    kernel.body(),
                    numbers.values(kernel.reads()),
                    numbers.values(kernel.results()),
                    numbers.values(kernel.overwrites()));
        }

        WholeStep step(Graph source, Graph planned) {
            return new WholeStep(
                    source,
                    sourceLayouts,
                    new KernelGraph(planned, layouts, kernels, moves, homes),
                    from,
                    new MemoryPlan(arenaBytes, peakLiveBytes, offsets, workspaces, freed, liveBytes, below),
                    parts);
        }
    }
}
