package dev.remat.cli.option;

import dev.remat.cli.console.Excerpt;
import java.math.BigInteger;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Whole numbers as options take them, for picocli. */
public final class WholeNumber {
    private static final int MOST_DIGITS = 100;

    private WholeNumber() {}

    public static void registerFor(CommandLine line) {
        line.registerConverter(Long.class, WholeNumber::parse);
        line.registerConverter(long.class, WholeNumber::parse);
        line.registerConverter(Integer.class, WholeNumber::parseInt);
        line.registerConverter(int.class, WholeNumber::parseInt);
    }

    static int parseInt(String text) {
        return parse(text, BigInteger.valueOf(Integer.MAX_VALUE)).intValueExact();
    }

    static long parse(String text) {
        return parse(text, BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
    }

    private static BigInteger parse(String text, BigInteger most) {
        if (!text.matches("[+-]?[0-9]+")) {
            throw new TypeConversionException("'" + Excerpt.of(text) + "' is not a whole number");
        }
        // Digits without end are beyond it whatever they are.
        BigInteger number = text.length() > MOST_DIGITS ? most.add(BigInteger.ONE) : new BigInteger(text);
        if (number.abs().compareTo(most) > 0) {
            throw new TypeConversionException("'" + Excerpt.of(text) + "' is beyond " + most);
        }
        return number;
    }
}
