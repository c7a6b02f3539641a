package dev.remat.tests.onnx;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A graph of one node with outputs y0, y1 and so on. */
record OneNode(
        String says,
        String operator,
        String domain,
        int opset,
        int outputs,
        List<StoredTensor> operands,
        List<Boolean> constants,
        List<ProtoMessage> attributes) {
    static OneNode of(String operator, int opset) {
        return new OneNode(operator, operator, "", opset, 1, List.of(), List.of(), List.of());
    }

    static OneNode contributed(String operator) {
        return new OneNode(operator, operator, "com.microsoft", 18, 1, List.of(), List.of(), List.of());
    }

    private OneNode with(StoredTensor operand, boolean isConstant) {
        List<StoredTensor> all = new ArrayList<>(operands);
        List<Boolean> known = new ArrayList<>(constants);
        all.add(operand.named("x" + all.size()));
        known.add(isConstant);
        return new OneNode(says, operator, domain, opset, outputs, all, known, attributes);
    }

    OneNode floats(long... shape) {
        return with(random(operands.size(), shape), false);
    }

    OneNode fixed(StoredTensor tensor) {
        return with(tensor, true);
    }

    OneNode fed(StoredTensor tensor) {
        return with(tensor, false);
    }

    /** Leaves an operand out. */
    OneNode none() {
        return with(tensor(StoredType.I64, 0), true);
    }

    OneNode giving(int count) {
        return new OneNode(says, operator, domain, opset, count, operands, constants, attributes);
    }

    private OneNode set(String name, Object value, ProtoMessage attribute) {
        List<ProtoMessage> all = new ArrayList<>(attributes);
        all.add(attribute);
        return new OneNode(says + " " + name + "=" + value, operator, domain, opset, outputs, operands, constants, all);
    }

    OneNode set(String name, long value) {
        return set(
                name, value, new ProtoMessage().text(1, name).number(3, value).number(20, 2));
    }

    OneNode set(String name, float value) {
        return set(name, value, new ProtoMessage().text(1, name).real(2, value).number(20, 1));
    }

    OneNode set(String name, String value) {
        return set(name, value, new ProtoMessage().text(1, name).text(4, value).number(20, 3));
    }

    OneNode set(String name, List<Integer> values) {
        ProtoMessage attribute = new ProtoMessage().text(1, name).number(20, 7);
        values.forEach(value -> attribute.number(8, value));
        return set(name, values, attribute);
    }

    @Override
    public String toString() {
        return says + " at " + opset;
    }

    static StoredTensor tensor(StoredType type, long... shape) {
        List<Long> extents = Arrays.stream(shape).boxed().toList();
        long bytes = type.bytes() * extents.stream().reduce(1L, (a, b) -> a * b);
        return new StoredTensor(
                "x",
                type,
                extents,
                Arena.ofAuto().allocate(Math.max(bytes, 1), 8).asSlice(0, bytes));
    }

    static StoredTensor random(int seed, long... shape) {
        StoredTensor tensor = tensor(StoredType.F32, shape);
        Random random = new Random(seed);
        for (long i = 0; i < tensor.elements(); i++) {
            tensor.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
        }
        return tensor;
    }

    static StoredTensor reals(float... values) {
        StoredTensor tensor = tensor(StoredType.F32, values.length);
        for (int i = 0; i < values.length; i++) {
            tensor.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, values[i]);
        }
        return tensor;
    }

    static StoredTensor real(float value) {
        return new StoredTensor("x", StoredType.F32, List.of(), reals(value).data());
    }

    static StoredTensor integers(long... values) {
        StoredTensor tensor = tensor(StoredType.I64, values.length);
        for (int i = 0; i < values.length; i++) {
            tensor.data().setAtIndex(ValueLayout.JAVA_LONG, i, values[i]);
        }
        return tensor;
    }

    static StoredTensor scalar(long value) {
        return new StoredTensor("x", StoredType.I64, List.of(), integers(value).data());
    }

    static StoredTensor shaped(StoredTensor tensor, long... shape) {
        return new StoredTensor("x", tensor.type(), Arrays.stream(shape).boxed().toList(), tensor.data());
    }

    static StoredTensor bools(String values, long... shape) {
        StoredTensor tensor = tensor(StoredType.BOOL, shape);
        for (int i = 0; i < values.length(); i++) {
            tensor.data().set(ValueLayout.JAVA_BYTE, i, (byte) (values.charAt(i) - '0'));
        }
        return tensor;
    }

    private static byte[] bytes(StoredTensor tensor) {
        return tensor.data().toArray(ValueLayout.JAVA_BYTE);
    }

    private static int number(StoredType type) {
        return switch (type) {
            case F32 -> 1;
            case I32 -> 6;
            case I64 -> 7;
            case BOOL -> 9;
            default -> throw new IllegalArgumentException("no operand of tests is of " + type);
        };
    }

    private static ProtoMessage initializer(StoredTensor tensor) {
        ProtoMessage message = new ProtoMessage();
        tensor.shape().forEach(extent -> message.number(1, extent));
        ByteBuffer raw = ByteBuffer.wrap(bytes(tensor)).order(ByteOrder.LITTLE_ENDIAN);
        return message.number(2, number(tensor.type())).text(8, tensor.name()).bytes(9, raw.array());
    }

    private static ProtoMessage input(StoredTensor tensor) {
        ProtoMessage shape = new ProtoMessage();
        tensor.shape().forEach(extent -> shape.message(1, new ProtoMessage().number(1, extent)));
        ProtoMessage type = new ProtoMessage().number(1, number(tensor.type())).message(2, shape);
        return new ProtoMessage().text(1, tensor.name()).message(2, new ProtoMessage().message(1, type));
    }

    /** A {@code ModelProto}. */
    byte[] model() throws Exception {
        ProtoMessage graph = new ProtoMessage();
        ProtoMessage node = new ProtoMessage();
        for (int i = 0; i < operands.size(); i++) {
            node.text(1, operands.get(i).elements() == 0 ? "" : "x" + i);
        }
        for (int i = 0; i < outputs; i++) {
            node.text(2, "y" + i);
        }
        node.text(4, operator);
        attributes.forEach(attribute -> node.message(5, attribute));
        graph.message(1, node.text(7, domain)).text(2, "g");
        for (int i = 0; i < operands.size(); i++) {
            StoredTensor operand = operands.get(i);
            if (operand.elements() > 0 && constants.get(i)) {
                graph.message(5, initializer(operand));
            } else if (operand.elements() > 0) {
                graph.message(11, input(operand));
            }
        }
        for (int i = 0; i < outputs; i++) {
            graph.message(12, new ProtoMessage().text(1, "y" + i));
        }
        ProtoMessage model = new ProtoMessage()
                .number(1, 10)
                .message(7, graph)
                .message(8, new ProtoMessage().text(1, "").number(2, opset));
        if (!domain.isEmpty()) {
            model.message(8, new ProtoMessage().text(1, domain).number(2, 1));
        }
        return OnnxRun.bytes(model);
    }
}
