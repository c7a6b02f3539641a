package dev.remat.ir.op;

import java.util.OptionalInt;

/**
 * An operation that draws random numbers. Its last operand is the seed that it draws with; its last result is the seed
 * that the next random operation takes.
 */
public sealed interface RandomOp extends SeedOp permits Draw, Dropout {
    /** Position in the chain of random operations, counted from 0 in the order of the model. */
    int ordinal();

    /** The same operation on a piece of a larger tensor. */
    RandomOp withDrawnRows(DrawnRows rows);

    @Override
    default OptionalInt drawnOrdinal() {
        return OptionalInt.of(ordinal());
    }

    @Override
    default int seedOrdinal() {
        return ordinal() + 1;
    }
}
