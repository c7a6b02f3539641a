package dev.remat.tests.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

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
            case I32, I64, BOOL, BIT, SEED -> 0;
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
        return sample.expected(REFERENCE, SingleStep.NUMBER, SingleStep.MICRO_BATCH);
    }

    /**
     * Fails unless every element is as near as the dtype allows, and all elements of a product of 16 bits together are
     * as near as sums in f32 that are rounded once.
     */
    public void check(List<Tensor> actual) {
        List<Tensor> expected = expected();
        assertThat(actual).hasSameSizeAs(expected);
        for (int r = 0; r < expected.size(); r++) {
            double bound = tolerance(roundedTo(expected.get(r).type().dtype())) * scale;
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
            if (isProduct()) {
                double share = distance(want, got) / norm(want);
                if (share > roundingUnit(dtype) / 2) {
                    throw new AssertionError("%s, result %d is off by %s of its norm".formatted(sample, r, share));
                }
            }
        }
    }

    /** What results were rounded to on the way: statistics of 16-bit operands never were. */
    private DType roundedTo(DType result) {
        boolean wide = sample.body().size() == 1 && result == DType.F32 && (dtype == DType.BF16 || dtype == DType.F16);
        return wide ? result : dtype;
    }

    /** Whether all that is computed is a product of 16-bit numbers. */
    private boolean isProduct() {
        Op op = sample.body().getFirst().op();
        return sample.body().size() == 1
                && (dtype == DType.BF16 || dtype == DType.F16)
                && (op instanceof MatMul
                        || op instanceof Conv2d
                        || op instanceof ConvTranspose2d
                        || op instanceof Conv2dWeightGradient);
    }

    /** Of one rounding to nearest, relative. */
    private static double roundingUnit(DType type) {
        return type == DType.BF16 ? 0x1p-9 : 0x1p-12;
    }

    private static double distance(double[] a, double[] b) {
        return norm(IntStream.range(0, a.length).mapToDouble(i -> a[i] - b[i]).toArray());
    }

    private static double norm(double[] data) {
        return Math.sqrt(Arrays.stream(data).map(x -> x * x).sum());
    }

    @Override
    public String toString() {
        String text = dtype.label() + " " + sample;
        return text.length() > 150 ? text.substring(0, 150) + "…" : text;
    }
}
