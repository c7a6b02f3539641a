package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.ExitCode;
import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.runtime.io.SafetensorsFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code import} makes of a file of ONNX. */
class ImportOnnxTest {
    private static final int FLOAT = 1;
    private static final int INT64 = 7;

    @TempDir
    Path folder;

    private static ProtoMessage node(String operator, String output, String... inputs) {
        ProtoMessage node = new ProtoMessage();
        for (String input : inputs) {
            node.text(1, input);
        }
        return node.text(2, output).text(3, "/" + output + "/" + operator).text(4, operator);
    }

    private static ProtoMessage axis(long axis) {
        return new ProtoMessage().text(1, "axis").number(3, axis).number(20, 2);
    }

    /** @param dims numbers, or names of open extents */
    private static ProtoMessage value(String name, int type, Object... dims) {
        ProtoMessage shape = new ProtoMessage();
        for (Object dim : dims) {
            shape.message(
                    1,
                    dim instanceof Integer number
                            ? new ProtoMessage().number(1, number)
                            : new ProtoMessage().text(2, dim.toString()));
        }
        ProtoMessage tensor = new ProtoMessage().number(1, type).message(2, shape);
        return new ProtoMessage().text(1, name).message(2, new ProtoMessage().message(1, tensor));
    }

    private static ProtoMessage weight(String name, float[] values, long... dims) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putFloat(value);
        }
        ProtoMessage tensor = new ProtoMessage();
        for (long dim : dims) {
            tensor.number(1, dim);
        }
        return tensor.number(2, FLOAT).text(8, name).bytes(9, bytes.array());
    }

    private String file(String name, ProtoMessage graph) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ProtoMessage()
                .number(1, 8)
                .text(2, "pytorch")
                .text(3, "2.4")
                .message(7, graph)
                .message(8, new ProtoMessage().number(2, 17))
                .writeTo(piece -> {
                    while (piece.hasRemaining()) {
                        bytes.write(piece.get());
                    }
                });
        return Files.write(folder.resolve(name), bytes.toByteArray()).toString();
    }

    /** A classifier of rows: softmax(x·w + b), with w called as PyTorch calls it. */
    private String classifier() throws IOException {
        return file(
                "rows.onnx",
                new ProtoMessage()
                        .message(1, node("MatMul", "product", "x", "head.weight"))
                        .message(1, node("Add", "logits", "product", "head.bias"))
                        .message(1, node("Softmax", "probabilities", "logits").message(5, axis(-1)))
                        .message(5, weight("head.weight", new float[] {1, 2, 3, 4, 5, 6}, 3, 2))
                        .message(5, weight("head.bias", new float[] {7, 8}, 2))
                        .message(11, value("x", FLOAT, "batch", 3))
                        .message(12, value("probabilities", FLOAT, "batch", 2)));
    }

    private Path written() {
        return folder.resolve("m.model");
    }

    private CommandRun run(String file, String... more) {
        List<String> words =
                new ArrayList<>(List.of("import", file, "-o", written().toString()));
        words.addAll(Arrays.asList(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private void refused(CommandRun run, ExitCode code, String... words) {
        assertThat(run.exitCode()).as(run.err()).isEqualTo(code.number());
        assertThat(run.err()).contains(words).doesNotContain("internal error", "\tat ");
        assertThat(written()).doesNotExist();
        assertThat(folder.resolve("m.safetensors")).doesNotExist();
    }

    @Test
    void writesAModelAndItsWeights() throws IOException {
        CommandRun run = run(classifier());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("3 nodes became", "8 parameters", "2 tensors, 32 bytes", "remat eval");
        assertThat(Files.readString(written()))
                .contains("From rows.onnx: pytorch 2.4, opset 17, 3 nodes", "symbol B\n", "input x: f32[B, 3]")
                .contains("probabilities = softmax(", "output probabilities");
        try (SafetensorsFile weights = SafetensorsFile.open(folder.resolve("m.safetensors"))) {
            assertThat(weights.tensors()).hasSize(2);
            assertThat(weights.tensors().getFirst().data().toArray(ValueLayout.JAVA_FLOAT))
                    .containsAnyOf(7, 1);
        }
    }

    @Test
    void trainsWithALoss() throws IOException {
        CommandRun run = run(classifier(), "--loss", "cross_entropy");
        assertThat(run.exitCode()).as(run.err()).isZero();
        String text = Files.readString(written());
        assertThat(text)
                .contains("input targets: i64[B]", "optimizer adamw")
                .containsPattern("loss = cross_entropy\\(logits, targets\\)");
        CommandRun train = CommandRun.of(
                "train",
                written().toString(),
                "--set",
                "B=4",
                "--init",
                folder.resolve("m.safetensors").toString(),
                "--data",
                "synthetic",
                "--steps",
                "2");
        assertThat(train.exitCode()).as(train.err()).isZero();
    }

    /** Whatever values and weights are called, files have the names that the command gives them. */
    @Test
    void namesOfAFileAreNoPaths() throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        String file = file(
                "rows.onnx",
                new ProtoMessage()
                        .message(1, node("MatMul", "../y", "/x", "../../w"))
                        .message(5, weight("../../w", new float[] {1, 2, 3, 4, 5, 6}, 3, 2))
                        .message(11, value("/x", FLOAT, "batch", 3))
                        .message(12, value("../y", FLOAT, "batch", 2)));
        CommandRun run = CommandRun.of(
                "import",
                file,
                "-o",
                inner.resolve("m.model").toString(),
                "--dump-dir",
                inner.resolve("dumps").toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(inner.toFile().list()).containsExactlyInAnyOrder("m.model", "m.safetensors", "dumps");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("rows.onnx", "inner");
        assertThat(inner.resolve("dumps").toFile().list()).allMatch(name -> name.matches("0\\d-[a-z]+\\.txt"));
    }

    @Test
    void dumpsEveryPass() throws IOException {
        Path dumps = folder.resolve("dumps");
        assertThat(run(classifier(), "--dump-dir", dumps.toString()).exitCode()).isZero();
        assertThat(dumps.toFile().list())
                .containsExactlyInAnyOrder(
                        "01-graph.txt",
                        "02-recognised.txt",
                        "03-statements.txt",
                        "04-rolled.txt",
                        "05-model.txt",
                        "06-plain.txt");
        assertThat(dumps.resolve("01-graph.txt"))
                .content()
                .contains("= MatMul(")
                .doesNotContain("Linear");
        assertThat(dumps.resolve("02-recognised.txt"))
                .content()
                .contains("= remat::Linear(")
                .doesNotContain("= MatMul(");
        assertThat(dumps.resolve("05-model.txt")).hasSameTextualContentAs(written());
    }

    /** What was made before a refusal, and nothing else. */
    @Test
    void dumpsWhatComesBeforeARefusal() throws IOException {
        Path dumps = folder.resolve("dumps");
        ProtoMessage graph = new ProtoMessage()
                .message(11, value("x", FLOAT, "B", 4))
                .message(12, value("y", FLOAT))
                .message(1, node("NonZero", "y", "x"));
        assertThat(run(file("rows.onnx", graph), "--dump-dir", dumps.toString()).exitCode())
                .isEqualTo(3);
        assertThat(dumps.toFile().list()).containsExactlyInAnyOrder("01-graph.txt", "02-recognised.txt");
        assertThat(written()).doesNotExist();
    }

    @Test
    void writesWhatParametersAreCalled() throws IOException {
        Path names = folder.resolve("names");
        assertThat(run(classifier(), "--names", names.toString()).exitCode()).isZero();
        assertThat(Files.readString(names)).contains("head.weight", "head.bias");
    }

    @Test
    void cutsAtOutputsAndFixesExtents() throws IOException {
        CommandRun run = run(classifier(), "--outputs", "logits", "--set", "batch=5", "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("remat-import-onnx/1", "nodes");
        assertThat(Files.readString(written()))
                .contains("input x: f32[5, 3]", "output logits")
                .doesNotContain("softmax");
    }

    @Test
    void namesEverythingThatItRefusesAtOnce() throws IOException {
        String file = file(
                "odd.onnx",
                new ProtoMessage()
                        .message(1, node("NonZero", "rows", "x"))
                        .message(1, node("Det", "d", "x"))
                        .message(1, node("Det", "e", "x"))
                        .message(1, node("Reshape", "r", "x", "shape"))
                        .message(1, node("Unknown", "u", "x"))
                        .message(11, value("x", FLOAT, 3, 3))
                        .message(11, value("shape", INT64, 1))
                        .message(12, value("rows", INT64))
                        .message(12, value("d", FLOAT))
                        .message(12, value("e", FLOAT))
                        .message(12, value("r", FLOAT))
                        .message(12, value("u", FLOAT)));
        refused(
                run(file),
                ExitCode.MODEL_ERROR,
                "error[E0707]: node '/rows/NonZero' (NonZero-17): how many rows it has depends on data",
                "(Det-17): nothing here computes it; and 1 more such",
                "--outputs x",
                "error[E0708]: node '/r/Reshape' (Reshape-17): operand 2, 'shape', has to be a constant",
                "no operator is known by this name");
        assertThat(run(file, "--outputs", "r", "--set", "shape=9").exitCode()).isZero();
        assertThat(Files.readString(written())).contains("reshape(x, [9])");
    }

    @Test
    void refusesFilesThatAreDamagedOrNone() throws IOException {
        Path file = Path.of(classifier());
        byte[] bytes = Files.readAllBytes(file);
        Path broken = Files.write(folder.resolve("broken.onnx"), Arrays.copyOf(bytes, bytes.length - 9));
        refused(run(broken.toString()), ExitCode.BAD_FILE, "goes beyond the end", "at byte");
        Path zip = Files.write(folder.resolve("zip.onnx"), new byte[] {'P', 'K', 3, 4, 0});
        refused(run(zip.toString()), ExitCode.BAD_FILE, "zip archive");
    }

    @Test
    void keepsWhatIsThereAndOptionsApart() throws IOException {
        String file = classifier();
        assertThat(run(file).exitCode()).isZero();
        CommandRun again = run(file);
        assertThat(again.exitCode()).isNotZero();
        assertThat(again.err()).contains("--overwrite");
        assertThat(run(file, "--overwrite").exitCode()).isZero();
        assertThat(run(file, "--overwrite", "--task", "features").err()).contains("this is a file");
        assertThat(run(file, "--overwrite", "--set", "x").exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(CommandRun.of("import", folder.toString(), "-o", written().toString(), "--loss", "mse")
                        .err())
                .contains("--loss is about files of ONNX");
    }
}
