package dev.remat.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs typical commands once, so that the JVM's AOT cache knows what a start needs. */
public final class Rehearsal {
    private static final List<String> LINES =
            List.of("--help", "help doctor", "doctor --json", "doctor", "no-such-command", "fmt %s",
                    "plan %s --set B=2", "plan %s --set B=2 --strategy sqrt --json", "plan %s --set C=2",
                    "train %s --set B=2 --data synthetic --steps 2",
                    "train %s --set B=2 --data synthetic --steps 2 --json");
    private static final String MODEL = """
            remat 1

            model Rehearsal(width: int = 4) {
              symbol B
              input x: f32[B, width]
              input y: f32[B, width]
              h = linear(x, width) |> relu |> layer_norm
              loss = mse(linear(h, width), y)
            }

            train {
              minimize loss
              optimizer adamw(lr = 1e-3)
            }
            """;

    private Rehearsal() {}

    public static void main(String[] args) throws IOException {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Console console = new Console(nowhere, nowhere, true, true);
        Path model = Files.createTempFile("rehearsal", ".model");
        try {
            Files.writeString(model, MODEL);
            for (String line : LINES) {
                RematCommand.run(console, line.formatted(model).split(" "));
            }
        } finally {
            Files.delete(model);
        }
    }
}
