package dev.remat.cli.command;

import dev.remat.cli.console.ExitCode;
import dev.remat.compiler.syntax.Formatter;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.SourceFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code remat fmt}. */
@Command(
        name = "fmt",
        description = "Print model files in their canonical form, comments kept.",
        footer = {"", "Examples:", "  remat fmt samples/gpt.model", "  remat fmt --write samples/*.model"})
final class FmtCommand extends Subcommand {
    @Parameters(arity = "1..*", paramLabel = "MODEL", description = "Model files.")
    private List<Path> files;

    @ArgGroup
    private Mode mode = new Mode();

    /** What to do instead of printing. */
    private static final class Mode {
        @Option(
                names = {"-w", "--write"},
                description = "Rewrite the files in place.")
        private boolean write;

        @Option(names = "--check", description = "Print nothing; name the files that would change and exit with 3.")
        private boolean check;
    }

    @Override
    public Integer call() throws IOException {
        ExitCode result = ExitCode.OK;
        for (Path file : files) {
            Source source = SourceFiles.read(file);
            String formatted = Formatter.format(source);
            boolean changes = !formatted.equals(source.text());
            if (mode.check) {
                if (changes) {
                    console().note(file + " is not in canonical form; --write rewrites it");
                    result = ExitCode.MODEL_ERROR;
                }
            } else if (!mode.write) {
                console().data().print(formatted);
            } else if (changes) {
                AtomicFile.write(file, formatted.getBytes(StandardCharsets.UTF_8));
                console().note("rewrote " + file);
            }
        }
        console().data().flush();
        return result.number();
    }
}
