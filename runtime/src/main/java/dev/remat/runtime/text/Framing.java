package dev.remat.runtime.text;

import dev.remat.runtime.io.DataException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The special tokens around a text, or around two.
 *
 * @param single around one
 * @param pair around two
 */
public record Framing(List<Part> single, List<Part> pair) {
    private static final String SUPPORTED =
            "BertProcessing, ByteLevel, RobertaProcessing, Sequence and TemplateProcessing";

    /** No special tokens: a text, and after it the second, of type 1. */
    public static final Framing NONE = new Framing(List.of(text(0, 0)), List.of(text(0, 0), text(1, 1)));

    /**
     * Special tokens, or a text.
     *
     * @param text 0 for the first, 1 for the second; -1 for special tokens
     * @param tokens empty for a text
     * @param type number of the segment that the model is told
     */
    public record Part(int text, List<Integer> tokens, int type) {}

    /** Tokens with the segment of each. */
    public record Framed(int[] tokens, int[] types) {}

    static Framing read(JsonPart part) {
        return switch (part.type()) {
            case "ByteLevel" -> NONE;
            case "TemplateProcessing" -> template(part);
            case "BertProcessing" -> {
                Part begin = special(part.need("cls"), 0);
                Part end = special(part.need("sep"), 0);
                yield new Framing(
                        List.of(begin, text(0, 0), end),
                        List.of(begin, text(0, 0), end, text(1, 1), new Part(-1, end.tokens(), 1)));
            }
            case "RobertaProcessing" -> {
                Part begin = special(part.need("cls"), 0);
                Part end = special(part.need("sep"), 0);
                yield new Framing(
                        List.of(begin, text(0, 0), end), List.of(begin, text(0, 0), end, end, text(1, 0), end));
            }
            case "Sequence" -> sequence(part);
            default -> throw part.unsupported(SUPPORTED);
        };
    }

    private static Framing sequence(JsonPart part) {
        Framing all = NONE;
        for (JsonPart step : part.need("processors").list()) {
            Framing one = read(step);
            if (!all.equals(NONE) && !one.equals(NONE)) {
                throw step.wrong("is the second that adds special tokens, which is not supported");
            }
            all = one.equals(NONE) ? all : one;
        }
        return all;
    }

    private static Part text(int text, int type) {
        return new Part(text, List.of(), type);
    }

    /** As a text and its number in a list of two. */
    private static Part special(JsonPart part, int type) {
        List<JsonPart> two = part.list();
        if (two.size() != 2) {
            throw part.wrong("is not a text and its number");
        }
        two.getFirst().text();
        return new Part(-1, List.of(two.getLast().number()), type);
    }

    private static Framing template(JsonPart part) {
        Map<String, List<Integer>> special = new LinkedHashMap<>();
        part.get("special_tokens")
                .ifPresent(tokens -> tokens.forEach((name, token) -> special.put(
                        name,
                        token.need("ids").list().stream().map(JsonPart::number).toList())));
        return new Framing(parts(part.need("single"), special, 1), parts(part.need("pair"), special, 2));
    }

    private static List<Part> parts(JsonPart template, Map<String, List<Integer>> special, int texts) {
        List<Part> parts = new ArrayList<>();
        int found = 0;
        for (JsonPart each : template.list()) {
            Optional<JsonPart> sequence = each.get("Sequence");
            JsonPart part = sequence.orElseGet(() -> each.need("SpecialToken"));
            JsonPart name = part.need("id");
            int type = part.get("type_id").map(JsonPart::number).orElse(0);
            if (sequence.isPresent()) {
                if (!name.text().equals(found == 0 ? "A" : "B") || found == texts) {
                    throw name.wrong("is '" + name.text() + "'; a template has A, and of two texts B after it");
                }
                parts.add(text(found++, type));
            } else {
                List<Integer> tokens = special.get(name.text());
                if (tokens == null) {
                    throw name.wrong("is '" + name.text() + "', which special_tokens does not have");
                }
                parts.add(new Part(-1, tokens, type));
            }
        }
        if (found != texts) {
            throw template.wrong("has " + found + " texts, not " + texts);
        }
        return parts;
    }

    /** The special tokens before a text. */
    public int[] before() {
        TokenList tokens = new TokenList();
        for (Part part : single) {
            if (part.text() == 0) {
                break;
            }
            part.tokens().forEach(tokens::add);
        }
        return tokens.toArray();
    }

    /**
     * The tokens of a text or two with the special ones, at most {@code longest}: of one text the end is left out, of
     * two that of the longer, and of both what is above half of the room.
     *
     * @throws DataException if special tokens alone are more
     */
    public Framed frame(int[] first, Optional<int[]> second, int longest) {
        List<Part> parts = second.isPresent() ? pair : single;
        int special = parts.stream().mapToInt(part -> part.tokens().size()).sum();
        if (special > longest) {
            throw new DataException("the tokenizer puts " + special + " special tokens around a text, and there are "
                    + longest + " places; give a greater T");
        }
        int room = longest - special;
        int other = second.map(tokens -> tokens.length).orElse(0);
        int one = Math.min(
                first.length, Math.max(room - other, second.isPresent() ? room / 2 + tie(first, other, room) : room));
        int two = Math.min(other, room - one);
        int[][] texts = {Arrays.copyOf(first, one), Arrays.copyOf(second.orElse(first), two)};
        TokenList tokens = new TokenList();
        TokenList types = new TokenList();
        for (Part part : parts) {
            int[] here = part.text() < 0
                    ? part.tokens().stream().mapToInt(Integer::intValue).toArray()
                    : texts[part.text()];
            for (int token : here) {
                tokens.add(token);
                types.add(part.type());
            }
        }
        return new Framed(tokens.toArray(), types.toArray());
    }

    /** The place that is left over where both are cut goes to the longer text. */
    private static int tie(int[] first, int other, int room) {
        return first.length > other ? room % 2 : 0;
    }
}
