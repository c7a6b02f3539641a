package dev.remat.compiler.view;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.plan.price.Prices;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.report.ArenaTimeline;
import dev.remat.compiler.report.ArenaTimeline.Occupancy;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the graph before planning, the planning problem, the graph with recomputations and the arena speak of the same
 * things. {@code source} values are those before planning, {@code planned} ones those that kernels compute.
 */
final class PlanIndex {
    static final int NONE = -1;

    private final Compilation compilation;
    private final Graph source;
    private final Graph planned;
    private final ArenaTimeline timeline;
    private final Prices prices;
    /** Per planned value: the source value that it computes. */
    private final int[] sourceOf;
    /** Per source value: its first computation. */
    private final int[] first;
    /** Per source value: its index in the problem. */
    private final int[] problemValue;
    /** Per source node: its index in the problem. */
    private final int[] problemNode;
    /** Per source value: where its computations lie. */
    private final ValueMap<List<Occupancy>> stays;

    private final ValueMap<Occupancy> places;
    /** What is in the arena throughout, by first byte. */
    private final Map<Long, Occupancy> residents = new LinkedHashMap<>();
    /** Per step of the sequence: the kernel that computes it. */
    private final int[] kernelOfStep;
    /** Per kernel: what it is the last to find in memory. */
    private final List<List<Occupancy>> endings = new ArrayList<>();

    private final long[] kernelCost;

    PlanIndex(Compilation compilation) {
        this.compilation = compilation;
        this.source = compilation.planning().fused().graph();
        this.planned = compilation.kernels().graph();
        this.timeline = ArenaTimeline.of(
                compilation.kernels(),
                compilation.memory(),
                compilation.target().alignment());
        this.prices = Prices.of(compilation.planning().problem(), compilation.sequence(), compilation.evaluation());
        this.sourceOf = new int[planned.values().size()];
        this.first = new int[source.values().size()];
        this.problemValue = new int[source.values().size()];
        this.problemNode = new int[source.nodes().size()];
        this.stays = new ValueMap<>(source.values().size());
        this.places = new ValueMap<>(planned.values().size());
        this.kernelOfStep = new int[compilation.sequence().length()];
        this.kernelCost = new long[compilation.kernels().kernels().size()];
        indexValues();
        indexProblem();
        indexCosts();
        for (int k = 0; k < kernelCost.length; k++) {
            endings.add(new ArrayList<>());
        }
        for (Occupancy occupancy : timeline.occupancies()) {
            occupancy.value().ifPresent(value -> add(value, occupancy));
        }
    }

    private void indexValues() {
        Arrays.fill(sourceOf, NONE);
        Arrays.fill(first, NONE);
        Map<String, Integer> byName = new LinkedHashMap<>();
        source.values().forEach(value -> byName.put(value.name(), value.id().index()));
        // First computations keep their names.
        for (Value value : planned.values()) {
            int made = value.id().index();
            Integer origin = byName.get(original(value).name());
            sourceOf[made] = origin == null ? NONE : origin;
            if (origin != null && first[origin] == NONE) {
                first[origin] = made;
            }
        }
    }

    private Value original(Value value) {
        if (!(value.definition() instanceof Value.Result(NodeId producer, int index))) {
            return value;
        }
        Node node = planned.node(producer);
        return node.clonedFrom()
                .map(id -> planned.value(planned.node(id).results().get(index)))
                .orElse(value);
    }

    private void indexProblem() {
        Arrays.fill(problemValue, NONE);
        Arrays.fill(problemNode, NONE);
        PlanningProblem planning = compilation.planning();
        for (int v = 0; v < planning.values().size(); v++) {
            problemValue[planning.values().get(v).index()] = v;
        }
        for (int n = planning.residents(); n < planning.problem().nodeCount(); n++) {
            for (NodeId id : planning.group(n).nodes()) {
                problemNode[id.index()] = n;
            }
        }
    }

    private void indexCosts() {
        KernelGraph kernels = compilation.kernels();
        int[] kernelOf = new int[planned.nodes().size()];
        for (int k = 0; k < kernels.kernels().size(); k++) {
            for (NodeId id : kernels.kernels().get(k).nodes()) {
                kernelOf[id.index()] = k;
            }
        }
        for (int t = 0; t < compilation.sequence().length(); t++) {
            NodeId any = compilation.rematerialized().steps().get(t).getFirst();
            kernelOfStep[t] = kernelOf[any.index()];
            kernelCost[kernelOfStep[t]] +=
                    compilation.planning().problem().cost(compilation.sequence().node(t));
        }
    }

    private void add(ValueId value, Occupancy occupancy) {
        places.put(value, occupancy);
        if (planned.value(value).producer().isEmpty()) {
            residents.put(occupancy.offset(), occupancy);
        }
        if (occupancy.last() + 1 < kernelCost.length) {
            endings.get(occupancy.last()).add(occupancy);
        }
        if (sourceOf[value.index()] != NONE) {
            ValueId origin = new ValueId(sourceOf[value.index()]);
            List<Occupancy> known = stays.find(origin).orElseGet(ArrayList::new);
            known.add(occupancy);
            stays.put(origin, known);
        }
    }

    Compilation compilation() {
        return compilation;
    }

    Graph source() {
        return source;
    }

    Graph planned() {
        return planned;
    }

    ArenaTimeline timeline() {
        return timeline;
    }

    Prices prices() {
        return prices;
    }

    /** The first computation of a source value, or {@link #NONE}. */
    int first(ValueId value) {
        return first[value.index()];
    }

    /** A source value's index in the problem, or {@link #NONE} where no kernel leaves it behind. */
    int problemValue(ValueId value) {
        return problemValue[value.index()];
    }

    /** A source node's index in the problem, or {@link #NONE} where it belongs to no kernel. */
    int problemNode(NodeId node) {
        return problemNode[node.index()];
    }

    /** Where the computations of a source value lie, in order. */
    List<Occupancy> stays(ValueId value) {
        return stays.find(value).orElseGet(List::of);
    }

    /** Where a planned value lies; for what an update has left, the place of what it wrote over. */
    Optional<Occupancy> place(ValueId value) {
        return places.find(value)
                .or(() -> compilation.memory().offsets().find(value).map(residents::get));
    }

    /** What is in memory while a kernel runs and not after it; nothing at the last one. */
    List<Occupancy> endings(int kernel) {
        return endings.get(kernel);
    }

    /** Cost of a kernel, with what vanished into it. */
    long cost(int kernel) {
        return kernelCost[kernel];
    }

    /** The kernel that computes a step of the sequence. */
    int kernel(int step) {
        return kernelOfStep[step];
    }

    /** What a node of the problem makes: the first tensor. */
    String name(int node) {
        PlanningProblem planning = compilation.planning();
        if (node < planning.residents()) {
            return planning.problem().nodeId(node);
        }
        FusionGroup group = planning.group(node);
        return source.value(source.node(group.root()).results().getFirst()).name();
    }

    /** Whether a planned value is a recomputation. */
    boolean isAgain(ValueId value) {
        return planned.value(value)
                .producer()
                .map(planned::node)
                .filter(Node::isClone)
                .isPresent();
    }
}
