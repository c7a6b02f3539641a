package dev.remat.cli.command;

import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** What one command line printed and returned, run in this process. */
public record CommandRun(int exitCode, String out, String err) {
    public static CommandRun of(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(out, err, false, false);
        int exitCode = RematCommand.run(console, args);
        return new CommandRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
