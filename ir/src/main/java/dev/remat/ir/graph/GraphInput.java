package dev.remat.ir.graph;

import dev.remat.ir.Initializer;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import java.util.Optional;

/**
 * A value that the step finds in memory.
 *
 * @param initializer used for parameters and states; {@link Initializer#ZEROS} otherwise
 * @param rows what it is a part of; the initializer is that of the whole
 */
public record GraphInput(
        ValueId value, InputKind kind, Initializer initializer, Location location, Optional<RowsOf> rows) {}
