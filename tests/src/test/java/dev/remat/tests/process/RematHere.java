package dev.remat.tests.process;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.tests.process.RematProcess.Result;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The remat command in this process, for what needs neither an environment nor a driver of its own. */
public final class RematHere {
    private RematHere() {}

    /**
     * Runs one command at a time.
     *
     * @param folder in which it looks for files that its words name, and writes what {@code -o} names
     */
    public static synchronized Result run(Path folder, String... words) {
        String[] found = words.clone();
        for (int i = 1; i < words.length; i++) {
            if (words[i - 1].equals("-o") || !words[i].isEmpty() && Files.exists(folder.resolve(words[i]))) {
                found[i] = folder.resolve(words[i]).toString();
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = RematCommand.run(new Console(out, err, false, false), found);
        return new Result(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
