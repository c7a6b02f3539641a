package dev.remat.ir.plan;

/** A planning problem whose costs or bytes add up to more than planners count. */
public final class ExcessiveTotalException extends InvalidProblemException {
    private final String what;

    /** @param what is too much: costs or bytes */
    public ExcessiveTotalException(int node, String what) {
        super(node, "the " + what + " up to here add up to more than 2^60");
        this.what = what;
    }

    public String what() {
        return what;
    }
}
