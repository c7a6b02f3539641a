package dev.remat;

import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A model that tells three classes of points apart, and 110 points, of which a command would hold back the last 11.
 *
 * @param x two numbers a point
 * @param y a class a point
 */
record SmallClassifier(Path file, float[] x, int[] y) {
    static final int TRAINED_ON = 99;
    static final int HELD_BACK = 11;

    private static final String TEXT = """
        remat 1

        model Points(width: int = 8, drop: float = 0.1) {
          symbol B
          input x: f32[B, 2]
          input y: i32[B]

          h = dropout(gelu(linear(x, width) as up), drop)
          h = gelu(linear(h, width) as mix)
          loss = cross_entropy(linear(h, 3) as head, y)
        }

        train {
          minimize loss
          optimizer adamw(lr = 1e-2)
          seed 5
        }
        """;

    static SmallClassifier in(Path folder) throws IOException {
        Random random = new Random(1);
        float[] x = new float[2 * (TRAINED_ON + HELD_BACK)];
        int[] y = new int[TRAINED_ON + HELD_BACK];
        for (int i = 0; i < y.length; i++) {
            y[i] = i % 3;
            x[2 * i] = (float) (y[i] + 0.2 * random.nextGaussian());
            x[2 * i + 1] = (float) random.nextGaussian();
        }
        Path file = folder.resolve("points.model");
        if (Files.notExists(file)) {
            Files.writeString(file, TEXT);
        }
        return new SmallClassifier(file, x, y);
    }

    Model model() {
        return Model.open(file).with("B", 8);
    }

    Map<String, Object> trainedOn() {
        return Map.of("x", Arrays.copyOf(x, 2 * TRAINED_ON), "y", Arrays.copyOf(y, TRAINED_ON));
    }

    Feed feed() {
        return Feed.shuffled(TRAINED_ON, trainedOn(), 5);
    }

    Feed heldBack() {
        return Feed.inOrder(
                HELD_BACK,
                Map.of(
                        "x", Arrays.copyOfRange(x, 2 * TRAINED_ON, x.length),
                        "y", Arrays.copyOfRange(y, TRAINED_ON, y.length)));
    }

    /** A file for commands. */
    Path write(Path folder) throws IOException {
        Path points = folder.resolve("points.safetensors");
        try (Arena arena = Arena.ofConfined()) {
            SafetensorsWriter.write(
                    points,
                    Map.of(),
                    List.of(
                            new StoredTensor(
                                    "x",
                                    StoredType.F32,
                                    List.of((long) y.length, 2L),
                                    arena.allocateFrom(ValueLayout.JAVA_FLOAT, x)),
                            new StoredTensor(
                                    "y",
                                    StoredType.I32,
                                    List.of((long) y.length),
                                    arena.allocateFrom(ValueLayout.JAVA_INT, y))));
        }
        return points;
    }
}
