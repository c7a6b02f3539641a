package dev.remat.codegen.cuda.cabi;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/** Text of C++ tables. */
final class TableText {
    private final StringBuilder text = new StringBuilder();

    /** Something that is no array. */
    TableText line(String line) {
        text.append(line).append('\n');
        return this;
    }

    /** An array with an entry a line; C++ has no empty one, so none becomes a single zero. */
    <T> void array(String declaration, List<T> entries, Function<T, String> entry) {
        text.append("const ").append(declaration).append(" = {");
        boolean any = false;
        for (T each : entries) {
            String line = entry.apply(each);
            if (!line.isEmpty()) {
                text.append(any ? ",\n" : "\n").append(line);
                any = true;
            }
        }
        text.append(any ? "};\n" : "{}};\n");
    }

    /** The smallest number has no literal of its own in C++. */
    static String number(long value) {
        return value == Long.MIN_VALUE ? "INT64_MIN" : String.valueOf(value);
    }

    /** A string literal; whatever is no plain ASCII stands as its bytes in octal. */
    static String quoted(String value) {
        StringBuilder literal = new StringBuilder("\"");
        for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = b >= ' ' && b < 127 && b != '"' && b != '\\' && b != '?';
            literal.append(plain ? String.valueOf((char) b) : "\\%03o".formatted(b & 0xff));
        }
        return literal.append('"').toString();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
