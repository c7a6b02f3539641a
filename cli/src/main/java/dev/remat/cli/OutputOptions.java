package dev.remat.cli;

import picocli.CommandLine.Option;

/** How a report is printed. */
final class OutputOptions {
    @Option(names = "--json", description = "Print the report as JSON.")
    private boolean json;

    boolean json() {
        return json;
    }
}
