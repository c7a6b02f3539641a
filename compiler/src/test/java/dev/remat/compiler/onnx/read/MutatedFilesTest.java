package dev.remat.compiler.onnx.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.onnx.source.OnnxImport;
import dev.remat.ir.diagnostic.ModelException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that was changed by chance is imported, or refused with a reason; nothing else comes of it. */
@Tag("slow")
class MutatedFilesTest {
    private static final int INPUTS = 2000;

    @TempDir
    Path folder;

    /** Many operators of many kinds in a row, with an attribute of each type and a function. */
    private static byte[] seed() throws IOException {
        ProtoMessage graph = OnnxText.graph(OnnxText.weight())
                .message(5, OnnxText.tensor("shape", OnnxText.INT64, new byte[] {4, 0, 0, 0, 0, 0, 0, 0}, 1))
                .message(
                        1,
                        new ProtoMessage()
                                .text(1, "y")
                                .text(1, "shape")
                                .text(2, "row")
                                .text(4, "Reshape"))
                .message(
                        1,
                        OnnxText.node("Softmax", "row", "soft")
                                .message(
                                        5,
                                        new ProtoMessage()
                                                .text(1, "axis")
                                                .number(3, -1)
                                                .number(20, 2)))
                .message(
                        1,
                        OnnxText.node("LeakyRelu", "soft", "leaky")
                                .message(
                                        5,
                                        new ProtoMessage()
                                                .text(1, "alpha")
                                                .real(2, 0.5f)
                                                .number(20, 1)))
                .message(1, OnnxText.node("Own", "leaky", "out").text(7, "own"))
                .message(12, OnnxText.value("out", OnnxText.FLOAT, 4));
        ProtoMessage function = new ProtoMessage()
                .text(1, "Own")
                .text(4, "a")
                .text(5, "b")
                .message(7, OnnxText.node("Exp", "a", "b"))
                .text(10, "own");
        return OnnxText.bytes(OnnxText.model(graph).message(25, function));
    }

    private static byte[] mutated(byte[] seed, SplittableRandom random) {
        byte[] bytes = seed.clone();
        int edits = 1 + random.nextInt(3);
        for (int i = 0; i < edits; i++) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
                default -> {
                    int from = random.nextInt(bytes.length);
                    int count = Math.min(random.nextInt(16), bytes.length - Math.max(at, from));
                    System.arraycopy(bytes.clone(), from, bytes, at, count);
                }
            }
        }
        return bytes;
    }

    private boolean isImported(byte[] bytes) {
        try {
            Path file = Files.write(folder.resolve("m.onnx"), bytes);
            try (OnnxFile open = OnnxFile.open(file, false)) {
                OnnxImport.run(
                        open,
                        new ImportRequest(
                                "M", "m.onnx", List.of(), List.of(), new LinkedHashMap<>(), true, Optional.empty()));
                return true;
            }
        } catch (DamagedOnnxException | ModelException e) {
            assertThat(e.getMessage()).isNotEmpty();
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void refusesOrImports() throws IOException {
        byte[] seed = seed();
        assertThat(isImported(seed)).isTrue();
        SplittableRandom random = new SplittableRandom(1);
        int imported = 0;
        for (int i = 0; i < INPUTS; i++) {
            imported += isImported(mutated(seed, random)) ? 1 : 0;
        }
        assertThat(imported).isBetween(INPUTS / 50, INPUTS * 3 / 4);
    }
}
