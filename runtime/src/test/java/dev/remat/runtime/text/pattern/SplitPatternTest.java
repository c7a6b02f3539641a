package dev.remat.runtime.text.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.io.DataException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SplitPatternTest {
    private static List<String> matches(SplitPattern pattern, String text) {
        List<String> found = new ArrayList<>();
        pattern.split(text, (begin, end, isMatch) -> {
            if (isMatch) {
                found.add(text.substring(begin, end));
            }
        });
        return found;
    }

    /** Java's engine backtracks, and both read these the same way. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a|ab|abc",
                "abc|ab|a",
                "a*?b",
                "(a|b)*c",
                "(?:ab?){2,3}",
                "a{2}|b{1,}|c{,2}x",
                "[^a-b\\s]+",
                " ?[ab]+|\\s+(?!\\S)|\\s+",
                "\\s*[\\n]+|\\s+(?!\\S)|\\s+",
                "a+(?=b)|b+(?!c)",
                "(a+)+c",
                "a??b|[\\]\\-c]",
                "(?i:aB)|c",
                "(|a)+b"
            })
    void matchesAreThoseOfAnEngineThatBacktracks(String expression) {
        SplitPattern pattern = SplitPattern.of(expression);
        Pattern reference = Pattern.compile(expression.replace("{,2}", "{0,2}"), Pattern.UNICODE_CASE);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 500; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(12); length > 0; length--) {
                text.append("aabbccABx \n-]".charAt(random.nextInt(13)));
            }
            List<String> expected = new ArrayList<>();
            for (Matcher matcher = reference.matcher(text); matcher.find(); ) {
                if (!matcher.group().isEmpty()) {
                    expected.add(matcher.group());
                }
            }
            assertThat(matches(pattern, text.toString())).as("'%s'", text).isEqualTo(expected);
        }
    }

    @Test
    void setsAreOfCodePoints() {
        assertThat(matches(SplitPattern.of("\\p{L}+"), "a\u00e9\u4e16\ud835\udd18 1\u0301x"))
                .containsExactly("a\u00e9\u4e16\ud835\udd18", "x");
        assertThat(matches(SplitPattern.of("\\p{Lu}|\\p{^L}"), "aB1")).containsExactly("B", "1");
        assertThat(matches(SplitPattern.of("\\P{N}"), "\u00bd\u0663x\u2167")).containsExactly("x");
        assertThat(matches(SplitPattern.of("\\s+"), "a\u00a0\u3000b\u200bc\u0085"))
                .containsExactly("\u00a0\u3000", "\u0085");
        assertThat(matches(SplitPattern.of("[\\p{Han}\\x{ac00}-\\u{D7A3}]+"), "\u4e16a\ud55c"))
                .containsExactly("\u4e16", "\ud55c");
        assertThat(matches(SplitPattern.of("(?i:'s)"), "'s'S'\u017f")).containsExactly("'s", "'S", "'\u017f");
        assertThat(matches(SplitPattern.of("\\w+"), "a_1\u0301-b")).containsExactly("a_1\u0301", "b");
    }

    @Test
    void textIsNoExpression() {
        assertThat(matches(SplitPattern.ofText("a.*"), "aa.*b")).containsExactly("a.*");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "a++;a possessive quantifier at character 3",
                "(?>a);the group '(?>' at character 1",
                "x(?<=a);the group '(?<' at character 2",
                "(?<name>a);the group '(?<'",
                "(?i)a;the group '(?i'",
                "(?!ab);looking ahead at more than one character at character 1",
                "a$;the anchor '$' at character 2",
                "\\bx;'\\b' at character 1",
                "(a)\\1;'\\1' at character 4",
                "\\p{Nonsense};the property 'Nonsense'",
                "[a[b]];a set within a set",
                "[a&&b];'&&' between sets",
                "[a;a '[' without its ']'",
                "(a;a '(' without its ')'",
                "a);a ')' without its '('",
                "*a;a quantifier of nothing",
                "a{9999};a quantifier above 1000",
                "a{3,2};a quantifier from 3 to 2",
                "((a{1000}){1000}){1000};is too large",
                "[z-a];a range that ends before it begins",
                "[\\s-a];a range from or to a set",
                "a\\;a '\\' at the end"
            })
    void whatIsNotSupportedIsRefusedByName(String expression, String message) {
        assertThatThrownBy(() -> SplitPattern.of(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    /** Engines that backtrack take time exponential in the length for the first, and these take no end of states. */
    @ParameterizedTest
    @ValueSource(strings = {"(a*)*b", "(a|aa)+b", "(a|b)*a(a|b){400}x"})
    void noExpressionHangs(String expression) {
        SplitPattern pattern = SplitPattern.of(expression);
        assertThat(matches(pattern, "a".repeat(300))).isEmpty();
        assertThatThrownBy(() -> matches(pattern, "ab".repeat(50_000) + "aa".repeat(50_000)))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("suits no long text");
    }

    @Test
    void longRunsTakeLittle() {
        SplitPattern words = SplitPattern.of(" ?\\p{L}+|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+");
        assertThat(matches(words, " ".repeat(1_000_000) + "a")).containsExactly(" ".repeat(999_999), " a");
        assertThat(matches(words, "a".repeat(1_000_000))).hasSize(1);
    }

    @Test
    void groupsAreNotTooDeep() {
        assertThatThrownBy(() -> SplitPattern.of("(".repeat(100_000))).hasMessageContaining("deep");
    }
}
