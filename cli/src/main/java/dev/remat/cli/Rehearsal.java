package dev.remat.cli;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.runtime.io.SafetensorsWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs typical commands once, so that the JVM's AOT cache knows what a start needs. */
public final class Rehearsal {
    private static final List<String> LINES = List.of(
            "--help",
            "help doctor",
            "doctor --json",
            "doctor",
            "no-such-command",
            "fmt %s",
            "import %2$s -o %1$s --overwrite",
            "plan %s --set B=4 --strategy sqrt",
            "plan %s --set B=4,depth=150 --strategy sqrt --json",
            "plan %s --set B=4 --strategy sqrt",
            "plan %s --set B=4 --budget 70%% --no-cache",
            "train %s --set B=4 --data synthetic --steps 3 --json",
            "train %3$s --set B=4,T=64 --data synthetic --steps 100 --json");
    /** Of every kind that models have: convolutions, normalization, dropout, skips, products, classes. */
    private static final String MODEL = """
        remat 1

        model Rehearsal(width: int = 4, depth: int = 8) {
          symbol B
          input x: f32[B, width, 8, 8]
          input y: i32[B]

          layer Block(x) {
            h = conv2d(x, width, 3, padding = 1) |> batch_norm |> relu
            return dropout(x + h, 0.1)
          }

          repeat depth { x = Block(x) }
          h = linear(mean(x, [2, 3]), 2 * width) |> layer_norm |> gelu
          loss = cross_entropy(linear(h, width), y)
        }

        train {
          minimize loss
          optimizer adamw(lr = 1e-3)
        }
        """;
    /** Trained for as long as it takes until the JVM knows which methods are worth its optimizing compiler. */
    static final String PRACTICE = """
        remat 1

        model Practice(width: int = 128, heads: int = 4, vocab: int = 500) {
          symbol B, T
          input tokens: i32[B, T]
          input targets: i32[B, T]
          input image: f32[B, 3, 32, 32]

          angle = arange(T)[:, none] * exp(arange(width / heads / 2))
          layer Rotate(x) {
            a, b = split(x, 2, axis = -1)
            return concat([a * cos(angle) - b * sin(angle), b * cos(angle) + a * sin(angle)], axis = -1)
          }
          layer Attention(x) {
            q, k, v = split(linear(x, 3 * width), 3, axis = -1)
            a = attention(
              Rotate(split_heads(q, heads)),
              Rotate(split_heads(k, heads)),
              split_heads(v, heads),
              causal = true,
            )
            return dropout(linear(merge_heads(a), width), 0.1)
          }
          layer FeedForward(x) {
            up = linear(x, 4 * width)
            return linear(gelu(up) * silu(linear(x, 4 * width)) + gelu(up, approximate = "tanh"), width)
          }
          layer Convolution(x) {
            return conv2d(x, 32, 3, padding = 1) |> batch_norm |> relu
          }

          x = dropout(embedding(tokens, vocab, width), 0.1)
          repeat 2 {
            x = x + Attention(layer_norm(x))
            x = x + FeedForward(rms_norm(x))
          }
          states, _ = lstm(x[:, :16, :], width)
          h = max_pool2d(Convolution(image), 2)
          h = h + Convolution(Convolution(h))
          loss = cross_entropy(linear(layer_norm(x), vocab), targets) + mean(states ** 2) + mean(h)
        }

        train {
          minimize loss
          optimizer adamw(lr = 0.001, weight_decay = 0.1, clip_norm = 1.0)
        }
        """;
    /** Whose weights are missing, which is seen when all else is done. */
    private static final String PRETRAINED = """
        {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"],
         "n_embd": 8, "n_layer": 2, "n_head": 2, "n_positions": 8, "vocab_size": 8}
        """;

    private Rehearsal() {}

    public static void main(String[] args) throws IOException {
        OutputStream nowhere = OutputStream.nullOutputStream();
        Path folder = Files.createTempDirectory("rehearsal");
        Path model = folder.resolve("rehearsal.model");
        Path practice = folder.resolve("practice.model");
        Console console = new Console(nowhere, nowhere, true, true, Optional.of(folder));
        try {
            Path pretrained = Files.createDirectory(folder.resolve("pretrained"));
            Files.writeString(pretrained.resolve("config.json"), PRETRAINED);
            SafetensorsWriter.write(pretrained.resolve("model.safetensors"), Map.of(), List.of());
            Files.writeString(model, MODEL);
            Files.writeString(practice, PRACTICE);
            for (String line : LINES) {
                RematCommand.run(
                        console, line.formatted(model, pretrained, practice).split(" "));
            }
        } finally {
            try (Stream<Path> left = Files.walk(folder)) {
                for (Path each : left.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
