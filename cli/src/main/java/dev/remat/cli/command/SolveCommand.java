package dev.remat.cli.command;

import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Progress;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.option.BudgetConverter;
import dev.remat.cli.option.EffortOption;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.StrategyConverter;
import dev.remat.cli.option.TimeLimit;
import dev.remat.cli.option.tier.TierOptions;
import dev.remat.cli.report.SolveText;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetSearch;
import dev.remat.compiler.search.Choice;
import dev.remat.compiler.search.GraphSubject;
import dev.remat.compiler.search.MeasuredPlan;
import dev.remat.compiler.solve.AnswerWriter;
import dev.remat.compiler.solve.ProblemReader;
import dev.remat.compiler.solve.SolveAnswer;
import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.SourceFiles;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code remat solve}. */
@Command(
        name = "solve",
        description = "Plan a graph from elsewhere: which node runs when, and how often, so that it fits a budget.",
        footer = {
            "",
            "Examples:",
            "  remat solve unet.json --budget 60%%",
            "  remat solve unet.json --budget 12GiB --strategy sqrt -o unet.sequence.json",
            "  remat solve unet.json --budget 50%% --cost-unit us --tiers host:64GiB:24GB/s:24GB/s:10us",
            "",
            "docs/planning.md tells the files' formats and the strategies, docs/tiers.md how values are moved."
        })
final class SolveCommand extends Subcommand {
    /** Bytes that a problem file has at most: about a million nodes. */
    static final int LARGEST = 1 << 28;

    @Parameters(paramLabel = "PROBLEM", description = "A graph as remat-problem/1 or /2.")
    private Path file;

    @Option(
            names = "--budget",
            paramLabel = "SIZE",
            converter = BudgetConverter.class,
            description = "Bytes that the peak may have, such as 6GiB, or a percentage of the given order's peak."
                    + " Without it, the smallest plan.")
    private Budget budget;

    @Option(
            names = "--strategy",
            paramLabel = "NAME",
            converter = StrategyConverter.class,
            description = "How to choose what is recomputed, as docs/planning.md lists them."
                    + " Without it, the best that any of them finds.")
    private Planner strategy = Strategies.auto();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write the answer as remat-sequence/1, or /2 with tiers.")
    private Path output;

    @CommandLine.Mixin
    private TierOptions tiers;

    @CommandLine.Mixin
    private final EffortOption effort = new EffortOption(Effort.FULL);

    @CommandLine.Mixin
    private TimeLimit timeLimit;

    @CommandLine.Mixin
    private OutputOptions format;

    @Override
    public Integer call() throws IOException {
        ResultFile.check(output, file);
        RematProblem problem =
                tiers.applied(timeLimit.rehearse(() -> ProblemReader.read(SourceFiles.read(file, LARGEST))));
        long begin = System.nanoTime();
        Choice<MeasuredPlan> choice = search(problem);
        SolveAnswer answer =
                SolveAnswer.of(problem.name(), choice).withSeconds(Math.round((System.nanoTime() - begin) / 1e6) / 1e3);
        String text = AnswerWriter.write(problem, answer);
        if (output != null) {
            AtomicFile.write(output, (text + "\n").getBytes(StandardCharsets.UTF_8));
        }
        if (format.json()) {
            console().out().println(text);
        } else {
            new SolveText(problem, answer, choice.keepAll().bytes(), console().out()).print();
        }
        return ExitCode.OK.number();
    }

    private Choice<MeasuredPlan> search(RematProblem problem) {
        try (Progress progress = new Progress(console())) {
            return new BudgetSearch<>(new GraphSubject(problem), effort.effort(), timeLimit.from(progress))
                    .run(Optional.of(strategy), Optional.ofNullable(budget));
        }
    }
}
