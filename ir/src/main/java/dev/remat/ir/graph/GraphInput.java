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
 * @param share what a rank has its share of, which say how they start; of rows, what the whole is the share of
 */
public record GraphInput(
        ValueId value,
        InputKind kind,
        Initializer initializer,
        Location location,
        Optional<RowsOf> rows,
        Optional<ShareOf> share) {}
