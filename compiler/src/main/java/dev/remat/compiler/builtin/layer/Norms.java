package dev.remat.compiler.builtin.layer;

import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import java.util.List;
import java.util.function.UnaryOperator;

/** Lengths of vectors. */
final class Norms {
    private Norms() {}

    /**
     * {@code (Σ|x|ᵖ)^(1/p)} over {@code axes}, which keep extent 1; for {@code p = 0} how many elements are not 0.
     * Where a power has no derivative, at 0, the gradient is 0, as in PyTorch. Of 16-bit floats in f32: squares leave
     * the range of f16 at 256.
     */
    static ValueId of(ValueId given, double p, List<Integer> axes, Emission out) {
        return out.cast(
                ofWide(Tensors.wide(given, out), p, axes, out), out.type(given).dtype());
    }

    private static ValueId ofWide(ValueId x, double p, List<Integer> axes, Emission out) {
        if (p == 2) {
            ValueId squares = out.sum(out.mul(x, x), axes);
            return apartFromZero(squares, sum -> out.unary(Unary.Kind.SQRT, sum), out);
        }
        ValueId size = out.unary(Unary.Kind.ABS, x);
        if (p == 1) {
            return out.sum(size, axes);
        } else if (Double.isInfinite(p) && p > 0) {
            return out.apply(new Reduce(Reduce.Kind.MAX, axes), size);
        } else if (Double.isInfinite(p)) {
            return out.neg(out.apply(new Reduce(Reduce.Kind.MAX, axes), out.neg(size)));
        } else if (p == 0) {
            ValueId present = out.compare(Compare.Kind.NE, x, 0);
            return out.sum(out.cast(present, out.type(x).dtype()), axes);
        }
        if (p < 0) {
            // A negative power of 0 is infinite, and the norm 0.
            TensorType type = out.type(x);
            ValueId least = out.apply(new Reduce(Reduce.Kind.MIN, axes), size);
            ValueId hasZero = out.compare(Compare.Kind.EQ, least, 0);
            ValueId terms = power(out.select(out.expand(hasZero, type.shape()), out.filled(1, type), size), p, out);
            ValueId norm = power(out.sum(terms, axes), 1 / p, out);
            return out.select(hasZero, out.filled(0, out.type(norm)), norm);
        }
        ValueId sum = out.sum(apartFromZero(size, each -> power(each, p, out), out), axes);
        return apartFromZero(sum, each -> power(each, 1 / p, out), out);
    }

    private static ValueId power(ValueId x, double exponent, Emission out) {
        return out.binary(Binary.Kind.POW, x, out.filled(exponent, out.type(x)));
    }

    /** {@code f(x)} where {@code x} is not 0, and 0 with a gradient of 0 where it is. */
    static ValueId apartFromZero(ValueId x, UnaryOperator<ValueId> f, Emission out) {
        TensorType type = out.type(x);
        ValueId isZero = out.compare(Compare.Kind.EQ, x, 0);
        ValueId value = f.apply(out.select(isZero, out.filled(1, type), x));
        return out.select(isZero, out.filled(0, type), value);
    }
}
