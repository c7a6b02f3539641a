package dev.remat.runtime.train;

import dev.remat.ir.diagnostic.Location;

/** Training stopped because the loss was not finite; nothing of the step has been applied. */
public final class NotANumberException extends RuntimeException {
    private final long step;
    private final Location location;

    /**
     * @param location the model line that first produced it
     * @param finding what was found there
     */
    public NotANumberException(long step, Location location, String finding) {
        super(location.equals(Location.NONE) ? finding : location + ": " + finding);
        this.step = step;
        this.location = location;
    }

    /** The training step, from 1. */
    public long step() {
        return step;
    }

    public Location location() {
        return location;
    }
}
