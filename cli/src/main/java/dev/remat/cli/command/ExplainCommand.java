package dev.remat.cli.command;

import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.device.BuiltAlready;
import dev.remat.cli.device.PlannedArtifact;
import dev.remat.cli.option.AskedStep;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.TargetOption;
import dev.remat.cli.ranks.LinkOption;
import dev.remat.cli.ranks.RankOptions;
import dev.remat.cli.view.ExplainJson;
import dev.remat.cli.view.StepText;
import dev.remat.cli.view.ValueText;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSource;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.target.Link;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code remat explain}. */
@Command(
        name = "explain",
        description = "Say what a plan does with a value and why, what that costs, and what else it could do.",
        footer = {
            "",
            "Examples:",
            "  remat explain samples/gpt.model block.0.h --set B=8,T=64 --strategy sqrt",
            "  remat explain samples/gpt.model gpt.model:32 --set B=8,T=64 --budget 70%%",
            "  remat explain samples/gpt.model --peak --set B=8,T=64",
            "  remat explain samples/gpt.model --step 100 --set B=8,T=64 --json",
            "  remat explain samples/gpt.model wte.weight --set B=64,T=64 --ranks 8 --link 10Gbit:20us",
            "  remat explain gpt-artifact block.0.h"
        })
final class ExplainCommand extends ModelCommand {
    private static final String VALUE = "VALUE";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = VALUE,
            description = "Values by name, by the end of a name such as attention.a, or by FILE:LINE[:COLUMN].")
    private List<String> values = new ArrayList<>();

    @Option(names = "--peak", description = "Explain the step at which most is in memory, and what would lower it.")
    private boolean peak;

    @Option(names = "--step", paramLabel = "N", description = "Explain step N of the plan; steps count from 0.")
    private Integer step;

    @Mixin
    private MicroBatchOptions batches;

    @Mixin
    private RankOptions ranks;

    @Mixin
    private LinkOption link;

    @Mixin
    private PlanOptions planning;

    @Mixin
    private TargetOption target;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        int asked = (values.isEmpty() ? 0 : 1) + (peak ? 1 : 0) + (step == null ? 0 : 1);
        if (asked != 1) {
            throw misuse("explain what? Name values, or give either --peak or --step N");
        }
        if (BuiltAlready.isArtifact(model().file())) {
            BuiltAlready.check(spec(), model().file(), Set.of("--target"));
            PlannedArtifact artifact = PlannedArtifact.read(model().file());
            explain(PlanAccount.of(artifact.compilation()), artifact.sources());
        } else {
            Optional<Link> joined = link.of(ranks.ranks(), planning.measuredLink());
            ModelSession session = ranks.cut(model().session(), batches, console());
            AskedStep planned = planning.step(session, batches, Purpose.TRAIN, target.target(), console())
                    .onRanks(ranks.ranks(), ranks.sharding())
                    .over(joined);
            ModelSource source = planned.session().source();
            DiagnosticText.print(source.warnings(), console());
            explain(PlanAccount.of(planning.compile(planned, target.target(), console()), joined), source.files());
        }
        return ExitCode.OK.number();
    }

    private void explain(PlanAccount account, List<Source> sources) throws IOException {
        if (peak) {
            explainPeak(account);
        } else if (step != null) {
            explainStep(account);
        } else {
            explainValues(account, sources);
        }
    }

    private void explainPeak(PlanAccount account) throws IOException {
        output.print(console(), new ExplainJson(account)::peak, out -> new StepText(account, out).printPeak());
    }

    private void explainStep(PlanAccount account) throws IOException {
        if (step < 0 || step >= account.stepCount()) {
            throw misuse("there is no step " + step + "; the plan has steps 0 to " + (account.stepCount() - 1));
        }
        output.print(
                console(),
                out -> new ExplainJson(account).step(out, step),
                out -> new StepText(account, out).print(step));
    }

    private void explainValues(PlanAccount account, List<Source> sources) throws IOException {
        SequencedMap<String, List<ValueId>> found = new LinkedHashMap<>();
        for (String value : values) {
            found.put(value, account.find().named(value, VALUE));
        }
        if (output.json()) {
            Json.print(console(), out -> new ExplainJson(account).values(out, found));
            return;
        }
        ValueText text = new ValueText(account, sources, console().out());
        for (String value : found.keySet()) {
            if (!value.equals(found.firstEntry().getKey())) {
                console().out().println();
            }
            text.print(value, found.get(value));
        }
    }
}
