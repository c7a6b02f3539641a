package dev.remat.cli.runs;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.console.Talking;
import dev.remat.cli.option.OutputOptions;
import dev.remat.ir.io.AtomicFile;
import dev.remat.runtime.log.RunLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code remat report}. */
@Command(
        name = "report",
        description = "Draw what training runs have logged, one or several on one page.",
        footer = {
            "",
            "Examples:",
            "  remat train samples/gpt.model --set B=8,T=64 --text README.md --steps 200 --log runs/a",
            "  remat report runs/a",
            "  remat report runs/a runs/b -o compared.html"
        })
public final class ReportCommand implements Callable<Integer> {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @CommandLine.ParentCommand
    private Talking root;

    @Parameters(arity = "1..*", paramLabel = "DIR", description = "Folders that 'train --log DIR' wrote.")
    private List<Path> folders;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            defaultValue = "report.html",
            description = "The page to write. Default: report.html.")
    private Path page;

    @Mixin
    private OutputOptions output;

    @Override
    public Integer call() throws IOException {
        if (folders.stream().map(ReportCommand::place).distinct().count() < folders.size()) {
            throw new ParameterException(spec.commandLine(), "a folder is named twice");
        }
        for (Path folder : folders) {
            ResultFile.check(page, folder.resolve("steps.csv"), folder.resolve(RunLog.PLAN));
        }
        List<LoggedRun> runs = LoggedRun.read(folders);
        AtomicFile.write(page, ReportPage.of(runs).bytes());
        Console console = root.console();
        output.print(console, new ReportJson(runs)::writeTo, out -> new ReportText(out).print(runs, page));
        return ExitCode.OK.number();
    }

    private static Path place(Path folder) {
        return folder.toAbsolutePath().normalize();
    }
}
