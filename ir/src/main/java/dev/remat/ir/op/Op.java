package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/**
 * What a node computes. One record a family holds everything an operation means: name, attributes, shape rule,
 * gradient and cost. What a target does with it is a switch without default in that back end.
 */
public sealed interface Op
        permits AfterLoss,
                Attention,
                AvgPool2d,
                Concat,
                Conv2d,
                ConvTranspose2d,
                CrossEntropy,
                CtcLoss,
                CumulativeSum,
                Elementwise,
                Embedding,
                Gather,
                MatMul,
                MaxPool2d,
                NormStatistics,
                Pad,
                Reduce,
                ScatterAdd,
                SeedOp,
                Softmax,
                Sort,
                Update,
                View {
    /** Name in the text form. */
    String mnemonic();

    /** Constants in the text form. */
    default Attributes attributes() {
        return Attributes.NONE;
    }

    /**
     * Types of the results.
     *
     * @throws ShapeException if the operands do not suit the operation
     */
    List<TensorType> infer(List<TensorType> operands);

    /**
     * What the results of a micro-batch are to those of the whole batch, one role each. Asked through {@link
     * BatchOperands#rolesOf}.
     *
     * @throws BatchRoleException if nothing but the whole batch gives them
     * @throws IllegalStateException if the operation does not belong in a forward graph
     */
    List<BatchRole> batchRoles(BatchOperands operands);

    /** Floating point operations; shapes must be static. */
    default long flops(List<TensorType> operands, List<TensorType> results) {
        return 0;
    }

    /** Position in the chain of random operations at which it draws; empty where it draws nothing. */
    default OptionalInt drawnOrdinal() {
        return OptionalInt.empty();
    }

    /** Which elements of a larger tensor are drawn for; empty where the tensor is whole or nothing is drawn. */
    default Optional<DrawnRows> drawnRows() {
        return Optional.empty();
    }

    /** Axis of operand 0 that the integers of operand 1 count along; empty where they index nothing. */
    default OptionalInt indexedAxis() {
        return OptionalInt.empty();
    }

    /** What the integers of operand 1 must stay below, of static shapes; empty where they index nothing. */
    default OptionalLong indexedExtent(List<TensorType> operands) {
        OptionalInt axis = indexedAxis();
        return axis.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(operands.getFirst().dim(axis.getAsInt()).value());
    }

    /** An integer of operand 1 that stands for nothing to pick; empty where all must lie on {@link #indexedAxis}. */
    default OptionalLong ignoredIndex() {
        return OptionalLong.empty();
    }

    /**
     * The operand in whose memory the only result may be computed, since an element is read before its place is
     * written and never again; empty where there is none. Elementwise operations need not say so.
     *
     * @param operands how many there are
     */
    default OptionalInt computesInPlaceOf(int operands) {
        return OptionalInt.empty();
    }

    /** The same operation with the dtypes among its attributes rewritten. */
    default Op retype(UnaryOperator<DType> dtypes) {
        return this;
    }

    /**
     * The same operation for the micro-batch {@code k}, where it draws for rows of a larger tensor.
     *
     * @throws IllegalArgumentException if there is no micro-batch of that number
     */
    default Op atPiece(int k) {
        return this;
    }

    /** The same operation with its symbolic attributes rewritten. */
    default Op bind(UnaryOperator<Dim> dims) {
        return this;
    }
}
