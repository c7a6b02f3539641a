package dev.remat.compiler.view;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.plan.price.PeakRelief;
import dev.remat.compiler.plan.price.Price;
import dev.remat.compiler.report.ArenaTimeline.Occupancy;
import dev.remat.compiler.report.PlaceTimeline;
import dev.remat.compiler.view.StepFacts.Tensor;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.Section;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.ProfileCost;
import dev.remat.ir.target.RooflineCost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A finished plan, step by step and value by value. Steps are the kernels of the plan, counted from 0, of all its
 * sections; values are those of the training step before planning, of which each is computed once or more often. Prices
 * are worked out when they are asked for; all else is at hand at once.
 */
public final class PlanView {
    /**
     * A value to let go, and what that would change.
     *
     * @param costOfByte change of the cost for each byte that the peak falls
     */
    public record Relief(String value, Price.Changed price, double costOfByte) {}

    /**
     * What lies in a place below the arena, from step {@code first} through step {@code last}.
     *
     * @param place number among those of the plan's transfers
     */
    public record Copy(String name, int place, long bytes, int first, int last) {}

    private final PlanIndex index;
    private final DescribeValue describe;
    private final Map<Kind, long[]> live = new EnumMap<>(Kind.class);
    private final int peakStep;

    private PlanView(Compilation compilation) {
        this.index = new PlanIndex(compilation);
        this.describe = new DescribeValue(index);
        for (Kind kind : Kind.values()) {
            live.put(kind, new long[stepCount()]);
        }
        this.peakStep = sumUp();
    }

    public static PlanView of(Compilation compilation) {
        return new PlanView(compilation);
    }

    /** Fills the sums; the first step with most bytes. */
    private int sumUp() {
        int steps = stepCount();
        for (Occupancy each : index.timeline().occupancies()) {
            long[] change = live.get(Kind.of(each, index.planned()));
            for (int k = each.first(); k <= Math.min(each.first(), steps - 1); k++) {
                change[k] += each.bytes();
            }
            if (each.last() + 1 < steps) {
                change[each.last() + 1] -= each.bytes();
            }
        }
        int peak = 0;
        for (long[] sums : live.values()) {
            for (int k = 1; k < steps; k++) {
                sums[k] += sums[k - 1];
            }
        }
        for (int k = 1; k < steps; k++) {
            peak = liveBytes(k) > liveBytes(peak) ? k : peak;
        }
        return peak;
    }

    public Compilation compilation() {
        return index.compilation();
    }

    public int stepCount() {
        return index.timeline().kernels();
    }

    /** The parts of the step in their order, each with how often it runs. */
    public List<Section> sections() {
        return compilation().plan().sections();
    }

    /**
     * When everything in a round of a section runs.
     *
     * @param kernels times of the plan's kernels
     */
    public RoundTimes round(Section section, StepTimes kernels) {
        return RoundTimes.of(
                compilation().plan().transfers(),
                section,
                kernels,
                compilation().planning().problem().tiers());
    }

    /**
     * How long a step takes that follows another, whose last stores may run on beside it.
     *
     * @param kernels times of the plan's kernels
     */
    public long period(StepTimes kernels) {
        return timeOf(2, kernels) - timeOf(1, kernels);
    }

    /** How much of a step's time, with what the plan was charged for, lies beside the next step. */
    public long besideNextNanos() {
        StepTimes kernels = times(compilation().costs());
        return timeOf(1, kernels) - period(kernels);
    }

    private long timeOf(int steps, StepTimes kernels) {
        return RoundTimes.ofSteps(
                steps,
                compilation().plan().transfers(),
                sections(),
                kernels,
                compilation().planning().problem().tiers());
    }

    /** The values of the training step before planning. */
    public Graph source() {
        return index.source();
    }

    /** How often a node of {@link #source} runs in a step, recomputations aside. */
    public int rounds(NodeId node) {
        return index.whole().part(node).steps().times();
    }

    /** Bytes in memory while each step runs, for one purpose. */
    public long[] live(Kind kind) {
        return live.get(kind).clone();
    }

    /** Bytes in memory while a step runs. */
    public long liveBytes(int step) {
        long sum = 0;
        for (long[] sums : live.values()) {
            sum += sums[step];
        }
        return sum;
    }

    /** The first of the steps at which most bytes are in memory. */
    public int peakStep() {
        return peakStep;
    }

    /** Everything that is ever in the arena, in the order in which it comes, inputs first. */
    public List<Tensor> tensors() {
        return index.timeline().occupancies().stream().map(this::tensor).toList();
    }

    /** What is in memory while a step runs, largest first; names break ties. */
    public List<Tensor> tensors(int step) {
        return index.timeline().at(step).stream()
                .map(this::tensor)
                .sorted(Comparator.comparingLong((Tensor t) -> -t.bytes())
                        .thenComparing(t -> t.name().orElse("")))
                .toList();
    }

    /** @throws IndexOutOfBoundsException if there is no such step */
    public StepFacts step(int step) {
        KernelStep kernel = compilation().plan().steps().get(step);
        FusionGroup group = index.whole().kernels().kernels().get(step);
        Graph graph = index.planned();
        Node root = graph.node(group.root());
        Map<Kind, Long> byKind = new EnumMap<>(Kind.class);
        live.forEach((kind, sums) -> {
            if (sums[step] > 0) {
                byKind.put(kind, sums[step]);
            }
        });
        List<Tensor> dies = new ArrayList<>();
        index.endings(step).stream().map(this::tensor).forEach(dies::add);
        List<Tensor> reads = new ArrayList<>();
        for (ValueId read : group.reads()) {
            index.place(read).ifPresent(occupancy -> {
                reads.add(tensor(occupancy));
                // Its range is taken over by a result in place.
                if (occupancy.last() == step - 1) {
                    dies.add(tensor(occupancy));
                }
            });
        }
        return new StepFacts(
                step,
                index.whole().part(step).steps().times(),
                graph.value(root.results().getFirst()).name(),
                root.op().mnemonic(),
                kernel.role(),
                kernel.location(),
                root.origin().scope(),
                kernel.recomputed(),
                index.cost(step),
                reads,
                group.writes().stream()
                        .flatMap(write -> index.place(write).stream())
                        .map(this::tensor)
                        .toList(),
                dies,
                byKind);
    }

    /** How long each step takes, as a cost model reckons. */
    public StepTimes times(CostModel costs) {
        return StepTimes.of(index, costs);
    }

    /**
     * The same as the plan was charged for it; where that was measured, after what the target's roofline predicts
     * instead.
     */
    public List<StepTimes> times() {
        CostModel charged = compilation().costs();
        boolean measured = charged instanceof ProfileCost profile && profile.isMeasured();
        return measured ? List.of(predicted(), times(charged)) : List.of(times(charged));
    }

    /** What the target's roofline predicts, whatever the plan was charged. */
    public StepTimes predicted() {
        return times(new RooflineCost(compilation().target().device()));
    }

    /** Not what was fetched of one. */
    private boolean isInput(Value value) {
        return value.definition() instanceof Value.Input
                && index.planned().stored(value).equals(value);
    }

    private Tensor tensor(Occupancy each) {
        Optional<Value> value = each.value().map(index.planned()::value);
        return new Tensor(
                value.map(index.planned()::stored).map(Value::name),
                Kind.of(each, index.planned()),
                value.filter(this::isInput).isPresent(),
                each.offset(),
                each.bytes(),
                each.first(),
                each.last());
    }

    /** What lies below the arena, what lives there first and copies in the order in which they are made. */
    public List<Copy> copies() {
        return PlaceTimeline.of(index.whole().kernels(), compilation().target().transferAlignment()).copies().stream()
                .map(copy -> new Copy(
                        index.planned().value(copy.value()).name(),
                        copy.place(),
                        copy.bytes(),
                        copy.first(),
                        copy.last()))
                .toList();
    }

    /** Values of the training step, in the order in which the graph has them. */
    public List<ValueId> values() {
        return index.source().values().stream().map(Value::id).toList();
    }

    /** Values by name or place. */
    public FindValues find() {
        return new FindValues(index.source());
    }

    /** Everything about a value, its price included. */
    public ValueFacts value(ValueId value) {
        return describe.of(value, true);
    }

    /** The same without price, and without the chain of what is not computed again: cheap to ask of all values. */
    public ValueFacts unpriced(ValueId value) {
        return describe.of(value, false);
    }

    /**
     * Values to let go so that the peak falls, cheapest for a byte first.
     *
     * @param most how many
     */
    public List<Relief> reliefs(int most) {
        Compilation plan = compilation();
        return PeakRelief.cheapest(plan.planning().problem(), index.prices(), plan.evaluation(), most).stream()
                .map(relief -> new Relief(
                        plan.planning().problem().valueId(relief.value()),
                        relief.price().each(plan.rounds()),
                        plan.rounds() * relief.costOfByte()))
                .toList();
    }

    /** Whether the changed plan would stay within the budget, as the planner reckons; empty without a budget. */
    public Optional<Boolean> fitsBudget(Price.Changed price) {
        OptionalLong budget = compilation().search().budgetBytes();
        return budget.isEmpty()
                ? Optional.empty()
                : Optional.of(compilation().evaluation().peakBytes() + price.peakBytes() <= budget.getAsLong());
    }

    /** What a node of the planning problem makes, by the name of the first tensor. */
    public String name(int problemNode) {
        return index.name(problemNode);
    }
}
