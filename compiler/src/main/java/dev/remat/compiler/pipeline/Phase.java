package dev.remat.compiler.pipeline;

/** What a stage does with a micro-batch in one go. */
public enum Phase {
    FORWARD,
    /** Gradients of what the part reads, and unless {@link #WEIGHTS} follows, of its parameters. */
    BACKWARD,
    /** Gradients of parameters, where these wait for a gap. */
    WEIGHTS
}
