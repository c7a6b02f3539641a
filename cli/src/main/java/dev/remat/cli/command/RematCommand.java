package dev.remat.cli.command;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Talking;
import dev.remat.cli.console.Version;
import dev.remat.cli.option.PathConverter;
import dev.remat.cli.option.WholeNumber;
import dev.remat.cli.runs.ReportCommand;
import dev.remat.ir.natives.LibraryUnavailableException;
import dev.remat.ir.natives.NativeLibraries;
import dev.remat.ir.natives.Platform;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root command. */
@Command(
        name = "remat",
        description = "Compiles a model file into one static training step that fits a memory budget, and runs it.",
        synopsisSubcommandLabel = "COMMAND",
        version = "remat " + Version.REMAT,
        footer = {
            "",
            "Examples:",
            "  remat plan samples/gpt.model --set B=8,T=64 --strategy sqrt",
            "  remat build samples/gpt.model --set B=8,T=64 --arch sm_80,sm_90a -o gpt",
            "  remat train samples/gpt.model --set B=8,T=64 --text README.md --steps 20",
            "",
            "'remat COMMAND --help' tells more about a command."
        })
public final class RematCommand implements Callable<Integer>, Talking {
    private static final List<Class<?>> COMMANDS = List.of(
            PlanCommand.class,
            SweepCommand.class,
            FitCommand.class,
            ExplainCommand.class,
            DiffCommand.class,
            SolveCommand.class,
            PackCommand.class,
            BuildCommand.class,
            InspectCommand.class,
            TrainCommand.class,
            ReportCommand.class,
            EvalCommand.class,
            GenerateCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            GradCommand.class,
            ProfileCommand.class,
            CheckCommand.class,
            FmtCommand.class,
            LspCommand.class,
            DoctorCommand.class,
            HelpCommand.class,
            CompletionCommand.class);

    @CommandLine.Spec
    private CommandSpec spec;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Print the stack trace of an internal error.")
    private boolean debug;

    @Option(names = "--version", versionHelp = true, description = "Print the version of remat.")
    @SuppressWarnings("UnusedVariable") // picocli prints the version itself.
    private boolean version;

    private final Console console;

    /** Whether the command that runs has an option of this name. */
    boolean takes(String option) {
        ParseResult parsed = spec.commandLine().getParseResult();
        return parsed.hasSubcommand() && parsed.subcommand().commandSpec().findOption(option) != null;
    }

    private RematCommand(Console console) {
        this.console = console;
    }

    /**
     * Runs one command line in this process.
     *
     * @return the exit code's number
     */
    public static int run(Console console, String... args) {
        List<String> words = List.of(args);
        CommandLine line = commandLine(console, name -> words.contains(name) || words.contains("completion"));
        FailureReport failures = new FailureReport(line.getCommand());
        int exitCode;
        NativeLibraries.tell(console::note);
        try {
            Platform.check();
            exitCode = line.execute(args);
        } catch (LibraryUnavailableException | StackOverflowError | OutOfMemoryError e) {
            exitCode = failures.report(e).number();
        }
        Optional<IOException> lost = console.flush().filter(failure -> !isClosedPipe(failure));
        // A run that cannot say more ends as if it were interrupted.
        boolean otherwiseFine = exitCode == ExitCode.OK.number() || exitCode == ExitCode.INTERRUPTED.number();
        if (lost.isPresent() && otherwiseFine) {
            String reason = "standard output: " + lost.get().getMessage();
            exitCode = failures.report(new IOException(reason, lost.get())).number();
            console.flush();
        }
        return exitCode;
    }

    /** Whether a reader such as {@code head} has all that it wants. */
    private static boolean isClosedPipe(IOException failure) {
        return String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT).contains("broken pipe");
    }

    /**
     * The command line with its subcommands.
     *
     * @param needed names of those that may run; of the others only name and description are read, because reading all
     *     options of all commands takes longer than most commands
     */
    static CommandLine commandLine(Console console, Predicate<String> needed) {
        RematCommand root = new RematCommand(console);
        CommandLine line = new CommandLine(root);
        for (Class<?> command : COMMANDS) {
            Command description = command.getAnnotation(Command.class);
            line.addSubcommand(
                    description.name(),
                    needed.test(description.name()) ? new CommandLine(command) : listed(description));
        }
        addHelpOption(line);
        line.registerConverter(Path.class, new PathConverter());
        WholeNumber.registerFor(line);
        line.setExpandAtFiles(false);
        line.setExecutionStrategy(RematCommand::execute);
        FailureReport failures = new FailureReport(root);
        line.setOut(new PrintWriter(console.data(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(console.terminal(), true, StandardCharsets.UTF_8));
        line.setColorScheme(Help.defaultColorScheme(console.outIsTerminal() ? Help.Ansi.ON : Help.Ansi.OFF));
        line.setParameterExceptionHandler(failures);
        line.setExecutionExceptionHandler(failures);
        line.setUsageHelpWidth(100);
        return line;
    }

    /** Runs the command, for picocli, which would show help to whoever asks for that of a command that there is not. */
    private static int execute(ParseResult all) {
        if (!all.unmatched().isEmpty()) {
            throw new UnmatchedArgumentException(all.commandSpec().commandLine(), all.unmatched());
        }
        return EmptyLists.execute(all);
    }

    private static CommandLine listed(Command command) {
        CommandSpec spec = CommandSpec.create().name(command.name());
        spec.usageMessage().description(command.description());
        return new CommandLine(spec);
    }

    private static void addHelpOption(CommandLine line) {
        line.getCommandSpec().usageMessage().sortOptions(false);
        line.getCommandSpec()
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Show this help.")
                        .build());
        line.getSubcommands().values().forEach(RematCommand::addHelpOption);
    }

    @Override
    public Integer call() {
        console.note("which command?");
        spec.commandLine().usage(console.err(), Help.Ansi.OFF);
        return ExitCode.USAGE.number();
    }

    @Override
    public Console console() {
        return console;
    }

    boolean debug() {
        return debug;
    }
}
