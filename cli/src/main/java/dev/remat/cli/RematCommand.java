package dev.remat.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The root command. */
@Command(
        name = "remat",
        description = "Compiles a model file into one static training step that fits a memory budget, and runs it.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            PlanCommand.class,
            TrainCommand.class,
            GradCommand.class,
            CheckCommand.class,
            FmtCommand.class,
            DoctorCommand.class,
            HelpCommand.class,
            CompletionCommand.class,
        },
        footer = {
            "",
            "Examples:",
            "  remat plan samples/gpt.model --set B=8,T=64 --strategy sqrt",
            "  remat train samples/gpt.model --set B=8,T=64 --text README.md --steps 20",
            "",
            "'remat COMMAND --help' tells more about a command."
        })
public final class RematCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Print the stack trace of an internal error.")
    private boolean debug;

    private final Console console;

    private RematCommand(Console console) {
        this.console = console;
    }

    /**
     * Runs one command line in this process.
     *
     * @return the exit code's number
     */
    public static int run(Console console, String... args) {
        CommandLine line = commandLine(console);
        try {
            return line.execute(args);
        } catch (StackOverflowError | OutOfMemoryError e) {
            return new FailureReport(line.getCommand()).report(e).number();
        }
    }

    static CommandLine commandLine(Console console) {
        RematCommand root = new RematCommand(console);
        CommandLine line = new CommandLine(root);
        StandardOptions.addTo(line);
        FailureReport failures = new FailureReport(root);
        line.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
        line.setColorScheme(Help.defaultColorScheme(console.outIsTerminal() ? Help.Ansi.ON : Help.Ansi.OFF));
        line.setParameterExceptionHandler(failures);
        line.setExecutionExceptionHandler(failures);
        line.setUsageHelpAutoWidth(false);
        line.setUsageHelpWidth(100);
        line.setAbbreviatedOptionsAllowed(false);
        return line;
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "which command?");
    }

    Console console() {
        return console;
    }

    boolean debug() {
        return debug;
    }
}
