package dev.remat.tests.onnx;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Leaves of a model of ONNX's names those of its inputs and outputs alone; all other values are numbered. */
final class EraseNames {
    private static final int GRAPH = 7;
    private static final int NODE = 1;
    private static final int INITIALIZER = 5;
    private static final int INPUT = 11;
    private static final int OUTPUT = 12;

    /** A field of a message: its bytes with the tag, and those of a message or text alone. */
    private record Field(int number, int wireType, byte[] whole, byte[] content) {}

    private final Map<String, String> names = new TreeMap<>();

    private EraseNames() {}

    static byte[] run(byte[] model) {
        EraseNames erase = new EraseNames();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Field field : fields(model)) {
            write(out, field, field.number() == GRAPH ? erase.graph(field.content()) : field.content());
        }
        return out.toByteArray();
    }

    private byte[] graph(byte[] graph) {
        for (Field field : fields(graph)) {
            if (field.number() == INPUT || field.number() == OUTPUT) {
                String name = new String(fields(field.content()).getFirst().content(), StandardCharsets.UTF_8);
                names.put(name, name);
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Field field : fields(graph)) {
            byte[] content = switch (field.number()) {
                case NODE -> renamed(field.content(), List.of(1, 2), List.of(3, 9));
                case INITIALIZER -> renamed(field.content(), List.of(8), List.of());
                default -> field.content();
            };
            write(out, field, content);
        }
        return out.toByteArray();
    }

    private byte[] renamed(byte[] message, List<Integer> values, List<Integer> dropped) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Field field : fields(message)) {
            String name = new String(field.content(), StandardCharsets.UTF_8);
            if (values.contains(field.number()) && !name.isEmpty()) {
                names.putIfAbsent(name, Integer.toString(names.size()));
                write(out, field, names.get(name).getBytes(StandardCharsets.UTF_8));
            } else if (!dropped.contains(field.number())) {
                write(out, field, field.content());
            }
        }
        return out.toByteArray();
    }

    private static void write(ByteArrayOutputStream out, Field field, byte[] content) {
        if (field.wireType() != 2) {
            out.writeBytes(field.whole());
            return;
        }
        number(out, (long) field.number() << 3 | 2);
        number(out, content.length);
        out.writeBytes(content);
    }

    private static void number(ByteArrayOutputStream out, long value) {
        long left = value;
        for (; left > 127; left >>>= 7) {
            out.write((int) (left & 127 | 128));
        }
        out.write((int) left);
    }

    private static List<Field> fields(byte[] message) {
        List<Field> fields = new ArrayList<>();
        int at = 0;
        while (at < message.length) {
            int begin = at;
            long tag = 0;
            for (int shift = 0; ; shift += 7) {
                tag |= (message[at] & 127L) << shift;
                if (message[at++] >= 0) {
                    break;
                }
            }
            int type = (int) (tag & 7);
            int content = at;
            if (type == 1 || type == 5) {
                at += type == 1 ? 8 : 4;
            } else {
                long value = 0;
                for (int shift = 0; ; shift += 7) {
                    value |= (message[at] & 127L) << shift;
                    if (message[at++] >= 0) {
                        break;
                    }
                }
                content = at;
                at += type == 2 ? (int) value : 0;
            }
            fields.add(new Field(
                    (int) (tag >>> 3),
                    type,
                    Arrays.copyOfRange(message, begin, at),
                    Arrays.copyOfRange(message, content, at)));
        }
        return fields;
    }
}
