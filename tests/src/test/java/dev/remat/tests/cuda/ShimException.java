package dev.remat.tests.cuda;

/** A kernel did what no kernel may; the message names kernel, block, thread and line. */
final class ShimException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ShimException(String message) {
        super(message);
    }
}
