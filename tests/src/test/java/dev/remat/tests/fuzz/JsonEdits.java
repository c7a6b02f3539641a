package dev.remat.tests.fuzz;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/** Changes of a JSON text that leave it JSON, so that they meet what comes after its syntax. */
final class JsonEdits {
    private static final List<String> VALUES =
            List.of("null", "true", "false", "[]", "{}", "\"\"", "[[]]", "\"a\\u0000b\"", "\"\\ud800\"");

    /**
     * A value.
     *
     * @param whole where its name begins if it is a field, or else itself
     */
    private record Span(int whole, int from, int end) {
        String of(String text) {
            return text.substring(from, end);
        }
    }

    private JsonEdits() {}

    /**
     * One to four changes.
     *
     * @param words that may become texts
     */
    static String edited(String text, List<String> words, SplittableRandom random) {
        String changed = text;
        for (int edits = 1 + random.nextInt(1 + random.nextInt(4)); edits > 0; edits--) {
            changed = edit(changed, words, random);
        }
        return changed;
    }

    private static String edit(String text, List<String> words, SplittableRandom random) {
        List<Span> spans = spans(text);
        if (spans.isEmpty()) {
            return text;
        }
        Span at = Mutation.pick(spans, random);
        Span other = Mutation.pick(spans, random);
        return switch (random.nextInt(9)) {
            case 0 -> without(text, at);
            case 1 ->
                text.substring(0, at.whole()) + text.substring(at.whole(), at.end()) + "," + text.substring(at.whole());
            case 2, 3 -> with(text, at, other.of(text));
            case 4 -> with(text, at, number(Mutation.pick(Mutation.NUMBERS, random), random));
            case 5 -> with(text, at, Mutation.pick(VALUES, random));
            case 6 -> with(text, at, "\"" + Mutation.pick(words, random).replaceAll("[\"\\\\\n\r]", "") + "\"");
            case 7 -> with(text, at, "[" + at.of(text) + (Mutation.once(2, random) ? "," + at.of(text) : "") + "]");
            default -> nudged(text, spans, random);
        };
    }

    private static String number(String number, SplittableRandom random) {
        return Mutation.once(4, random) ? "\"" + number + "\"" : number;
    }

    private static String with(String text, Span at, String value) {
        return text.substring(0, at.from()) + value + text.substring(at.end());
    }

    /** Takes the comma along that the value leaves behind. */
    private static String without(String text, Span at) {
        String before = text.substring(0, at.whole());
        String after = text.substring(at.end());
        return after.stripLeading().startsWith(",")
                ? before + after.stripLeading().substring(1)
                : before.replaceFirst(",\\s*$", "") + after;
    }

    /** A small number a little larger or smaller. */
    private static String nudged(String text, List<Span> spans, SplittableRandom random) {
        List<Span> numbers = spans.stream()
                .filter(span -> span.of(text).matches("-?\\d{1,17}"))
                .toList();
        if (numbers.isEmpty()) {
            return text;
        }
        Span at = Mutation.pick(numbers, random);
        long value = Long.parseLong(at.of(text));
        long other = Mutation.pick(List.of(value - 1, value + 1, value * 2, value / 2, -value), random);
        return with(text, at, String.valueOf(other));
    }

    /** All values of a JSON text, those inside others before these. */
    private static List<Span> spans(String text) {
        List<Span> spans = new ArrayList<>();
        Deque<Span> open = new ArrayDeque<>();
        int name = -1;
        for (int i = 0; i < text.length(); ) {
            char c = text.charAt(i);
            int end = i + 1;
            if (c == '{' || c == '[') {
                open.push(new Span(name < 0 ? i : name, i, i));
                name = -1;
            } else if ((c == '}' || c == ']') && !open.isEmpty()) {
                Span begun = open.pop();
                spans.add(new Span(begun.whole(), begun.from(), end));
            } else if (c != ',' && c != ':' && !Character.isWhitespace(c)) {
                end = c == '"' ? endOfText(text, i) : endOfWord(text, i);
                boolean isName = c == '"' && text.substring(end).stripLeading().startsWith(":");
                if (isName) {
                    name = i;
                } else {
                    spans.add(new Span(name < 0 ? i : name, i, end));
                    name = -1;
                }
            }
            i = end;
        }
        return spans;
    }

    private static int endOfText(String text, int from) {
        int at = from + 1;
        while (at < text.length() && text.charAt(at) != '"') {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        return Math.min(text.length(), at + 1);
    }

    private static int endOfWord(String text, int from) {
        int at = from;
        while (at < text.length() && ",:{}[]\"".indexOf(text.charAt(at)) < 0 && text.charAt(at) > ' ') {
            at++;
        }
        return Math.max(at, from + 1);
    }
}
