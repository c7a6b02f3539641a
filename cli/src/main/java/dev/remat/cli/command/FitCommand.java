package dev.remat.cli.command;

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
import dev.remat.cli.report.FitJson;
import dev.remat.cli.report.FitText;
import dev.remat.cli.report.RateTable;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.fit.FitMicroBatches;
import dev.remat.compiler.fit.FitSymbol;
import dev.remat.compiler.fit.SymbolFit;
import dev.remat.compiler.model.ModelByExtent;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.training.Purpose;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
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
            "  remat fit samples/gpt.model --set T=128 --memory 80GiB --symbol B --target sm_90a",
            "  remat fit samples/gpt.model --set T=128 --memory 1GiB --symbol B --micro-batches auto",
            "  remat fit samples/gpt.model --set T=128 --memory 1GiB --symbol B --disk /data",
            "  remat fit samples/unet.model --memory a100-40gb --symbol B --target sm_80 --json"
        })
final class FitCommand extends ModelCommand {
    private static final String LARGEST = "1048576";

    @Option(
            names = "--memory",
            required = true,
            paramLabel = "SIZE",
            converter = BudgetConverter.OfBytes.class,
            description = "Bytes that the arena may take, such as 80GiB, or a device such as h100, whose usable memory"
                    + " is meant.")
    private Long memory;

    @Option(names = "--symbol", required = true, paramLabel = "NAME", description = "The symbol to find an extent for.")
    private String symbol;

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
    private SearchOptions search;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        StopWatch watch = new StopWatch();
        boolean auto = batches.isAuto();
        ModelSession session = batches.cut(model().session());
        requireFree(session);
        ModelByExtent models = (auto ? session.cutInto(1) : session).byExtent(symbol);
        DiagnosticText.print(session.source().warnings(), console());
        Optional<RateTable> rates = auto ? Optional.of(rates(session)) : Optional.empty();
        SymbolFit fit =
                rates.map(table -> FitMicroBatches.fastest(table.rates()).fit()).orElseGet(() -> fit(models));
        watch.lap("total");
        PlanAccount account = PlanAccount.of(fit.plan());
        double seconds = watch.seconds().get("total");
        if (output.json()) {
            Json.print(console(), new FitJson(symbol, memory, fit, rates, account, seconds)::writeTo);
        } else {
            rates.ifPresent(table -> table.print(console().out()));
            new FitText(symbol, memory, fit, account, console().out()).print();
        }
        return ExitCode.OK.number();
    }

    private void requireFree(ModelSession session) {
        List<String> symbols = session.open(Purpose.TRAIN).symbols();
        if (!symbols.contains(symbol)) {
            String nearest =
                    Suggestion.note(symbol, symbols).map(note -> "; " + note).orElse("");
            throw misuse("the model has no symbol '" + symbol + "'" + nearest
                    + (symbols.isEmpty() ? "" : " (symbols: " + String.join(", ", symbols) + ")"));
        }
        if (session.settings().byName().containsKey(symbol)) {
            throw misuse("the extent of " + symbol + " is what is looked for, so --set must not give it");
        }
    }

    private RateTable rates(ModelSession session) {
        return new RateTable(
                symbol,
                search(
                        1,
                        (compiler, options, listener) ->
                                FitMicroBatches.run(session, symbol, most, memory, options, compiler, listener)));
    }

    private SymbolFit fit(ModelByExtent models) {
        return search(
                models.step(),
                (compiler, options, listener) -> FitSymbol.run(models, most, memory, options, compiler, listener));
    }

    /** What finds an answer. */
    private interface Question<T> {
        T ask(Compiler compiler, CompileOptions options, SearchListener listener);
    }

    /** @param least extent that is asked for */
    private <T> T search(int least, Question<T> question) {
        Below below = offeringAll(search.below(console()));
        try (Progress progress = new Progress(console())) {
            SearchListener listener = search.followedOn(progress);
            return question.ask(
                    new Compiler(search.target(), search.costModel(), listener),
                    CompileOptions.defaults().with(search.effort()).with(below),
                    listener);
        } catch (BudgetException e) {
            console().note("not even " + symbol + "=" + least + " fits");
            throw e;
        }
    }

    /**
     * Everything may be moved unless the user says what. Whether state needs to live below would be decided anew for
     * each extent otherwise, so that a larger one could take less memory.
     */
    private static Below offeringAll(Below below) {
        return below.movable() == Movable.AUTO ? new Below(below.tiers(), Movable.ALL) : below;
    }
}
