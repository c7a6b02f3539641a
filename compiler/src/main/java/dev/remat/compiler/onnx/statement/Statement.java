package dev.remat.compiler.onnx.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One binding: {@code a, b = f(x)}.
 *
 * @param names that it binds; {@code _} for a part that nothing reads
 * @param path of the module that the node is in, with dots; empty at the top
 * @param isNested whether all but the first are a tuple in the tuple: {@code a, (b, c) = f(x)}
 * @param isBlock whether the value is the whole text, which binds the names itself
 */
public record Statement(List<String> names, Spelling value, String path, boolean isNested, boolean isBlock) {
    /** A name that is read: no argument's name, and not in quotes. */
    private static final String READ = "\\b%s\\b(?!\\s*=[^=])(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)";

    private static final Pattern OWNER = Pattern.compile(" as \"?([\\w.]+)\"?");

    public Statement {
        names = List.copyOf(names);
    }

    /** One that is not a block. */
    public Statement(List<String> names, Spelling value, String path, boolean isNested) {
        this(names, value, path, isNested, false);
    }

    /** The same as a block, which binds the names itself. */
    public Statement block() {
        return new Statement(names, value, path, isNested, true);
    }

    /** How often a name stands in the value. */
    public int occurrences(String name) {
        return (int) Pattern.compile(READ.formatted(name))
                .matcher(value.text())
                .results()
                .count();
    }

    /** The same with an expression in the place of a name that it reads once. */
    public Statement reading(String name, Spelling instead) {
        List<String> reads = new ArrayList<>(value.reads());
        reads.remove(name);
        instead.reads().stream().filter(each -> !reads.contains(each)).forEach(reads::add);
        boolean isWhole = value.text().equals(name);
        String text = value.text()
                .replaceAll(
                        READ.formatted(name),
                        Matcher.quoteReplacement(isWhole ? instead.text() : instead.within(Spelling.ATOM)));
        return new Statement(
                names, new Spelling(text, isWhole ? instead.level() : value.level(), reads), path, isNested, isBlock);
    }

    /** The same with a value that is written otherwise and reads what this one does. */
    public Statement withValue(String text) {
        return new Statement(names, new Spelling(text, value.level(), value.reads()), path, isNested, isBlock);
    }

    /** As the text has it. */
    public String text() {
        if (isBlock) {
            return value.text();
        }
        String bound = isNested
                ? names.getFirst() + ", (" + String.join(", ", names.subList(1, names.size())) + ")"
                : String.join(", ", names);
        return bound + " = " + value.text();
    }

    Statement nested() {
        return new Statement(names, value, path, true, isBlock);
    }

    Statement binding(List<String> others) {
        return new Statement(others, value, path, isNested, isBlock);
    }

    /** Whether a parameter is one of a call in it. */
    boolean owns(String parameter) {
        int dot = parameter.lastIndexOf('.');
        return isOf(dot < 0 ? parameter : parameter.substring(0, dot)) || isOf(parameter);
    }

    /** Whether a call in it has a name. */
    public boolean isOf(String owner) {
        String text = value.text();
        if (text.contains(" as \"" + owner + "\"")) {
            return true;
        }
        String plain = " as " + owner;
        for (int at = text.indexOf(plain); at >= 0; at = text.indexOf(plain, at + 1)) {
            int end = at + plain.length();
            if (end == text.length() || !Character.isLetterOrDigit(text.charAt(end)) && text.charAt(end) != '_') {
                return true;
            }
        }
        return false;
    }

    /** The same with other names for calls that own weights. */
    public Statement renamingOwners(SequencedMap<String, String> renamed) {
        String text = OWNER.matcher(value.text())
                .replaceAll(match -> Matcher.quoteReplacement(
                        renamed.containsKey(match.group(1))
                                ? " as \"" + renamed.get(match.group(1)) + "\""
                                : match.group()));
        return new Statement(names, new Spelling(text, value.level(), value.reads()), path, isNested, isBlock);
    }

    /** The same with another name for a value. */
    public Statement renamed(String from, String to) {
        Spelling other = new Spelling(
                value.reads().contains(from) ? value.text().replaceAll(READ.formatted(from), to) : value.text(),
                value.level(),
                value.reads().stream()
                        .map(name -> name.equals(from) ? to : name)
                        .toList());
        return new Statement(
                names.stream().map(name -> name.equals(from) ? to : name).toList(), other, path, isNested, isBlock);
    }
}
