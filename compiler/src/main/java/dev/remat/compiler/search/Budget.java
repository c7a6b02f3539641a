package dev.remat.compiler.search;

/** Memory that a plan may take: bytes, or a share of what keeping everything takes. */
public sealed interface Budget {
    record Bytes(long bytes) implements Budget {}

    /** @param share above 0, at most 1 */
    record Share(double share) implements Budget {}

    /** @param keepAllBytes that the plan takes which recomputes nothing */
    default long bytes(long keepAllBytes) {
        return switch (this) {
            case Bytes size -> size.bytes();
            case Share part -> (long) (part.share() * keepAllBytes);
        };
    }
}
