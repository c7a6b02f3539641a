package dev.remat.compiler.onnx.statement;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/**
 * An expression of the language.
 *
 * @param level how tightly its outermost operator binds
 * @param reads names of values that stand in it
 */
public record Spelling(String text, int level, List<String> reads) {
    public static final int OR = 1;
    public static final int AND = 2;
    public static final int NOT = 3;
    public static final int COMPARE = 4;
    public static final int ADD = 5;
    public static final int MULTIPLY = 6;
    public static final int NEGATE = 7;
    public static final int POWER = 8;
    public static final int ATOM = 10;

    public Spelling {
        reads = List.copyOf(reads);
    }

    /** A name that has been bound. */
    public static Spelling name(String name) {
        return new Spelling(name, ATOM, List.of(name));
    }

    /** A number or another text that reads nothing. */
    public static Spelling literal(String text) {
        return new Spelling(text, text.startsWith("-") ? NEGATE : ATOM, List.of());
    }

    /** In brackets, unless it binds at least as tightly. */
    public String within(int other) {
        return level < other ? "(" + text + ")" : text;
    }

    /** Two operands and an operator of the given level, which takes operands from the left. */
    static Spelling infix(Spelling a, String operator, Spelling b, int level) {
        return new Spelling(a.within(level) + " " + operator + " " + b.within(level + 1), level, joined(List.of(a, b)));
    }

    static List<String> joined(List<Spelling> parts) {
        SequencedSet<String> all = new LinkedHashSet<>();
        parts.forEach(part -> all.addAll(part.reads()));
        return new ArrayList<>(all);
    }
}
