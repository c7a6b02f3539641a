package dev.remat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.cli.command.CommandRun;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.DataException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingTest {
    @TempDir
    Path folder;

    private SmallClassifier points;
    private Path saved;

    @BeforeEach
    void write() throws IOException {
        points = SmallClassifier.in(folder);
        saved = folder.resolve("saved");
    }

    private Training training() {
        return points.model().plan().train(points.feed(), points.heldBack());
    }

    private static Map<String, float[]> values(Training training) {
        Map<String, float[]> values = new TreeMap<>();
        training.tensors().forEach((name, tensor) -> values.put(name, tensor.toFloats()));
        return values;
    }

    private static void expectEqual(Map<String, float[]> found, Map<String, float[]> expected) {
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        found.forEach((name, values) -> assertThat(values).as(name).isEqualTo(expected.get(name)));
    }

    private Map<String, float[]> valuesAfter(long steps) throws IOException {
        try (Training training = training()) {
            training.run(steps, step -> {});
            return values(training);
        }
    }

    /** Where the command holds back the last tenth of a file and trains on the rest. */
    @Test
    void trainsAndEvaluatesAsTheCommandDoes() throws IOException {
        List<String> own = new ArrayList<>();
        try (Training training = training()) {
            training.run(
                    20,
                    step -> own.add(step.number() + " " + (float) step.loss()
                            + (step.number() % 10 == 0
                                    ? " " + (float) training.evaluate(2).loss()
                                    : "")));
        }
        CommandRun command = CommandRun.of(
                "train",
                points.file().toString(),
                "--set",
                "B=8",
                "--data",
                points.write(folder).toString(),
                "--steps",
                "20",
                "--eval-every",
                "10",
                "--eval-batches",
                "2",
                "--json");
        assertThat(command.exitCode()).as(command.err()).isZero();
        List<String> others = command.out()
                .lines()
                .filter(line -> line.contains("\"loss\""))
                .map(line -> field(line, "step") + " " + field(line, "loss")
                        + (line.contains("evalLoss") ? " " + field(line, "evalLoss") : ""))
                .toList();
        assertThat(own).hasSize(20).isEqualTo(others);
        assertThat(Double.parseDouble(own.getLast().split(" ")[1]))
                .isLessThan(Double.parseDouble(own.getFirst().split(" ")[1]));
    }

    private static String field(String line, String name) {
        String rest = line.substring(line.indexOf("\"" + name + "\":") + name.length() + 3);
        String value = rest.substring(0, rest.indexOf(rest.contains(",") ? ',' : '}'));
        return value.contains(".") ? String.valueOf(Float.parseFloat(value)) : value;
    }

    @Test
    void goesOnBitForBit() throws IOException {
        try (Training first = training().saveTo(saved, 100)) {
            first.run(7, step -> {});
        }
        try (Training second = training().resume(saved).saveTo(saved, 2)) {
            assertThat(second.completedSteps()).isEqualTo(7);
            second.run(12, step -> {});
            expectEqual(values(second), valuesAfter(12));
        }
    }

    @Test
    void takesTheSettingsOfACheckpoint() throws IOException {
        try (Training first = points.model()
                .with("width", 4)
                .withSeed(11)
                .plan()
                .train(points.feed())
                .saveTo(saved, 100)) {
            first.run(2, step -> {});
        }
        Model model = Model.open(points.file());
        try (Training second =
                model.asTrained(saved).plan().train(points.feed()).resume(saved)) {
            assertThat(second.tensors().get("up.weight").shape()).containsExactly(4L, 2L);
        }
        assertThat(model.asTrained(saved)
                        .with("B", 4)
                        .plan()
                        .inputs()
                        .getFirst()
                        .rows())
                .isEqualTo(4);
    }

    @Test
    void writesCheckpointsThatCommandsTake() throws IOException {
        try (Training training = training().saveTo(saved, 100)) {
            training.run(7, step -> {});
        }
        CommandRun eval = CommandRun.of(
                "eval",
                points.file().toString(),
                "--resume",
                saved.toString(),
                "--data",
                points.write(folder).toString());
        assertThat(eval.exitCode()).as(eval.err()).isZero();
        CommandRun other = CommandRun.of(
                "train",
                points.file().toString(),
                "--resume",
                saved.toString(),
                "--data",
                points.write(folder).toString(),
                "--steps",
                "9");
        assertThat(other.err()).contains("--allow-changed data");
    }

    @Test
    void savesAtOnceWhatNoCheckpointHas() throws IOException {
        try (Training training = training()) {
            training.run(3, step -> {});
            training.saveTo(saved, 100);
            expectEqual(valuesOfCheckpoint(3), values(training));
        }
    }

    private Map<String, float[]> valuesOfCheckpoint(long step) throws IOException {
        try (Training resumed = training().resume(saved)) {
            assertThat(resumed.completedSteps()).isEqualTo(step);
            return values(resumed);
        }
    }

    @Test
    void refusesCheckpointsOfOtherRuns() throws IOException {
        try (Training first = training().saveTo(saved, 100)) {
            first.run(1, step -> {});
        }
        assertThatThrownBy(() ->
                        points.model().with("B", 4).plan().train(points.feed()).resume(saved))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("B is 4, was 8");
        assertThatThrownBy(() -> training().saveTo(saved, 100))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("after step 1");
    }

    @Test
    void keepsOthersOutOfItsFolderUntilItIsClosed() throws IOException {
        Training first = training().saveTo(saved, 100);
        Training second = training();
        assertThatThrownBy(() -> second.saveTo(saved, 100)).isInstanceOf(FileSystemException.class);
        expectClosed(second);
        first.close();
        training().saveTo(saved, 100).close();
    }

    private static void expectClosed(Training training) {
        List<ThrowingCallable> uses = List.of(
                training::tensors,
                training::completedSteps,
                () -> training.evaluate(1),
                () -> training.run(9, step -> {}),
                () -> training.resume(Path.of("none")),
                () -> training.saveTo(Path.of("none"), 1));
        assertThat(uses)
                .allSatisfy(use -> assertThatThrownBy(use)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("the training is closed"));
    }

    @Test
    void canBeClosedAgainAndNotBeUsed() throws IOException {
        Training training = training();
        training.run(2, step -> {});
        Tensor tensor = training.tensors().get("head.weight");
        assertThat(tensor.shape()).containsExactly(3L, 8L);
        assertThat(tensor.toFloats()).hasSize(24);
        training.close();
        training.close();
        expectClosed(training);
        assertThatThrownBy(tensor::toFloats).isInstanceOf(IllegalStateException.class);
        assertThat(tensor.data().scope().isAlive()).isFalse();
    }

    @Test
    void belongsToTheThreadThatBeganIt() throws Exception {
        try (Training training = training()) {
            List<ThrowingCallable> uses = List.of(
                    training::tensors,
                    training::completedSteps,
                    training::close,
                    () -> training.evaluate(1),
                    () -> training.run(9, step -> {}),
                    () -> training.resume(saved),
                    () -> training.saveTo(saved, 1));
            for (ThrowingCallable use : uses) {
                assertThat(thrownInAnotherThread(use))
                        .isInstanceOf(WrongThreadException.class)
                        .hasMessageContaining(Thread.currentThread().getName());
            }
            Tensor tensor = training.tensors().get("head.weight");
            assertThat(thrownInAnotherThread(tensor::toFloats)).isNull();
            training.run(1, step -> {});
        }
    }

    private static Throwable thrownInAnotherThread(ThrowingCallable use) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread other = new Thread(() -> {
            try {
                use.call();
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        other.start();
        other.join();
        return thrown.get();
    }

    @Test
    void aFeedThatThrowsEndsIt() throws IOException {
        RuntimeException failure = new IllegalArgumentException("no more");
        Feed feed = (batch, input, into) -> {
            if (batch == 4) {
                throw failure;
            }
            points.feed().fill(batch, input, into);
        };
        expectEnd(feed, step -> {}, failure, 4);
    }

    @Test
    void aListenerThatThrowsEndsIt() throws IOException {
        RuntimeException failure = new IllegalArgumentException("enough");
        Consumer<Training.Step> listener = step -> {
            if (step.number() == 5) {
                throw failure;
            }
        };
        expectEnd(points.feed(), listener, failure, 5);
    }

    private void expectEnd(Feed feed, Consumer<Training.Step> listener, Throwable failure, long step)
            throws IOException {
        Training training = points.model().plan().train(feed).saveTo(saved, 100);
        Tensor tensor = training.tensors().get("head.weight");
        assertThatThrownBy(() -> training.run(9, listener)).isSameAs(failure).hasNoSuppressedExceptions();
        assertThat(tensor.data().scope().isAlive()).isFalse();
        expectClosed(training);
        training.close();
        expectEqual(valuesOfCheckpoint(step), valuesAfter(step));
    }

    @Test
    void refusesToBeClosedOrRunByWhomItCalls() throws IOException {
        AtomicReference<Training> inFeed = new AtomicReference<>();
        Feed asking = (batch, input, into) -> {
            points.feed().fill(batch, input, into);
            inFeed.get().tensors();
        };
        inFeed.set(points.model().plan().train(asking));
        assertThatThrownBy(() -> inFeed.get().run(1, step -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the training waits for its feed");
        expectClosed(inFeed.get());
        List<Consumer<Training>> uses = List.of(Training::close, each -> {
            try {
                each.run(2, step -> {});
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        for (Consumer<Training> use : uses) {
            Training training = training();
            assertThatThrownBy(() -> training.run(9, step -> use.accept(training)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the training is running");
            expectClosed(training);
        }
    }

    @Test
    void tellsOfDataThatDoNotFit() {
        Map<String, Object> few = new TreeMap<>(points.trainedOn());
        few.put("y", new int[98]);
        expectDataException(few, "y has 98 elements of I32, and 99 samples for the input");
        Map<String, Object> other = new TreeMap<>(points.trainedOn());
        other.put("y", new float[99]);
        expectDataException(other, "y has 99 elements of F32");
        Map<String, Object> none = new TreeMap<>(points.trainedOn());
        none.remove("y");
        expectDataException(none, "no array for the input");
        Map<String, Object> classes = new TreeMap<>(points.trainedOn());
        int[] fourth = new int[99];
        fourth[7] = 3;
        classes.put("y", fourth);
        expectDataException(classes, "the data has 3 for y, which must be from 0 to below 3");
        assertThatThrownBy(() -> Feed.inOrder(1, Map.of("x", "text"))).isInstanceOf(IllegalArgumentException.class);
    }

    private void expectDataException(Map<String, ?> samples, String message) {
        Training training = points.model().plan().train(Feed.shuffled(99, samples, 1));
        assertThatThrownBy(() -> training.run(20, step -> {}))
                .isInstanceOf(DataException.class)
                .hasMessageContaining(message);
    }

    @Test
    void evaluatesOnWhatWasHeldBackAlone() throws IOException {
        try (Training training = points.model().plan().train(points.feed())) {
            assertThatThrownBy(() -> training.evaluate(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("nothing was held back");
            training.run(1, step -> {});
        }
    }

    @Test
    void savesNothingUnlessItIsToldTo() throws IOException {
        Set<Path> before = files();
        valuesAfter(3);
        assertThat(files()).isEqualTo(before);
    }

    private Set<Path> files() throws IOException {
        try (var files = Files.list(folder)) {
            return Set.copyOf(files.toList());
        }
    }
}
