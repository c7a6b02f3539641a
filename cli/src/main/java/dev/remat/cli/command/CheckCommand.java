package dev.remat.cli.command;

import static dev.remat.cli.report.Table.Side.LEFT;

import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.option.ModelOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.option.Target;
import dev.remat.cli.report.Table;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.training.Objective;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.RandomOp;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.GradientCheck;
import dev.remat.runtime.train.GradientCheck.Derivative;
import dev.remat.runtime.train.GradientEvaluation;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.PlanTrial;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat check}. */
@Command(
        name = "check",
        description = "Hold the promises against this model: the same bits by every plan, gradients that are right.",
        footer = {"", "Example:", "  remat check samples/gpt.model --set B=2,T=8,depth=2,width=32"})
final class CheckCommand implements Callable<Integer> {
    private static final int STEPS = 3;
    private static final List<String> OTHER_PLANS = List.of("sqrt", "segments=2", "segments=7");

    @CommandLine.ParentCommand
    private RematCommand root;

    @Mixin
    private ModelOptions model;

    @Option(names = "--seed", paramLabel = "N", description = "Seed instead of the model's.")
    private Long seed;

    @Mixin
    private OutputOptions output;

    private record Finding(String check, boolean holds, String detail) {}

    @Override
    public Integer call() throws IOException {
        ElaboratedModel elaborated = model.elaborate(Purpose.TRAIN);
        CompileOptions options = CompileOptions.defaults();
        options = seed == null ? options : options.withSeed(seed);
        List<Finding> findings = new ArrayList<>();
        addPlans(findings, elaborated, options);
        addGradients(findings, elaborated.with(Purpose.GRADIENTS).withPrecision(DType.F64), options);
        boolean holds = findings.stream().allMatch(Finding::holds);
        if (output.json()) {
            printJson(findings, holds);
        } else {
            Table table = new Table("", LEFT, LEFT, LEFT);
            findings.forEach(
                    finding -> table.row(finding.holds() ? "ok" : "FAILED", finding.check(), finding.detail()));
            table.print(root.console().out());
        }
        return (holds ? ExitCode.OK : ExitCode.PLAN_VIOLATION).number();
    }

    /** Every compilation also proves its arena by running it over tagged bytes. */
    private static void addPlans(List<Finding> findings, ElaboratedModel elaborated, CompileOptions options) {
        PlanTrial reference = trial(PlanOptions.compile(elaborated, options.withStrategy("keep-all"), Target.cpu()));
        findings.add(new Finding(
                "keep-all",
                true,
                String.format(
                        Locale.ROOT,
                        "%d steps, loss %s, state %s",
                        STEPS,
                        reference.losses(),
                        reference.stateHash().substring(0, 16))));
        findings.add(memory(reference));
        for (String strategy : OTHER_PLANS) {
            Compilation other = PlanOptions.compile(elaborated, options.withStrategy(strategy), Target.cpu());
            PlanTrial trial = trial(other);
            List<Node> clones = clones(other.rematerialized());
            long draws = clones.stream()
                    .filter(node -> node.op() instanceof RandomOp)
                    .count();
            String detail = (trial.sameResults(reference) ? "same bits" : "other bits, losses " + trial.losses())
                    + " with " + Count.of(clones.size(), "node") + " recomputed, " + Count.of(draws, "random draw")
                    + " among them";
            findings.add(new Finding(strategy, trial.sameResults(reference), detail));
            findings.add(memory(trial));
        }
    }

    /** What kernels compute again; views cost nothing and are not counted. */
    private static List<Node> clones(RematerializedGraph rematerialized) {
        return rematerialized.steps().stream()
                .flatMap(List::stream)
                .map(rematerialized.graph()::node)
                .filter(Node::isClone)
                .toList();
    }

    /** Freed memory is overwritten with NaN. */
    private static PlanTrial trial(Compilation compilation) {
        try (Executable executable = Target.load(compilation.plan(), true)) {
            return PlanTrial.run(executable, compilation.plan(), STEPS);
        }
    }

    private static Finding memory(PlanTrial trial) {
        return new Finding(
                "  memory",
                trial.usesTheArenaExactly(),
                "arena of " + Count.bytes(trial.arenaBytes()) + ", kernels received " + trial.highWaterBytes());
    }

    private static void addGradients(List<Finding> findings, ElaboratedModel elaborated, CompileOptions options) {
        ExecutionPlan plan =
                PlanOptions.compile(elaborated, options, Target.cpu()).plan();
        try (Executable executable = Target.load(plan, false);
                SyntheticDataset data = new SyntheticDataset()) {
            GradientEvaluation evaluation = new GradientEvaluation(executable);
            evaluation.load(data.training(InputFeed.specs(plan), plan.seed()), 0);
            List<Derivative> derivatives = GradientCheck.run(
                    evaluation,
                    parameter -> elaborated
                            .training()
                            .objective(parameter)
                            .map(Objective::loss)
                            .orElse(ExecutionPlan.LOSS),
                    1);
            derivatives.stream()
                    .filter(d -> !d.agrees())
                    .forEach(d -> findings.add(new Finding(
                            "gradient",
                            false,
                            d.parameter() + " by the plan " + d.analytic() + ", by differences " + d.numeric())));
            long agreeing = derivatives.stream().filter(Derivative::agrees).count();
            double worst = derivatives.stream()
                    .map(d -> Math.abs(d.analytic() - d.numeric()))
                    .max(Comparator.naturalOrder())
                    .orElse(0.0);
            findings.add(new Finding(
                    "gradients",
                    agreeing == derivatives.size(),
                    String.format(
                            Locale.ROOT,
                            "%d of %d parameters agree with differences in f64, %.1e apart at most",
                            agreeing,
                            derivatives.size(),
                            worst)));
        }
    }

    private void printJson(List<Finding> findings, boolean holds) throws IOException {
        Json.print(root.console(), out -> {
            out.writeStringField("schema", "remat-check/1");
            out.writeBooleanField("ok", holds);
            out.writeArrayFieldStart("checks");
            for (Finding finding : findings) {
                out.writeStartObject();
                out.writeStringField("check", finding.check().strip());
                out.writeBooleanField("ok", finding.holds());
                out.writeStringField("detail", finding.detail());
                out.writeEndObject();
            }
            out.writeEndArray();
        });
    }
}
