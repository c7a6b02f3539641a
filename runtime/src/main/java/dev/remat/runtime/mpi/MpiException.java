package dev.remat.runtime.mpi;

/** A call of MPI has failed, as its message says. */
public final class MpiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MpiException(String message) {
        super("MPI: " + message);
    }
}
