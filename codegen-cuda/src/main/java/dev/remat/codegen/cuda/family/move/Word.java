package dev.remat.codegen.cuda.family.move;

/**
 * What one access moves where elements are only moved: 1, 2, 4, 8 or 16 bytes.
 *
 * @param bytes of a word
 */
public record Word(int bytes) {
    public Word {
        if (bytes < 1 || bytes > 16 || Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("no word of " + bytes + " bytes");
        }
    }

    /** The widest word that divides all of {@code bytes}: addresses, strides and lengths of runs. */
    public static Word dividing(long... bytes) {
        long all = 16;
        for (long each : bytes) {
            all |= each;
        }
        return new Word((int) Long.lowestOneBit(all));
    }

    /** The C++ type. */
    public String type() {
        return bytes == 16 ? "Pack<u32, 4>" : "u" + 8 * bytes;
    }

    /** Readable in symbols. */
    public String label() {
        return "b" + 8 * bytes;
    }
}
