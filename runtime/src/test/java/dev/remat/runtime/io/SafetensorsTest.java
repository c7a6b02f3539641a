package dev.remat.runtime.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafetensorsTest {
    @TempDir
    Path folder;

    @Test
    void readsBackWhatWasWritten() throws IOException {
        Path file = folder.resolve("a.safetensors");
        SafetensorsWriter.write(
                file,
                Map.of("note", "äöü"),
                List.of(
                        Tensors.floats("weight", List.of(2L, 2L), 1, -2, 0.5f, Float.NaN),
                        Tensors.longs("count", List.of(), 7),
                        Tensors.floats("empty", List.of(0L, 3L))));
        try (SafetensorsFile read = SafetensorsFile.open(file)) {
            assertThat(read.metadata()).containsExactly(Map.entry("note", "äöü"));
            assertThat(read.tensors()).extracting(StoredTensor::name).containsExactly("count", "empty", "weight");
            StoredTensor weight = read.find("weight").orElseThrow();
            assertThat(weight.shape()).containsExactly(2L, 2L);
            assertThat(Tensors.floats(weight)).containsExactly(1, -2, 0.5f, Float.NaN);
            assertThat(read.find("count").orElseThrow().type()).isEqualTo(StoredType.I64);
            assertThat(read.find("bias")).isEmpty();
        }
    }

    /** Bytes go from file to file, under other names and in another order. */
    @Test
    void writesWhatOtherFilesHold() throws IOException {
        Path from = folder.resolve("from");
        SafetensorsWriter.write(
                from,
                Map.of(),
                List.of(
                        Tensors.floats("a", List.of(2L), 1, 2),
                        Tensors.floats("b", List.of(3L), 3, 4, 5),
                        Tensors.floats("e", List.of(0L))));
        Path to = folder.resolve("to");
        Path expected = folder.resolve("expected");
        try (SafetensorsFile read = SafetensorsFile.open(from)) {
            SafetensorsWriter.write(
                    to,
                    Map.of(),
                    List.of(
                            read.find("a").orElseThrow().named("c"),
                            read.find("b").orElseThrow(),
                            read.find("b").orElseThrow().rows(1, 3).named("d"),
                            read.find("e").orElseThrow()));
        }
        SafetensorsWriter.write(
                expected,
                Map.of(),
                List.of(
                        Tensors.floats("b", List.of(3L), 3, 4, 5),
                        Tensors.floats("c", List.of(2L), 1, 2),
                        Tensors.floats("d", List.of(2L), 4, 5),
                        Tensors.floats("e", List.of(0L))));
        assertThat(to).hasSameBinaryContentAs(expected);
    }

    @Test
    void writesNothingOfAFileThatIsCutOffMeanwhile() throws IOException {
        Path from = folder.resolve("from");
        SafetensorsWriter.write(from, Map.of(), List.of(Tensors.floats("a", List.of(2L), 1, 2)));
        try (SafetensorsFile read = SafetensorsFile.open(from)) {
            try (FileChannel cut = FileChannel.open(from, StandardOpenOption.WRITE)) {
                cut.truncate(cut.size() - 4);
            }
            assertThatThrownBy(() -> SafetensorsWriter.write(folder.resolve("to"), Map.of(), read.tensors()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cut off while it was read");
        }
        assertThat(folder.toFile().list()).containsExactly("from");
    }

    /** The format's published layout, written out by hand. */
    @Test
    void writesThePublishedLayout() throws IOException {
        Path file = folder.resolve("a.safetensors");
        SafetensorsWriter.write(file, Map.of(), List.of(Tensors.floats("x", List.of(1L), 1.0f)));
        String json = "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
        ByteBuffer expected = ByteBuffer.allocate(8 + 56 + 4).order(ByteOrder.LITTLE_ENDIAN);
        expected.putLong(56).put(json.getBytes(StandardCharsets.US_ASCII));
        while (expected.position() < 8 + 56) {
            expected.put((byte) ' ');
        }
        expected.putFloat(1.0f);
        assertThat(Files.readAllBytes(file)).isEqualTo(expected.array());
    }

    @Test
    void bytesDoNotDependOnTheOrderOfTensors() throws IOException {
        StoredTensor a = Tensors.floats("a", List.of(1L), 1);
        StoredTensor b = Tensors.bytes("b", StoredType.BOOL, List.of(1L), 1);
        StoredTensor c = Tensors.longs("c", List.of(1L), 1);
        SafetensorsWriter.write(folder.resolve("1"), Map.of("p", "1", "q", "2"), List.of(a, b, c));
        SafetensorsWriter.write(folder.resolve("2"), Map.of("q", "2", "p", "1"), List.of(c, b, a));
        assertThat(folder.resolve("1")).hasSameBinaryContentAs(folder.resolve("2"));
    }

    @Test
    void refusesTwoTensorsOfOneName() {
        StoredTensor a = Tensors.floats("a", List.of(1L), 1);
        assertThatThrownBy(() -> SafetensorsWriter.write(folder.resolve("x"), Map.of(), List.of(a, a)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a is taken");
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        {"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}                  | takes 8 bytes
        {"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}                 | impossible shape
        {"x":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}} | impossible shape
        {"x":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,4]}} | a number has more bits
        {"x":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}}                  | unknown dtype F31
        {"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}                  | leaving a gap
        {"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}                  | offsets are 4 to 0
        {"x":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}                 | offsets are -4 to 0
        {"x":{"dtype":"F32","shape":[1],"data_offsets":[0]}}                    | two data_offsets
        {"x":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}}                | a number with a fraction where an
        {"x":{"shape":[1],"data_offsets":[0,4]}}                                | needs dtype
        {"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"extra":1}}        | unknown field extra
        {"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"x":{"dtype":"U8"}} | there twice
        {"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"y":{"dtype":"U8","shape":[0],"data_offsets":[3,3]}}|in
        {"x":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}                 | something follows
        {"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}                  | cut off
        {"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}} x                | 'x' is not a value
        {"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]                    | the file ends too early
        {"__metadata__":{"a":1}}                                                | an integer where a string
        []                                                                      | has a list where an object belongs
        """)
    void refusesImpossibleHeaders(String json, String problem) throws IOException {
        assertThatThrownBy(() -> SafetensorsFile.open(fileOf(json, 4)).close())
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("bad.safetensors")
                .hasMessageContaining(problem);
    }

    @Test
    void acceptsTheHeaderThoseWereMadeFrom() throws IOException {
        Path file = fileOf("{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4);
        try (SafetensorsFile read = SafetensorsFile.open(file)) {
            assertThat(read.find("x")).isPresent();
        }
    }

    /** Whatever bytes are flipped or cut, the outcome is a valid file or a CorruptFileException, nothing else. */
    @Test
    void survivesRandomDamage() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SafetensorsWriter.write(
                Channels.newChannel(bytes),
                Map.of("k", "v"),
                List.of(Tensors.floats("a.weight", List.of(2L, 1L), 1, 2), Tensors.longs("b", List.of(1L), 3)));
        Random random = new Random(5);
        int refused = 0;
        for (int round = 0; round < 2000; round++) {
            byte[] damaged = bytes.toByteArray();
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            }
            if (random.nextInt(4) == 0) {
                damaged = Arrays.copyOf(damaged, random.nextInt(damaged.length));
            }
            Path file = folder.resolve("damaged");
            Files.write(file, damaged);
            try (SafetensorsFile read = SafetensorsFile.open(file)) {
                for (StoredTensor tensor : read.tensors()) {
                    MemorySegment.ofArray(new byte[Math.toIntExact(tensor.data().byteSize())])
                            .copyFrom(tensor.data());
                }
            } catch (CorruptFileException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(500, 1999);
    }

    private Path fileOf(String json, int dataBytes) throws IOException {
        byte[] header = json.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(8 + header.length + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(header.length).put(header);
        return Files.write(folder.resolve("bad.safetensors"), bytes.array());
    }
}
