package dev.remat.tests.cuda;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Products of 32-bit numbers that become 64 bits wide when they have been cut already: {@code static_cast<u64>(a * b)}
 * and {@code u64 n = a * b}. Only a tensor of more than 2³¹ elements would show them, and no compiler says so.
 */
final class LateWidening {
    private static final Pattern CAST = Pattern.compile("static_cast<[ui]64>\\(");
    private static final Pattern NUMBER = Pattern.compile("\\b[ui]64 \\w+ = ([^;]*);");
    private static final Pattern WIDE_NAME = Pattern.compile("\\b[ui]64 (\\w+)\\b");
    private static final Pattern PRODUCT = Pattern.compile("([\\w.)]+) \\* ([\\w.(]+)");
    private static final Pattern CONSTANT = Pattern.compile("[A-Z0-9_]+");
    /** What is left when a quotient is taken off. */
    private static final Pattern REST = Pattern.compile("\\w+ - \\w+ \\* [\\w.]+");

    /** Products that are 64 bits wide by a factor, or small: pixels of an image, planes and channels of a tensor. */
    private static final Set<String> RIGHT = Set.of(
            "image * grid.imageStride",
            "word * bound >> 32",
            "row * window.width + column",
            "row * window.outWidth + column",
            "plane + row * w.outWidth + column",
            "at.image * shape.inputs + input",
            "at.image * shape.outputs + block.channel",
            "group * outputs + output");

    private LateWidening() {}

    /** Each in a header's text. */
    static List<String> in(String text) {
        Set<String> wide = new TreeSet<>();
        WIDE_NAME.matcher(text).results().forEach(name -> wide.add(name.group(1)));
        Stream<String> casts = CAST.matcher(text).results().map(cast -> argument(text, cast.end()));
        Stream<String> numbers = NUMBER.matcher(text)
                .results()
                .map(number -> number.group(1))
                .filter(value -> !CAST.matcher(value).find())
                .filter(value -> factors(value).noneMatch(wide::contains));
        return Stream.concat(casts, numbers)
                .filter(value -> factors(value).findAny().isPresent())
                .filter(value -> !CAST.matcher(value).find()
                        && !RIGHT.contains(value)
                        && !REST.matcher(value).matches())
                .toList();
    }

    /** Last names of factors that are no constants, of products that have no constant. */
    private static Stream<String> factors(String value) {
        return PRODUCT.matcher(value)
                .results()
                .filter(product -> !isConstant(product.group(1)) && !isConstant(product.group(2)))
                .flatMap(product -> Stream.of(product.group(1), product.group(2)))
                .map(factor -> factor.substring(factor.lastIndexOf('.') + 1));
    }

    /** Floats among them: what is multiplied by one is none of ours. */
    private static boolean isConstant(String factor) {
        return CONSTANT.matcher(factor).matches() || factor.startsWith("0x");
    }

    private static String argument(String text, int from) {
        int open = 1;
        int end = from;
        while (open > 0) {
            char c = text.charAt(end++);
            open += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
        return text.substring(from, end - 1);
    }
}
