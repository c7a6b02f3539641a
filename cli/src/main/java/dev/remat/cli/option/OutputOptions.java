package dev.remat.cli.option;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** How a report is printed. */
public final class OutputOptions {
    @Option(names = "--json", description = "Print the report as JSON.")
    private boolean json;

    public boolean json() {
        return json;
    }

    /** Prints a report in one of its forms. */
    public void print(Console console, Json.Fields fields, Consumer<PrintStream> text) throws IOException {
        if (json) {
            Json.print(console, fields);
        } else {
            text.accept(console.out());
        }
    }
}
