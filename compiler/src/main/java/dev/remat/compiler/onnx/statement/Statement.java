package dev.remat.compiler.onnx.statement;

import java.util.List;

/**
 * One binding: {@code a, b = f(x)}.
 *
 * @param names that it binds; {@code _} for a part that nothing reads
 * @param path of the module that the node is in, with dots; empty at the top
 * @param isNested whether all but the first are a tuple in the tuple: {@code a, (b, c) = f(x)}
 */
public record Statement(List<String> names, Spelling value, String path, boolean isNested) {
    public Statement {
        names = List.copyOf(names);
    }

    /** As the text has it. */
    public String text() {
        String bound = isNested
                ? names.getFirst() + ", (" + String.join(", ", names.subList(1, names.size())) + ")"
                : String.join(", ", names);
        return bound + " = " + value.text();
    }

    Statement nested() {
        return new Statement(names, value, path, true);
    }

    Statement binding(List<String> others) {
        return new Statement(others, value, path, isNested);
    }

    /** Whether a parameter is one of a call in it. */
    boolean owns(String parameter) {
        int dot = parameter.lastIndexOf('.');
        String owner = dot < 0 ? parameter : parameter.substring(0, dot);
        return value.text().endsWith(" as " + owner) || value.text().contains(" as \"" + owner + "\"");
    }

    /** The same with another name for a value. */
    public Statement renamed(String from, String to) {
        Spelling other = new Spelling(
                value.reads().contains(from)
                        ? value.text().replaceAll("\\b" + from + "\\b(?!\\s*=[^=])", to)
                        : value.text(),
                value.level(),
                value.reads().stream()
                        .map(name -> name.equals(from) ? to : name)
                        .toList());
        return new Statement(
                names.stream().map(name -> name.equals(from) ? to : name).toList(), other, path, isNested);
    }
}
