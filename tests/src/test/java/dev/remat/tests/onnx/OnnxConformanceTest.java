package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Models of one node give what ONNX's own tests say, but for those that {@code exceptions.txt} names with a reason.
 * Debian's package {@code libonnx-testdata} brings them; {@code -Dremat.onnx.tests=DIR} names another folder.
 */
@Tag("slow")
class OnnxConformanceTest {
    private static final Path DATA = Path.of("/usr/share/libonnx-testdata/data");
    private static final Path FOLDER =
            Path.of(System.getProperty("remat.onnx.tests", DATA.resolve("node").toString()));

    private static final Path EXCEPTIONS = Path.of("src/test/resources/dev/remat/tests/onnx/exceptions.txt");

    @Test
    void givesWhatTheTestsOfOnnxSay() throws IOException {
        assumeTrue(Files.isDirectory(FOLDER), "libonnx-testdata is not installed, so none of ONNX's tests is run");
        TreeMap<String, String> failures = new TreeMap<>();
        List<Path> folders;
        try (Stream<Path> all = Files.list(FOLDER)) {
            folders = all.sorted().toList();
        }
        for (Path each : folders) {
            NodeTest.failure(each)
                    .ifPresent(failure -> failures.put(each.getFileName().toString(), failure));
        }
        if (Boolean.getBoolean("bless")) {
            StringBuilder text = new StringBuilder();
            failures.forEach((name, reason) ->
                    text.append(name).append("  ").append(reason).append('\n'));
            Files.writeString(EXCEPTIONS, text);
        }
        assertThat(folders.size() - failures.size()).isGreaterThanOrEqualTo(775);
        assertThat(failures).isEqualTo(exceptions());
    }

    /** Of operators and of layers, by opset 6: all of them. */
    @ParameterizedTest
    @ValueSource(strings = {"pytorch-operator", "pytorch-converted"})
    void givesWhatPyTorchDid(String folder) throws IOException {
        assumeTrue(Files.isDirectory(DATA), "libonnx-testdata is not installed, so none of PyTorch's graphs is run");
        TreeMap<String, String> failures = new TreeMap<>();
        List<Path> graphs;
        try (Stream<Path> all = Files.list(DATA.resolve(folder))) {
            graphs = all.toList();
        }
        for (Path each : graphs) {
            NodeTest.failure(each)
                    .ifPresent(failure -> failures.put(each.getFileName().toString(), failure));
        }
        assertThat(graphs).hasSizeGreaterThan(30);
        assertThat(failures).isEmpty();
    }

    private static Map<String, String> exceptions() throws IOException {
        TreeMap<String, String> exceptions = new TreeMap<>();
        for (String line : Files.readAllLines(EXCEPTIONS)) {
            String[] columns = line.split(" {2}", 2);
            exceptions.put(columns[0], columns[1]);
        }
        return exceptions;
    }
}
