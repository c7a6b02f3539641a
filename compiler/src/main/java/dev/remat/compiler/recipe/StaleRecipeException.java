package dev.remat.compiler.recipe;

/** A recipe that cannot be followed: it was written by a version of remat that planned otherwise. */
public final class StaleRecipeException extends RuntimeException {
    StaleRecipeException(String problem, Throwable cause) {
        super(problem, cause);
    }
}
