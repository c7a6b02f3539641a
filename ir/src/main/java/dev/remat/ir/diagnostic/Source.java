package dev.remat.ir.diagnostic;

/**
 * Text of a model file.
 *
 * @param file name used in locations
 * @param text the whole text
 */
public record Source(String file, String text) {
    /** Line {@code number} (from 1) without its terminator, or the empty string past the end. */
    public String line(int number) {
        return text.lines().skip(number - 1L).findFirst().orElse("");
    }
}
