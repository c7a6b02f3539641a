package dev.remat.codegen.cuda.family.move;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.op.Pad;
import java.util.ArrayList;
import java.util.List;

/** Padding, whose elements are moved as words. */
public record PadKernel(Pad op) implements CudaKernel {
    @Override
    public boolean takesStrides(int index) {
        return true;
    }

    @Override
    public void lower(KernelStepBinding step) {
        MemoryRead x = step.read(0);
        List<Long> dense = StridedView.dense(step.resultType(0).shape()).strides();
        List<CopyBox.Axis> axes = new ArrayList<>();
        for (int axis = 0; axis < x.view().rank(); axis++) {
            long inside = x.view().extents().get(axis);
            long low = op.low().get(axis).value();
            long extent = low + inside + op.high().get(axis).value();
            axes.add(new CopyBox.Axis(extent, low, inside, x.view().strides().get(axis), dense.get(axis)));
        }
        CopyBox elements = CopyBox.of(axes);
        if (elements.elements() == 0) {
            return;
        }
        int bytes = x.dtype().bytes();
        Word word = elements.word(bytes, x.address(), step.resultAddress(0));
        CopyBox box = elements.inWordsOf(word.bytes() / bytes);
        boolean narrow = box.isNarrow();
        KernelCall call = new KernelCall("pad", word.label(), "copy.cuh");
        String source = call.pointer("const " + word.type(), x.address());
        String target = call.pointer(word.type(), step.resultAddress(0));
        String declared = box.declare(call, narrow, true);
        String fill = call.u64(repeated(x.dtype(), op.value()));
        String count = call.index(narrow, box.elements());
        call.body("pad_box<" + CopyKernels.UNROLL + ">(" + source + ", " + target + ", " + declared + ", " + fill + ", "
                + count + ");");
        step.launch(call.threads(CopyKernels.THREADS).grid(CopyKernels.blocks(box.elements())));
    }

    /** The bits of {@code value} as a {@code type}, repeated to eight bytes. */
    static long repeated(DType type, double value) {
        return switch (type) {
            case F64 -> Double.doubleToRawLongBits(value);
            case I64 -> (long) value;
            case F32 -> Integer.toUnsignedLong(Float.floatToRawIntBits((float) value)) * 0x1_0000_0001L;
            case I32 -> Integer.toUnsignedLong((int) value) * 0x1_0000_0001L;
            case F16 -> Short.toUnsignedLong(Float.floatToFloat16((float) value)) * 0x1_0001_0001_0001L;
            case BF16 -> bfloat((float) value) * 0x1_0001_0001_0001L;
            case BOOL -> value == 0 ? 0 : 0x101_0101_0101_0101L;
            case BIT, SEED -> throw new IllegalArgumentException("no " + type + " is copied");
        };
    }

    /** Upper half of a float, rounded to nearest, ties to even. */
    private static long bfloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        int rounded = Float.isNaN(value) ? bits | 1 << 22 : bits + 0x7fff + (bits >>> 16 & 1);
        return rounded >>> 16;
    }
}
