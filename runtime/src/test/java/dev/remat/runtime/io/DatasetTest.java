package dev.remat.runtime.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.runtime.text.data.TextDataset;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetTest {
    private static final InputSpec TOKENS = new InputSpec("tokens", DType.I32, List.of(2L, 3L), IndexRange.below(256));
    private static final InputSpec TARGETS =
            new InputSpec("targets", DType.I32, List.of(2L, 3L), IndexRange.below(256));

    @TempDir
    Path folder;

    private static int[] ints(BatchSource source, long step, InputSpec input) {
        MemorySegment target = Arena.ofAuto().allocate(input.elements() * 4, 4);
        source.fill(step, input, target);
        return target.toArray(ValueLayout.JAVA_INT);
    }

    private static float[] floats(BatchSource source, long step, InputSpec input) {
        MemorySegment target = Arena.ofAuto().allocate(input.elements() * 4, 4);
        source.fill(step, input, target);
        return target.toArray(ValueLayout.JAVA_FLOAT);
    }

    @Test
    void textTargetsAreTheNextBytes() throws IOException {
        Path file = Files.writeString(folder.resolve("t"), "abcdefghijklmnopqrst");
        try (TextDataset text = TextDataset.open(file)) {
            BatchSource batches = text.training(List.of(TOKENS, TARGETS), 1);
            assertThat(batches.batchesPerEpoch()).isEqualTo(3);
            List<Integer> starts = new ArrayList<>();
            for (long step = 0; step < 5; step++) {
                int[] tokens = ints(batches, step, TOKENS);
                int[] targets = ints(batches, step, TARGETS);
                for (int i = 0; i < 6; i++) {
                    assertThat(targets[i]).isEqualTo(tokens[i] + 1);
                }
                starts.add(tokens[0]);
                starts.add(tokens[3]);
            }
            List<Integer> windows = "adgjm".chars().boxed().toList();
            assertThat(starts.subList(0, 5)).containsExactlyInAnyOrderElementsOf(windows);
            assertThat(starts.subList(5, 10)).containsExactlyInAnyOrderElementsOf(windows);
        }
    }

    @Test
    void textHoldsBackItsLastTenth() throws IOException {
        Path file = Files.writeString(folder.resolve("t"), "a".repeat(90) + "b".repeat(10));
        try (TextDataset text = TextDataset.open(file)) {
            BatchSource training = text.training(List.of(TOKENS, TARGETS), 1);
            for (long step = 0; step < 40; step++) {
                assertThat(ints(training, step, TARGETS)).containsOnly('a');
            }
            assertThat(ints(text.evaluation(List.of(TOKENS, TARGETS)), 0, TOKENS))
                    .containsOnly('b');
        }
    }

    @Test
    void textSaysWhatDoesNotFit() throws IOException {
        try (TextDataset shortText = TextDataset.open(Files.writeString(folder.resolve("t"), "abc"))) {
            assertThatThrownBy(() -> shortText.training(List.of(TOKENS, TARGETS), 1))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("a window takes 4");
            InputSpec image = new InputSpec("image", DType.F32, List.of(2L, 3L));
            assertThatThrownBy(() -> shortText.training(List.of(image), 1))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("image: f32[2, 3]");
        }
        try (TextDataset text = TextDataset.open(Files.writeString(folder.resolve("u"), "~".repeat(100)))) {
            InputSpec small = new InputSpec("tokens", DType.I32, List.of(2L, 3L), IndexRange.below(100));
            assertThatThrownBy(() -> ints(text.training(List.of(small), 1), 0, small))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("126");
        }
    }

    @Test
    void arraysKeepInputsOfASampleTogether() throws IOException {
        float[] pixels = new float[40];
        int[] labels = new int[20];
        for (int i = 0; i < 20; i++) {
            pixels[2 * i] = i;
            pixels[2 * i + 1] = -i;
            labels[i] = i;
        }
        SafetensorsWriter.write(
                folder.resolve("d.safetensors"),
                Map.of(),
                List.of(
                        Tensors.floats("image", List.of(20L, 2L), pixels),
                        Tensors.bytes("label", StoredType.U8, List.of(20L), labels)));
        InputSpec image = new InputSpec("image", DType.F32, List.of(3L, 2L));
        InputSpec label = new InputSpec("label", DType.I32, List.of(3L), IndexRange.below(20));
        try (ArrayDataset arrays = ArrayDataset.open(folder)) {
            BatchSource training = arrays.training(List.of(image, label), 3);
            assertThat(training.batchesPerEpoch()).isEqualTo(6);
            List<Integer> seen = new ArrayList<>();
            for (long step = 0; step < 6; step++) {
                int[] found = ints(training, step, label);
                float[] values = floats(training, step, image);
                for (int row = 0; row < 3; row++) {
                    assertThat(values[2 * row]).isEqualTo(found[row]);
                    assertThat(values[2 * row + 1]).isEqualTo(-found[row]);
                    seen.add(found[row]);
                }
            }
            Collections.sort(seen);
            assertThat(seen).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
            assertThat(ints(arrays.evaluation(List.of(image, label)), 0, label)).containsExactly(18, 19, 18);
            InputSpec fewer = new InputSpec("label", DType.I32, List.of(9L), IndexRange.below(5));
            assertThatThrownBy(() -> ints(arrays.training(List.of(fewer), 3), 0, fewer))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("below 5");
            InputSpec marked = new InputSpec("label", DType.I32, List.of(18L), new IndexRange(17, OptionalLong.of(17)));
            assertThat(ints(arrays.training(List.of(marked), 3), 0, marked)).contains(17);
            InputSpec otherMark =
                    new InputSpec("label", DType.I32, List.of(18L), new IndexRange(17, OptionalLong.of(-100)));
            assertThatThrownBy(() -> ints(arrays.training(List.of(otherMark), 3), 0, otherMark))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("has 17 for label, which must be from 0 to below 17, or -100 for what");
        }
    }

    /** The first column picks of three rows, the second of nine. */
    @Test
    void columnsHaveRangesOfTheirOwn() throws IOException {
        int[] ids = {0, 8, 2, 5, 1, 3};
        SafetensorsWriter.write(
                folder.resolve("d.safetensors"),
                Map.of(),
                List.of(Tensors.bytes("ids", StoredType.U8, List.of(3L, 2L), ids)));
        InputSpec input =
                new InputSpec("ids", DType.I32, List.of(3L, 2L), List.of(IndexRange.below(3), IndexRange.below(9)));
        try (ArrayDataset arrays = ArrayDataset.open(folder)) {
            assertThat(ints(arrays.training(List.of(input), 3), 0, input)).containsExactlyInAnyOrder(0, 8, 2, 5, 1, 3);
            InputSpec turned =
                    new InputSpec("ids", DType.I32, List.of(3L, 2L), List.of(IndexRange.below(9), IndexRange.below(3)));
            assertThatThrownBy(() -> ints(arrays.training(List.of(turned), 3), 0, turned))
                    .isInstanceOf(DataException.class)
                    .hasMessageMatching("the data has [358] for ids\\[:, 1], which must be from 0 to below 3");
        }
        int[] drawn = ints(new SyntheticDataset().training(List.of(input), 1), 0, input);
        for (int i = 0; i < drawn.length; i++) {
            assertThat(drawn[i]).isBetween(0, i % 2 == 0 ? 2 : 8);
        }
        InputSpec deep =
                new InputSpec("ids", DType.I32, List.of(3L, 2L, 4L), Collections.nCopies(8, IndexRange.below(1)));
        assertThat(deep.column(6)).isEqualTo("ids[:, 1, 2]");
    }

    @Test
    void arraysSayWhatDoesNotFit() throws IOException {
        SafetensorsWriter.write(
                folder.resolve("d.safetensors"),
                Map.of(),
                List.of(
                        Tensors.floats("image", List.of(4L, 2L), new float[8]),
                        Tensors.floats("label", List.of(3L), new float[3])));
        InputSpec image = new InputSpec("image", DType.F32, List.of(2L, 2L));
        try (ArrayDataset arrays = ArrayDataset.open(folder.resolve("d.safetensors"))) {
            assertThatThrownBy(() -> arrays.training(List.of(new InputSpec("mask", DType.BOOL, List.of(2L))), 1))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("[image, label]");
            assertThatThrownBy(() -> arrays.training(List.of(new InputSpec("image", DType.F32, List.of(2L, 3L))), 1))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("image: F32[4, 2]");
            assertThatThrownBy(() -> arrays.training(List.of(new InputSpec("label", DType.I32, List.of(2L))), 1))
                    .isInstanceOf(DataException.class);
            InputSpec label = new InputSpec("label", DType.F32, List.of(2L));
            assertThatThrownBy(() -> arrays.training(List.of(image, label), 1))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("3 samples of label but 4");
            assertThatThrownBy(() -> arrays.evaluation(List.of(image)))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("too few");
            arrays.training(List.of(image), 1);
        }
    }

    @Test
    void syntheticSamplesDependOnNothingButSeedAndStep() {
        InputSpec wide = new InputSpec("x", DType.F32, List.of(8L, 1000L));
        InputSpec label = new InputSpec("y", DType.I32, List.of(1000L), IndexRange.below(10));
        try (SyntheticDataset synthetic = new SyntheticDataset()) {
            float[] batch = floats(synthetic.training(List.of(wide), 1), 5, wide);
            assertThat(floats(synthetic.training(List.of(wide), 1), 5, wide)).isEqualTo(batch);
            assertThat(floats(synthetic.training(List.of(wide), 1), 6, wide)).isNotEqualTo(batch);
            assertThat(floats(synthetic.evaluation(List.of(wide)), 5, wide)).isNotEqualTo(batch);
            double sum = 0;
            double squares = 0;
            for (float value : batch) {
                sum += value;
                squares += value * value;
            }
            assertThat(sum / 8000).isBetween(-0.05, 0.05);
            assertThat(squares / 8000).isBetween(0.95, 1.05);
            assertThat(ints(synthetic.training(List.of(label), 1), 0, label))
                    .contains(0, 9)
                    .doesNotContain(-1, 10);
        }
    }

    @Test
    void aTextThatIsCutShortIsTold() throws IOException {
        Path file = Files.writeString(folder.resolve("cut.txt"), "abcdefgh".repeat(1000));
        try (TextDataset text = TextDataset.open(file)) {
            tellsThatItWasCut(text, new InputSpec("tokens", DType.I32, List.of(2L, 8L), IndexRange.below(256)), file);
        }
    }

    @Test
    void aTableThatIsCutShortIsTold() throws IOException {
        Path file = Files.writeString(folder.resolve("cut.csv"), "x\n" + "1234567\n".repeat(1000) + "12345");
        try (CsvDataset table = CsvDataset.open(file)) {
            tellsThatItWasCut(table, new InputSpec("x", DType.F32, List.of(2L)), file);
        }
    }

    private static void tellsThatItWasCut(Dataset data, InputSpec input, Path file) throws IOException {
        long bytes = Files.size(file);
        try (Arena arena = Arena.ofConfined()) {
            BatchSource batches = data.training(List.of(input), 1);
            MemorySegment target = arena.allocate(input.elements() * 4, 8);
            batches.fill(0, input, target);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(10);
            }
            assertThatThrownBy(() -> batches.fill(1, input, target))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining(
                            file + " was cut short while it was read: it has 10 bytes instead of " + bytes);
        }
    }

    @Test
    void identitiesFollowTheContent() throws IOException {
        Path file = Files.writeString(folder.resolve("a.txt"), "abc".repeat(100_000));
        Path copy = Files.copy(file, folder.resolve("b.txt"));
        assertThat(identity(copy)).isEqualTo(identity(file));
        for (int at : new int[] {0, 150_000, 299_999}) {
            byte[] bytes = Files.readAllBytes(file);
            bytes[at] = 'x';
            Files.write(copy, bytes);
            assertThat(identity(copy)).isNotEqualTo(identity(file));
        }
    }

    private static SortedMap<String, String> identity(Path file) throws IOException {
        try (TextDataset text = TextDataset.open(file)) {
            return text.identity();
        }
    }

    @Test
    void syntheticFloatsLieInTheirRange() {
        InputSpec x = new InputSpec("x", DType.F32, List.of(8L, 1000L));
        InputSpec other = new InputSpec("other", DType.F32, List.of(8L, 1000L));
        try (SyntheticDataset usual = new SyntheticDataset();
                SyntheticDataset ranged = new SyntheticDataset(Map.of("x", FloatRange.parse("-2 .. -1.5")))) {
            float[] batch = floats(ranged.training(List.of(x), 1), 0, x);
            double mean = IntStream.range(0, batch.length)
                    .mapToDouble(i -> batch[i])
                    .average()
                    .orElseThrow();
            assertThat(mean).isBetween(-1.76, -1.74);
            for (float value : batch) {
                assertThat(value).isBetween(-2.0f, -1.5f);
            }
            assertThat(floats(ranged.evaluation(List.of(x)), 0, x)[0]).isBetween(-2.0f, -1.5f);
            assertThat(ranged.identity()).isNotEqualTo(usual.identity()).containsEntry("range of x", "-2.0..-1.5");
            assertThat(floats(ranged.training(List.of(x, other), 1), 0, other))
                    .isEqualTo(floats(usual.training(List.of(other), 1), 0, other));
        }
        for (String wrong : List.of("1..1", "2..1", "..", "1..", "a..b", "0..NaN", "-1e308..1.7e308", "3")) {
            assertThatThrownBy(() -> FloatRange.parse(wrong)).as(wrong).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
