package dev.remat.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Runs typical commands once, so that the JVM's AOT cache knows what a start needs. */
public final class Rehearsal {
    private Rehearsal() {}

    public static void main(String[] args) {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
        Console console = new Console(nowhere, nowhere, true, true);
        for (String line : new String[] {"--help", "help doctor", "doctor --json", "doctor", "no-such-command"}) {
            RematCommand.run(console, line.split(" "));
        }
    }
}
