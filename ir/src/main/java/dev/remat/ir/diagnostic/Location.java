package dev.remat.ir.diagnostic;

/**
 * A location in a model file. Lines and columns count from 1, columns in UTF-16 code units.
 *
 * @param file name as the user gave it, or {@code "<none>"} for values that no file mentions
 */
public record Location(String file, int line, int column) {
    /** Of values that no source text stands for. */
    public static final Location NONE = new Location("<none>", 1, 1);

    public Location {
        if (line < 1 || column < 1) {
            throw new IllegalArgumentException("line and column count from 1: " + line + ":" + column);
        }
    }

    @Override
    public String toString() {
        return file + ":" + line + ":" + column;
    }
}
