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
 * Checkpoints of former formats, made by three steps on {@code |w|² / 2}, whose gradient is {@code w}. The fourth step
 * is followed by hand, as PyTorch's documentation tells it.
 */
class FormerCheckpointsTest {
    private static final Path FORMER = Path.of("src/test/resources/dev/remat/cli/command/former");

    @TempDir
    Path folder;

    private Map<String, float[]> before;
    private Map<String, float[]> after;

    /** The fourth step from a checkpoint of three. */
    private void resume(String checkpoint, String optimizer) throws IOException {
        resume(checkpoint, optimizer, "f32[n]");
    }

    private void resume(String checkpoint, String optimizer, String type) throws IOException {
        String text = Files.readString(FORMER.resolve("descent.model")).replace("f32[n]", type);
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

    @Test
    void aProductOfMomentaGoesOn() throws IOException {
        resume("nadam", "nadam(lr = 0.1)");
        double mu = 0.9 * (1 - 0.5 * Math.pow(0.96, 4 * 0.004));
        double next = 0.9 * (1 - 0.5 * Math.pow(0.96, 5 * 0.004));
        double product = before.get("optimizer.mu_product.w")[0] * mu;
        close(after.get("optimizer.mu_product.w"), 0, product);
        for (int i = 0; i < 3; i++) {
            float w = before.get("w")[i];
            double m = average("exp_avg", 0.9, i, w);
            double root = Math.sqrt(average("exp_avg_sq", 0.999, i, w * w) / (1 - Math.pow(0.999, 4))) + 1e-8;
            double change = (1 - mu) / (1 - product) * w / root + next / (1 - product * next) * m / root;
            close(after.get("w"), i, w - 0.1 * change);
        }
    }

    /** Of four squares it cannot be told how much they vary, so that the step goes along the mean alone. */
    @Test
    void aRateThatIsRectifiedLaterGoesOn() throws IOException {
        resume("radam", "radam(lr = 0.1)");
        for (int i = 0; i < 3; i++) {
            float w = before.get("w")[i];
            average("exp_avg_sq", 0.999, i, w * w);
            double m = average("exp_avg", 0.9, i, w);
            close(after.get("w"), i, w - 0.1 * m / (1 - Math.pow(0.9, 4)));
        }
    }

    @Test
    void theLargestGradientsGoOn() throws IOException {
        resume("adamax", "adamax(lr = 0.1)");
        for (int i = 0; i < 3; i++) {
            float w = before.get("w")[i];
            double m = average("exp_avg", 0.9, i, w);
            double largest = Math.max(0.999 * before.get("optimizer.exp_inf.w")[i], Math.abs(w) + 1e-8);
            close(after.get("optimizer.exp_inf.w"), i, largest);
            close(after.get("w"), i, w - 0.1 / (1 - Math.pow(0.9, 4)) * m / largest);
        }
    }

    @Test
    void anAverageWhoseSignCountsGoesOn() throws IOException {
        resume("lion", "lion(lr = 0.1, weight_decay = 0.1)");
        for (int i = 0; i < 3; i++) {
            float w = before.get("w")[i];
            double towards = 0.9 * before.get("optimizer.exp_avg.w")[i] + 0.1 * w;
            average("exp_avg", 0.99, i, w);
            close(after.get("w"), i, (1 - 0.1 * 0.1) * w - 0.1 * Math.signum(towards));
        }
    }

    @Test
    void aVarianceAndAMomentumGoOn() throws IOException {
        resume("rmsprop", "rmsprop(lr = 0.1, momentum = 0.9, centered = true)");
        for (int i = 0; i < 3; i++) {
            float w = before.get("w")[i];
            double mean = average("grad_avg", 0.99, i, w);
            double square = average("square_avg", 0.99, i, w * w);
            double momentum =
                    0.9 * before.get("optimizer.momentum_buffer.w")[i] + w / (Math.sqrt(square - mean * mean) + 1e-8);
            close(after.get("optimizer.momentum_buffer.w"), i, momentum);
            close(after.get("w"), i, w - 0.1 * momentum);
        }
    }

    @Test
    void aSumOfSquaresGoesOn() throws IOException {
        resume("adagrad", "adagrad(lr = 0.1, lr_decay = 0.5)");
        for (int i = 0; i < 3; i++) {
            float w = before.get("w")[i];
            double sum = before.get("optimizer.sum.w")[i] + (double) w * w;
            close(after.get("optimizer.sum.w"), i, sum);
            close(after.get("w"), i, w - 0.1 / (1 + 3 * 0.5) * w / (Math.sqrt(sum) + 1e-10));
        }
    }

    @Test
    void squaresByRowAndColumnGoOn() throws IOException {
        resume("adafactor", "adafactor(lr = 0.1)", "f32[n, n]");
        float[] w = before.get("w");
        double share = Math.pow(4, -0.8);
        double[] rows = new double[3];
        double[] columns = new double[3];
        double squares = 0;
        for (int i = 0; i < 9; i++) {
            rows[i / 3] += (double) w[i] * w[i] / 3;
            columns[i % 3] += (double) w[i] * w[i] / 3;
            squares += (double) w[i] * w[i];
        }
        double mean = 0;
        for (int i = 0; i < 3; i++) {
            rows[i] = (1 - share) * before.get("optimizer.row_var.w")[i] + share * rows[i];
            columns[i] = (1 - share) * before.get("optimizer.col_var.w")[i] + share * columns[i];
            close(after.get("optimizer.row_var.w"), i, rows[i]);
            close(after.get("optimizer.col_var.w"), i, columns[i]);
            mean += rows[i] / 3;
        }
        double[] update = new double[9];
        double norm = 0;
        for (int i = 0; i < 9; i++) {
            update[i] = w[i] / Math.sqrt(rows[i / 3] * columns[i % 3] / mean);
            norm += update[i] * update[i];
        }
        double rate = 0.1 * Math.sqrt(squares / 9) / Math.max(1, Math.sqrt(norm / 9));
        for (int i = 0; i < 9; i++) {
            close(after.get("w"), i, w[i] - rate * update[i]);
        }
    }

    /** What an average of this name has come to, of which a share stays; held against what was saved. */
    private double average(String name, double share, int i, double sample) {
        double expected = share * before.get("optimizer." + name + ".w")[i] + (1 - share) * sample;
        close(after.get("optimizer." + name + ".w"), i, expected);
        return expected;
    }
}
