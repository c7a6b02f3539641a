package dev.remat.runtime.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NpyFileTest {
    private static final String PLAIN = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
    private static final byte[] ONE_AND_TWO = {0, 0, (byte) 0x80, 0x3f, 0, 0, 0, 0x40};

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void readsEveryVersion(int version) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            StoredTensor array = NpyFile.map(write(version, PLAIN, ONE_AND_TWO), arena);
            assertThat(array.name()).isEqualTo("x");
            assertThat(array.shape()).containsExactly(2L, 1L);
            assertThat(Tensors.floats(array)).containsExactly(1, 2);
        }
    }

    @Test
    void readsVectorsAndScalars() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Path vector = write(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (8,), }\n", ONE_AND_TWO);
            assertThat(NpyFile.map(vector, arena).shape()).containsExactly(8L);
            Path scalar = write(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }", ONE_AND_TWO);
            assertThat(NpyFile.map(scalar, arena).shape()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '#', quoteCharacter = '`', textBlock = """
        {'descr': '<f4', 'fortran_order': True, 'shape': (2, 1), }    # ascontiguousarray
        {'descr': '>f4', 'fortran_order': False, 'shape': (2, 1), }   # astype
        {'descr': '|O', 'fortran_order': False, 'shape': (2, 1), }    # '|O'
        {'descr': '<f4', 'fortran_order': False, 'shape': (3, 1), }   # takes 12 bytes
        {'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 3), } # impossible
        {'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999), } # impossible
        {'descr': '<f4', 'fortran_order': False, 'shape': (2 1), }    # impossible
        __import__('os').system('x')                                  # not understood
        """)
    void refusesOtherArrays(String header, String problem) throws IOException {
        Path file = write(1, header, ONE_AND_TWO);
        assertThatThrownBy(() -> map(file))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void refusesOtherFiles() throws IOException {
        Path text = Files.writeString(folder.resolve("x.npy"), "not an array at all");
        assertThatThrownBy(() -> map(text))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("not an npy");
        Path future = write(9, PLAIN, ONE_AND_TWO);
        assertThatThrownBy(() -> map(future)).hasMessageContaining("version 9 is unknown");
        Path empty = Files.write(folder.resolve("x.npy"), new byte[0]);
        assertThatThrownBy(() -> map(empty)).isInstanceOf(CorruptFileException.class);
    }

    private static void map(Path file) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            NpyFile.map(file, arena);
        }
    }

    private Path write(int version, String header, byte[] data) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', (byte) version, 0});
        bytes.write(header.length() & 0xff);
        bytes.write(header.length() >>> 8);
        if (version > 1) {
            bytes.write(0);
            bytes.write(0);
        }
        bytes.writeBytes(header.getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(data);
        return Files.write(folder.resolve("x.npy"), bytes.toByteArray());
    }
}
