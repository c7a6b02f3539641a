package dev.remat.compiler.onnx.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.graph.PrepareGraph;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that no honest exporter writes are refused with what is wrong, before anything is allocated for them. */
class HostileFilesTest {
    @TempDir
    Path folder;

    private static void expect(byte[] file, String... words) {
        assertThatThrownBy(() -> PrepareGraph.run(OnnxModel.read(MemorySegment.ofArray(file)), List.of(), List.of()))
                .isInstanceOf(DamagedOnnxException.class)
                .message()
                .contains(words);
    }

    private static byte[] model(ProtoMessage graph) throws IOException {
        return OnnxText.bytes(OnnxText.model(graph));
    }

    private static byte[] joined(byte[]... parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.write(part);
        }
        return all.toByteArray();
    }

    @Test
    void readsTheHonestOne() throws IOException {
        OnnxModel model = OnnxModel.read(MemorySegment.ofArray(model(OnnxText.graph(OnnxText.weight()))));
        assertThat(model.opset()).isEqualTo(17);
        assertThat(model.graph().nodes()).extracting(OnnxNode::operator).containsExactly("Add", "Relu");
        assertThat(PrepareGraph.run(model, List.of(), List.of()).outputs()).containsExactly("y");
    }

    @Test
    void refusesABrokenWire() throws IOException {
        byte[] honest = model(OnnxText.graph(OnnxText.weight()));
        expect(Arrays.copyOf(honest, honest.length - 3), "goes beyond the end", "at byte");
        expect(new byte[] {0x08, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1}, "more than 10 bytes");
        expect(new byte[] {0x0b, 0x08, 0x01, 0x0c}, "wire type 3");
        expect(new byte[] {0x0e, 0x08}, "wire type 6");
        expect(new byte[] {0x00, 0x08}, "no field has the number 0");
        expect(new byte[] {0x3a, 0x7f}, "goes beyond the end");
        expect(new byte[] {0x3a, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1}, "goes beyond the end");
        expect(new byte[] {0x38, 0x01}, "wire type 0, not 2");
        expect(new byte[] {0x12, 0x02, (byte) 0xc3, 0x28}, "not UTF-8");
        expect(new byte[] {0x12, 0x00}, "no graph");
        expect(joined(honest, honest), "two graphs");
    }

    @Test
    void readsListsHoweverTheyAreWrittenAndPassesUnknownFields() throws IOException {
        ProtoMessage packed = new ProtoMessage()
                .bytes(1, new byte[] {2})
                .number(2, OnnxText.FLOAT)
                .real(4, 1)
                .real(4, 2)
                .text(8, "w")
                .text(99, "of a later version");
        OnnxModel model = OnnxModel.read(MemorySegment.ofArray(model(OnnxText.graph(packed))));
        OnnxTensor weight = model.graph().initializers().getFirst();
        assertThat(weight.shape()).containsExactly(2L);
        assertThat(weight.inside().orElseThrow().byteSize()).isEqualTo(8);
    }

    @Test
    void refusesWhatExpands() throws IOException {
        ProtoMessage deep = OnnxText.graph(OnnxText.weight());
        for (int i = 0; i < 40; i++) {
            ProtoMessage attribute =
                    new ProtoMessage().text(1, "body").message(6, deep).number(20, 5);
            deep = new ProtoMessage()
                    .message(1, OnnxText.node("If", "x", "y").message(5, attribute))
                    .message(12, OnnxText.value("y", OnnxText.FLOAT));
        }
        expect(model(deep), "32 deep");
        ProtoMessage function = new ProtoMessage()
                .text(1, "f")
                .text(4, "x")
                .text(5, "y")
                .message(7, OnnxText.node("f", "x", "y").text(7, "own"))
                .text(10, "own");
        ProtoMessage graph = new ProtoMessage()
                .message(1, OnnxText.node("f", "x", "y").text(7, "own"))
                .message(11, OnnxText.value("x", OnnxText.FLOAT, 2))
                .message(12, OnnxText.value("y", OnnxText.FLOAT, 2));
        expect(OnnxText.bytes(OnnxText.model(graph).message(25, function)), "applies itself");
        ProtoMessage growing = OnnxText.model(new ProtoMessage()
                .message(1, OnnxText.node("f0", "x", "y").text(7, "own"))
                .message(11, OnnxText.value("x", OnnxText.FLOAT, 2))
                .message(12, OnnxText.value("y", OnnxText.FLOAT, 2)));
        for (int level = 0; level < 25; level++) {
            ProtoMessage each = new ProtoMessage()
                    .text(1, "f" + level)
                    .text(4, "x")
                    .text(5, "y")
                    .text(10, "own");
            for (int i = 0; i < 2; i++) {
                String next = level == 24 ? "Relu" : "f" + (level + 1);
                each.message(7, OnnxText.node(next, "x", "y" + i).text(7, level == 24 ? "" : "own"));
            }
            growing.message(25, each);
        }
        expect(OnnxText.bytes(growing), "more than 1000000 nodes");
    }

    @Test
    void refusesSizesThatDoNotAgree() throws IOException {
        Map<String, ProtoMessage> weights = new TreeMap<>();
        weights.put("has the extent -2", OnnxText.tensor("w", OnnxText.FLOAT, new byte[0], -2));
        weights.put(
                "more bytes than can be counted",
                OnnxText.tensor("w", OnnxText.FLOAT, new byte[0], 1L << 40, 1L << 40));
        weights.put("has 4 bytes, not 8", OnnxText.tensor("w", OnnxText.FLOAT, new byte[4], 2));
        weights.put("has 9 axes", OnnxText.tensor("w", OnnxText.FLOAT, new byte[4], 1, 1, 1, 1, 1, 1, 1, 1, 1));
        weights.put("elements of type 77", OnnxText.tensor("w", 77, new byte[4], 1));
        weights.put(
                "has 0 bytes, not 400000000000", OnnxText.tensor("w", OnnxText.FLOAT, new byte[0], 100_000_000_000L));
        for (var each : weights.entrySet()) {
            expect(model(OnnxText.graph(each.getValue())), each.getKey());
        }
    }

    @Test
    void refusesGraphsThatAreNone() throws IOException {
        ProtoMessage output = OnnxText.value("y", OnnxText.FLOAT, 2);
        ProtoMessage input = OnnxText.value("x", OnnxText.FLOAT, 2);
        expect(
                model(new ProtoMessage()
                        .message(1, OnnxText.node("Relu", "b", "a"))
                        .message(1, OnnxText.node("Relu", "a", "b"))
                        .message(12, OnnxText.value("b", OnnxText.FLOAT))),
                "depends on its own result");
        expect(
                model(new ProtoMessage()
                        .message(1, OnnxText.node("Relu", "x", "y"))
                        .message(1, OnnxText.node("Exp", "x", "y"))
                        .message(11, input)
                        .message(12, output)),
                "'y' is made twice");
        expect(
                model(new ProtoMessage()
                        .message(1, OnnxText.node("Relu", "z", "y"))
                        .message(11, input)
                        .message(12, output)),
                "reads 'z', which nothing makes");
        expect(model(new ProtoMessage().message(11, input).message(12, output)), "nothing makes the value 'y'");
        expect(model(new ProtoMessage().message(11, input).message(11, input).message(12, output)), "two inputs");
        expect(model(OnnxText.graph(OnnxText.weight()).message(5, OnnxText.weight())), "two initializers");
        expect(model(new ProtoMessage().message(11, input)), "no outputs");
        expect(model(OnnxText.graph(OnnxText.weight()).message(15, new ProtoMessage())), "sparse");
    }

    @Test
    void namesWhatItIsInstead() {
        Map<String, String> heads = new TreeMap<>();
        heads.put("PK\3\4....", "zip archive");
        heads.put("\37\213....", "gzip");
        heads.put("\u0080\1\0\0\0\0\0\0{\"w\":", "weights alone");
        heads.put("\30\0\0\0ORTM", "ONNX Runtime's own format");
        heads.put("<!DOCTYPE html>", "HTML");
        heads.put("  <html>", "HTML");
        heads.put("version https://git-lfs.github.com/spec/v1", "Git LFS");
        heads.put("", "empty");
        heads.forEach((head, words) -> expect(head.getBytes(StandardCharsets.ISO_8859_1), words));
    }

    private void expectOutside(String words, String... entries) throws IOException {
        ProtoMessage weight = new ProtoMessage()
                .number(1, 2)
                .number(2, OnnxText.FLOAT)
                .text(8, "w")
                .number(14, 1);
        for (int i = 0; i < entries.length; i += 2) {
            weight.message(13, OnnxText.entry(entries[i], entries[i + 1]));
        }
        Path file = Files.write(folder.resolve("m.onnx"), model(OnnxText.graph(weight)));
        assertThatThrownBy(() -> {
                    try (OnnxFile open = OnnxFile.open(file, false)) {
                        open.bytes(open.model().graph().initializers().getFirst());
                    }
                })
                .isInstanceOf(DamagedOnnxException.class)
                .message()
                .contains(words);
    }

    @Test
    void readsNoFilesButThoseBesideTheModel() throws IOException {
        Files.write(folder.resolve("data"), OnnxText.floats(1, 2, 3));
        Path outside = Files.createDirectory(folder.resolve("elsewhere"));
        Files.write(outside.resolve("secret"), new byte[8]);
        expectOutside("is nowhere", "offset", "0");
        expectOutside("is empty", "location", "");
        expectOutside("is absolute", "location", "/etc/passwd");
        expectOutside("is absolute", "location", "C:/data");
        expectOutside("leads out of the model's folder", "location", "../data");
        expectOutside("leads out of the model's folder", "location", "elsewhere/../../data");
        expectOutside("a backslash", "location", "..\\data");
        expectOutside("has a NUL", "location", "data\0x");
        expectOutside("no such file", "location", "gone");
        expectOutside("that is no file", "location", "elsewhere");
        expectOutside("beyond the end", "location", "data", "offset", "8");
        expectOutside("beyond the end", "location", "data", "offset", "99999999999");
        expectOutside("has 4 bytes", "location", "data", "length", "4");
        expectOutside("offset '-1'", "location", "data", "offset", "-1");
        expectOutside("another checksum", "location", "data", "checksum", "00");
        expectOutside("'key', which means nothing", "location", "data", "key", "1");
    }

    @Test
    void readsWhatIsBesideTheModel() throws IOException {
        Files.write(folder.resolve("data"), OnnxText.floats(1, 2, 3));
        ProtoMessage weight = new ProtoMessage()
                .number(1, 2)
                .number(2, OnnxText.FLOAT)
                .text(8, "w")
                .message(13, OnnxText.entry("location", "data"))
                .message(13, OnnxText.entry("offset", "4"))
                .message(13, OnnxText.entry("length", "8"))
                .number(14, 1);
        Path file = Files.write(folder.resolve("m.onnx"), model(OnnxText.graph(weight)));
        try (OnnxFile open = OnnxFile.open(file, false)) {
            MemorySegment bytes = open.bytes(open.model().graph().initializers().getFirst());
            assertThat(bytes.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(OnnxText.floats(2, 3));
        }
    }

    /** {@code snapshots/1/m.onnx} is a link to {@code blobs/a}, and its data one to {@code blobs/b}. */
    @Test
    void followsLinksOfTheCacheAndNoOthers() throws IOException {
        Path blobs = Files.createDirectory(folder.resolve("blobs"));
        Path snapshot = Files.createDirectories(folder.resolve("snapshots/1"));
        ProtoMessage weight = new ProtoMessage()
                .number(1, 2)
                .number(2, OnnxText.FLOAT)
                .text(8, "w")
                .message(13, OnnxText.entry("location", "m.data"))
                .number(14, 1);
        Files.write(blobs.resolve("a"), model(OnnxText.graph(weight)));
        Files.write(blobs.resolve("b"), OnnxText.floats(1, 2));
        Path file = Files.createSymbolicLink(snapshot.resolve("m.onnx"), Path.of("../../blobs/a"));
        Path data = Files.createSymbolicLink(snapshot.resolve("m.data"), Path.of("../../blobs/b"));
        try (OnnxFile open = OnnxFile.open(file, false)) {
            assertThat(open.bytes(open.model().graph().initializers().getFirst())
                            .byteSize())
                    .isEqualTo(8);
        }
        Files.delete(data);
        Files.write(folder.resolve("private"), OnnxText.floats(1, 2));
        Files.createSymbolicLink(data, Path.of("../../private"));
        try (OnnxFile open = OnnxFile.open(file, false)) {
            OnnxTensor tensor = open.model().graph().initializers().getFirst();
            assertThatThrownBy(() -> open.bytes(tensor)).hasMessageContaining("--follow-links");
        }
        try (OnnxFile open = OnnxFile.open(file, true)) {
            assertThat(open.bytes(open.model().graph().initializers().getFirst())
                            .byteSize())
                    .isEqualTo(8);
        }
    }
}
