package dev.remat.cli.option;

import picocli.CommandLine.Option;

/** How a report is printed. */
public final class OutputOptions {
    @Option(names = "--json", description = "Print the report as JSON.")
    private boolean json;

    public boolean json() {
        return json;
    }
}
