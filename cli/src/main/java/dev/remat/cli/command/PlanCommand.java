package dev.remat.cli.command;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.option.AskedStep;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.TargetOption;
import dev.remat.cli.page.HtmlPage;
import dev.remat.cli.page.plan.PlanPage;
import dev.remat.cli.page.plan.StagePage;
import dev.remat.cli.passes.PassesPage;
import dev.remat.cli.ranks.LinkOption;
import dev.remat.cli.ranks.RankOptions;
import dev.remat.cli.ranks.RankReport;
import dev.remat.cli.ranks.StageModeTable;
import dev.remat.cli.ranks.StageOptions;
import dev.remat.cli.ranks.StageReport;
import dev.remat.cli.ranks.StageTrace;
import dev.remat.cli.ranks.TimedStages;
import dev.remat.cli.report.MicroBatchTable;
import dev.remat.cli.report.PlanJson;
import dev.remat.cli.report.PlanText;
import dev.remat.cli.view.PlanDot;
import dev.remat.cli.view.PlanSummary;
import dev.remat.cli.view.PlanTrace;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.choose.ChooseStaging;
import dev.remat.compiler.choose.MicroBatchChoice;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.trace.PassTrace;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.target.Link;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat plan}. */
@Command(
        name = "plan",
        description = "Compile a model and say what its training step takes, keeps and recomputes.",
        footer = {
            "",
            "Examples:",
            "  remat plan samples/gpt.model --set B=8,T=64",
            "  remat plan samples/resnet.model --set B=32,layers=1001 --strategy sqrt --json",
            "  remat plan samples/gpt.model --set B=64,T=512 --budget 60%% --target sm_90a",
            "  remat plan samples/gpt.model --set B=8,T=64 --strategy sqrt --trace gpt.json --dot gpt.dot",
            "  remat plan samples/gpt.model --set B=64,T=64 --ranks 64 --link 100Gbit:5us",
            "  remat plan samples/gpt.model --set B=8,T=64 --target sm_90a --passes-html gpt-passes.html",
            "  remat plan samples/gpt.model --set B=8,T=64 --budget 70%% --html gpt.html"
        })
final class PlanCommand extends ModelCommand {
    /** Budgets of a page, unless the user wants more or fewer. */
    private static final int BUDGETS = 8;

    private static final int MOST_BUDGETS = 12;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private RankOptions ranks;

    @Mixin
    private StageOptions stages;

    @Mixin
    private LinkOption link;

    @Mixin
    private PlanOptions planning;

    @Mixin
    private TargetOption target;

    @Option(
            names = "--verbose",
            description =
                    "Tell what is in memory at the peak, what is retained and why, what every layer takes, and which"
                            + " part of the search found what.")
    private boolean verbose;

    @Option(
            names = "--full",
            description = "The same with every tensor and layer, not the largest and the first alone.")
    private boolean full;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Write the planned step for Perfetto or Chrome's tracing: kernels with predicted times, and"
                    + " with measured ones where --costs has them, recomputation, live bytes.")
    private Path trace;

    @Option(names = "--dot", paramLabel = "FILE", description = "Write the planned step as a graph for Graphviz.")
    private Path dot;

    @Option(
            names = "--passes-html",
            paramLabel = "FILE",
            description = "Write a page: the model's lines beside the program after each pass, kernels, and the arena.")
    private Path passes;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write a page to look at the plan in a browser: memory over the step, the arena, why each"
                    + " tensor is there, what other budgets would do; with --stages, lanes and arenas of all stages by"
                    + " the clock. It needs no network.")
    private Path html;

    @Option(
            names = "--what-if",
            paramLabel = "N",
            description = "Budgets that the page of --html can be switched to, for each of which a quick plan is made;"
                    + " 0 to 12, 8 unless given.")
    private Integer whatIf;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        ResultFile.check(trace, model().file());
        ResultFile.check(dot, model().file());
        ResultFile.check(passes, model().file());
        ResultFile.check(html, model().file());
        checkWhatIf();
        if (stages.isAsked()) {
            return planStages();
        }
        Optional<Link> joined = link.of(ranks.ranks(), planning.measuredLink());
        ModelSession session = ranks.cut(model().session(), batches, console());
        AskedStep step = planning.step(session, batches, Purpose.TRAIN, target.target(), console())
                .onRanks(ranks.ranks(), ranks.sharding())
                .over(joined);
        List<Source> sources = step.session().source().files();
        DiagnosticText.print(step.session().source().warnings(), console());
        double parseSeconds = step.session().seconds();
        PassTrace heard = new PassTrace();
        PassListener listener = passes == null ? PassListener.NONE : heard;
        PlanAccount account = PlanAccount.of(planning.compile(step, target.target(), console(), listener), joined);
        RankReport report = new RankReport(account);
        export(account);
        if (passes != null) {
            AtomicFile.write(
                    passes, PassesPage.of(account.compilation(), heard, sources).bytes());
        }
        if (html != null) {
            AtomicFile.write(html, page(account, step, sources).bytes());
        }
        if (output.json()) {
            Json.print(console(), out -> {
                write(account, step.choice(), parseSeconds, out);
                report.writeTo(out);
            });
        } else if (!verbose && !full) {
            new PlanSummary(account, console()).print();
        } else {
            new PlanText(account, console().out(), full).print(planning.trace());
        }
        if (!output.json()) {
            report.print(console().out());
            step.choice()
                    .ifPresent(chosen -> new MicroBatchTable(
                                    chosen, account.compilation().costs())
                            .print(console().out()));
        }
        return ExitCode.OK.number();
    }

    /** What stages take. */
    private int planStages() throws IOException {
        stages.refuse("--what-if", whatIf != null);
        stages.refuse("--passes-html", passes != null);
        stages.refuse("--dot", dot != null);
        stages.refuse("--disk or --host-budget", planning.below().isAsked());
        stages.refuse("--chunks N", planning.demandsChunks());
        ModelSession session = stages.cut(model().session(), batches, ranks, console());
        AskedStep step = planning.step(session, batches, Purpose.TRAIN, target.target(), console())
                .onRanks(ranks.ranks(), ranks.sharding());
        DiagnosticText.print(step.session().source().warnings(), console());
        Optional<Link> between = link.of(stages.most(), planning.measuredLink());
        ChooseStaging.Choice choice = stages.compile(step, planning, true, between, target.target(), console());
        TimedStages timed = new TimedStages(choice.chosen(), between);
        StageReport report = new StageReport(timed);
        StageModeTable modes = new StageModeTable(choice.tried(), timed.isTime());
        if (trace != null) {
            AtomicFile.write(trace, new StageTrace(timed).bytes());
        }
        if (html != null) {
            AtomicFile.write(html, new StagePage(timed, report, modes).page().bytes());
        }
        if (output.json()) {
            Json.print(console(), out -> {
                report.writeTo(out);
                modes.writeTo(out);
            });
        } else {
            report.print(console().out());
            if (choice.tried().size() > 1) {
                modes.print(console().out());
            }
        }
        return ExitCode.OK.number();
    }

    private static void write(
            PlanAccount account, Optional<MicroBatchChoice> choice, double parseSeconds, JsonGenerator out)
            throws IOException {
        new PlanJson(account, parseSeconds).writeTo(out);
        if (choice.isPresent()) {
            new MicroBatchTable(choice.get(), account.compilation().costs()).writeTo(out);
        }
    }

    private void export(PlanAccount account) throws IOException {
        if (trace != null) {
            AtomicFile.write(trace, new PlanTrace(account, account.times()).bytes());
        }
        if (dot != null) {
            AtomicFile.write(dot, new PlanDot(account).text().getBytes(StandardCharsets.UTF_8));
        }
    }

    private void checkWhatIf() {
        if (whatIf != null && html == null) {
            throw misuse("--what-if is about the page that --html writes");
        }
        if (whatIf != null && (whatIf < 0 || whatIf > MOST_BUDGETS)) {
            throw misuse("--what-if takes 0 to " + MOST_BUDGETS + " budgets, not " + whatIf);
        }
    }

    private HtmlPage page(PlanAccount account, AskedStep step, List<Source> sources) {
        int budgets = whatIf == null ? BUDGETS : whatIf;
        List<Compilation> others = budgets == 0
                ? List.of()
                : planning.acrossBudgets(step, account.compilation(), target.target(), console(), budgets);
        return new PlanPage(account, others, sources).page();
    }
}
