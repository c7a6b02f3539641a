package dev.remat.tests.page;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes pages as the command line does. */
final class PlanPages {
    private PlanPages() {}

    /**
     * Runs {@code plan} on a sample.
     *
     * @param sample name of its file
     * @param page where the page goes
     * @param settings of the model
     * @param words further options
     * @return what {@code --json} prints
     */
    static String plan(String sample, Path page, String settings, String budget, String... words) {
        List<String> line =
                new ArrayList<>(List.of("plan", samples().resolve(sample).toString()));
        line.addAll(List.of("--html", page.toString(), "--json", "--set", settings, "--budget", budget));
        line.addAll(List.of(words));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit = RematCommand.run(new Console(out, err, false, false), line.toArray(String[]::new));
        if (exit != 0) {
            throw new IllegalStateException(exit + ": " + err.toString(StandardCharsets.UTF_8));
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static Path samples() {
        return Path.of("").toAbsolutePath().getParent().resolve("samples");
    }
}
