package dev.remat.tests.ptx;

/** PTX that cannot be understood, or does what no program may. */
public final class PtxException extends RuntimeException {
    PtxException(String message) {
        super(message);
    }
}
