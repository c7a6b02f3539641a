package dev.remat.runtime.io;

/** Where synthetic floats lie, uniformly. */
public record FloatRange(double low, double high) {
    /** Mean 0 and variance 1. */
    static final FloatRange STANDARD = new FloatRange(-1.7320508075688772, 1.7320508075688772);

    public FloatRange {
        if (!Double.isFinite(low) || !Double.isFinite(high) || !Double.isFinite(high - low) || low >= high) {
            throw new IllegalArgumentException(
                    "a range goes from a number to a larger one, not from " + low + " to " + high);
        }
    }

    /**
     * Reads {@code LOW..HIGH}.
     *
     * @throws IllegalArgumentException on anything else
     */
    public static FloatRange parse(String text) {
        int dots = text.indexOf("..");
        if (dots < 0) {
            throw new IllegalArgumentException("'" + text + "' is no range such as -1..1");
        }
        return new FloatRange(number(text.substring(0, dots), text), number(text.substring(dots + 2), text));
    }

    /** From −1, the low end, to 1, the high one. */
    double at(double position) {
        return (low + high) / 2 + position * ((high - low) / 2);
    }

    private static double number(String part, String text) {
        try {
            return Double.parseDouble(part.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no range such as -1..1", e);
        }
    }
}
