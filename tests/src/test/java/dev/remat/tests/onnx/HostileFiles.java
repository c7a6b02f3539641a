package dev.remat.tests.onnx;

import dev.remat.compiler.onnx.ProtoMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.UnaryOperator;

/** Small files of ONNX that are broken, or that would take much to read, by what is wrong with them. */
final class HostileFiles {
    private static final int FLOAT = 1;
    private static final int INT64 = 7;

    private final SequencedMap<String, byte[]> files = new LinkedHashMap<>();

    private HostileFiles() {}

    static SequencedMap<String, byte[]> all() throws IOException {
        HostileFiles hostile = new HostileFiles();
        hostile.wires();
        hostile.sizes();
        hostile.graphs();
        hostile.external();
        hostile.expansions();
        hostile.shapes();
        hostile.loops();
        hostile.otherFormats();
        return hostile.files;
    }

    private static byte[] bytes(ProtoMessage message) throws IOException {
        return OnnxRun.bytes(message);
    }

    private static ProtoMessage model(ProtoMessage graph) {
        return new ProtoMessage().number(1, 8).message(7, graph).message(8, new ProtoMessage().number(2, 17));
    }

    private static ProtoMessage value(String name, int type, Object... dims) {
        ProtoMessage shape = new ProtoMessage();
        for (Object dim : dims) {
            shape.message(
                    1,
                    dim instanceof Number number
                            ? new ProtoMessage().number(1, number.longValue())
                            : new ProtoMessage().text(2, dim.toString()));
        }
        return new ProtoMessage()
                .text(1, name)
                .message(
                        2,
                        new ProtoMessage()
                                .message(1, new ProtoMessage().number(1, type).message(2, shape)));
    }

    private static ProtoMessage node(String operator, String output, String... inputs) {
        ProtoMessage node = new ProtoMessage();
        Arrays.stream(inputs).forEach(input -> node.text(1, input));
        return node.text(2, output).text(4, operator);
    }

    private static ProtoMessage integers(String name, long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(values).forEach(bytes::putLong);
        return new ProtoMessage()
                .number(1, values.length)
                .number(2, INT64)
                .text(8, name)
                .bytes(9, bytes.array());
    }

    private static ProtoMessage scalar(String name, long value) {
        byte[] bytes = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
        return new ProtoMessage().number(2, INT64).text(8, name).bytes(9, bytes);
    }

    private static ProtoMessage floats(String name, byte[] raw, long... dims) {
        ProtoMessage tensor = new ProtoMessage();
        Arrays.stream(dims).forEach(dim -> tensor.number(1, dim));
        return tensor.number(2, FLOAT).text(8, name).bytes(9, raw);
    }

    private static ProtoMessage integer(String name, long value) {
        return new ProtoMessage().text(1, name).number(3, value).number(20, 2);
    }

    private static ProtoMessage body(String name, ProtoMessage graph) {
        return new ProtoMessage().text(1, name).message(6, graph).number(20, 5);
    }

    /** x [B, 2] to y. */
    private static ProtoMessage ends() {
        return new ProtoMessage().message(11, value("x", FLOAT, "B", 2)).message(12, value("y", FLOAT));
    }

    private static ProtoMessage honest() {
        return ends().message(1, node("Add", "y", "x", "w")).message(5, floats("w", new byte[8], 2));
    }

    private void add(String what, ProtoMessage graph) throws IOException {
        files.put(what, bytes(model(graph)));
    }

    private void wires() throws IOException {
        byte[] honest = bytes(model(honest()));
        files.put("truncated", Arrays.copyOf(honest, honest.length - 3));
        files.put("a varint of 11 bytes", new byte[] {8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1});
        files.put("a group", new byte[] {0x0b, 0x08, 0x01, 0x0c});
        files.put("a length beyond its parent", new byte[] {0x3a, 0x7f});
        files.put("a negative length", new byte[] {0x3a, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1});
        files.put("a graph that is a number", new byte[] {0x38, 0x01});
        files.put("a text that is no UTF-8", new byte[] {0x12, 0x02, (byte) 0xc3, 0x28});
        files.put("no graph", new byte[] {0x12, 0x00});
    }

    private void sizes() throws IOException {
        UnaryOperator<ProtoMessage> reading =
                weight -> ends().message(1, node("Add", "y", "x", "w")).message(5, weight);
        add("a negative extent", reading.apply(floats("w", new byte[0], -2)));
        add("a product that overflows", reading.apply(floats("w", new byte[0], 1L << 40, 1L << 40)));
        add("fewer bytes than elements", reading.apply(floats("w", new byte[4], 2)));
        add("400 GB without a byte", reading.apply(floats("w", new byte[0], 100_000_000_000L)));
        add("nine axes", reading.apply(floats("w", new byte[4], 1, 1, 1, 1, 1, 1, 1, 1, 1)));
        add("an unknown type", reading.apply(new ProtoMessage().number(2, 77).text(8, "w")));
        add(
                "an input of nine axes",
                new ProtoMessage()
                        .message(11, value("x", FLOAT, 1, 1, 1, 1, 1, 1, 1, 1, 1))
                        .message(12, value("y", FLOAT))
                        .message(1, node("Relu", "y", "x")));
    }

    private void graphs() throws IOException {
        add("a cycle", ends().message(1, node("Add", "a", "x", "y")).message(1, node("Relu", "y", "a")));
        add("two makers", ends().message(1, node("Relu", "y", "x")).message(1, node("Exp", "y", "x")));
        add("a value that nobody makes", ends().message(1, node("Relu", "y", "z")));
        add("an output that nobody makes", ends());
        add("no outputs", new ProtoMessage().message(11, value("x", FLOAT, 2)));
        add("an operator without operands", ends().message(1, node("Conv", "y")));
        add("an operator that nobody has", ends().message(1, node("Evil", "y", "x")));
    }

    private void outside(String what, String... entries) throws IOException {
        ProtoMessage weight =
                new ProtoMessage().number(1, 2).number(2, FLOAT).text(8, "w").number(14, 1);
        for (int i = 0; i < entries.length; i += 2) {
            weight.message(13, new ProtoMessage().text(1, entries[i]).text(2, entries[i + 1]));
        }
        add(what, ends().message(1, node("Add", "y", "x", "w")).message(5, weight));
    }

    private void external() throws IOException {
        outside("data at an absolute path", "location", "/etc/passwd");
        outside("data above the model", "location", "../../etc/passwd");
        outside("data by a backslash", "location", "..\\passwd");
        outside("data that is not there", "location", "gone");
        outside("data of a folder", "location", ".");
        outside("data beyond all files", "location", "m.onnx", "offset", "9223372036854775807");
        outside("data under an unknown key", "location", "m.onnx", "fetch", "http://localhost/");
    }

    private void expansions() throws IOException {
        ProtoMessage deep = honest();
        for (int i = 0; i < 40; i++) {
            ProtoMessage choice = node("If", "y", "x").message(5, body("then_branch", deep));
            deep = new ProtoMessage().message(1, choice).message(12, value("y", FLOAT));
        }
        add("graphs 40 deep", deep);
        ProtoMessage growing = model(ends().message(1, node("f0", "y", "x").text(7, "own")));
        for (int level = 0; level < 25; level++) {
            ProtoMessage each = new ProtoMessage()
                    .text(1, "f" + level)
                    .text(4, "x")
                    .text(5, "y")
                    .text(10, "own");
            String next = level == 24 ? "Relu" : "f" + (level + 1);
            for (String output : new String[] {"t", "y"}) {
                ProtoMessage node = node(next, output, "x");
                each.message(7, level == 24 ? node : node.text(7, "own"));
            }
            growing.message(25, each);
        }
        files.put("functions of 2^25 nodes", bytes(growing));
        ProtoMessage doubled = ends().message(5, integers("one", 1));
        for (int i = 0; i < 60; i++) {
            String from = i == 0 ? "one" : "v" + (i - 1);
            doubled.message(1, node("Concat", "v" + i, from, from).message(5, integer("axis", 0)));
        }
        add("a vector that doubles 60 times", doubled.message(1, node("Expand", "y", "x", "v59")));
    }

    private void shapes() throws IOException {
        ProtoMessage sized = ends().message(5, integers("size", 1L << 40, 1L << 20));
        add("ConstantOfShape of 2^60", sized.message(1, node("ConstantOfShape", "y", "size")));
        add(
                "Expand to 2^61",
                ends().message(5, integers("size", 1L << 40, 1L << 20, 1, 2))
                        .message(1, node("Expand", "y", "x", "size")));
        add(
                "Tile by 2^60",
                ends().message(5, integers("times", 1L << 40, 1L << 20)).message(1, node("Tile", "y", "x", "times")));
        add(
                "Pad by 2^60",
                ends().message(5, integers("pads", 0, 1L << 60, 0, 1L << 60))
                        .message(1, node("Pad", "y", "x", "pads")));
        add(
                "Range of 2^60",
                ends().message(5, scalar("from", 0))
                        .message(5, scalar("to", 1L << 60))
                        .message(5, scalar("by", 1))
                        .message(1, node("Range", "y", "from", "to", "by")));
        add(
                "a step of 0",
                ends().message(5, scalar("from", 0))
                        .message(5, scalar("to", 9))
                        .message(5, scalar("by", 0))
                        .message(1, node("Range", "y", "from", "to", "by")));
        ProtoMessage power = ends().message(5, scalar("one", 1))
                .message(1, node("Shape", "shape", "x"))
                .message(1, node("ReduceProd", "p", "shape"))
                .message(1, node("Add", "v0", "p", "one"));
        for (int i = 1; i < 24; i++) {
            power.message(1, node("Mul", "v" + i, "v" + (i - 1), "v" + (i - 1)));
        }
        add("an extent to the power of 2^23", power.message(1, node("Expand", "y", "x", "v23")));
        ProtoMessage many =
                ends().message(1, node("Shape", "shape", "x")).message(1, node("ReduceProd", "v0", "shape"));
        for (int i = 1; i < 24; i++) {
            ProtoMessage other = value("x" + i, FLOAT, "A" + i, "B" + i);
            many.message(11, other).message(1, node("Shape", "s" + i, "x" + i));
            many.message(1, node("ReduceSum", "r" + i, "s" + i))
                    .message(1, node("Mul", "v" + i, "v" + (i - 1), "r" + i));
        }
        add("a product of 23 sums of extents", many.message(1, node("Expand", "y", "x", "v23")));
        ProtoMessage halves = ends().message(5, scalar("two", 2))
                .message(1, node("Shape", "shape", "x"))
                .message(1, node("ReduceSum", "v0", "shape"));
        ProtoMessage squares =
                ends().message(1, node("Shape", "shape", "x")).message(1, node("ReduceProd", "v0", "shape"));
        for (int i = 1; i < 3000; i++) {
            halves.message(1, node("Div", "v" + i, "v" + (i - 1), "two"));
            if (i < 60) {
                squares.message(1, node("Mul", "v" + i, "v" + (i - 1), "v" + (i - 1)));
            }
        }
        add("an extent halved 3000 times", halves.message(1, node("Expand", "y", "x", "v2999")));
        add("an extent squared 60 times", squares.message(1, node("Expand", "y", "x", "v59")));
        add(
                "a Gather beyond the end",
                ends().message(1, node("Shape", "s", "x"))
                        .message(5, scalar("far", 1L << 40))
                        .message(1, node("Gather", "v", "s", "far"))
                        .message(1, node("Expand", "y", "x", "v")));
        add(
                "a OneHot of 2^50",
                ends().message(5, scalar("depth", 1L << 50))
                        .message(5, floats("values", new byte[8], 2))
                        .message(11, value("i", INT64, "B"))
                        .message(1, node("OneHot", "y", "i", "depth", "values")));
        add(
                "a window of 2^40",
                new ProtoMessage()
                        .message(11, value("x", FLOAT, 1, 1, 8, 8))
                        .message(12, value("y", FLOAT))
                        .message(
                                1,
                                node("MaxPool", "y", "x")
                                        .message(
                                                5,
                                                new ProtoMessage()
                                                        .text(1, "kernel_shape")
                                                        .number(8, 1L << 40)
                                                        .number(8, 1L << 40)
                                                        .number(20, 7))));
        add(
                "a space of blocks of 2^31",
                new ProtoMessage()
                        .message(11, value("x", FLOAT, 1, 4, 8, 8))
                        .message(12, value("y", FLOAT))
                        .message(1, node("DepthToSpace", "y", "x").message(5, integer("blocksize", 1L << 31))));
    }

    private void loops() throws IOException {
        ProtoMessage round = new ProtoMessage()
                .message(1, node("Identity", "go", "c"))
                .message(1, node("Exp", "b", "a"))
                .message(11, value("i", INT64))
                .message(11, value("c", 9))
                .message(11, value("a", FLOAT, "B", 2))
                .message(12, value("go", 9))
                .message(12, value("b", FLOAT));
        add(
                "a Loop of 2^40 rounds",
                ends().message(5, scalar("rounds", 1L << 40))
                        .message(1, node("Loop", "y", "rounds", "", "x").message(5, body("body", round))));
        ProtoMessage nested = round;
        for (int i = 0; i < 6; i++) {
            nested = new ProtoMessage()
                    .message(1, node("Identity", "go", "c"))
                    .message(1, node("Loop", "b", "rounds", "", "a").message(5, body("body", nested)))
                    .message(11, value("i", INT64))
                    .message(11, value("c", 9))
                    .message(11, value("a", FLOAT, "B", 2))
                    .message(12, value("go", 9))
                    .message(12, value("b", FLOAT));
        }
        add(
                "loops in loops of 1000^7 rounds",
                ends().message(5, scalar("rounds", 1000))
                        .message(1, node("Loop", "y", "rounds", "", "x").message(5, body("body", nested))));
    }

    private void otherFormats() {
        files.put("nothing", new byte[0]);
        files.put("a zip archive", "PK\3\4....".getBytes(StandardCharsets.ISO_8859_1));
        files.put("a page", "<!DOCTYPE html>".getBytes(StandardCharsets.ISO_8859_1));
        files.put(
                "a pointer of Git LFS",
                "version https://git-lfs.github.com/spec/v1".getBytes(StandardCharsets.ISO_8859_1));
    }
}
