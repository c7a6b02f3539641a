package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.compiler.onnx.ProtoMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused says a way out, and whoever takes it gets a model. */
class OnnxWaysOutTest {
    private static final int FLOAT = 1;
    private static final int BOOL = 9;

    @TempDir
    Path folder;

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

    private static ProtoMessage node(String operator, String output, String... inputs) {
        ProtoMessage node = new ProtoMessage();
        Arrays.stream(inputs).forEach(input -> node.text(1, input));
        return node.text(2, output).text(4, operator);
    }

    private record Said(int exitCode, String text) {}

    private Said imported(ProtoMessage graph, String... more) throws IOException {
        byte[] model = OnnxRun.bytes(
                new ProtoMessage().number(1, 8).message(7, graph).message(8, new ProtoMessage().number(2, 21)));
        Path file = Files.write(folder.resolve("m.onnx"), model);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> words = new ArrayList<>(List.of("import", file.toString(), "-o"));
        words.add(folder.resolve("m.model").toString());
        words.addAll(List.of(more));
        int exitCode = RematCommand.run(new Console(out, out, false, false), words.toArray(String[]::new));
        return new Said(exitCode, out.toString(StandardCharsets.UTF_8));
    }

    /** What the message says to add to the command. */
    private static String[] wayOut(String said) {
        Matcher option =
                Pattern.compile("--(?:outputs [\\w.,]+|set \\w+=[\\w,=]+)").matcher(said);
        assertThat(option.find()).as(said).isTrue();
        return option.group().split(" ");
    }

    private void expectAWayOut(ProtoMessage graph, String... says) throws IOException {
        Said refused = imported(graph);
        assertThat(refused.exitCode()).as(refused.text()).isEqualTo(3);
        assertThat(refused.text()).contains(says);
        assertThat(folder.resolve("m.model")).doesNotExist();
        Said taken = imported(graph, wayOut(refused.text()));
        assertThat(taken.exitCode()).as(taken.text()).isZero();
        assertThat(folder.resolve("m.model")).exists();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BitCast",
                "BitShift",
                "BitwiseNot",
                "ConcatFromSequence",
                "ConvInteger",
                "DeformConv",
                "Det",
                "DynamicQuantizeLinear",
                "ImageDecoder",
                "LinearAttention",
                "MatMulInteger",
                "MaxRoiPool",
                "MaxUnpool",
                "Multinomial",
                "NonMaxSuppression",
                "NonZero",
                "Optional",
                "QLinearConv",
                "QLinearMatMul",
                "QuantizeLinear",
                "RegexFullMatch",
                "RoiAlign",
                "STFT",
                "SequenceConstruct",
                "SplitToSequence",
                "StringNormalizer",
                "TensorScatter",
                "TfIdfVectorizer",
                "Unique",
                "OfNobody"
            })
    void cutsBeforeAnOperator(String operator) throws IOException {
        expectAWayOut(
                new ProtoMessage()
                        .message(11, value("x", FLOAT, "B", 4))
                        .message(12, value("y", FLOAT))
                        .message(1, node("Relu", "before", "x"))
                        .message(1, node(operator, "y", "before")),
                operator + "-21",
                "cut the model before it: --outputs before");
    }

    /** Two halves of what only even extents can be cut into. */
    @Test
    void givesExtentsNumbersThatAgree() throws IOException {
        ProtoMessage strides =
                new ProtoMessage().text(1, "strides").number(8, 2).number(8, 2).number(20, 7);
        ProtoMessage window = new ProtoMessage()
                .text(1, "kernel_shape")
                .number(8, 1)
                .number(8, 1)
                .number(20, 7);
        ProtoMessage scales = new ProtoMessage().number(1, 4).number(2, FLOAT).text(8, "scales");
        for (float scale : new float[] {1, 1, 2, 2}) {
            scales.real(4, scale);
        }
        expectAWayOut(
                new ProtoMessage()
                        .message(11, value("x", FLOAT, 1, 2, "H", "W"))
                        .message(12, value("y", FLOAT))
                        .message(5, scales)
                        .message(
                                1,
                                node("MaxPool", "half", "x").message(5, strides).message(5, window))
                        .message(1, node("Resize", "whole", "half", "", "scales"))
                        .message(1, node("Add", "y", "x", "whole")),
                "meet, which are not the same");
    }

    /** As PyTorch exports {@code squeeze}, of an axis that is half as long as the input's. */
    private static ProtoMessage squeezed(Object extent) {
        ProtoMessage then = new ProtoMessage()
                .message(1, node("Squeeze", "a", "half", "last"))
                .message(12, value("a", FLOAT));
        ProtoMessage otherwise =
                new ProtoMessage().message(1, node("Identity", "b", "half")).message(12, value("b", FLOAT));
        ProtoMessage strides =
                new ProtoMessage().text(1, "strides").number(8, 2).number(20, 7);
        ProtoMessage window =
                new ProtoMessage().text(1, "kernel_shape").number(8, 2).number(20, 7);
        return new ProtoMessage()
                .message(11, value("x", FLOAT, "B", 4, extent))
                .message(12, value("y", FLOAT))
                .message(5, number("last", 2))
                .message(5, number("one", 1))
                .message(1, node("MaxPool", "half", "x").message(5, strides).message(5, window))
                .message(1, node("Shape", "shape", "half"))
                .message(1, node("Gather", "length", "shape", "last"))
                .message(1, node("Equal", "is one", "length", "one"))
                .message(
                        1,
                        node("If", "y", "is one")
                                .message(5, branch("then_branch", then))
                                .message(5, branch("else_branch", otherwise)));
    }

    private static ProtoMessage number(String name, long value) {
        return new ProtoMessage().number(1, 1).number(2, 7).number(7, value).text(8, name);
    }

    private static ProtoMessage branch(String name, ProtoMessage graph) {
        return new ProtoMessage().text(1, name).message(6, graph).number(20, 5);
    }

    @Test
    void saysForWhichExtentsABranchIsTaken() throws IOException {
        expectAWayOut(
                squeezed("L"),
                "which branch it takes depends on whether",
                " equals 1",
                "it does for L from 2 to 3: --set L=2 decides it");
        assertThat(Files.readString(folder.resolve("m.model"))).contains("squeeze");
        assertThat(imported(squeezed("L"), "--set", "L=4", "--overwrite").exitCode())
                .isZero();
        assertThat(Files.readString(folder.resolve("m.model"))).doesNotContain("squeeze");
    }

    /** One that is a number decides by itself. */
    @Test
    void takesTheBranchOfAnExtentThatIsANumber() throws IOException {
        assertThat(imported(squeezed(3)).exitCode()).isZero();
        assertThat(Files.readString(folder.resolve("m.model"))).contains("squeeze");
    }

    @Test
    void asksForWhatDecidesABranch() throws IOException {
        ProtoMessage then =
                new ProtoMessage().message(1, node("Relu", "a", "x")).message(12, value("a", FLOAT));
        ProtoMessage otherwise =
                new ProtoMessage().message(1, node("Exp", "b", "x")).message(12, value("b", FLOAT));
        ProtoMessage choice = node("If", "y", "flag")
                .message(
                        5,
                        new ProtoMessage()
                                .text(1, "then_branch")
                                .message(6, then)
                                .number(20, 5))
                .message(
                        5,
                        new ProtoMessage()
                                .text(1, "else_branch")
                                .message(6, otherwise)
                                .number(20, 5));
        ProtoMessage graph = new ProtoMessage()
                .message(11, value("x", FLOAT, "B", 4))
                .message(11, value("flag", BOOL))
                .message(12, value("y", FLOAT))
                .message(1, choice);
        Said refused = imported(graph);
        assertThat(refused.exitCode()).isEqualTo(3);
        assertThat(refused.text()).contains("'flag', has to be a constant", "--set gives inputs");
        assertThat(imported(graph, "--set", "flag=1").exitCode()).isZero();
        assertThat(Files.readString(folder.resolve("m.model")))
                .contains("relu(x)")
                .doesNotContain("exp(");
    }
}
