package dev.remat.cli.console;

import java.util.Locale;

/** Numbers in texts, which are written alike wherever a machine stands. */
public final class Format {
    private Format() {}

    /** As {@link String#format}, in no country's way. */
    public static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** {@code 12.5 %}. */
    public static String percent(double share) {
        return text("%.1f %%", 100 * share);
    }

    /** Of nothing there is no share. */
    public static String percent(long part, long whole) {
        return text("%.1f %%", whole == 0 ? 0 : 100.0 * part / whole);
    }
}
