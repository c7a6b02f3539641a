package dev.remat.runtime.text.pattern;

import dev.remat.runtime.text.pattern.PatternNode.Choice;
import dev.remat.runtime.text.pattern.PatternNode.Look;
import dev.remat.runtime.text.pattern.PatternNode.One;
import dev.remat.runtime.text.pattern.PatternNode.Repeat;
import dev.remat.runtime.text.pattern.PatternNode.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Reads the part of Oniguruma's syntax that tokenizers use: sets, groups, choices, greedy and lazy quantifiers, and
 * looking ahead by one code point. What could make a match depend on more than what stands there, or what another
 * engine reads otherwise, is refused by name.
 */
final class PatternParser {
    private static final int MAX_DEPTH = 50;
    private static final int MAX_REPEAT = 1000;

    private final String text;
    private int at;
    private int depth;

    private PatternParser(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if it is wrong, or holds what is not supported */
    static PatternNode parse(String text) {
        PatternParser parser = new PatternParser(text);
        PatternNode node = parser.choice(false);
        if (parser.at < text.length()) {
            throw parser.wrong("a ')' without its '('");
        }
        return node;
    }

    private PatternNode choice(boolean anyCase) {
        if (++depth > MAX_DEPTH) {
            throw wrong("groups more than " + MAX_DEPTH + " deep");
        }
        List<PatternNode> parts = new ArrayList<>();
        parts.add(series(anyCase));
        while (next('|')) {
            parts.add(series(anyCase));
        }
        depth--;
        return parts.size() == 1 ? parts.getFirst() : new Choice(parts);
    }

    private PatternNode series(boolean anyCase) {
        List<PatternNode> parts = new ArrayList<>();
        while (at < text.length() && text.charAt(at) != '|' && text.charAt(at) != ')') {
            PatternNode part = atom(anyCase);
            parts.add(part instanceof Look ? part : quantified(part));
        }
        return parts.size() == 1 ? parts.getFirst() : new Series(parts);
    }

    private PatternNode quantified(PatternNode part) {
        int least;
        int most;
        if (next('?')) {
            least = 0;
            most = 1;
        } else if (next('*')) {
            least = 0;
            most = -1;
        } else if (next('+')) {
            least = 1;
            most = -1;
        } else if (isCount()) {
            int close = text.indexOf('}', at);
            String[] bounds = text.substring(at + 1, close).split(",", -1);
            least = bounds[0].isEmpty() ? 0 : count(bounds[0]);
            most = bounds.length == 1 ? least : bounds[1].isEmpty() ? -1 : count(bounds[1]);
            if (most >= 0 && most < least) {
                throw wrong("a quantifier from " + least + " to " + most);
            }
            at = close + 1;
        } else {
            return part;
        }
        boolean lazy = next('?');
        if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '*' || isCount())) {
            throw wrong(text.charAt(at) == '+' ? "a possessive quantifier" : "a quantifier of a quantifier");
        }
        return new Repeat(part, least, most, lazy);
    }

    private boolean isCount() {
        int i = at + 1;
        while (i < text.length() && (Character.digit(text.charAt(i), 10) >= 0 || text.charAt(i) == ',')) {
            i++;
        }
        String counts =
                i < text.length() && text.charAt(at) == '{' && text.charAt(i) == '}' ? text.substring(at + 1, i) : "";
        return counts.matches("[0-9]+(,[0-9]*)?|,[0-9]+");
    }

    private int count(String digits) {
        if (digits.length() > 4 || Integer.parseInt(digits) > MAX_REPEAT) {
            throw wrong("a quantifier above " + MAX_REPEAT);
        }
        return Integer.parseInt(digits);
    }

    private PatternNode atom(boolean anyCase) {
        int c = text.codePointAt(at);
        return switch (c) {
            case '(' -> group(anyCase);
            case '[' -> one(set(), anyCase);
            case '\\' -> one(escape(), anyCase);
            case '.' -> {
                at++;
                yield new One(p -> p != '\n');
            }
            case '^', '$' -> throw wrong("the anchor '" + text.charAt(at) + "'");
            case '*', '+', '?' -> throw wrong("a quantifier of nothing");
            default -> {
                at += Character.charCount(c);
                yield one(p -> p == c, anyCase);
            }
        };
    }

    private static PatternNode one(IntPredicate set, boolean anyCase) {
        return new One(anyCase ? CodePoints.withoutCase(set) : set);
    }

    private PatternNode group(boolean anyCase) {
        int begin = at;
        at++;
        boolean inside = anyCase;
        boolean ahead = false;
        boolean negative = false;
        if (next('?')) {
            if (text.startsWith("i:", at)) {
                inside = true;
                at += 2;
            } else if (next('=')) {
                ahead = true;
            } else if (next('!')) {
                ahead = true;
                negative = true;
            } else if (!next(':')) {
                int end = Math.min(at + 1, text.length());
                at = begin;
                throw wrong("the group '" + text.substring(begin, end) + "'");
            }
        }
        PatternNode node = choice(inside);
        if (!next(')')) {
            throw wrong("a '(' without its ')'");
        }
        if (!ahead) {
            return node;
        }
        if (node instanceof One one) {
            return new Look(one.set(), negative);
        }
        at = begin;
        throw wrong("looking ahead at more than one character");
    }

    private IntPredicate set() {
        at++;
        boolean negative = next('^');
        IntPredicate all = p -> false;
        boolean first = true;
        while (first || !text.startsWith("]", at)) {
            if (at >= text.length()) {
                throw wrong("a '[' without its ']'");
            }
            if (text.charAt(at) == '[') {
                throw wrong("a set within a set");
            }
            if (text.startsWith("&&", at)) {
                throw wrong("'&&' between sets");
            }
            all = all.or(member());
            first = false;
        }
        at++;
        return negative ? all.negate() : all;
    }

    /** A code point, what an escape stands for, or a range. */
    private IntPredicate member() {
        int begin = at;
        IntPredicate low = element();
        if (!text.startsWith("-", at) || text.startsWith("-]", at)) {
            return low;
        }
        String from = text.substring(begin, at);
        at++;
        int middle = at;
        if (middle >= text.length()) {
            throw wrong("a '[' without its ']'");
        }
        element();
        int first = single(from);
        int last = single(text.substring(middle, at));
        if (first > last) {
            throw wrong("a range that ends before it begins");
        }
        return p -> p >= first && p <= last;
    }

    private IntPredicate element() {
        int c = text.codePointAt(at);
        if (c == '\\') {
            return escape();
        }
        at += Character.charCount(c);
        return p -> p == c;
    }

    /** The code point that an end of a range stands for. */
    private int single(String written) {
        int c = written.codePointAt(0);
        if (c != '\\') {
            return c;
        }
        PatternParser inner = new PatternParser(written);
        IntPredicate set = inner.escape();
        for (int p = 0; p <= Character.MAX_CODE_POINT; p++) {
            if (set.test(p)) {
                if (written.matches("\\\\[sSwWdDpP].*")) {
                    break;
                }
                return p;
            }
        }
        throw wrong("a range from or to a set");
    }

    private IntPredicate escape() {
        if (at + 1 >= text.length()) {
            throw wrong("a '\\' at the end");
        }
        int c = text.codePointAt(at + 1);
        int begin = at;
        at += 1 + Character.charCount(c);
        return switch (c) {
            case 's' -> CodePoints.SPACE;
            case 'S' -> CodePoints.SPACE.negate();
            case 'w' -> CodePoints.WORD;
            case 'W' -> CodePoints.WORD.negate();
            case 'd' -> p -> CodePoints.isOf(p, "Nd");
            case 'D' -> p -> !CodePoints.isOf(p, "Nd");
            case 'n' -> p -> p == '\n';
            case 'r' -> p -> p == '\r';
            case 't' -> p -> p == '\t';
            case 'f' -> p -> p == '\f';
            case 'v' -> p -> p == 0x0b;
            case 'p', 'P' -> property(c == 'P');
            case 'x', 'u' -> number(c == 'x');
            default -> {
                if (c < 0x80 && Character.isLetterOrDigit(c)) {
                    at = begin;
                    throw wrong("'\\" + Character.toString(c) + "'");
                }
                yield p -> p == c;
            }
        };
    }

    private IntPredicate property(boolean negative) {
        int close = text.indexOf('}', at);
        if (!text.startsWith("{", at) || close < 0) {
            throw wrong("'\\p' without its '{name}'");
        }
        boolean not = text.startsWith("{^", at);
        String name = text.substring(at + (not ? 2 : 1), close);
        IntPredicate set = CodePoints.property(name).orElseThrow(() -> wrong("the property '" + name + "'"));
        at = close + 1;
        return negative == not ? set : set.negate();
    }

    private IntPredicate number(boolean short2) {
        int close = text.startsWith("{", at) ? text.indexOf('}', at) : -1;
        int end = close >= 0 ? close : Math.min(text.length(), at + (short2 ? 2 : 4));
        String digits = text.substring(close >= 0 ? at + 1 : at, end);
        if (!digits.matches("[0-9a-fA-F]{1,6}") || Integer.parseInt(digits, 16) > Character.MAX_CODE_POINT) {
            throw wrong("a character by a number that is none");
        }
        at = close >= 0 ? close + 1 : end;
        int c = Integer.parseInt(digits, 16);
        return p -> p == c;
    }

    private boolean next(char c) {
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("has " + what + " at character " + (at + 1));
    }
}
