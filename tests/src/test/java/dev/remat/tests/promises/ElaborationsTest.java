package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How often commands elaborate a model, as the virtual machine counts it in this thread: others test beside it. */
class ElaborationsTest {
    private static final String MODEL = """
        remat 1

        model Small(rate: float = 0.1) {
          symbol B
          input x: f32[B, 4]
          loss = mean(linear(dropout(x, 0.5), 3) ** 2)
        }

        train { minimize loss; optimizer sgd(lr = rate); micro_batches 2 }
        """;

    @TempDir
    Path folder;

    private long elaborations(String... words) throws IOException {
        Path events = folder.resolve("events.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.MethodTrace").with("filter", "dev.remat.compiler.elaborate.Elaborator::run");
            recording.start();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            Console console = new Console(new ByteArrayOutputStream(), err, false, false);
            int exit = RematCommand.run(console, words);
            assertThat(exit).as(err.toString(StandardCharsets.UTF_8)).isZero();
            recording.stop();
            recording.dump(events);
        }
        long here = Thread.currentThread().threadId();
        return RecordingFile.readAllEvents(events).stream()
                .filter(event -> event.getEventType().getName().equals("jdk.MethodTrace"))
                .filter(event -> event.getThread().getJavaThreadId() == here)
                .count();
    }

    private String[] train(int steps, String... more) throws IOException {
        Path model = Files.writeString(folder.resolve("small.model"), MODEL);
        List<String> words = new ArrayList<>(
                List.of("train", model.toString(), "--data", "synthetic", "--steps", String.valueOf(steps), "--save"));
        words.add(folder.resolve("run").toString());
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    /** The step over any number of rows and the evaluation likewise, whoever says how the batch is cut. */
    @Test
    void aResumedRunInMicroBatchesElaboratesTheStepAndTheEvaluation() throws IOException {
        String run = folder.resolve("run").toString();
        assertThat(elaborations(train(1, "--set", "B=8,rate=0.2", "--micro-batches", "4", "--eval-every", "1")))
                .isEqualTo(2);
        assertThat(elaborations(train(2, "--resume", run, "--eval-every", "1"))).isEqualTo(2);
        assertThat(elaborations(train(3, "--resume", run, "--micro-batches", "2", "--eval-every", "1")))
                .isEqualTo(2);
    }

    @Test
    void aWholeBatchIsElaboratedOnce() throws IOException {
        assertThat(elaborations(train(1, "--set", "B=8", "--micro-batches", "1")))
                .isEqualTo(1);
    }

    /** Once with the number of its rows, for the whole batch is among what is chosen from. */
    @Test
    void allNumbersThatAreChosenFromShareOneElaboration() throws IOException {
        assertThat(elaborations(train(1, "--set", "B=8", "--micro-batches", "auto", "--budget", "100%")))
                .isEqualTo(2);
    }
}
