package dev.remat.runtime.lane;

import dev.remat.ir.execution.PlaceSize;

/** Where a plan finds the places that it moves tensors to. */
@FunctionalInterface
public interface Places {
    /** For plans whose tensors stay in the arena. */
    Places NONE = size -> {
        throw new PlaceException("the plan moves tensors to '" + size.name() + "', which is not given");
    };

    /**
     * Takes as many bytes of a place as the plan needs.
     *
     * @throws PlaceException if there is no such place, or not as much of it
     */
    Place open(PlaceSize size);
}
