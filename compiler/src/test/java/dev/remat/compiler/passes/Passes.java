package dev.remat.compiler.passes;

import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.batch.Sums;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.chunk.CutChunks;
import dev.remat.compiler.fusion.ChannelsLast;
import dev.remat.compiler.fusion.FormFusionGroups;
import dev.remat.compiler.fusion.FusedGraph;
import dev.remat.compiler.fusion.KeepSigns;
import dev.remat.compiler.fusion.MaterializeViews;
import dev.remat.compiler.fusion.NormalizeAgain;
import dev.remat.compiler.fusion.PlaceResults;
import dev.remat.compiler.fusion.SamplePixels;
import dev.remat.compiler.fusion.SeedChain;
import dev.remat.compiler.fusion.TakeMoments;
import dev.remat.compiler.kernel.FormKernels;
import dev.remat.compiler.kernel.GatherSmallKernels;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.kernel.MoveBuffers;
import dev.remat.compiler.memory.GatherKernels;
import dev.remat.compiler.memory.GatherKernels.Gathered;
import dev.remat.compiler.memory.JoinReaders;
import dev.remat.compiler.memory.PlanArena;
import dev.remat.compiler.ranks.ExchangePieces;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.ranks.Shares;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.remat.BuildProblem;
import dev.remat.compiler.remat.GiveHomes;
import dev.remat.compiler.remat.InsertRecompute;
import dev.remat.compiler.remat.MergeClones;
import dev.remat.compiler.remat.Move;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.section.SplitUpdates;
import dev.remat.compiler.section.UnrollRounds;
import dev.remat.compiler.simplify.BindSymbols;
import dev.remat.compiler.simplify.ConcatenatePads;
import dev.remat.compiler.simplify.DeadPins;
import dev.remat.compiler.simplify.EliminateCommonSubexpressions;
import dev.remat.compiler.simplify.JoinProducts;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.compiler.simplify.RemoveIdentities;
import dev.remat.compiler.simplify.SimplifiedGraph;
import dev.remat.compiler.simplify.SimplifyForward;
import dev.remat.compiler.simplify.StackProducts;
import dev.remat.compiler.split.SplitMicroBatches;
import dev.remat.compiler.split.SplitMicroBatches.Split;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.training.AddDrawInputs;
import dev.remat.compiler.training.ApplyPrecision;
import dev.remat.compiler.training.ApplyUpdates;
import dev.remat.compiler.training.Average;
import dev.remat.compiler.training.BuildStepGraph;
import dev.remat.compiler.training.Differentiate;
import dev.remat.compiler.training.GradientClip;
import dev.remat.compiler.training.HoldStopped;
import dev.remat.compiler.training.LossScaling;
import dev.remat.compiler.training.Objective;
import dev.remat.compiler.training.Optimizer;
import dev.remat.compiler.training.ParameterPattern;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.training.ReportGradients;
import dev.remat.compiler.training.RoundGraphs;
import dev.remat.compiler.training.TrainingSpec;
import dev.remat.compiler.training.UpdateRule;
import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.CanonicalHash;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.graph.VerificationException;
import dev.remat.ir.op.LearningRateSchedule;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.SequenceStep;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.UnitCost;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The passes that files name; the only place of {@link PassFilesTest} that knows them. */
final class Passes {
    /** What a pass makes of a graph. */
    sealed interface Product {}

    record Made(Graph graph) implements Product {}

    record Said(String text) implements Product {}

    /** A pass as files call it. */
    private interface Pass {
        Product run(Graph graph, Map<String, String> arguments);
    }

    private static final TestTarget TARGET = new TestTarget();
    private static final List<Tier> DISK = List.of(new Tier("disk", 1 << 20, 1, 1, 0));
    private static final Product ACCEPTED = new Said("accepted\n");
    private static final SequencedMap<String, Pass> ALL = new LinkedHashMap<>();

    static {
        ALL.put("graph-verifier", (graph, arguments) -> ACCEPTED);
        ALL.put("seed-chain", (graph, arguments) -> {
            SeedChain.of(graph).verify(graph);
            return ACCEPTED;
        });
        ALL.put("bind-symbols", (graph, arguments) -> {
            SequencedMap<String, Long> values = new LinkedHashMap<>();
            arguments.forEach((symbol, value) -> values.put(symbol, Long.valueOf(value)));
            return made(BindSymbols.run(graph, values));
        });
        ALL.put("cut-chunks", (graph, arguments) -> {
            Chunks chunks = Chunks.of(Integer.parseInt(arguments.get("count")));
            return made(CutChunks.run(graph, chunks, TARGET).graph());
        });
        ALL.put("eliminate-common-subexpressions", (graph, _) -> made(EliminateCommonSubexpressions.run(graph)));
        ALL.put("hold-stopped", (graph, _) -> made(HoldStopped.run(graph)));
        ALL.put("remove-identities", (graph, _) -> made(RemoveIdentities.run(graph)));
        ALL.put("remove-dead-nodes", (graph, _) -> made(RemoveDeadNodes.run(graph)));
        ALL.put("dead-pins", (graph, _) -> {
            DeadPins.refuse(graph, RemoveDeadNodes.run(graph));
            return ACCEPTED;
        });
        ALL.put(
                "simplify-forward",
                (graph, arguments) -> made(SimplifyForward.run(graph, !"ignored".equals(arguments.get("pins")))
                        .graph()));
        ALL.put(
                "apply-precision",
                (graph, arguments) -> made(ApplyPrecision.run(graph, DType.ofLabel(arguments.get("precision")))));
        ALL.put(
                "differentiate",
                (graph, _) -> made(Differentiate.run(graph, graph.output("loss"), new ReportGradients())
                        .graph()));
        ALL.put(
                "apply-updates",
                (graph, arguments) ->
                        made(Differentiate.run(graph, graph.output("loss"), new ApplyUpdates(spec(arguments)))
                                .graph()));
        ALL.put("stack-products", (graph, _) -> made(StackProducts.run(graph)));
        ALL.put("join-products", (graph, _) -> made(JoinProducts.run(graph)));
        ALL.put("concatenate-pads", (graph, _) -> made(ConcatenatePads.run(graph)));
        ALL.put(
                "build-step-graph",
                (graph, arguments) -> made(BuildStepGraph.run(
                                new SimplifiedGraph(graph),
                                Purpose.valueOf(arguments.get("purpose").toUpperCase(Locale.ROOT)),
                                spec(arguments))
                        .graph()));
        ALL.put("split-micro-batches", (graph, arguments) -> {
            Split split = SplitMicroBatches.run(
                    graph, arguments.get("symbol"), Integer.parseInt(arguments.get("micro_batches")), List.of());
            return new Said(PassTexts.sections(split.counted(), split.body(), Optional.of(split.effects())));
        });
        ALL.put("build-round-graphs", (graph, arguments) -> {
            RoundGraphs rounds = rounds(graph, arguments);
            return new Said(PassTexts.sections(rounds.counted(), rounds.body(), rounds.updates()));
        });
        ALL.put(
                "unroll-rounds",
                (graph, arguments) -> made(
                        UnrollRounds.run(rounds(graph, arguments), Integer.parseInt(arguments.get("micro_batches")))));
        ALL.put(
                "exchange-pieces",
                (graph, arguments) -> made(ExchangePieces.run(
                                new RoundGraphs(Optional.empty(), graph, Optional.empty()),
                                Integer.parseInt(arguments.get("ranks")),
                                Shares.of(Sharding.NONE))
                        .body()));
        ALL.put("add-draw-inputs", (graph, _) -> made(AddDrawInputs.run(graph)));
        ALL.put("split-updates", (graph, arguments) -> {
            SortedMap<String, Integer> slices = new TreeMap<>();
            arguments.forEach((state, count) -> slices.put(state, Integer.valueOf(count)));
            return made(SplitUpdates.run(graph, slices));
        });
        ALL.put("channels-last", (graph, _) -> made(ChannelsLast.run(graph, TARGET)));
        ALL.put("take-moments", (graph, _) -> made(TakeMoments.run(graph, TARGET)));
        ALL.put("sample-pixels", (graph, _) -> made(SamplePixels.run(graph)));
        ALL.put("normalize-again", (graph, _) -> made(NormalizeAgain.run(graph, TARGET)));
        ALL.put("keep-signs", (graph, _) -> made(KeepSigns.run(graph, TARGET)));
        ALL.put("materialize-views", (graph, _) -> made(MaterializeViews.run(graph, TARGET)));
        ALL.put(
                "place-results",
                (graph, _) -> made(PlaceResults.run(graph, TARGET).graph()));
        ALL.put("form-fusion-groups", (graph, _) -> {
            FusedGraph fused = FormFusionGroups.run(PlaceResults.run(graph, TARGET), TARGET);
            return new Said(PassTexts.units(graph, fused.groups()));
        });
        ALL.put("build-problem", (graph, _) -> new Said(PassTexts.problem(problem(graph))));
        ALL.put("resolve-pins", (graph, _) -> new Said(PassTexts.pins(problem(graph))));
        ALL.put("check-offloads", (graph, arguments) -> {
            Below disk = "none".equals(arguments.get("disk")) ? Below.NOTHING : new Below(DISK, Movable.AUTO);
            problem(graph).onTiers(disk, TARGET.transferAlignment());
            return ACCEPTED;
        });
        ALL.put(
                "insert-recompute",
                (graph, arguments) ->
                        made(PassTexts.withoutMarks(insert(graph, arguments).graph())));
        ALL.put(
                "mark-retained",
                (graph, arguments) ->
                        new Said(PassTexts.retained(insert(graph, arguments).graph())));
        ALL.put("merge-clones", (graph, _) -> made(MergeClones.run(graph)));
        ALL.put("form-kernels", (graph, arguments) -> {
            KernelGraph kernels = kernels(graph, arguments);
            return new Said(PassTexts.units(kernels.graph(), kernels.kernels()));
        });
        ALL.put("join-readers", (graph, arguments) -> {
            RematerializedGraph moved = moved(insert(graph, arguments), arguments);
            KernelGraph kernels = JoinReaders.run(kernels(graph, arguments), moved, new TestTarget(512, 1, true));
            return new Said(PassTexts.units(kernels.graph(), kernels.kernels()));
        });
        ALL.put("plan-arena", (graph, arguments) -> {
            KernelGraph kernels = kernels(graph, arguments);
            return new Said(PassTexts.memory(kernels, PlanArena.run(kernels, TARGET)));
        });
        ALL.put("move-buffers", (graph, arguments) -> {
            RematerializedGraph made = insert(graph, arguments);
            KernelGraph kernels = MoveBuffers.run(FormKernels.run(made, TARGET), made);
            return new Said(PassTexts.memory(kernels, PlanArena.run(kernels, TARGET)));
        });
        ALL.put("gather-small-kernels", (graph, arguments) -> {
            KernelGraph gathered = GatherSmallKernels.run(kernels(graph, arguments), new TestTarget(512, 3, false));
            return new Said(PassTexts.units(gathered.graph(), gathered.kernels()));
        });
        ALL.put("gather-kernels", (graph, arguments) -> {
            TestTarget several = new TestTarget(512, Integer.parseInt(arguments.getOrDefault("most", "4")), false);
            KernelGraph kernels = kernels(graph, arguments);
            Gathered gathered = GatherKernels.run(kernels, PlanArena.run(kernels, several), several);
            return new Said(PassTexts.memory(gathered.kernels(), gathered.memory()));
        });
    }

    private Passes() {}

    static Set<String> names() {
        return ALL.sequencedKeySet();
    }

    /** Runs a pass on a graph that keeps its promises and sees that what comes out keeps them, too. */
    static Product run(String pass, Graph graph, Map<String, String> arguments) {
        if (!ALL.containsKey(pass)) {
            throw new IllegalArgumentException("no pass is called " + pass);
        }
        GraphVerifier.verify(graph);
        Product product = ALL.get(pass).run(graph, arguments);
        if (product instanceof Made(Graph made)) {
            GraphVerifier.verify(made);
        }
        return product;
    }

    private static Product made(Graph graph) {
        return new Made(graph);
    }

    /**
     * Descent at the constant rate 0.1, or AdamW, as the arguments say; {@code losses=loss:a*,loss.other:b*} for what
     * each trains, {@code freeze} for what none does; {@code scale=dynamic} from 8, grown after three steps, or
     * a number.
     */
    private static RoundGraphs rounds(Graph graph, Map<String, String> arguments) {
        int count = Integer.parseInt(arguments.get("micro_batches"));
        MicroBatches cut = new MicroBatches(
                count, "B", count, Optional.empty(), List.of(), List.of(), new GraphBuilder(graph.name()).build());
        return BuildStepGraph.inRounds(
                new SimplifiedGraph(graph),
                cut,
                Purpose.valueOf(arguments.get("purpose").toUpperCase(Locale.ROOT)),
                spec(arguments),
                PassListener.NONE);
    }

    private static TrainingSpec spec(Map<String, String> arguments) {
        Optimizer optimizer = "adam".equals(arguments.get("optimizer"))
                ? TestModels.optimizer("adamw(weight_decay = 0.1)")
                : TestModels.optimizer("sgd(lr = 0.1, momentum = " + arguments.getOrDefault("momentum", "0.0") + ")");
        Optional<GradientClip> clip = Optional.ofNullable(arguments.get("clip"))
                .map(norm -> new GradientClip(Double.parseDouble(norm), Location.NONE));
        DType precision = DType.ofLabel(arguments.getOrDefault("precision", "f32"));
        UpdateRule rule = new UpdateRule(optimizer, new LearningRateSchedule.Constant(0.1));
        List<Objective> losses = Stream.of(
                        arguments.getOrDefault("losses", "loss:*").split(","))
                .map(objective -> objective.split(":"))
                .map(parts -> new Objective(parts[0], List.of(new ParameterPattern(parts[1])), List.of(), rule, clip))
                .toList();
        List<ParameterPattern> frozen = Stream.ofNullable(arguments.get("freeze"))
                .map(ParameterPattern::new)
                .toList();
        Optional<Average> average = Optional.ofNullable(arguments.get("average"))
                .map(decay -> new Average(Double.parseDouble(decay), false, List.of(ParameterPattern.ALL)));
        Optional<LossScaling> scaling = Optional.ofNullable(arguments.get("scale"))
                .map(text -> text.equals("dynamic")
                        ? new LossScaling.Dynamic(8, 2, 0.5, 3)
                        : new LossScaling.Static(Double.parseDouble(text)));
        String named = arguments.getOrDefault("sums", "by_micro_batch");
        Sums sums = Sums.valueOf(named.toUpperCase(Locale.ROOT));
        DType added = DType.ofLabel(arguments.getOrDefault("gradients", "f32"));
        return new TrainingSpec(losses, frozen, average, precision, scaling, 1, MicroBatchOrder.DEPTH, sums, added, 7);
    }

    private static PlanningProblem problem(Graph graph) {
        return BuildProblem.run(
                FormFusionGroups.run(PlaceResults.run(MaterializeViews.run(graph, TARGET), TARGET), TARGET),
                TARGET,
                new UnitCost());
    }

    /** Parameters and states of so many bytes at least live below the device. */
    private static PlanningProblem below(PlanningProblem planning, long smallest) {
        return GiveHomes.run(
                planning.onTiers(new Below(DISK, Movable.AUTO), TARGET.transferAlignment()),
                0,
                smallest,
                TARGET.transferAlignment());
    }

    /** Follows {@code sequence}, units by what they make, and proves that no meaning and no draw has changed. */
    private static RematerializedGraph insert(Graph graph, Map<String, String> arguments) {
        PlanningProblem planning = Optional.ofNullable(arguments.get("below"))
                .map(bytes -> below(problem(graph), Long.parseLong(bytes)))
                .orElseGet(() -> problem(graph));
        Graph source = planning.fused().graph();
        String sequence = arguments.get("sequence");
        int[] steps = sequence == null
                ? IntStream.range(planning.residents(), planning.problem().nodeCount())
                        .toArray()
                : Stream.of(sequence.split(" "))
                        .mapToInt(name -> step(planning, name))
                        .toArray();
        RematerializedGraph made = InsertRecompute.run(planning, new OperatorSequence("hand", steps, List.of()));
        GraphVerifier.verify(made.graph());
        SeedChain.of(made.graph()).verify(made.graph());
        if (!CanonicalHash.of(MergeClones.run(made.graph())).equals(CanonicalHash.of(source))) {
            throw new VerificationException("without clones it is another graph");
        }
        return made;
    }

    /** The same with a move in front of a step, if one is asked for. */
    private static RematerializedGraph moved(RematerializedGraph it, Map<String, String> arguments) {
        ValueId any = it.graph().inputs().getFirst().value();
        int step = Integer.parseInt(arguments.getOrDefault("move", "-1"));
        List<Move> moves = step < 0 ? List.of() : List.of(new Move.Await(step, any));
        return new RematerializedGraph(it.graph(), it.from(), it.steps(), moves, it.homes());
    }

    private static KernelGraph kernels(Graph graph, Map<String, String> arguments) {
        return FormKernels.run(insert(graph, arguments), TARGET);
    }

    /** A node by what it makes, or {@code store:}, {@code await:} or {@code fetch:} and a value. */
    private static int step(PlanningProblem planning, String text) {
        int colon = text.indexOf(':');
        String name = text.substring(colon + 1);
        return switch (text.substring(0, colon + 1)) {
            case "" -> node(planning, name);
            case "store:" -> new SequenceStep.Store(value(planning, name), 0).code();
            case "await:" -> new SequenceStep.Await(value(planning, name)).code();
            case "fetch:" -> new SequenceStep.Fetch(value(planning, name)).code();
            default -> throw new IllegalArgumentException(text + " is no step");
        };
    }

    private static int value(PlanningProblem planning, String name) {
        Graph graph = planning.fused().graph();
        return IntStream.range(0, planning.values().size())
                .filter(v -> graph.value(planning.values().get(v)).name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The node of the problem whose unit makes the value of that name. */
    private static int node(PlanningProblem planning, String name) {
        Graph graph = planning.fused().graph();
        for (int n = planning.residents(); n < planning.problem().nodeCount(); n++) {
            List<ValueId> made = graph.node(planning.group(n).root()).results();
            if (made.stream().anyMatch(id -> graph.value(id).name().equals(name))) {
                return n;
            }
        }
        throw new IllegalArgumentException("no group makes " + name);
    }
}
