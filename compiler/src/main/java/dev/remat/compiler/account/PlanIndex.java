package dev.remat.compiler.account;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.plan.price.Price;
import dev.remat.compiler.plan.price.Prices;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.section.PlacedSection;
import dev.remat.compiler.section.SectionPart;
import dev.remat.compiler.section.WholeStep;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the graph before planning, the planning problems, the graph with recomputations and the arena speak of the same
 * things. {@code source} values are those before planning, {@code planned} ones those that kernels compute; both are of
 * all sections.
 */
final class PlanIndex {
    static final int NONE = -1;

    /** What a planning problem says of a value that a kernel leaves behind. */
    record Stored(RematProblem problem, int value) {
        long bytes() {
            return problem.bytes(value);
        }

        long cost() {
            return problem.cost(problem.producer(value));
        }

        boolean isOutput() {
            return problem.output(value);
        }
    }

    private final Compilation compilation;
    private final WholeStep whole;
    private final Graph source;
    private final Graph planned;
    private final FollowArena arena;
    private final List<Stay> stays;
    private final List<OffloadedTensor> moves;
    private final Prices prices;
    /** Per source value: its first computation. */
    private final int[] first;
    /** Per source value: its index in the problem that was planned. */
    private final int[] problemValue;

    private final ValueMap<Stored> stored;
    /** Per source node: the first source value that its kernel makes. */
    private final int[] madeWith;
    /** Per source value: where its computations lie. */
    private final ValueMap<List<Stay>> staysOf;
    /** What is in the arena throughout, by first byte. */
    private final Map<Long, Stay> residents = new LinkedHashMap<>();
    /** Per kernel: what it is the last to find in memory. */
    private final List<List<Stay>> endings = new ArrayList<>();

    private final long[] kernelCost;

    PlanIndex(Compilation compilation) {
        this.compilation = compilation;
        this.whole = compilation.whole();
        this.source = whole.source();
        this.planned = whole.kernels().graph();
        this.arena = new FollowArena(whole, compilation.target().alignment());
        this.stays = arena.stays();
        this.moves = OffloadedTensor.all(whole);
        this.prices = Prices.of(compilation.planning().problem(), compilation.sequence(), compilation.evaluation());
        this.first = new int[source.values().size()];
        this.problemValue = new int[source.values().size()];
        this.stored = new ValueMap<>(source.values().size());
        this.madeWith = new int[source.nodes().size()];
        this.staysOf = new ValueMap<>(source.values().size());
        this.kernelCost = new long[whole.kernels().kernels().size()];
        indexValues();
        Arrays.fill(problemValue, NONE);
        Arrays.fill(madeWith, NONE);
        for (SectionPart part : whole.parts()) {
            indexProblem(part);
            indexCosts(part);
        }
        for (int k = 0; k < kernelCost.length; k++) {
            endings.add(new ArrayList<>());
        }
        stays.stream().filter(stay -> stay.name().isPresent()).forEach(this::add);
    }

    /** First computations come first. */
    private void indexValues() {
        Arrays.fill(first, NONE);
        for (Value value : planned.values()) {
            int origin = whole.from().find(value.id()).map(ValueId::index).orElse(NONE);
            if (origin != NONE && first[origin] == NONE) {
                first[origin] = value.id().index();
            }
        }
    }

    private void indexProblem(SectionPart part) {
        PlanningProblem planning = part.section().planning();
        for (int v = 0; v < planning.values().size(); v++) {
            ValueId value = part.value(v);
            if (part.isBody()) {
                problemValue[value.index()] = v;
            }
            if (!stored.contains(value)) {
                stored.put(value, new Stored(planning.problem(), v));
            }
        }
        for (int n = planning.residents(); n < planning.problem().nodeCount(); n++) {
            FusionGroup group = planning.group(n);
            ValueId first = part.made(group);
            for (NodeId id : group.nodes()) {
                madeWith[part.node(id).index()] = first.index();
            }
        }
    }

    private void indexCosts(SectionPart part) {
        int[] kernelOf = part.stepOfSequence();
        for (int t = 0; t < kernelOf.length; t++) {
            PlacedSection section = part.section();
            if (section.sequence().runs(t)) {
                kernelCost[kernelOf[t]] +=
                        section.planning().problem().cost(section.sequence().node(t));
            }
        }
    }

    private void add(Stay stay) {
        if (stay.input()) {
            residents.put(stay.offset(), stay);
        }
        if (stay.last() + 1 < kernelCost.length) {
            endings.get(stay.last()).add(stay);
        }
        stay.value().ifPresent(origin -> {
            List<Stay> known = staysOf.find(origin).orElseGet(ArrayList::new);
            known.add(stay);
            staysOf.put(origin, known);
        });
    }

    Compilation compilation() {
        return compilation;
    }

    WholeStep whole() {
        return whole;
    }

    Graph source() {
        return source;
    }

    Graph planned() {
        return planned;
    }

    /** Everything that is ever in the arena, in the order in which it comes, inputs first. */
    List<Stay> stays() {
        return stays;
    }

    /** What leaves the arena and comes back, in the order of the sections. */
    List<OffloadedTensor> moves() {
        return moves;
    }

    int stepCount() {
        return kernelCost.length;
    }

    Prices prices() {
        return prices;
    }

    /** What the other decision about a value of the problem would change in a step. */
    Optional<Price> price(int inProblem) {
        return prices.of(inProblem).map(price -> price.each(compilation.rounds()));
    }

    /** What computing a value of the problem again, which is moved, would change in a step. */
    Optional<Price> instead(int inProblem) {
        return prices.instead(inProblem).map(price -> price.each(compilation.rounds()));
    }

    /** The first computation of a source value, or {@link #NONE}. */
    int first(ValueId value) {
        return first[value.index()];
    }

    /** A source value's index in the problem that was planned, or {@link #NONE} where that leaves it not behind. */
    int problemValue(ValueId value) {
        return problemValue[value.index()];
    }

    /** What a planning problem says of a source value; empty where no kernel leaves it behind. */
    Optional<Stored> stored(ValueId value) {
        return stored.find(value);
    }

    /** What a source node's kernel makes: the first tensor. Empty where the node belongs to no kernel. */
    Optional<Value> madeWith(NodeId node) {
        int made = madeWith[node.index()];
        return made == NONE ? Optional.empty() : Optional.of(source.value(new ValueId(made)));
    }

    /** Where the computations of a source value lie, in order. */
    List<Stay> stays(ValueId value) {
        return staysOf.find(value).orElseGet(List::of);
    }

    /** Where a planned value lies; for what an update has left, the place of what it wrote over. */
    Optional<Stay> place(ValueId value) {
        return arena.places()
                .find(value)
                .or(() -> whole.memory().offsets().find(value).map(residents::get));
    }

    /** What is in memory while a kernel runs and not after it; nothing at the last one. */
    List<Stay> endings(int kernel) {
        return endings.get(kernel);
    }

    /** Cost of a kernel, with what vanished into it. */
    long cost(int kernel) {
        return kernelCost[kernel];
    }

    /** What a node of the problem makes: the first tensor. */
    Value made(int node) {
        PlanningProblem planning = compilation.planning();
        return source.value(
                node < planning.residents()
                        ? planning.values().get(planning.problem().firstResult(node))
                        : source.node(planning.group(node).root()).results().getFirst());
    }
}
