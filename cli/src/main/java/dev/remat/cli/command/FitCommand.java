package dev.remat.cli.command;

import dev.remat.cli.chunk.ChunksOption;
import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.console.Progress;
import dev.remat.cli.console.StopWatch;
import dev.remat.cli.option.BudgetConverter;
import dev.remat.cli.option.CountingNumber;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.SearchOptions;
import dev.remat.cli.ranks.LinkOption;
import dev.remat.cli.ranks.MachineFitReport;
import dev.remat.cli.ranks.MachineOptions;
import dev.remat.cli.ranks.RankLists;
import dev.remat.cli.ranks.RankReport;
import dev.remat.cli.ranks.RankTable;
import dev.remat.cli.report.FitJson;
import dev.remat.cli.report.FitText;
import dev.remat.cli.report.RateTable;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.fit.FitMachines;
import dev.remat.compiler.fit.FitMicroBatches;
import dev.remat.compiler.fit.FitRanks;
import dev.remat.compiler.fit.FitRanks.OfRanks;
import dev.remat.compiler.fit.SymbolFit;
import dev.remat.compiler.model.ModelByExtent;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.sweep.MachineSweep.Way;
import dev.remat.compiler.sweep.PlanWay;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.target.Link;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat fit}. */
@Command(
        name = "fit",
        description = "Find the largest extent of a symbol, such as the batch, whose training step fits a memory, and"
                + " say what keeps it from being larger.",
        footer = {
            "",
            "Examples:",
            "  remat fit samples/gpt.model --set T=128 --budget 80GiB --target sm_90a",
            "  remat fit samples/gpt.model --set B=8 --budget 80GiB --symbol T --target sm_90a",
            "  remat fit samples/gpt.model --set T=128 --budget 1GiB --micro-batches auto",
            "  remat fit samples/gpt.model --set T=128 --budget 1GiB --disk /data",
            "  remat fit samples/gpt.model --set T=128 --budget 1GiB --ranks 2,4,8 --link 10Gbit:20us",
            "  remat fit samples/gpt.model --set T=128 --budget 1GiB --machines 16 --link 10Gbit:20us",
            "  remat fit samples/unet.model --budget a100-40gb --target sm_80 --json"
        })
final class FitCommand extends ModelCommand {
    private static final String LARGEST = "1048576";

    @Option(
            names = "--budget",
            required = true,
            paramLabel = "SIZE",
            converter = BudgetConverter.OfBytes.class,
            description = "Bytes that the arena may take, such as 80GiB, or a device such as h100, whose usable memory"
                    + " is meant.")
    private Long budget;

    @Option(
            names = "--symbol",
            paramLabel = "NAME",
            description =
                    "The symbol to find an extent for. Without it the batch, the symbol with which the shapes of all"
                            + " inputs begin.")
    private String asked;

    @Option(
            names = "--max",
            paramLabel = "N",
            converter = CountingNumber.OfLong.class,
            defaultValue = LARGEST,
            description = "Largest extent to consider. Default: " + LARGEST + ".")
    private long most;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private RankLists ranks;

    @Mixin
    private MachineOptions machines;

    @Mixin
    private LinkOption link;

    @Mixin
    private ChunksOption chunks;

    @Mixin
    private SearchOptions search;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        StopWatch watch = new StopWatch();
        if (machines.isAsked()) {
            fitMachines(watch);
            return ExitCode.OK.number();
        }
        boolean auto = batches.isAuto();
        Optional<Link> joined = link.of(ranks.numbers().getLast(), search.measuredLink());
        ModelSession session = batches.cut(ranks.cut(model().session(), batches, console()));
        String symbol = symbol(session);
        ModelByExtent models = (auto ? session.cutInto(1) : session).byExtent(symbol);
        DiagnosticText.print(session.source().warnings(), console());
        Optional<RateTable> rates = auto ? Optional.of(rates(symbol, session)) : Optional.empty();
        List<OfRanks> byRanks = rates.isEmpty() ? fits(models) : List.of();
        RankTable table = new RankTable(
                symbol,
                byRanks.stream()
                        .map(each -> new RankTable.Row(
                                each.ranks(),
                                String.valueOf(each.fit().extent()),
                                Optional.of(PlanAccount.of(each.fit().plan(), joined))))
                        .toList());
        SymbolFit fit = rates.map(each -> FitMicroBatches.fastest(each.rates()).fit())
                .orElseGet(
                        () -> byRanks.get(table.rows().indexOf(table.fastest())).fit());
        watch.lap("total");
        PlanAccount account = PlanAccount.of(fit.plan(), joined);
        RankReport report = new RankReport(account);
        double seconds = watch.seconds().get("total");
        if (output.json()) {
            Json.print(console(), out -> {
                new FitJson(symbol, budget, fit, rates, account, seconds).writeTo(out);
                report.writeTo(out);
                if (ranks.isAsked()) {
                    table.writeTo(out, "byRanks");
                }
            });
        } else {
            rates.ifPresent(each -> each.print(console().out()));
            if (byRanks.size() > 1) {
                console().out().println("The largest " + symbol + " by the number of ranks");
                table.print(console().out());
                console().out().println();
            }
            new FitText(symbol, budget, fit, account, console().out()).print();
            report.print(console().out());
        }
        return ExitCode.OK.number();
    }

    /** The largest batch by each way in which machines may share it. */
    private void fitMachines(StopWatch watch) throws IOException {
        machines.refuse("--disk or --host-budget", search.isBelowAsked());
        machines.refuse("--chunks N", chunks.demandsNumber());
        ModelSession session = batches.cutAsGiven(model().session());
        String symbol = symbol(session);
        if (!session.source().batchSymbol().equals(Optional.of(symbol))) {
            throw misuse("--machines and --stages share the rows of a batch, which " + symbol + " does not count");
        }
        ElaboratedModel open = session.open(Purpose.TRAIN);
        DiagnosticText.print(session.source().warnings(), console());
        int given = open.training().microBatches();
        List<Way> ways = machines.ways(ranks, given > 1 ? given : 0, 0);
        SortedMap<Integer, ModelByExtent> models = new TreeMap<>();
        ways.forEach(way -> models.computeIfAbsent(
                way.microBatches(), count -> session.cutInto(count).byExtent(symbol)));
        CompileOptions options = CompileOptions.defaults()
                .with(search.effort())
                .with(ranks.sharding(machines.most(ranks)))
                .withBudget(budget);
        Optional<Link> joined = link.of(machines.most(ranks), search.measuredLink());
        List<FitMachines.Row> rows;
        try (Progress progress = new Progress(console())) {
            SearchListener listener = search.followedOn(progress);
            Compiler compiler = new Compiler(search.target(), search.costModel(), listener);
            CompileStages stages = new CompileStages(compiler, search.target(), search.costModel());
            PlanWay plan = new PlanWay(compiler, stages, options, joined, listener);
            rows = FitMachines.run(plan, models, ways, most, budget, listener);
        } catch (BudgetException e) {
            console().note("not even one row in each micro-batch fits");
            throw e;
        }
        watch.lap("total");
        MachineFitReport report =
                new MachineFitReport(symbol, budget, rows, search.costModel().isTime());
        if (output.json()) {
            double seconds = watch.seconds().get("total");
            Json.print(console(), out -> {
                out.writeStringField("schema", "remat-fit-machines/1");
                out.writeStringField("model", open.name());
                Json.writeSymbols(out, open.extents(), given);
                out.writeStringField("target", search.target().name());
                report.writeTo(out);
                out.writeNumberField("seconds", seconds);
            });
        } else {
            console()
                    .out()
                    .println("The largest " + symbol + " of " + open.name() + " on "
                            + search.target().name() + " by each way to share it");
            report.print(console().out());
        }
    }

    /** What is looked for: nothing else says how large it is. */
    private String symbol(ModelSession session) {
        List<String> symbols = session.open(Purpose.TRAIN).symbols();
        String all = symbols.isEmpty() ? "" : " (symbols: " + String.join(", ", symbols) + ")";
        if (asked == null && session.source().batchSymbol().isEmpty()) {
            throw misuse("the shapes of the inputs do not begin with one symbol, so --symbol must say what to look for"
                    + all);
        }
        String symbol = asked == null ? session.source().batchSymbol().get() : asked;
        if (!symbols.contains(symbol)) {
            String nearest =
                    Suggestion.note(symbol, symbols).map(note -> "; " + note).orElse("");
            throw misuse("the model has no symbol '" + symbol + "'" + nearest + all);
        }
        if (session.settings().byName().containsKey(symbol)) {
            throw misuse("the extent of " + symbol + " is what is looked for, so --set must not give it"
                    + (asked == null && symbols.size() > 1 ? "; --symbol looks for another" + all : ""));
        }
        return symbol;
    }

    private RateTable rates(String symbol, ModelSession session) {
        return new RateTable(
                symbol,
                search(
                        symbol,
                        1,
                        (compiler, options, listener) ->
                                FitMicroBatches.run(session, symbol, most, budget, options, compiler, listener)));
    }

    private List<OfRanks> fits(ModelByExtent models) {
        return search(
                models.symbol(),
                models.step(),
                (compiler, options, listener) ->
                        FitRanks.run(models, ranks.numbers(), most, budget, options, compiler, joined(), listener));
    }

    /** What finds an answer. */
    private interface Question<T> {
        T ask(Compiler compiler, CompileOptions options, SearchListener listener);
    }

    /** @param least extent that is asked for */
    private <T> T search(String symbol, int least, Question<T> question) {
        Below below = offeringAll(search.below(console()));
        try (Progress progress = new Progress(console())) {
            SearchListener listener = search.followedOn(progress);
            return question.ask(
                    new Compiler(search.target(), search.costModel(), listener),
                    CompileOptions.defaults()
                            .with(search.effort())
                            .with(below)
                            .with(ranks.sharding())
                            .with(chunks.chunks()),
                    listener);
        } catch (BudgetException e) {
            console().note("not even " + symbol + "=" + least + " fits");
            throw e;
        }
    }

    private Optional<Link> joined() {
        return link.of(ranks.numbers().getLast(), search.measuredLink());
    }

    /**
     * Everything may be moved unless the user says what. Whether state needs to live below would be decided anew for
     * each extent otherwise, so that a larger one could take less memory.
     */
    private static Below offeringAll(Below below) {
        return below.movable() == Movable.AUTO ? new Below(below.tiers(), Movable.ALL) : below;
    }
}
