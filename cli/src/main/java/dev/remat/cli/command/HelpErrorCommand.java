package dev.remat.cli.command;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.Excerpt;
import dev.remat.cli.console.ExitCode;
import dev.remat.compiler.error.ErrorPages;
import dev.remat.compiler.error.Suggestion;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code remat help error}. */
@Command(
        name = "error",
        description = "Explain a diagnostic's code with an example, or list the codes.",
        footer = {"", "Examples:", "  remat help error E0102", "  remat help error"})
final class HelpErrorCommand implements Callable<Integer> {
    @CommandLine.ParentCommand
    private HelpCommand help;

    @Parameters(arity = "0..1", paramLabel = "CODE", description = "A code such as E0102; without one, all are listed.")
    private String code;

    @Override
    public Integer call() {
        Console console = help.root().console();
        if (code == null) {
            list(console.out());
            return ExitCode.OK.number();
        }
        String wanted = code.toUpperCase(Locale.ROOT);
        Optional<String> page = ErrorPages.find(wanted);
        if (page.isPresent()) {
            console.out().println(page.get().stripTrailing());
            return ExitCode.OK.number();
        }
        String suggestion = Suggestion.note(wanted, ErrorPages.codes())
                .map(note -> "; " + note)
                .orElse("");
        console.note("there is no error code '" + Excerpt.of(code) + "'" + suggestion);
        list(console.err());
        return ExitCode.USAGE.number();
    }

    private static void list(PrintStream out) {
        ErrorPages.codes().forEach(known -> out.println(known + "  " + title(known)));
    }

    /** The first line of a code's page without its Markdown and the code itself. */
    private static String title(String known) {
        String first = ErrorPages.find(known).orElseThrow().lines().findFirst().orElse("");
        return first.replaceFirst("^#+\\s*", "").replaceFirst("^" + known + "\\W+", "");
    }
}
