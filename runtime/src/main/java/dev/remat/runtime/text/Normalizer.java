package dev.remat.runtime.text;

import dev.remat.runtime.text.pattern.CodePoints;
import dev.remat.runtime.text.pattern.SplitPattern;
import java.text.Normalizer.Form;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;

/** What becomes of a text before it is parted: one way for each {@code type} of a tokenizer's {@code normalizer}. */
final class Normalizer {
    private static final String SUPPORTED =
            "BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, Prepend, Replace, Sequence, Strip and StripAccents";

    private Normalizer() {}

    static UnaryOperator<String> read(JsonPart part) {
        return switch (part.type()) {
            case "Sequence" -> {
                List<UnaryOperator<String>> steps = part.need("normalizers").list().stream()
                        .map(Normalizer::read)
                        .toList();
                yield text -> {
                    String normalized = text;
                    for (UnaryOperator<String> step : steps) {
                        normalized = step.apply(normalized);
                    }
                    return normalized;
                };
            }
            case "NFC" -> form(Form.NFC);
            case "NFD" -> form(Form.NFD);
            case "NFKC" -> form(Form.NFKC);
            case "NFKD" -> form(Form.NFKD);
            case "Lowercase" -> Normalizer::lowercase;
            case "StripAccents" -> text -> without(text, c -> CodePoints.isOf(c, "M"));
            case "Strip" -> {
                boolean left = part.flag("strip_left", true);
                boolean right = part.flag("strip_right", true);
                yield text -> strip(text, left, right);
            }
            case "Prepend" -> {
                String before = part.need("prepend").text();
                yield text -> text.isEmpty() ? text : before + text;
            }
            case "Replace" -> {
                SplitPattern pattern = pattern(part.need("pattern"));
                String instead = part.need("content").text();
                yield text -> replace(text, pattern, instead);
            }
            case "BertNormalizer" -> bert(part);
            default -> throw part.unsupported(SUPPORTED);
        };
    }

    /** An expression, or a text that stands for itself. */
    static SplitPattern pattern(JsonPart part) {
        if (part.get("String").isPresent()) {
            return SplitPattern.ofText(part.need("String").text());
        }
        try {
            return SplitPattern.of(part.need("Regex").text());
        } catch (IllegalArgumentException e) {
            throw part.need("Regex").wrong(e.getMessage() + ", which is not supported");
        }
    }

    static String replace(String text, SplitPattern pattern, String instead) {
        StringBuilder replaced = new StringBuilder();
        pattern.split(text, (begin, end, isMatch) -> {
            if (isMatch) {
                replaced.append(instead);
            } else {
                replaced.append(text, begin, end);
            }
        });
        return replaced.toString();
    }

    private static UnaryOperator<String> form(Form form) {
        return text -> java.text.Normalizer.normalize(text, form);
    }

    /** Each code point by itself, so that the last sigma of a word is one as any other. */
    private static String lowercase(String text) {
        StringBuilder lower = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (c < 0x80) {
                lower.append((char) (c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c));
            } else {
                lower.append(Character.toString(c).toLowerCase(Locale.ROOT));
            }
        });
        return lower.toString();
    }

    private static String without(String text, IntPredicate left) {
        return text.codePoints()
                .filter(left.negate())
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static String strip(String text, boolean left, boolean right) {
        int begin = 0;
        int end = text.length();
        while (left && begin < end && CodePoints.SPACE.test(text.charAt(begin))) {
            begin++;
        }
        while (right && begin < end && CodePoints.SPACE.test(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(begin, end);
    }

    /** As BERT's own code (Devlin et al., 2019) cleans text. */
    private static UnaryOperator<String> bert(JsonPart part) {
        boolean clean = part.flag("clean_text", true);
        boolean chinese = part.flag("handle_chinese_chars", true);
        boolean lower = part.flag("lowercase", true);
        boolean accents = part.flag("strip_accents", lower);
        return text -> {
            String cleaned = clean ? clean(text) : text;
            String apart = chinese ? apart(cleaned) : cleaned;
            String plain = accents
                    ? without(
                            java.text.Normalizer.normalize(apart, Form.NFD),
                            c -> Character.getType(c) == Character.NON_SPACING_MARK)
                    : apart;
            return lower ? lowercase(plain) : plain;
        };
    }

    private static String clean(String text) {
        StringBuilder cleaned = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (CodePoints.SPACE.test(c) && (c == '\t' || c == '\n' || c == '\r' || !CodePoints.isOf(c, "C"))) {
                cleaned.append(' ');
            } else if (c != 0 && c != 0xfffd && !CodePoints.isOf(c, "C")) {
                cleaned.appendCodePoint(c);
            }
        });
        return cleaned.toString();
    }

    /** Chinese characters as words of their own. */
    private static String apart(String text) {
        StringBuilder apart = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (isChinese(c)) {
                apart.append(' ').appendCodePoint(c).append(' ');
            } else {
                apart.appendCodePoint(c);
            }
        });
        return apart.toString();
    }

    private static boolean isChinese(int c) {
        return c >= 0x4e00 && c <= 0x9fff
                || c >= 0x3400 && c <= 0x4dbf
                || c >= 0x20000 && c <= 0x2a6df
                || c >= 0x2a700 && c <= 0x2b73f
                || c >= 0x2b740 && c <= 0x2b81f
                || c >= 0x2b920 && c <= 0x2ceaf
                || c >= 0xf900 && c <= 0xfaff
                || c >= 0x2f800 && c <= 0x2fa1f;
    }
}
