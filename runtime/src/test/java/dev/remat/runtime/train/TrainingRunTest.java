package dev.remat.runtime.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.checkpoint.Runs;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.InputSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingRunTest {
    private static final long NEVER = Long.MAX_VALUE;

    @TempDir
    Path folder;

    private MeanSearch search = new MeanSearch("h", 1);
    /** By completed steps from 0. */
    private final List<String> hashes = new ArrayList<>();

    /** What is thrown when the batch of a step is asked for; NaN is what that batch holds without it. */
    private static BatchSource failingAt(long failing, Optional<RuntimeException> failure) {
        return new BatchSource() {
            @Override
            public long batchesPerEpoch() {
                return 1;
            }

            @Override
            public void fill(long step, InputSpec input, MemorySegment target) {
                if (step + 1 == failing && failure.isPresent()) {
                    throw failure.get();
                }
                float second = step + 1 == failing ? Float.NaN : 5;
                MemorySegment.copy(new float[] {3, second}, 0, target, ValueLayout.JAVA_FLOAT, 0, 2);
            }
        };
    }

    private void run(BatchSource data, long steps, long saveEvery, TrainingRun.Listener listener) throws IOException {
        try (RunFolder saved = Runs.open(folder)) {
            Trainer trainer = new Trainer(search, data);
            hashes.add(trainer.state().hash());
            new TrainingRun(trainer, Optional.of(saved), Runs.facts(1)).run(steps, saveEvery, () -> false, step -> {
                hashes.add(trainer.state().hash());
                listener.step(step);
            });
        }
    }

    private long savedStep() throws IOException {
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            Trainer resumed = new Trainer(new MeanSearch("h", 1), failingAt(0, Optional.empty()));
            resumed.resume(folder, checkpoint);
            assertThat(resumed.state().hash())
                    .isEqualTo(hashes.get((int) checkpoint.meta().step()));
            return checkpoint.meta().step();
        }
    }

    @Test
    void dataThatFailLeaveTheStateBeforeThem() throws IOException {
        RuntimeException failure = new IllegalStateException("no more");
        assertThatThrownBy(() -> run(failingAt(4, Optional.of(failure)), 9, NEVER, step -> {}))
                .isSameAs(failure)
                .hasNoSuppressedExceptions();
        assertThat(savedStep()).isEqualTo(3);
    }

    /** As where one network is updated before another's loss is known. */
    @Test
    void dataThatFailBeforeAnEarlyUpdateLeaveTheStateBeforeThem() throws IOException {
        search = new MeanSearch("h", 1, List.of("difference", "update", "loss"));
        RuntimeException failure = new IllegalStateException("no more");
        assertThatThrownBy(() -> run(failingAt(4, Optional.of(failure)), 9, NEVER, step -> {}))
                .isSameAs(failure);
        assertThat(savedStep()).isEqualTo(3);
    }

    @Test
    void aLossThatIsNoNumberAfterAnEarlyUpdateSavesNothing() throws IOException {
        search = new MeanSearch("h", 1, List.of("difference", "update", "loss"));
        assertThatThrownBy(() -> run(failingAt(4, Optional.empty()), 9, NEVER, step -> {}))
                .isInstanceOf(NotANumberException.class);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aListenerThatFailsLeavesTheStateOfItsStep() throws IOException {
        IOException failure = new IOException("closed");
        assertThatThrownBy(() -> run(failingAt(0, Optional.empty()), 9, NEVER, step -> {
                    if (step.step() == 5) {
                        throw failure;
                    }
                }))
                .isSameAs(failure);
        assertThat(savedStep()).isEqualTo(5);
    }

    @Test
    void anErrorOfAListenerDoesTheSame() throws IOException {
        Error failure = new AssertionError("wrong");
        assertThatThrownBy(() -> run(failingAt(0, Optional.empty()), 9, NEVER, step -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(savedStep()).isEqualTo(1);
    }

    @Test
    void aLossThatIsNoNumberLeavesTheStateBeforeIt() throws IOException {
        assertThatThrownBy(() -> run(failingAt(4, Optional.empty()), 9, NEVER, step -> {}))
                .isInstanceOf(NotANumberException.class);
        assertThat(savedStep()).isEqualTo(3);
    }

    @Test
    void whatFailsBeforeTheFirstStepSavesNothing() {
        RuntimeException failure = new UncheckedIOException(new IOException("gone"));
        assertThatThrownBy(() -> run(failingAt(1, Optional.of(failure)), 9, 1, step -> {}))
                .isSameAs(failure);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void whatCannotBeSavedIsToldBesideTheCause() {
        RuntimeException failure = new IllegalStateException("no more");
        assertThatThrownBy(() -> run(failingAt(0, Optional.empty()), 9, NEVER, step -> {
                    search.write(4, Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, Float.NaN));
                    throw failure;
                }))
                .isSameAs(failure)
                .satisfies(stop ->
                        assertThat(stop.getSuppressed()).singleElement().isInstanceOf(NotANumberException.class));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void savesWhenItIsDueAndAtTheEnd() throws IOException {
        List<Long> found = new ArrayList<>();
        run(failingAt(0, Optional.empty()), 5, 2, step -> {
            if (step.step() > 2) {
                found.add(savedStep());
            }
        });
        assertThat(found).containsExactly(2L, 2L, 4L);
        assertThat(savedStep()).isEqualTo(5);
    }

    @Test
    void endsWhenItIsAskedTo() throws IOException {
        try (RunFolder saved = Runs.open(folder)) {
            Trainer trainer = new Trainer(search, failingAt(0, Optional.empty()));
            TrainingRun training = new TrainingRun(trainer, Optional.of(saved), Runs.facts(1));
            training.run(9, NEVER, () -> trainer.completedSteps() == 4, step -> {});
            assertThat(training.savedStep()).hasValue(4);
            assertThat(training.unsaved()).isEmpty();
        }
    }
}
