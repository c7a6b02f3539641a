package dev.remat.runtime.cuda;

/** Memory of the host cannot hold what a plan moves out of a GPU's arena. */
public final class HostMemoryException extends RuntimeException {
    private final long freeBytes;

    HostMemoryException(long neededBytes, long freeBytes, String why) {
        super("what the plan moves to the host takes " + neededBytes + " bytes of its memory, " + why);
        this.freeBytes = freeBytes;
    }

    public long freeBytes() {
        return freeBytes;
    }
}
