package dev.remat.cli.console;

import dev.remat.ir.diagnostic.Count;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts of memory as people write them: {@code 6GiB} is 6 · 2^30 bytes, {@code 6GB} is 6 · 10^9. */
public final class ByteSize {
    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?) ?([A-Za-z]*)");
    private static final int MOST_DIGITS = 100;
    private static final List<String> PREFIXES = List.of("", "K", "M", "G", "T");

    private ByteSize() {}

    /**
     * Rounds fractions of a byte down, which fractions of larger units have.
     *
     * @throws IllegalArgumentException if the text is no size, a fraction of bytes, or more than a long holds
     */
    public static long parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "'" + Excerpt.of(text) + "' is not a size such as 6GiB, 800MB or 1048576");
        }
        if (text.length() > MOST_DIGITS) {
            throw new IllegalArgumentException("'" + Excerpt.of(text) + "' has more digits than a size");
        }
        BigDecimal unit = unit(text, form.group(2));
        BigDecimal bytes = new BigDecimal(form.group(1)).multiply(unit);
        if (unit.compareTo(BigDecimal.ONE) == 0 && bytes.stripTrailingZeros().scale() > 0) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no whole number of bytes; a unit such as GiB may be missing");
        }
        try {
            return bytes.setScale(0, RoundingMode.DOWN).longValueExact();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is too large", e);
        }
    }

    private static BigDecimal unit(String text, String unit) {
        for (int i = 0; i < PREFIXES.size(); i++) {
            if (unit.equals(PREFIXES.get(i) + "iB") && i > 0) {
                return BigDecimal.valueOf(1L << 10 * i);
            }
            if (unit.equals(PREFIXES.get(i) + "B") || unit.isEmpty()) {
                return BigDecimal.TEN.pow(3 * i);
            }
        }
        String near = unit.substring(0, 1).toUpperCase(Locale.ROOT);
        boolean known = near.compareTo("B") != 0 && PREFIXES.contains(near);
        throw new IllegalArgumentException("'" + text + "' has an unknown unit; write "
                + (known ? near + "iB (powers of 1024) or " + near + "B (powers of 1000)" : "KiB, MiB, GiB or TiB"));
    }

    /** To the byte, and from 1 KiB on also as people read it: {@code 1610612736 bytes (1.50 GiB)}. */
    public static String exactly(long bytes) {
        return Count.bytes(bytes) + (bytes < 1024 ? "" : " (" + format(bytes) + ")");
    }

    /** With three significant digits and a binary unit: {@code 1.50 GiB}. */
    public static String format(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        int prefix = Math.min(PREFIXES.size() - 1, (63 - Long.numberOfLeadingZeros(bytes)) / 10);
        double value = bytes / (double) (1L << 10 * prefix);
        if (value >= 999.5 && prefix < PREFIXES.size() - 1) {
            value /= 1024;
            prefix++;
        }
        int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
        return String.format(Locale.ROOT, "%." + digits + "f %siB", value, PREFIXES.get(prefix));
    }
}
