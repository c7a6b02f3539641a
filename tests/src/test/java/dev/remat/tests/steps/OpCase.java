package dev.remat.tests.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.op.Op;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import java.util.List;

/**
 * A step and how near a backend must come to the reference.
 *
 * @param dtype of the operands that matter
 * @param scale factor of the tolerance, for long sums
 */
public record OpCase(StepSample sample, DType dtype, double scale) {
    private static final ReferenceInterpreter REFERENCE = new ReferenceInterpreter(Rounding.TO_DTYPE, SingleStep.SEED);

    static OpCase of(Op op, List<Tensor> operands, DType dtype, double scale) {
        return new OpCase(StepSample.of(op, operands), dtype, scale);
    }

    private static double tolerance(DType type) {
        return switch (type) {
            case F64 -> 1e-10;
            case F32 -> 3e-5;
            case F16 -> 4e-3;
            case BF16 -> 3e-2;
            case I32, I64, BOOL, SEED -> 0;
        };
    }

    /** The same where products of f32 have operands rounded to the ten bits of tf32. */
    public OpCase inTf32() {
        double coarser = tolerance(DType.F16) / tolerance(DType.F32);
        return dtype == DType.F32 ? new OpCase(sample, dtype, scale * coarser) : this;
    }

    /** Whether an operation of this class is among the instructions. */
    public boolean mentions(Class<? extends Op> op) {
        return sample.body().stream().anyMatch(instruction -> op.isInstance(instruction.op()));
    }

    /** Results of the reference, in the order in which they are stored. */
    public List<Tensor> expected() {
        return sample.expected(REFERENCE, SingleStep.NUMBER);
    }

    /** Fails unless every element is as near as the dtype allows. */
    public void check(List<Tensor> actual) {
        List<Tensor> expected = expected();
        assertThat(actual).hasSameSizeAs(expected);
        double bound = tolerance(dtype) * scale;
        for (int r = 0; r < expected.size(); r++) {
            double[] want = expected.get(r).data();
            double[] got = actual.get(r).data();
            for (int i = 0; i < want.length; i++) {
                boolean same = Double.compare(want[i], got[i]) == 0
                        || Math.abs(want[i] - got[i]) <= bound * (1 + Math.abs(want[i]));
                if (!same) {
                    throw new AssertionError(
                            "%s, result %d element %d: %s, not %s".formatted(sample, r, i, got[i], want[i]));
                }
            }
        }
    }

    @Override
    public String toString() {
        String text = dtype.label() + " " + sample;
        return text.length() > 150 ? text.substring(0, 150) + "…" : text;
    }
}
