package dev.remat.compiler;

import dev.remat.compiler.BuildProblems.SectionProblems;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.chunk.CutChunks;
import dev.remat.compiler.chunk.CutChunks.Cut;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.fusion.SeedChain;
import dev.remat.compiler.kernel.FormKernels;
import dev.remat.compiler.kernel.GatherSmallKernels;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.kernel.MoveBuffers;
import dev.remat.compiler.known.PlanStore;
import dev.remat.compiler.memory.ArenaChecker;
import dev.remat.compiler.memory.ExchangeChecker;
import dev.remat.compiler.memory.FoundLayouts;
import dev.remat.compiler.memory.JoinReaders;
import dev.remat.compiler.memory.LaneChecker;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.ranks.LinkCosts;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.remat.GiveHomes;
import dev.remat.compiler.remat.InsertRecompute;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.remat.WaitInTurn;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.BudgetSearch;
import dev.remat.compiler.search.Choice;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.compiler.search.PlaceBudgetException;
import dev.remat.compiler.search.Request;
import dev.remat.compiler.search.Subject;
import dev.remat.compiler.section.BuildSectionGraphs;
import dev.remat.compiler.section.OrderSection;
import dev.remat.compiler.section.PreparedSection;
import dev.remat.compiler.section.PreparedSection.Way;
import dev.remat.compiler.section.SectionGraphs;
import dev.remat.compiler.simplify.SimplifiedGraph;
import dev.remat.compiler.simplify.SimplifyForward;
import dev.remat.compiler.solve.AnswerWriter;
import dev.remat.compiler.solve.ProblemWriter;
import dev.remat.compiler.solve.SolveAnswer;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.compiler.training.AddDrawInputs;
import dev.remat.compiler.training.Purpose;
import dev.remat.compiler.training.StepGraph;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphVerifier;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.Link;
import dev.remat.ir.target.TargetModel;
import dev.remat.ir.text.GraphPrinter;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Model to execution plan. {@link #prepare}, {@link #realize} and {@link #compile} list the stages in order: what does
 * not depend on a plan, what a proposed sequence becomes, and the search between the two with what follows from it.
 */
public final class Compiler {
    private final TargetModel target;
    private final CostModel costs;
    private final SearchListener listener;
    private final PassListener passes;
    private final PlanStore plans;

    public Compiler(TargetModel target, CostModel costs) {
        this(target, costs, SearchListener.NONE);
    }

    /** @param listener follows the search for a plan */
    public Compiler(TargetModel target, CostModel costs, SearchListener listener) {
        this(target, costs, listener, PassListener.NONE);
    }

    /**
     * @param listener follows the search for a plan
     * @param passes follows a step until it is planned
     */
    public Compiler(TargetModel target, CostModel costs, SearchListener listener, PassListener passes) {
        this(target, costs, listener, passes, PlanStore.NONE);
    }

    private Compiler(
            TargetModel target, CostModel costs, SearchListener listener, PassListener passes, PlanStore plans) {
        this.target = target;
        this.costs = costs;
        this.listener = listener;
        this.passes = passes;
        this.plans = plans;
    }

    /** The same that plans as it did before where {@code store} knows how; the plans are the same. */
    public Compiler keeping(PlanStore store) {
        return new Compiler(target, costs, listener, passes, store);
    }

    /** The same that is charged for what is gathered again what a link takes for it, if that is known. */
    public Compiler over(Optional<Link> link) {
        return new Compiler(target, LinkCosts.over(costs, link), listener, passes, plans);
    }

    /** Whether searches are to end. */
    public boolean expired() {
        return listener.expired();
    }

    /**
     * @throws dev.remat.ir.diagnostic.ModelException if a pin is without effect
     * @throws BudgetException if no plan fits the budget
     */
    public Compilation compile(ElaboratedModel model, CompileOptions options) {
        return compile(prepare(model, options));
    }

    /** The same of a step that is prepared as its options say. */
    public Compilation compile(PreparedStep step) {
        return compile(
                step, new Request(step.options().strategy(), step.options().budget(), true));
    }

    /**
     * The same of a step that is to be planned otherwise than its options say.
     *
     * @throws BudgetException if no plan fits the budget
     */
    public Compilation compile(PreparedStep step, Request request) {
        return new PlanOnce(this, target, plans).run(step, request);
    }

    /** The plan of a step that recomputes nothing but what pins ask for. */
    RealizedPlan keepAll(PreparedStep step) {
        Proposal proposal = subject(step).propose(new KeepAll(), PlannerOptions.none());
        return listener.rehearse(() -> realize(step, proposal));
    }

    /**
     * Everything up to the question of what to recompute.
     *
     * @throws IllegalArgumentException if a symbol of the model is not bound
     * @throws dev.remat.ir.diagnostic.ModelException if a pin is without effect
     */
    public PreparedStep prepare(ElaboratedModel model, CompileOptions options) {
        StageRunner stages = new StageRunner(options.dumpDir());
        if (!ChooseChunks.isAsked(model, options)) {
            boolean asWritten = options.chunks().equals(Chunks.AUTO);
            return prepare(model, asWritten ? options.with(Chunks.AS_WRITTEN) : options, stages);
        }
        if (passes.equals(PassListener.NONE) && options.below().isNothing()) {
            SectionGraphs sections = sections(model, options, stages);
            // Most steps have no loss to cut, and are as good as prepared by now.
            if (!ChooseChunks.mayCut(sections.body().graph(), target)) {
                return prepare(model, options.with(Chunks.AS_WRITTEN), stages, sections, homesFor(options));
            }
        }
        Compiler unheard = new Compiler(target, costs, listener, PassListener.NONE, plans);
        CompileOptions chosen = new ChooseChunks(unheard, listener).run(model, options);
        return prepare(model, chosen, new StageRunner(options.dumpDir()));
    }

    private PreparedStep prepare(ElaboratedModel model, CompileOptions options, StageRunner stages) {
        return prepare(model, options, stages, sections(model, options, stages), homesFor(options));
    }

    private BiFunction<PlanningProblem, List<PlanningProblem>, PlanningProblem> homesFor(CompileOptions options) {
        long alignment = target.transferAlignment();
        return (body, beside) -> {
            PlanningProblem moving = body.onTiers(options.below(), alignment);
            return GiveHomes.asAsked(moving, beside, options.below(), options.budgetBytes(), alignment);
        };
    }

    /**
     * The same of an evaluation whose parameters live where a training step has them.
     *
     * @param step that training step; losses are cut as there
     */
    public PreparedStep prepareBeside(ElaboratedModel evaluation, PreparedStep step) {
        PlanningProblem trained = step.planning();
        CompileOptions options = CompileOptions.defaults().with(step.options().chunks());
        StageRunner stages = new StageRunner(Optional.empty());
        return prepare(
                evaluation,
                options,
                stages,
                sections(evaluation, options, stages),
                (body, _) -> GiveHomes.beside(
                        body, GiveHomes.of(trained), trained.problem().tiers(), target.transferAlignment()));
    }

    /** Everything up to the question of how losses are cut. */
    private SectionGraphs sections(ElaboratedModel model, CompileOptions options, StageRunner stages) {
        boolean trains = model.purpose() != Purpose.EVALUATE;

        stages.dump("elaborated", () -> GraphPrinter.print(model.forward()));
        passes.ran("elaborate", model.forward());
        SimplifiedGraph forward = stages.run(
                "simplify",
                () -> SimplifyForward.run(model.forward(), trains, passes),
                made -> GraphVerifier.verify(made.graph()));
        stages.dump("forward", () -> GraphPrinter.print(forward.graph()));
        SectionGraphs sections = stages.run(
                "autodiff",
                () -> BuildSectionGraphs.run(model, forward, passes, this::fed, options.ranks(), options.shares()),
                made -> made.all().forEach(GraphVerifier::verify));
        stages.dump("training", () -> GraphPrinter.print(sections.body().graph()));
        return sections;
    }

    /** @param giveHomes to what the section that is planned is given, beside the others */
    private PreparedStep prepare(
            ElaboratedModel model,
            CompileOptions options,
            StageRunner stages,
            SectionGraphs sections,
            BiFunction<PlanningProblem, List<PlanningProblem>, PlanningProblem> giveHomes) {
        Cut cut = stages.run(
                "chunks",
                () -> CutChunks.run(sections.body().graph(), options.chunks(), target),
                made -> GraphVerifier.verify(made.graph()));
        if (!cut.losses().isEmpty()) {
            passes.ran("cut-chunks", cut.graph());
            stages.dump("chunks", () -> GraphPrinter.print(cut.graph()));
        }
        SectionProblems problems = new BuildProblems(target, costs, giveHomes, passes, stages)
                .run(sections.withBody(new StepGraph(cut.graph())));
        return new PreparedStep(
                model,
                options,
                problems.body(),
                sections.microBatches(),
                ordered(problems.before(), sections.microBatches(), stages),
                ordered(problems.after(), 1, stages),
                cut.losses(),
                stages);
    }

    private Graph fed(Graph graph) {
        return target.readsDrawInputs() ? passes.after("add-draw-inputs", AddDrawInputs.run(graph)) : graph;
    }

    /** Sections in their given order. */
    private List<PreparedSection> ordered(List<PlanningProblem> sections, int rounds, StageRunner stages) {
        return sections.stream()
                .map(section -> {
                    List<Way> ways = OrderSection.run(section.problem()).stream()
                            .map(given -> way(section, given, stages))
                            .toList();
                    return new PreparedSection(section, ways, rounds);
                })
                .toList();
    }

    private Way way(PlanningProblem planning, OperatorSequence sequence, StageRunner stages) {
        RematerializedGraph inserted = stages.run("insert", () -> InsertRecompute.run(planning, sequence), made -> {
            GraphVerifier.verify(made.graph());
            SeedChain.of(made.graph()).verify(made.graph());
        });
        KernelGraph kernels = stages.run("kernels", () -> {
            KernelGraph formed = GatherSmallKernels.run(FormKernels.run(inserted, target), target);
            // Where tensors move, steps take exactly as long as the timeline says.
            boolean moves = !inserted.moves().isEmpty() || !inserted.homes().isEmpty();
            return MoveBuffers.run(JoinReaders.run(formed, inserted, moves ? target.apart() : target), inserted);
        });
        return new Way(sequence, inserted, kernels);
    }

    /** What a sequence of the step's nodes becomes: clones and seed resets, kernels, offsets in an arena. */
    public RealizedPlan realize(PreparedStep step, Proposal proposal) {
        return realize(step, proposal, FoundLayouts.within(step.options().budgetBytes()));
    }

    /** The same with layouts that were found for it before. */
    RealizedPlan realize(PreparedStep step, Proposal proposal, FoundLayouts layouts) {
        OperatorSequence inTurn = WaitInTurn.run(step.planning(), proposal.sequence());
        Proposal asked = inTurn.equals(proposal.sequence())
                ? proposal
                : Proposal.of(step.planning().problem(), inTurn);
        Way way = way(step.planning(), inTurn, step.stages());
        return PlaceStep.alone(step, target, layouts).run(asked, way);
    }

    /**
     * Takes one of the step's plans and places its kernels. Where none fits, it may be one of the same step with state
     * below.
     *
     * @param choose asks the search for one
     * @throws PlaceBudgetException if it takes more of a place below the arena than there is
     */
    public Compilation compile(
            PreparedStep prepared, Function<BudgetSearch<RealizedPlan>, Choice<RealizedPlan>> choose) {
        StageRunner stages = prepared.stages();
        Choice<RealizedPlan> choice = stages.run("plan", () -> choose.apply(search(prepared)));
        RealizedPlan chosen = choice.plan();
        PreparedStep step = chosen.step();
        stages.dump("problem", () -> ProblemWriter.write(step.planning().problem()));
        stages.dump(
                "answer",
                () -> AnswerWriter.write(
                        step.planning().problem(),
                        SolveAnswer.of(step.planning().problem().name(), choice)));
        stages.dump("sequence", () -> Dumps.sequence(step.planning(), chosen));
        stages.dump(
                "rematerialized",
                () -> GraphPrinter.print(chosen.rematerialized().graph()));
        stages.dump("kernels", () -> Dumps.kernels(chosen.kernels()));
        stages.dump("memory", () -> Dumps.memory(chosen.kernels(), chosen.memory()));

        ElaboratedModel model = step.model();
        List<Tier> tiers = step.planning().problem().tiers();
        ExecutionPlan plan = stages.run(
                "execution",
                () -> BuildExecutionPlan.run(
                        chosen.whole(), model.hash(), target, model.training().seed(), tiers));
        checkPlaces(plan, tiers);
        stages.run("check", () -> plan, made -> {
            ArenaChecker.check(made, target.alignment());
            LaneChecker.check(made);
            ExchangeChecker.check(made);
        });
        return new Compilation(step, target, costs, choice, plan, stages.seconds());
    }

    /** Copies may lie less densely than they are counted when they are planned. */
    private static void checkPlaces(ExecutionPlan plan, List<Tier> tiers) {
        List<PlaceSize> places = plan.transfers().places();
        for (int k = 0; k < places.size(); k++) {
            if (places.get(k).bytes() > tiers.get(k).bytes()) {
                throw new PlaceBudgetException(
                        tiers.get(k).name(), tiers.get(k).bytes(), places.get(k).bytes());
            }
        }
    }

    /** A search among the step's plans, which are measured by their arenas. */
    public BudgetSearch<RealizedPlan> search(PreparedStep step) {
        return new BudgetSearch<>(subject(step), step.options().effort(), listener);
    }

    /** With state below, which the compiler leaves in the arena as long as it can; empty where it may not move it. */
    Optional<PreparedStep> withStateBelow(PreparedStep step, long budgetBytes) {
        CompileOptions options = step.options();
        Below all = new Below(options.below().tiers(), Movable.ALL);
        return options.below().movable() == Movable.AUTO
                ? Optional.of(
                        prepare(step.model(), options.withBudget(budgetBytes).with(all), step.stages()))
                : Optional.empty();
    }

    /** The step as something to plan. */
    public Subject<RealizedPlan> subject(PreparedStep step) {
        return new Subject<>() {
            @Override
            public RematProblem problem() {
                return step.planning().problem();
            }

            @Override
            public MemoryFloor floor() {
                return step.floor();
            }

            @Override
            public Optional<RematProblem> still() {
                return step.options().below().movable() == Movable.AUTO
                        ? step.planning().still()
                        : Optional.empty();
            }

            @Override
            public Optional<Subject<RealizedPlan>> whereNoneFits(long budgetBytes) {
                return withStateBelow(step, budgetBytes).map(Compiler.this::subject);
            }

            @Override
            public long cost(long planned) {
                return step.cost(planned);
            }

            @Override
            public RealizedPlan measure(Proposal proposal) {
                return realize(step, proposal);
            }
        };
    }
}
