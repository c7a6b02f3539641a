package dev.remat.compiler.account;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.PlanDigest.AtPeak;
import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.plan.price.PeakRelief;
import dev.remat.compiler.plan.price.Price;
import dev.remat.compiler.section.WholeStep;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.Link;
import dev.remat.ir.target.ProfileCost;
import dev.remat.ir.target.RooflineCost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * Everything that is told of a finished plan: its sums, and what it does step by step and value by value. Steps are the
 * kernels of the plan, counted from 0, of all its sections; values are those of the training step before planning, of
 * which each is computed once or more often. Prices are worked out when they are asked for.
 */
public final class PlanAccount {
    /**
     * A value to let go, and what that would change.
     *
     * @param costOfByte change of the cost for each byte that the peak falls
     */
    public record Relief(Value value, Price.Changed price, double costOfByte) {}

    private final Optional<Link> link;
    private final PlanIndex index;
    private final DescribeValue describe;
    private final Map<Kind, long[]> live = new EnumMap<>(Kind.class);
    private final int peakStep;

    private PlanAccount(Compilation compilation, Optional<Link> link) {
        this.link = link;
        this.index = new PlanIndex(compilation);
        this.describe = new DescribeValue(index);
        for (Kind kind : Kind.values()) {
            live.put(kind, new long[stepCount()]);
        }
        this.peakStep = sumUp();
    }

    public static PlanAccount of(Compilation compilation) {
        return new PlanAccount(compilation, Optional.empty());
    }

    /** The same of ranks that a link joins: what they exchange takes time beside kernels. */
    public static PlanAccount of(Compilation compilation, Optional<Link> link) {
        return new PlanAccount(compilation, link);
    }

    /** Fills the sums; the first step with most bytes. */
    private int sumUp() {
        int steps = stepCount();
        for (Stay each : index.stays()) {
            long[] change = live.get(each.kind());
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
        return index.stepCount();
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
        return RoundTimes.of(lanes(), section, kernels);
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
        return RoundTimes.ofSteps(steps, lanes(), kernels);
    }

    RoundTimes.Lanes lanes() {
        return new RoundTimes.Lanes(
                compilation().plan(), compilation().planning().problem().tiers(), link);
    }

    /** What joins ranks, if that was told. */
    public Optional<Link> link() {
        return link;
    }

    /** The values of the training step before planning. */
    public Graph source() {
        return index.source();
    }

    /** How often a node of {@link #source} runs in a step, recomputations aside. */
    public int rounds(NodeId node) {
        return index.whole().part(node).steps().times();
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
    public List<Stay> stays() {
        return index.stays();
    }

    /** What is in memory while a step runs, largest first; names break ties. */
    public List<Stay> stays(int step) {
        return stays().stream()
                .filter(each -> each.isLiveAt(step))
                .sorted(Comparator.comparingLong((Stay each) -> -each.bytes())
                        .thenComparing(each -> each.name().orElse("")))
                .toList();
    }

    /** What is in memory at the peak but for workspace, as {@link #stays(int)}. */
    public List<Stay> tensorsAtPeak() {
        return stays(peakStep).stream().filter(each -> each.name().isPresent()).toList();
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
        List<Stay> dies = new ArrayList<>(index.endings(step));
        List<Stay> reads = new ArrayList<>();
        for (ValueId read : group.reads()) {
            index.place(read).ifPresent(stay -> {
                reads.add(stay);
                // Its range is taken over by a result in place.
                if (stay.last() == step - 1) {
                    dies.add(stay);
                }
            });
        }
        ValueId made = root.results().getFirst();
        return new StepFacts(
                step,
                index.whole().part(step).steps().times(),
                graph.value(made).name(),
                source().value(index.whole().from().get(made)),
                root.op().mnemonic(),
                kernel.role(),
                kernel.location(),
                root.origin().scope(),
                kernel.recomputed(),
                index.cost(step),
                reads,
                group.writes().stream()
                        .flatMap(write -> index.place(write).stream())
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

    /** What lies below the arena, what lives there first and copies in the order in which they are made. */
    public List<Copy> copies() {
        return Copy.all(index.whole(), compilation().target().transferAlignment());
    }

    /** What a transfer of the plan moves: of what an update has left, what that wrote over. */
    public ValueId moved(Transfer transfer) {
        WholeStep whole = index.whole();
        return whole.from()
                .get(whole.kernels()
                        .layouts()
                        .get(new ValueId(transfer.value()))
                        .base());
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
                        source().value(plan.planning().values().get(relief.value())),
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

    /** What a node of the planning problem makes: the first tensor. */
    public Value made(int problemNode) {
        return index.made(problemNode);
    }

    /** Largest sum of live bytes, which no layout can beat. */
    public long peakLiveBytes() {
        return index.whole().memory().peakLiveBytes();
    }

    /** What makes up the peak. */
    public AtPeak atPeak() {
        return new AtPeak(
                atPeak(Kind.PARAMETER),
                atPeak(Kind.OPTIMIZER),
                atPeak(Kind.GRADIENT),
                activationBytes(peakStep),
                atPeak(Kind.WORKSPACE));
    }

    /** Bytes for one purpose at the peak; 0 where no step runs. */
    public long atPeak(Kind kind) {
        return stepCount() == 0 ? 0 : live.get(kind)[peakStep];
    }

    /** Largest sum at any step of all but parameters, optimizer state, gradients and workspace. */
    public long maxActivationBytes() {
        return IntStream.range(0, stepCount())
                .mapToLong(this::activationBytes)
                .max()
                .orElse(0);
    }

    private long activationBytes(int step) {
        return live.entrySet().stream()
                .filter(each -> each.getKey().countsAsActivation() && step < stepCount())
                .mapToLong(each -> each.getValue()[step])
                .sum();
    }

    /** Bytes of parameters and their optimizer state that are in the arena throughout, as every plan needs them. */
    public long residentBytes() {
        return stays().stream()
                .filter(Stay::input)
                .filter(each -> each.kind() == Kind.PARAMETER || each.kind() == Kind.OPTIMIZER)
                .mapToLong(Stay::bytes)
                .sum();
    }

    /** Bytes of the budget that the arena leaves; empty without a budget. */
    public OptionalLong spareBytes() {
        OptionalLong budget = compilation().search().budgetBytes();
        return budget.isPresent()
                ? OptionalLong.of(budget.getAsLong() - compilation().memory().arenaBytes())
                : OptionalLong.empty();
    }

    /** Whether no plan that the bound covers costs less than this one. */
    public boolean proven() {
        return compilation().evaluation().cost()
                <= compilation().search().bound().cost();
    }

    public WorkDone work() {
        return WorkDone.of(compilation().sections());
    }

    /** What the forward pass keeps for the rest of the step, in the order in which it is computed. */
    public List<RetainedTensor> retained() {
        return RetainedTensor.all(compilation().rematerialized(), source());
    }

    /** What is computed more than once, in the order in which it is computed first. */
    public List<RecomputedTensor> recomputed() {
        return RecomputedTensor.all(compilation());
    }

    /** What leaves the arena and comes back; empty where nothing lies below. */
    public Optional<StepMovement> movement() {
        return StepMovement.of(compilation(), index.moves());
    }

    /** Rows in the order of the model. */
    public List<LayerUse> layers() {
        return LayerUse.of(compilation(), retained());
    }

    /** Predicted against measured times; empty where costs were not measured. */
    public Optional<CostComparison> measured() {
        return CostComparison.of(compilation());
    }
}
