package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bright and dark images, which a line can tell apart. */
class ImageFolderTest {
    private static final String MODEL = """
        remat 1

        model Brightness {
          symbol B
          input images: f32[B, 1, 4, 4]
          input labels: i32[B]

          scores = linear(reshape(images, [B, 16]), 2) as head
          loss = cross_entropy(scores, labels)
          output scores
        }

        train {
          minimize loss
          optimizer adamw(lr = 0.1)
        }
        """;

    @TempDir
    Path folder;

    private String model;
    private Path data;
    private String run;

    @BeforeEach
    void write() throws IOException {
        model = TinyModels.write(folder, "brightness.model", MODEL);
        run = folder.resolve("run").toString();
        data = folder.resolve("data");
        for (int i = 0; i < 12; i++) {
            image("bright/%02d.png".formatted(i), 200 + 3 * i, 4);
            image("dark/%02d.jpg".formatted(i), 20 + 3 * i, 4);
        }
    }

    private void image(String name, int level, int size) throws IOException {
        Path file = data.resolve(name);
        Files.createDirectories(file.getParent());
        BufferedImage image = new BufferedImage(size, size, BufferedImage.TYPE_BYTE_GRAY);
        for (int i = 0; i < size * size; i++) {
            image.getRaster().setSample(i % size, i / size, 0, level);
        }
        ImageIO.write(image, name.substring(name.lastIndexOf('.') + 1), file.toFile());
    }

    private CommandRun train(String... more) {
        return run("train", "--steps", "40", "--set", "B=4", more);
    }

    private CommandRun run(String command, String first, String second, String third, String fourth, String... more) {
        List<String> words = new ArrayList<>(
                List.of(command, model, "--data", data.toString(), first, second, third, fourth, "--json"));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private static double last(CommandRun run, String field) {
        assertThat(run.exitCode()).as(run.err()).isZero();
        String name = "\"" + field + "\":";
        String text = run.out().replace("\" :", "\":");
        String rest = text.substring(text.lastIndexOf(name) + name.length()).strip();
        return Double.parseDouble(rest.split("[,}\\s]")[0]);
    }

    @Test
    void classesAreLearned() {
        CommandRun trained = train("--save", run, "--eval-every", "40", "--mean", "0.5", "--std", "0.25");
        assertThat(last(trained, "evalLoss")).isLessThan(0.1);
        CommandRun evaluated = run("eval", "--resume", run, "--mean", "0.5", "--std", "0.25");
        assertThat(last(evaluated, "samples")).isEqualTo(2);
        assertThat(last(evaluated, "loss")).isLessThan(0.1);
        // Without its mean everything is bright.
        assertThat(last(run("eval", "--resume", run, "--mean", "-0.5", "--std", "0.25"), "loss"))
                .isGreaterThan(0.5);
    }

    @Test
    void aResumedRunHasTheSameImages() throws IOException {
        train("--save", run);
        CommandRun more = run("train", "--steps", "41", "--set", "B=4", "--resume", run);
        assertThat(more.exitCode()).as(more.err()).isZero();
        CommandRun shifted = run("train", "--steps", "41", "--set", "B=4", "--resume", run, "--mean", "0.5");
        assertThat(shifted.exitCode()).isEqualTo(8);
        assertThat(shifted.err()).contains("another run: data mean is 0.5, was not there");
        image("dark/03.jpg", 90, 4);
        CommandRun changed = run("train", "--steps", "41", "--set", "B=4", "--resume", run);
        assertThat(changed.exitCode()).isEqualTo(8);
        assertThat(changed.err()).contains("another run: data ");
    }

    @Test
    void mistakesSayWhatToDo() throws IOException {
        Files.writeString(data.resolve("bright/notes.txt"), "-");
        assertThat(train().err()).isEqualTo("remat: no input of the model reads bright/notes.txt of the data\n");
        image("dark/large.png", 20, 9);
        CommandRun large = train();
        assertThat(large.exitCode()).isEqualTo(8);
        assertThat(large.err()).contains("large.png is 9 x 9 pixels").contains("takes 4 x 4; --resize fits");
        assertThat(train("--resize").exitCode()).isZero();
        Files.writeString(data.resolve("dark/broken.png"), "no image");
        CommandRun broken = train("--resize");
        assertThat(broken.exitCode()).isEqualTo(8);
        assertThat(broken.err()).contains("broken.png: is no PNG, JPEG, GIF or BMP image");
        Files.createDirectory(data.resolve("empty"));
        assertThat(train("--resize").err()).contains("empty has no images");
    }

    @Test
    void optionsAreForImages() {
        for (String[] option : new String[][] {{"--resize"}, {"--mean", "0"}, {"--std", "1"}}) {
            List<String> words =
                    new ArrayList<>(List.of("train", model, "--set", "B=4", "--data", "synthetic", "--steps", "1"));
            words.addAll(List.of(option));
            CommandRun refused = CommandRun.of(words.toArray(String[]::new));
            assertThat(refused.exitCode()).isEqualTo(2);
            assertThat(refused.err()).contains("are for --data with a folder of images");
        }
        CommandRun zero = train("--std", "0");
        assertThat(zero.exitCode()).isEqualTo(2);
        assertThat(zero.err()).contains("above 0");
        assertThat(train("--mean", "0.1,0.2,0.3").err()).contains("3 means", "1 channel");
        assertThat(train("--mean", "x").exitCode()).isEqualTo(2);
    }
}
