package dev.remat.cli.command;

import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.device.BuiltAlready;
import dev.remat.cli.device.PlannedArtifact;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanChoice;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.SettingOptions;
import dev.remat.cli.option.TargetOption;
import dev.remat.cli.page.HtmlPage;
import dev.remat.cli.page.PageLibrary;
import dev.remat.cli.view.DiffJson;
import dev.remat.cli.view.DiffText;
import dev.remat.cli.view.PlanFile;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.OtherDecision;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.PlanDiff;
import dev.remat.compiler.account.PlanDigest;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.io.AtomicFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code remat diff}. */
@Command(
        name = "diff",
        description = "Put two plans side by side: their peaks, and which tensors they keep or recompute otherwise.",
        footer = {
            "",
            "Examples:",
            "  remat diff samples/gpt.model samples/gpt.model@sqrt --set B=8,T=64",
            "  remat diff samples/gpt.model@90%% samples/gpt.model@70%% --set B=8,T=64 --effort quick",
            "  remat diff before.json after.json --json",
            "  remat diff samples/gpt.model samples/gpt.model@sqrt --set B=8,T=64 --html diff.html",
            "  remat diff gpt-artifact samples/gpt.model@70%% --set B=8,T=64 --target sm_90a"
        })
final class DiffCommand extends Subcommand {
    /**
     * A plan to compare.
     *
     * @param account empty where there is nothing but what was printed of it
     */
    private record Side(PlanDigest digest, Optional<PlanAccount> account) {
        static Side of(Compilation compilation) {
            PlanAccount account = PlanAccount.of(compilation);
            return new Side(PlanDigest.of(account), Optional.of(account));
        }

        List<OtherDecision> otherwise(String tensor) {
            return account.map(plan -> OtherDecision.of(plan, tensor)).orElse(List.of());
        }
    }

    @Parameters(
            index = "0",
            paramLabel = "A",
            description = "A plan: what 'plan --json' printed, in a file whose name ends in .json, or MODEL,"
                    + " MODEL@BUDGET or MODEL@STRATEGY, which is planned now, or the folder of an artifact.")
    private String a;

    @Parameters(index = "1", paramLabel = "B", description = "Another plan, named likewise.")
    private String b;

    @Mixin
    private SettingOptions settings;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private PlanOptions planning;

    @Mixin
    private TargetOption target;

    @Option(names = "--html", paramLabel = "FILE", description = "Draw both on a page.")
    private Path html;

    @Option(names = "--full", description = "List every tensor instead of the largest.")
    private boolean full;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        checkOptions();
        ResultFile.check(html, Path.of(a), Path.of(b));
        Side before = plan(a, b.endsWith(".json"));
        Side after = plan(b, true);
        PlanDiff unpriced = PlanDiff.of(before.digest(), after.digest());
        int most = full || output.json() || html != null ? unpriced.changes().size() : DiffText.MOST_CHANGES;
        PlanDiff diff = unpriced.priced(most, before::otherwise, after::otherwise);
        if (html != null) {
            HtmlPage page =
                    new HtmlPage(a + " and " + b, "diff.js", List.of(PageLibrary.D3), new DiffJson(diff)::writeTo);
            AtomicFile.write(html, page.bytes());
        }
        output.print(console(), new DiffJson(diff)::writeTo, out -> new DiffText(diff, out, full).print());
        return ExitCode.OK.number();
    }

    /** Where both plans are there already, options of planning say nothing. */
    private void checkOptions() {
        Path first = Path.of(a);
        if (BuiltAlready.isArtifact(first) && BuiltAlready.isArtifact(Path.of(b))) {
            BuiltAlready.check(spec(), first, Set.of("--target"));
        }
    }

    /** @param last whether no other plan has to be searched in the time that is given */
    private Side plan(String named, boolean last) throws IOException {
        if (named.endsWith(".json")) {
            return new Side(PlanFile.read(Path.of(named)).digest(), Optional.empty());
        }
        PlanChoice choice = choice(named);
        if (BuiltAlready.isArtifact(choice.model())) {
            if (choice.strategy().isPresent() || choice.budget().isPresent()) {
                throw misuse(named + " asks for another plan of an artifact, which is planned already; name its model");
            }
            return Side.of(PlannedArtifact.read(choice.model()).compilation());
        }
        ModelSession model = ModelSession.of(ModelText.file(choice.model()), settings.settings());
        ModelSession cut = batches.cutAsGiven(planning.seeded(model));
        return Side.of(planning.compile(
                batches.step(cut, Purpose.TRAIN),
                target.target(),
                console(),
                choice.strategy(),
                choice.budget(),
                last));
    }

    private PlanChoice choice(String named) {
        try {
            return PlanChoice.parse(named);
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
    }
}
