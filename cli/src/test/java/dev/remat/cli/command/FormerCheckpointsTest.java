package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.StoredTensor;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checkpoints in which optimizer state has other names than PyTorch's, made by three steps on {@code |w|² / 2}, whose
 * gradient is {@code w}. The fourth step is followed by hand.
 */
class FormerCheckpointsTest {
    private static final Path FORMER = Path.of("src/test/resources/dev/remat/cli/command/former");

    @TempDir
    Path folder;

    private Map<String, float[]> before;
    private Map<String, float[]> after;

    /** The fourth step from a checkpoint of three. */
    private void resume(String checkpoint, String optimizer) throws IOException {
        String text = Files.readString(FORMER.resolve("descent.model"));
        String model = TinyModels.write(
                folder, "descent.model", text.replaceAll("optimizer .*\n", "optimizer " + optimizer + "\n"));
        before = state(FORMER.resolve(checkpoint));
        Path saved = folder.resolve("saved");
        CommandRun run = CommandRun.of(
                "train",
                model,
                "--data",
                "synthetic",
                "--resume",
                FORMER.resolve(checkpoint).toString(),
                "--steps",
                "4",
                "--save",
                saved.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        after = state(saved);
    }

    private static Map<String, float[]> state(Path checkpoint) throws IOException {
        try (Stream<Path> files = Files.list(checkpoint)) {
            Path state = files.filter(file -> file.toString().endsWith(".safetensors"))
                    .findFirst()
                    .orElseThrow();
            Map<String, float[]> tensors = new TreeMap<>();
            try (SafetensorsFile file = SafetensorsFile.open(state)) {
                for (StoredTensor tensor : file.tensors()) {
                    tensors.put(tensor.name(), tensor.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED));
                }
            }
            return tensors;
        }
    }

    private static void close(float[] found, int i, double expected) {
        assertThat((double) found[i]).isCloseTo(expected, within(1e-6 * Math.abs(expected)));
    }

    @Test
    void aVelocityGoesOnDampened() throws IOException {
        resume("sgd", "sgd(lr = 0.1, momentum = 0.9, dampening = 0.25)");
        assertThat(before).containsOnlyKeys("optimizer.velocity.w", "w");
        assertThat(after).containsOnlyKeys("optimizer.momentum_buffer.w", "w");
        for (int i = 0; i < 3; i++) {
            float w = before.get("w")[i];
            double velocity = 0.9 * before.get("optimizer.velocity.w")[i] + 0.75 * w;
            close(after.get("optimizer.momentum_buffer.w"), i, velocity);
            close(after.get("w"), i, w - 0.1 * velocity);
        }
    }

    @Test
    void twoMomentsGoOn() throws IOException {
        resume("adam", "adam(lr = 0.1)");
        assertThat(before).containsOnlyKeys("optimizer.m.w", "optimizer.v.w", "w");
        assertThat(after).containsOnlyKeys("optimizer.exp_avg.w", "optimizer.exp_avg_sq.w", "w");
        for (int i = 0; i < 3; i++) {
            moments(i);
            close(after.get("w"), i, before.get("w")[i] - change(i, after.get("optimizer.exp_avg_sq.w")[i]));
        }
    }

    @Test
    void soDoTheLargestSquares() throws IOException {
        resume("amsgrad", "adamw(lr = 0.1, amsgrad = true)");
        assertThat(before).containsOnlyKeys("optimizer.m.w", "optimizer.max_exp_avg_sq.w", "optimizer.v.w", "w");
        assertThat(after)
                .containsOnlyKeys("optimizer.exp_avg.w", "optimizer.exp_avg_sq.w", "optimizer.max_exp_avg_sq.w", "w");
        for (int i = 0; i < 3; i++) {
            moments(i);
            double largest =
                    Math.max(before.get("optimizer.max_exp_avg_sq.w")[i], after.get("optimizer.exp_avg_sq.w")[i]);
            close(after.get("optimizer.max_exp_avg_sq.w"), i, largest);
            close(after.get("w"), i, (1 - 0.1 * 0.01) * before.get("w")[i] - change(i, largest));
        }
    }

    private void moments(int i) {
        float w = before.get("w")[i];
        close(after.get("optimizer.exp_avg.w"), i, 0.9 * before.get("optimizer.m.w")[i] + 0.1 * w);
        close(after.get("optimizer.exp_avg_sq.w"), i, 0.999 * before.get("optimizer.v.w")[i] + 0.001 * w * w);
    }

    private double change(int i, double squares) {
        double mean = after.get("optimizer.exp_avg.w")[i] / (1 - Math.pow(0.9, 4));
        return 0.1 * mean / (Math.sqrt(squares / (1 - Math.pow(0.999, 4))) + 1e-8);
    }
}
