package dev.remat.runtime.cpu.conv;

import dev.remat.runtime.cpu.conv.ConvPrimitive.Pass;
import java.util.Optional;

/** Finds oneDNN's kernel of a convolution, where there is one. */
@FunctionalInterface
public interface FindPrimitive {
    /** Where nothing runs. */
    FindPrimitive NONE = (shape, pass) -> Optional.empty();

    Optional<ConvPrimitive> find(ConvShape shape, Pass pass);
}
