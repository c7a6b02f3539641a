package dev.remat.compiler.onnx.statement;

import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.Optional;

/**
 * A value of the text.
 *
 * @param spelling how it is written, where that is decided
 * @param constant its numbers, where they are known
 * @param stored the weight of the file that it is, unchanged
 * @param formula how known numbers are written where they are not listed
 */
public record Tensor(
        TensorType type,
        Optional<Spelling> spelling,
        Optional<Constant> constant,
        Optional<OnnxTensor> stored,
        Optional<Spelling> formula) {
    /** One whose numbers are listed where they are written. */
    public Tensor(
            TensorType type, Optional<Spelling> spelling, Optional<Constant> constant, Optional<OnnxTensor> stored) {
        this(type, spelling, constant, stored, Optional.empty());
    }

    public static Tensor of(TensorType type, Spelling spelling) {
        return new Tensor(type, Optional.of(spelling), Optional.empty(), Optional.empty());
    }

    public static Tensor of(Constant constant) {
        Shape shape = new Shape(constant.shape().stream().map(Dim::of).toList());
        return new Tensor(
                new TensorType(constant.dtype(), shape), Optional.empty(), Optional.of(constant), Optional.empty());
    }

    /** The same numbers, which follow from an expression. */
    public Tensor by(Spelling expression) {
        return new Tensor(type, spelling, constant, stored, Optional.of(expression));
    }

    /** What is written of it, without its numbers. */
    public Tensor asWritten() {
        return formula.map(written -> of(type, written)).orElse(this);
    }

    public DType dtype() {
        return type.dtype();
    }

    public int rank() {
        return type.rank();
    }

    public Dim dim(int axis) {
        return type.dim(axis < 0 ? axis + rank() : axis);
    }

    public List<Dim> dims() {
        return type.shape().dims();
    }

    public boolean isConstant() {
        return constant.isPresent();
    }

    /** Whether it is a weight of the file, that a training may move. */
    public boolean isWeight() {
        return stored.isPresent();
    }

    /** Whether operators may be applied to its numbers while a file is read, and nothing be written. */
    public boolean isFoldable() {
        return constant.isPresent() && stored.isEmpty() && spelling.isEmpty();
    }
}
