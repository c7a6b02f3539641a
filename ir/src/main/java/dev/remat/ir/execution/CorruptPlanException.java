package dev.remat.ir.execution;

/** A file that is no whole execution plan, or one of another format version. */
public final class CorruptPlanException extends RuntimeException {
    public CorruptPlanException(String message) {
        super(message);
    }
}
