package dev.remat.runtime.text.pattern;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * An expression as instructions of a machine that follows all its ways at once (Thompson, 1968), those first that a
 * backtracking engine would try first (Pike; Cox, 2009).
 */
final class PatternProgram {
    enum Code {
        /** Goes on with {@code to} after a code point of {@code set}. */
        ONE,
        /** Goes on with {@code to}, and with {@code other} where that fails. */
        EITHER,
        /** Goes on with {@code to} if the next code point is of {@code set}. */
        AHEAD,
        /** Goes on with {@code to} if it is not. */
        NOT_AHEAD,
        MATCH
    }

    record Instruction(Code code, int set, int to, int other) {}

    private static final int MAX_INSTRUCTIONS = 5_000;

    private final List<Instruction> instructions = new ArrayList<>();
    private final List<IntPredicate> sets = new ArrayList<>();
    private final int start;

    PatternProgram(PatternNode node) {
        start = compile(node, add(new Instruction(Code.MATCH, 0, 0, 0)));
    }

    int start() {
        return start;
    }

    int size() {
        return instructions.size();
    }

    Instruction instruction(int number) {
        return instructions.get(number);
    }

    /** What instructions ask of code points. */
    List<IntPredicate> sets() {
        return sets;
    }

    private int add(Instruction instruction) {
        if (instructions.size() == MAX_INSTRUCTIONS) {
            throw new IllegalArgumentException("is too large, with its quantifiers written out");
        }
        instructions.add(instruction);
        return instructions.size() - 1;
    }

    private int set(IntPredicate set) {
        int known = sets.indexOf(set);
        if (known < 0) {
            sets.add(set);
        }
        return known < 0 ? sets.size() - 1 : known;
    }

    /** The first instruction of what goes on with {@code then}. */
    private int compile(PatternNode node, int then) {
        return switch (node) {
            case PatternNode.One(var set) -> add(new Instruction(Code.ONE, set(set), then, 0));
            case PatternNode.Look(var set, var negative) ->
                add(new Instruction(negative ? Code.NOT_AHEAD : Code.AHEAD, set(set), then, 0));
            case PatternNode.Series(var parts) -> {
                int next = then;
                for (PatternNode part : parts.reversed()) {
                    next = compile(part, next);
                }
                yield next;
            }
            case PatternNode.Choice(var parts) -> {
                int next = compile(parts.getLast(), then);
                for (PatternNode part : parts.reversed().subList(1, parts.size())) {
                    next = add(new Instruction(Code.EITHER, 0, compile(part, then), next));
                }
                yield next;
            }
            case PatternNode.Repeat repeat -> compile(repeat, then);
        };
    }

    private int compile(PatternNode.Repeat repeat, int then) {
        int next = then;
        if (repeat.most() < 0) {
            int again = add(new Instruction(Code.EITHER, 0, 0, 0));
            int body = compile(repeat.part(), again);
            instructions.set(again, either(body, then, repeat.lazy()));
            next = again;
        }
        for (int i = repeat.least(); i < repeat.most(); i++) {
            next = add(either(compile(repeat.part(), next), then, repeat.lazy()));
        }
        for (int i = 0; i < repeat.least(); i++) {
            next = compile(repeat.part(), next);
        }
        return next;
    }

    private static Instruction either(int body, int then, boolean lazy) {
        return lazy ? new Instruction(Code.EITHER, 0, then, body) : new Instruction(Code.EITHER, 0, body, then);
    }
}
