package dev.remat.cli.command;

import dev.remat.cli.console.Console;
import dev.remat.compiler.error.ErrorPages;
import dev.remat.compiler.error.Suggestion;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code remat help error}. */
@Command(
        name = "error",
        description = "Explain a diagnostic's code with an example, or list the codes.",
        footer = {"", "Examples:", "  remat help error E0102", "  remat help error"})
final class HelpErrorCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @CommandLine.ParentCommand
    private HelpCommand help;

    @Parameters(arity = "0..1", paramLabel = "CODE", description = "A code such as E0102; without one, all are listed.")
    private String code;

    @Override
    public void run() {
        Console console = help.root().console();
        if (code == null) {
            ErrorPages.codes().forEach(known -> console.out().println(known + "  " + title(known)));
            return;
        }
        String wanted = code.toUpperCase(Locale.ROOT);
        console.out()
                .println(ErrorPages.find(wanted)
                        .orElseThrow(() -> unknown(wanted))
                        .stripTrailing());
    }

    private ParameterException unknown(String wanted) {
        String suggestion = Suggestion.note(wanted, ErrorPages.codes())
                .map(note -> "; " + note)
                .orElse("");
        return new ParameterException(spec.commandLine(), "there is no error code '" + code + "'" + suggestion);
    }

    /** The first line of a code's page without its Markdown and the code itself. */
    private static String title(String known) {
        String first = ErrorPages.find(known).orElseThrow().lines().findFirst().orElse("");
        return first.replaceFirst("^#+\\s*", "").replaceFirst("^" + known + "\\W+", "");
    }
}
