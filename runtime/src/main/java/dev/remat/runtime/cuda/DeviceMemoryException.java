package dev.remat.runtime.cuda;

/** A GPU has less memory free than an arena takes. */
public final class DeviceMemoryException extends RuntimeException {
    private final long freeBytes;

    DeviceMemoryException(Gpu gpu, long neededBytes, long freeBytes) {
        super("the arena takes " + neededBytes + " bytes, and " + gpu.name() + " has " + freeBytes + " free of "
                + gpu.memoryBytes());
        this.freeBytes = freeBytes;
    }

    public long freeBytes() {
        return freeBytes;
    }
}
