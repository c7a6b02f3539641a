package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Models small enough to be trained in tests, written to a folder. */
public final class TinyModels {
    private static final String TEXT = """
        remat 1

        model Tiny(width: int = 8, depth: int = 3, drop: float = 0.25) {
          symbol B, T
          input tokens: i32[B, T]
          input targets: i32[B, T]

          x = embedding(tokens, 256, width) as table
          repeat depth {
            x = x + dropout(linear(layer_norm(x), width) as mix |> gelu, drop)
          }
          loss = cross_entropy(linear(x, 256) as out, targets)
        }

        train {
          minimize loss
          optimizer adamw(lr = 1e-2)
          seed 3
        }
        """;
    private static final String DIVERGING = """
        remat 1

        model Diverging {
          input x: f32[4]

          param w: f32[4] = ones
          y = log(x * w - 100)
          loss = mean(y)
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    private static final String MEASURING = """
        remat 1

        model Measuring {
          symbol B
          input x: f32[B, 3]

          param w: f32[3] = ones
          rows = mean((x - w) * (x - w), axis = -1)
          loss = mean(rows)
          twice = 2 * loss
          negated = -loss
          output twice, negated, rows
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    private static final String BENT = """
        remat 1

        model Bent {
          input x: f32[8, 4]

          param w: f32[4] = ones
          param b: f32[4] = zeros
          loss = mean(relu(b) + x * w * w)
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    private static final String SINGLE = """
        remat 1

        model Single {
          input x: f32[64]

          param w: f32[64] = ones
          loss = mean(x * w)
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    static final String NORMALIZING = """
        remat 1

        model Small {
          symbol B
          input images: f32[B, 3, 4, 4]
          input labels: i32[B]

          x = batch_norm(conv2d(images, 2, 3) as stem) as norm
          loss = cross_entropy(linear(global_avg_pool(x), 5) as head, labels)
        }

        train {
          minimize loss
          optimizer adamw(lr = 0.01)
        }
        """;

    private TinyModels() {}

    /** One product, of which nothing needs to be kept. */
    static String single(Path folder) throws IOException {
        return write(folder, "single.model", SINGLE);
    }

    /** Its loss bends where its parameter {@code b}, which is declared in line 7, has its initial value. */
    static String bent(Path folder) throws IOException {
        return write(folder, "bent.model", BENT);
    }

    /** A byte-level language model with dropout. */
    public static String text(Path folder) throws IOException {
        return write(folder, "tiny.model", TEXT);
    }

    /** Takes the logarithm of negative numbers in line 7. */
    static String diverging(Path folder) throws IOException {
        return write(folder, "diverging.model", DIVERGING);
    }

    /** Has the scalar outputs {@code twice} (its loss doubled) and {@code negated}, and {@code rows} of [B]. */
    static String measuring(Path folder) throws IOException {
        return write(folder, "measuring.model", MEASURING);
    }

    /** A convolution, a batch norm and a classifier of [B, 3, 4, 4]. */
    static String normalizing(Path folder) throws IOException {
        return write(folder, "small.model", NORMALIZING);
    }

    /** Two thousand bytes with a pattern that can be learned. */
    public static String data(Path folder) throws IOException {
        return write(folder, "data.txt", "abcdefgh, ".repeat(200));
    }

    static String write(Path folder, String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    /** Runs a command on what {@link #text} has written, 8 rows of 16 tokens a step, and trains on synthetic ones. */
    static CommandRun run(String command, String model, String... more) {
        List<String> args = new ArrayList<>(List.of(command, model, "--set", "B=8,T=16"));
        if (command.equals("train")) {
            args.addAll(List.of("--data", "synthetic"));
        }
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    /** The line that tells the state that a training has come to, which it has to have come to. */
    static String state(CommandRun run) {
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out()
                .lines()
                .filter(line -> line.startsWith("state "))
                .findFirst()
                .orElseThrow();
    }
}
