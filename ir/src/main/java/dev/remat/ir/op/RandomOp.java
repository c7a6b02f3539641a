package dev.remat.ir.op;

/**
 * An operation that draws random numbers. Its last operand is the seed that it draws with; its last result is the seed
 * that the next random operation takes.
 */
public sealed interface RandomOp extends Op permits Dropout {
    /** Position in the chain of random operations, counted from 0 in the order of the model. */
    int ordinal();
}
