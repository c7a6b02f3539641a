package dev.remat.runtime.text.pattern;

import java.util.Locale;
import java.util.Optional;
import java.util.function.IntPredicate;

/** Sets of code points as Oniguruma's expressions name them. */
public final class CodePoints {
    /** Unicode's property White_Space, which is {@code \s}. */
    public static final IntPredicate SPACE = CodePoints::isSpace;

    /** Letters, marks, digits and connectors, which is {@code \w}. */
    public static final IntPredicate WORD = c -> Character.isAlphabetic(c)
            || isOf(c, "M")
            || isOf(c, "Nd")
            || Character.getType(c) == Character.CONNECTOR_PUNCTUATION;

    /** Categories by the number that {@link Character#getType} gives. */
    private static final String[] CATEGORIES = {
        "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd", "Nl", "No", "Zs", "Zl", "Zp", "Cc", "Cf", "", "Co",
        "Cs", "Pd", "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf"
    };

    private CodePoints() {}

    private static boolean isSpace(int c) {
        return c >= '\t' && c <= '\r'
                || c == ' '
                || c == 0x85
                || c == 0xa0
                || c == 0x1680
                || c >= 0x2000 && c <= 0x200a
                || c == 0x2028
                || c == 0x2029
                || c == 0x202f
                || c == 0x205f
                || c == 0x3000;
    }

    /** Whether the general category of a code point begins with these letters, such as {@code L} or {@code Nd}. */
    public static boolean isOf(int codePoint, String category) {
        return CATEGORIES[Character.getType(codePoint)].startsWith(category);
    }

    /** What {@code \p{name}} holds: a general category or a script. */
    static Optional<IntPredicate> property(String name) {
        for (String category : CATEGORIES) {
            if (!category.isEmpty()
                    && (category.equals(name) || category.substring(0, 1).equals(name))) {
                return Optional.of(c -> isOf(c, name));
            }
        }
        String upper = name.toUpperCase(Locale.ROOT);
        for (Character.UnicodeScript script : Character.UnicodeScript.values()) {
            if (script.name().equals(upper)) {
                return Optional.of(c -> Character.UnicodeScript.of(c) == script);
            }
        }
        return Optional.empty();
    }

    /** The set with all that differs from its members by case alone. */
    static IntPredicate withoutCase(IntPredicate set) {
        return c -> {
            int upper = Character.toUpperCase(c);
            int lower = Character.toLowerCase(upper);
            return set.test(c) || set.test(upper) || set.test(lower);
        };
    }
}
