package dev.remat.runtime.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.diagnostic.Location;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.checkpoint.Runs;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.runtime.io.SyntheticDataset;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainerTest {
    @TempDir
    Path folder;

    private static Trainer trainer(MeanSearch search) {
        List<InputSpec> inputs = InputFeed.specs(search.plan());
        return new Trainer(
                search, new SyntheticDataset().training(inputs, search.plan().seed()));
    }

    private void save(Trainer trainer) throws IOException {
        try (RunFolder run = Runs.open(folder)) {
            trainer.save(run, Runs.facts(1));
        }
    }

    private static BatchSource constant(float... values) {
        return new BatchSource() {
            @Override
            public long batchesPerEpoch() {
                return 1;
            }

            @Override
            public void fill(long step, InputSpec input, MemorySegment target) {
                MemorySegment.copy(values, 0, target, ValueLayout.JAVA_FLOAT, 0, values.length);
            }
        };
    }

    @Test
    void learns() {
        MeanSearch search = new MeanSearch("h", 1);
        Trainer trainer = new Trainer(search, constant(3, 5));
        double first = trainer.step().loss();
        for (int i = 0; i < 100; i++) {
            trainer.step();
        }
        assertThat(trainer.completedSteps()).isEqualTo(101);
        assertThat(trainer.step().loss()).isLessThan(first / 1e6);
        assertThat(search.get(0)).isBetween(3.99f, 4.01f);
    }

    @Test
    void resumesBitExactly() throws IOException {
        MeanSearch whole = new MeanSearch("h", 1);
        Trainer uninterrupted = trainer(whole);
        for (int i = 0; i < 100; i++) {
            uninterrupted.step();
        }
        MeanSearch half = new MeanSearch("h", 1);
        Trainer first = trainer(half);
        for (int i = 0; i < 50; i++) {
            first.step();
        }
        save(first);
        MeanSearch other = new MeanSearch("h", 1);
        Trainer second = trainer(other);
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            second.resume(folder, checkpoint);
        }
        assertThat(second.completedSteps()).isEqualTo(50);
        assertThat(second.state().hash())
                .isEqualTo(first.state().hash())
                .isNotEqualTo(uninterrupted.state().hash());
        for (int i = 0; i < 50; i++) {
            second.step();
        }
        assertThat(second.state().hash()).isEqualTo(uninterrupted.state().hash());
    }

    @Test
    void stopsBeforeTheUpdateAndNamesTheLine() throws IOException {
        MeanSearch search = new MeanSearch("h", 1);
        Trainer trainer = new Trainer(search, constant(Float.MAX_VALUE, Float.MAX_VALUE));
        float before = search.get(0);
        assertThatThrownBy(trainer::step).isInstanceOfSatisfying(NotANumberException.class, stop -> {
            assertThat(stop.location()).isEqualTo(MeanSearch.DIFFERENCE_LINE);
            assertThat(stop.step()).isEqualTo(1);
            assertThat(stop).hasMessageContaining("mean.model:3:5").hasMessageContaining("difference");
        });
        assertThat(search.get(0)).isEqualTo(before);
        assertThat(trainer.completedSteps()).isZero();
    }

    @Test
    void blamesTheDataForItsNaN() {
        Trainer trainer = new Trainer(new MeanSearch("h", 1), constant(1, Float.NaN));
        assertThatThrownBy(trainer::step).isInstanceOfSatisfying(NotANumberException.class, stop -> {
            assertThat(stop.location()).isEqualTo(Location.NONE);
            assertThat(stop).hasMessageContaining("the data for x");
        });
    }

    @Test
    void neverOverwritesACheckpointWithNaN() throws IOException {
        MeanSearch search = new MeanSearch("h", 1);
        Trainer trainer = trainer(search);
        save(trainer);
        byte[] saved = Files.readAllBytes(folder.resolve("meta.json"));
        MemorySegment nan = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, Float.NaN);
        search.write(4, nan);
        assertThatThrownBy(() -> save(trainer))
                .isInstanceOf(NotANumberException.class)
                .hasMessageContaining("optimizer.momentum_buffer.w");
        assertThat(folder.resolve("meta.json")).hasBinaryContent(saved);
        Checkpoint.open(folder).close();
    }

    @Test
    void initialValuesDependOnSeedAndNameAlone() {
        String first = trainer(new MeanSearch("h", 1)).state().hash();
        assertThat(trainer(new MeanSearch("other", 1)).state().hash()).isEqualTo(first);
        assertThat(trainer(new MeanSearch("h", 2)).state().hash()).isNotEqualTo(first);
    }

    @Test
    void takesParametersFromAFile() throws IOException {
        MeanSearch search = new MeanSearch("h", 1);
        Trainer trainer = trainer(search);
        MemorySegment value = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_DOUBLE, 2.5);
        Path file = folder.resolve("p.safetensors");
        SafetensorsWriter.write(file, Map.of(), List.of(new StoredTensor("w", StoredType.F64, List.of(), value)));
        try (SafetensorsFile parameters = SafetensorsFile.open(file)) {
            assertThat(trainer.state().load(parameters.tensors()).names())
                    .containsExactly("optimizer.momentum_buffer.w");
        }
        assertThat(search.get(0)).isEqualTo(2.5f);
        SafetensorsWriter.write(file, Map.of(), List.of(new StoredTensor("v", StoredType.F64, List.of(), value)));
        try (SafetensorsFile parameters = SafetensorsFile.open(file)) {
            assertThatThrownBy(() -> trainer.state().load(parameters.tensors()))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("tensor v");
        }
        SafetensorsWriter.write(file, Map.of(), List.of(new StoredTensor("w", StoredType.F64, List.of(1L), value)));
        try (SafetensorsFile parameters = SafetensorsFile.open(file)) {
            assertThatThrownBy(() -> trainer.state().load(parameters.tensors()))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("F64[1]");
        }
    }

    @Test
    void evaluatesWithTheTrainedParameters() {
        MeanSearch search = new MeanSearch("h", 1);
        Trainer trainer = new Trainer(search, constant(3, 5));
        for (int i = 0; i < 100; i++) {
            trainer.step();
        }
        MeanSearch other = new MeanSearch("h", 1);
        other.write(0, search.read(0, 4));
        Evaluator evaluator = new Evaluator(other, constant(4, 6));
        assertThat(evaluator.evaluate(3).loss().orElseThrow()).isBetween(0.99, 1.01);
    }
}
