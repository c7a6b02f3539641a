package dev.remat.cli.command;

import dev.remat.cli.console.ExitCode;
import dev.remat.cli.lsp.LanguageService;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;

/** {@code remat lsp}. */
@Command(
        name = "lsp",
        description = "Serve an editor with all about models, by the Language Server Protocol on standard input and"
                + " output (docs/editors.md).",
        footer = {"", "Example, which is what an editor starts by itself:", "  remat lsp"})
final class LspCommand extends Subcommand {
    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        // Time limits of plans count from their own beginning here.
        System.clearProperty("remat.began");
        boolean orderly =
                new LanguageService(console()).serve(System.in, console().data());
        return (orderly ? ExitCode.OK : ExitCode.INTERNAL_ERROR).number();
    }
}
