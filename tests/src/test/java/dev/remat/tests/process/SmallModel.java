package dev.remat.tests.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A model whose steps take oneDNN. */
final class SmallModel {
    static final String TEXT = """
        remat 1

        model Small(depth: int = 2) {
          symbol B
          input x: f32[B, 32, 32, 32]
          input y: f32[B, 8]

          repeat depth { x = conv2d(x, 32, 3, padding = 1) |> relu }
          loss = mse(linear(mean(x, [2, 3]), 8), y)
        }

        train {
          minimize loss
          optimizer sgd(lr = 1e-3)
        }
        """;

    private SmallModel() {}

    /** The words of a command over the model, which is written to {@code folder}. */
    static String[] train(Path folder, int steps, String... more) throws IOException {
        Path model = Files.writeString(folder.resolve("small.model"), TEXT);
        List<String> words = new ArrayList<>(List.of(
                "train", model.toString(), "--set", "B=4", "--data", "synthetic", "--steps", Integer.toString(steps)));
        Collections.addAll(words, more);
        return words.toArray(String[]::new);
    }
}
