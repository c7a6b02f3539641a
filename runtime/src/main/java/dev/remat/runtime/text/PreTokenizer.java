package dev.remat.runtime.text;

import dev.remat.runtime.text.pattern.CodePoints;
import dev.remat.runtime.text.pattern.SplitPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;

/** Parts a normalized text into words, across which no token goes. */
interface PreTokenizer {
    String SUPPORTED =
            "BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, Metaspace, Punctuation, Sequence, Split,"
                    + " Whitespace and WhitespaceSplit";

    /** Words as GPT-2 (Radford et al., 2019) has them: with the space before them, numbers, marks, and white space. */
    String GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

    /** @param isFirst whether a text begins with it */
    record Word(String text, boolean isFirst) {}

    void split(Word word, BiConsumer<String, Boolean> words);

    /** The words of a part of a text. */
    default List<Word> split(Word word) {
        List<Word> words = new ArrayList<>();
        split(word, (text, isFirst) -> {
            if (!text.isEmpty()) {
                words.add(new Word(text, isFirst));
            }
        });
        return words;
    }

    static PreTokenizer read(JsonPart part) {
        return switch (part.type()) {
            case "Sequence" ->
                sequence(part.need("pretokenizers").list().stream()
                        .map(PreTokenizer::read)
                        .toList());
            case "ByteLevel" -> byteLevel(part.flag("add_prefix_space", true), part.flag("use_regex", true));
            case "Split" -> {
                SplitPattern pattern = Normalizer.pattern(part.need("pattern"));
                boolean invert = part.flag("invert", false);
                Delimiters delimiters = Delimiters.read(part.need("behavior"));
                yield (word, words) -> delimiters.split(word, pattern, invert, words);
            }
            case "Whitespace" -> removing("\\w+|[^\\w\\s]+", true);
            case "WhitespaceSplit" -> removing("\\s", false);
            case "CharDelimiterSplit" -> {
                SplitPattern pattern =
                        SplitPattern.ofText(part.need("delimiter").text());
                yield (word, words) -> Delimiters.REMOVED.split(word, pattern, false, words);
            }
            case "BertPreTokenizer" ->
                sequence(List.of(removing("\\s", false), of(PreTokenizer::isPunctuation, Delimiters.ISOLATED)));
            case "Punctuation" ->
                of(
                        PreTokenizer::isPunctuation,
                        part.get("behavior").map(Delimiters::read).orElse(Delimiters.ISOLATED));
            case "Digits" ->
                of(
                        c -> CodePoints.isOf(c, "N"),
                        part.flag("individual_digits", false) ? Delimiters.ISOLATED : Delimiters.CONTIGUOUS);
            case "Metaspace" -> metaspace(part);
            default -> throw part.unsupported(SUPPORTED);
        };
    }

    private static boolean isPunctuation(int c) {
        return c >= '!' && c <= '/'
                || c >= ':' && c <= '@'
                || c >= '[' && c <= '`'
                || c >= '{' && c <= '~'
                || CodePoints.isOf(c, "P");
    }

    private static PreTokenizer sequence(List<PreTokenizer> steps) {
        return (word, words) -> {
            List<Word> all = List.of(word);
            for (PreTokenizer step : steps) {
                List<Word> next = new ArrayList<>();
                all.forEach(each -> next.addAll(step.split(each)));
                all = next;
            }
            all.forEach(each -> words.accept(each.text(), each.isFirst()));
        };
    }

    private static PreTokenizer removing(String expression, boolean invert) {
        SplitPattern pattern = SplitPattern.of(expression);
        return (word, words) -> Delimiters.REMOVED.split(word, pattern, invert, words);
    }

    private static PreTokenizer of(IntPredicate delimiter, Delimiters delimiters) {
        SplitPattern pattern = SplitPattern.ofSet(delimiter);
        return (word, words) -> delimiters.split(word, pattern, false, words);
    }

    /** Words in the alphabet of bytes. */
    private static PreTokenizer byteLevel(boolean addsSpace, boolean splits) {
        SplitPattern pattern = SplitPattern.of(GPT2);
        return (word, words) -> {
            String text = addsSpace && !word.text().startsWith(" ") ? " " + word.text() : word.text();
            if (splits) {
                Delimiters.ISOLATED.split(
                        new Word(text, word.isFirst()),
                        pattern,
                        false,
                        (each, isFirst) -> words.accept(ByteAlphabet.write(each), isFirst));
            } else {
                words.accept(ByteAlphabet.write(text), word.isFirst());
            }
        };
    }

    private static PreTokenizer metaspace(JsonPart part) {
        String mark = part.text("replacement", "\u2581");
        String prepend = prependScheme(part);
        boolean splits = part.flag("split", true);
        SplitPattern pattern = SplitPattern.ofText(mark);
        return (word, words) -> {
            String text = word.text().replace(" ", mark);
            boolean prepends = prepend.equals("always") || prepend.equals("first") && word.isFirst();
            Word marked = new Word(prepends && !text.startsWith(mark) ? mark + text : text, word.isFirst());
            if (splits) {
                Delimiters.MERGED_WITH_NEXT.split(marked, pattern, false, words);
            } else {
                words.accept(marked.text(), marked.isFirst());
            }
        };
    }

    /** Where a mark for a space is put before what has none; files had a truth in its place earlier. */
    static String prependScheme(JsonPart part) {
        String scheme = part.text("prepend_scheme", part.flag("add_prefix_space", true) ? "always" : "never")
                .toLowerCase(Locale.ROOT);
        if (!List.of("always", "first", "never").contains(scheme)) {
            throw part.need("prepend_scheme").wrong("is '" + scheme + "', not always, first or never");
        }
        return scheme;
    }
}
