package dev.remat.cli;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;

/** Entry point of the {@code remat} command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(RematCommand.run(Console.ofProcess(), args));
    }
}
