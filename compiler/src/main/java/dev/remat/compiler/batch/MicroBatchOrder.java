package dev.remat.compiler.batch;

import java.util.Locale;

/** In which order a step goes through its micro-batches and its layers. Which it is changes no bits. */
public enum MicroBatchOrder {
    /** One micro-batch after the other, forward and backward: what one needs is given back before the next begins. */
    DEPTH,
    /**
     * All micro-batches through a layer, then through the next (L2L, Pudipeddi et al., 2020): what a layer reads comes
     * once for all of them, and its gradient is complete when the layer is through.
     */
    BREADTH;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
