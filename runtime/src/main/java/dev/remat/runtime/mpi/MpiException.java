package dev.remat.runtime.mpi;

/** A call of MPI has failed, as its message says. */
public final class MpiException extends RuntimeException {
    MpiException(String message) {
        super("MPI: " + message);
    }
}
