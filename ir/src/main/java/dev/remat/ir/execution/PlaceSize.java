package dev.remat.ir.execution;

/**
 * Memory below the arena of which a plan takes a part, laid out like the arena.
 *
 * @param name of the tier, such as {@code disk}
 * @param bytes that the plan takes of it
 */
public record PlaceSize(String name, long bytes) {
    /** Name of the tier that is memory of the host. */
    public static final String HOST = "host";

    public PlaceSize {
        if (name.isEmpty() || bytes < 0) {
            throw new IllegalArgumentException("place '" + name + "' of " + bytes + " bytes");
        }
    }
}
