package dev.remat.cli.command;

import dev.remat.cli.chunk.ChunksOption;
import dev.remat.cli.chunk.UncutNote;
import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.console.ModelTitle;
import dev.remat.cli.console.Progress;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.console.StopWatch;
import dev.remat.cli.option.BudgetConverter;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.SearchOptions;
import dev.remat.cli.option.StrategyConverter;
import dev.remat.cli.option.tier.RateOptions;
import dev.remat.cli.page.HtmlPage;
import dev.remat.cli.page.PageLibrary;
import dev.remat.cli.ranks.LinkOption;
import dev.remat.cli.ranks.MachineOptions;
import dev.remat.cli.ranks.MachineReport;
import dev.remat.cli.ranks.RankLists;
import dev.remat.cli.ranks.RankSweepReport;
import dev.remat.cli.report.SweepJson;
import dev.remat.cli.report.SweepText;
import dev.remat.cli.report.SweepTitle;
import dev.remat.cli.report.rate.RateSweepJson;
import dev.remat.cli.report.rate.RateSweepText;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.GraphSubject;
import dev.remat.compiler.solve.CrowdedTiers;
import dev.remat.compiler.solve.ProblemReader;
import dev.remat.compiler.sweep.MachineSweep;
import dev.remat.compiler.sweep.MachineSweep.Way;
import dev.remat.compiler.sweep.PlanWay;
import dev.remat.compiler.sweep.RankSweep;
import dev.remat.compiler.sweep.RateSweep;
import dev.remat.compiler.sweep.Sweep;
import dev.remat.compiler.sweep.SweepBudgets;
import dev.remat.compiler.sweep.SweepChunks;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.SourceFiles;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.Link;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat sweep}. */
@Command(
        name = "sweep",
        description = "Show memory against recomputation over budgets and strategies, for a model, or for a graph from"
                + " elsewhere if the file's name ends in .json.",
        footer = {
            "",
            "Examples:",
            "  remat sweep samples/gpt.model --set B=8,T=64",
            "  remat sweep samples/resnet.model --set B=32 --budgets 80%%,60%%,2GiB --strategies auto,sqrt --json",
            "  remat sweep samples/unet.model --set B=8 --html unet-sweep.html",
            "  remat sweep samples/unet.model --set B=8 --disk /data --disk-rates 1GB/s:1GB/s:80us",
            "  remat sweep samples/unet.model --set B=8 --disk /data --rates 200MB/s,400MB/s,800MB/s --budgets"
                    + " 70%%,50%%",
            "  remat sweep samples/gpt.model --set B=16,T=256,vocab=8000 --chunks auto",
            "  remat sweep samples/gpt.model --set B=64,T=64 --ranks 1,2,4,8 --link 10Gbit:20us",
            "  remat sweep samples/gpt.model --set B=64,T=64 --machines 16 --budgets 24GiB --link 10Gbit:20us",
            "  remat sweep unet.json --strategies auto,hierarchy,min-cut"
        })
final class SweepCommand extends ModelCommand {
    private static final Set<String> OF_MODELS = Set.of(
            "--target",
            "--costs",
            "--precision",
            "--chunks",
            "--micro-batches",
            "--micro-batch-order",
            "--batch-norm",
            "--disk",
            "--disk-budget",
            "--disk-rates",
            "--host-budget",
            "--host-rates",
            "--offload",
            "--rates",
            "--ranks",
            "--machines",
            "--stages",
            "--schedule",
            "--link",
            "--shard");

    @Option(
            names = "--budgets",
            split = ",",
            paramLabel = "SIZE",
            converter = BudgetConverter.class,
            description = "Budgets to plan for: sizes, devices, or percentages of what keeping all takes. Default:"
                    + " 90%%, 80%% and so on, down to the floor.")
    private List<Budget> budgets = List.of();

    @Option(
            names = "--strategies",
            split = ",",
            paramLabel = "NAME",
            converter = StrategyConverter.class,
            description = "Strategies to compare. Default: auto and every single one.")
    private List<Planner> strategies = List.of();

    @Option(
            names = "--bounds",
            description = "Prove as well what every plan within each budget must recompute; takes longer.")
    private boolean bounds;

    @Option(names = "--html", paramLabel = "FILE", description = "Draw the frontier on a page, with --bounds.")
    private Path html;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private ChunksOption chunks;

    @Mixin
    private SearchOptions search;

    @Mixin
    private RateOptions rates;

    @Mixin
    private RankLists ranks;

    @Mixin
    private MachineOptions machines;

    @Mixin
    private LinkOption link;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        ResultFile.check(html, model().file());
        if (model().file().toString().endsWith(".json")) {
            RematProblem problem = search.rehearse(this::problem);
            List<Planner> planners = planners(!problem.tiers().isEmpty());
            report(
                    SweepTitle.of(problem),
                    options -> SweepBudgets.run(
                            new GraphSubject(problem), planners, budgets, options, bounds || html != null));
        } else if (machines.isAsked()) {
            sweepMachines();
        } else {
            ModelSession cut = batches.cutAsGiven(ranks.cut(model().session(), batches, console()));
            Optional<Link> joined = link.of(ranks.numbers().getLast(), search.measuredLink());
            Compiler compiler = new Compiler(search.target(), search.costModel());
            if (ranks.isAsked()) {
                sweepRanks(cut, joined);
                return ExitCode.OK.number();
            }
            if (rates.isAsked()) {
                sweepRates(compiler, cut);
                return ExitCode.OK.number();
            }
            CompileOptions options =
                    CompileOptions.defaults().with(search.below(console())).with(chunks.chunks());
            ElaboratedModel elaborated = batches.step(cut, Purpose.TRAIN);
            PreparedStep step = compiler.prepare(elaborated, options);
            DiagnosticText.print(cut.source().warnings(), console());
            UncutNote.of(step).ifPresent(console()::note);
            List<Planner> planners = planners(!options.below().isNothing());
            report(
                    SweepTitle.of(step, search),
                    asked -> SweepChunks.run(
                            compiler, elaborated, options, planners, budgets, asked, bounds || html != null));
        }
        return ExitCode.OK.number();
    }

    private void sweepRates(Compiler compiler, ModelSession cut) throws IOException {
        if (bounds) {
            throw misuse("--bounds are proven for one rate, not with --rates");
        }
        List<Below> links = search.below(rates, console());
        ElaboratedModel elaborated = batches.step(cut, Purpose.TRAIN);
        DiagnosticText.print(cut.source().warnings(), console());
        List<Planner> planners = strategies.isEmpty() ? List.of(Strategies.auto()) : planners(true);
        RateSweep sweep;
        StopWatch watch = new StopWatch();
        try (Progress progress = new Progress(console())) {
            PlannerOptions options = PlannerOptions.none().with(search.effort()).telling(search.followedOn(progress));
            sweep = RateSweep.run(
                    below -> compiler.subject(
                            compiler.prepare(elaborated, ofOneGraph().with(below))),
                    links,
                    planners,
                    budgets,
                    options);
        }
        watch.lap("total");
        PreparedStep step = compiler.prepare(elaborated, ofOneGraph().with(links.getFirst()));
        SweepTitle title = SweepTitle.of(step, search);
        RateSweepJson json = new RateSweepJson(title, sweep, watch.seconds().get("total"));
        if (html != null) {
            HtmlPage page =
                    new HtmlPage("Link rates for " + title.text(), "rates.js", List.of(PageLibrary.D3), json::writeTo);
            AtomicFile.write(html, page.bytes());
        }
        output.print(console(), json::writeTo, new RateSweepText(title, sweep)::print);
    }

    /** Rates are compared by the same chunks, so that their number is not chosen anew for each budget. */
    private CompileOptions ofOneGraph() {
        Chunks asked = chunks.chunks();
        return CompileOptions.defaults().with(asked.equals(Chunks.AUTO) ? Chunks.AS_WRITTEN : asked);
    }

    private void sweepMachines() throws IOException {
        demandOnePlan("--machines and --stages make one plan a way and budget");
        machines.refuse("--disk or --host-budget", search.isBelowAsked());
        machines.refuse("--chunks N", chunks.demandsNumber());
        Optional<Link> joined = link.of(machines.most(ranks), search.measuredLink());
        ModelSession session = batches.cutAsGiven(model().session());
        ElaboratedModel asked = batches.step(session, Purpose.TRAIN);
        DiagnosticText.print(session.source().warnings(), console());
        String symbol = session.source()
                .batchSymbol()
                .orElseThrow(() -> misuse(
                        "the shapes of the inputs do not begin with one symbol, whose rows machines would share"));
        int given = asked.training().microBatches();
        List<Way> ways =
                machines.ways(ranks, given > 1 ? given : 0, asked.extents().get(symbol));
        CompileOptions each =
                CompileOptions.defaults().with(search.effort()).with(ranks.sharding(machines.most(ranks)));
        CompileOptions options = strategies.isEmpty() ? each : each.with(strategies.getFirst());
        SortedMap<Integer, ElaboratedModel> models = new TreeMap<>();
        ways.forEach(way -> models.computeIfAbsent(
                way.microBatches(), count -> batches.step(session.cutInto(count), Purpose.TRAIN)));
        List<MachineReport> reports = new ArrayList<>();
        try (Progress progress = new Progress(console())) {
            SearchListener listener = search.followedOn(progress);
            Compiler compiler = new Compiler(search.target(), search.costModel(), listener);
            CompileStages stages = new CompileStages(compiler, search.target(), search.costModel());
            for (Optional<Budget> budget : budgets.isEmpty()
                    ? List.of(Optional.<Budget>empty())
                    : budgets.stream().map(Optional::of).toList()) {
                CompileOptions within = budget.map(options::with).orElse(options);
                MachineSweep sweep = MachineSweep.run(
                        new PlanWay(compiler, stages, within, joined, listener), models, ways, listener);
                reports.add(new MachineReport(budget, sweep, search.costModel().isTime()));
            }
        }
        if (output.json()) {
            Json.print(console(), out -> {
                out.writeStringField("schema", "remat-machines/1");
                out.writeStringField("model", asked.name());
                Json.writeSymbols(out, asked.extents(), given);
                out.writeStringField("target", search.target().name());
                JsonFields.objects(out, "budgets", reports, report -> report.writeTo(out));
            });
        } else {
            console()
                    .out()
                    .println(ModelTitle.of(asked) + " on " + search.target().name());
            reports.forEach(report -> report.print(console().out()));
        }
    }

    /** @param why no more than one may be asked for */
    private void demandOnePlan(String why) {
        if (bounds || html != null || rates.isAsked() || strategies.size() > 1) {
            throw misuse(why + "; --bounds, --html, --rates and several --strategies are about budgets of one rank");
        }
    }

    private void sweepRanks(ModelSession cut, Optional<Link> joined) throws IOException {
        demandOnePlan("--ranks makes one plan a number and budget");
        ElaboratedModel elaborated = batches.step(cut, Purpose.TRAIN);
        DiagnosticText.print(cut.source().warnings(), console());
        CompileOptions asked = CompileOptions.defaults()
                .with(search.effort())
                .with(search.below(console()))
                .with(ranks.sharding())
                .with(chunks.chunks());
        CompileOptions options = strategies.isEmpty() ? asked : asked.with(strategies.getFirst());
        RankSweep sweep;
        StopWatch watch = new StopWatch();
        try (Progress progress = new Progress(console())) {
            SearchListener listener = search.followedOn(progress);
            Compiler compiler = new Compiler(search.target(), search.costModel(), listener);
            sweep = RankSweep.run(compiler, elaborated, options, ranks.numbers(), budgets, joined, listener);
        }
        watch.lap("total");
        RankSweepReport report = new RankSweepReport(elaborated, search, sweep, joined);
        double seconds = watch.seconds().get("total");
        output.print(console(), out -> report.writeTo(out, seconds), report::print);
    }

    /** @param moving whether plans may move values */
    private List<Planner> planners(boolean moving) {
        if (strategies.isEmpty()) {
            return Stream.of(
                            List.of(Strategies.auto()),
                            Strategies.all(),
                            moving ? Strategies.moving() : List.<Planner>of())
                    .flatMap(List::stream)
                    .toList();
        }
        SequencedMap<String, Planner> byName = new LinkedHashMap<>();
        strategies.forEach(planner -> byName.putIfAbsent(planner.name(), planner));
        return List.copyOf(byName.values());
    }

    private RematProblem problem() {
        List<String> idle = new ArrayList<>();
        if (!model().session().settings().byName().isEmpty()) {
            idle.add("--set");
        }
        spec().options().stream()
                .map(CommandLine.Model.OptionSpec::longestName)
                .filter(OF_MODELS::contains)
                .filter(spec().commandLine().getParseResult()::hasMatchedOption)
                .forEach(idle::add);
        if (!idle.isEmpty()) {
            throw misuse(String.join(", ", idle) + (idle.size() == 1 ? " says" : " say")
                    + " nothing about a graph from elsewhere");
        }
        RematProblem problem = ProblemReader.read(SourceFiles.read(model().file(), SolveCommand.LARGEST));
        CrowdedTiers.find(problem).ifPresent(why -> {
            throw misuse(why);
        });
        return problem;
    }

    private void report(SweepTitle title, Function<PlannerOptions, Sweep> sweeping) throws IOException {
        Sweep sweep;
        StopWatch watch = new StopWatch();
        try (Progress progress = new Progress(console())) {
            PlannerOptions options = PlannerOptions.none().with(search.effort()).telling(search.followedOn(progress));
            sweep = sweeping.apply(options);
        }
        watch.lap("total");
        SweepJson json = new SweepJson(title, sweep, watch.seconds().get("total"));
        if (html != null) {
            HtmlPage page =
                    new HtmlPage("Sweep of " + title.text(), "sweep.js", List.of(PageLibrary.D3), json::writeTo);
            AtomicFile.write(html, page.bytes());
        }
        output.print(console(), json::writeTo, out -> new SweepText(title, sweep, out).print());
    }
}
