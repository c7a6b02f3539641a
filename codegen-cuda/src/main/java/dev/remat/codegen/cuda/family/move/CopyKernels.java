package dev.remat.codegen.cuda.family.move;

import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Pad;
import java.util.ArrayList;
import java.util.List;

/** Concatenation and padding: elements of any type are moved as words, 16 bytes where all runs allow it. */
public final class CopyKernels {
    private static final int THREADS = 256;
    /** Words that a thread has in flight. */
    private static final int UNROLL = 4;
    /** Parts that one kernel copies. */
    private static final int MOST_PARTS = 8;

    private CopyKernels() {}

    /** One part of a concatenation: a box of words between two addresses. */
    private record Part(CopyBox box, Word word, long from, long to) {
        static Part of(CopyBox elements, int bytes, long from, long to) {
            Word word = elements.word(bytes, from, to);
            return new Part(elements.inWordsOf(word.bytes() / bytes), word, from, to);
        }

        /** The statement that copies it; parameters are declared in {@code call}. */
        String statement(KernelCall call) {
            boolean narrow = box.isNarrow();
            String source = call.pointer("const " + word.type(), from);
            String target = call.pointer(word.type(), to);
            String declared = box.declare(call, narrow);
            String count = narrow ? call.u32(box.elements()) : call.u64(box.elements());
            return "copy_box<" + UNROLL + ">(" + source + ", " + target + ", " + declared + ", " + count + ");";
        }
    }

    /** One launch for some operands; a row of blocks copies each. */
    public static void concat(Concat op, KernelStepBinding step) {
        StridedView whole = StridedView.dense(step.resultType(0).shape());
        int bytes = step.resultType(0).dtype().bytes();
        long to = step.resultAddress(0);
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < step.instruction().operands().size(); i++) {
            MemoryRead part = step.read(i);
            CopyBox box = CopyBox.of(part.view().extents(), part.view().strides(), whole.strides());
            if (box.elements() > 0) {
                parts.add(Part.of(box, bytes, part.address(), to));
            }
            to += part.view().extents().get(op.axis()) * whole.strides().get(op.axis()) * bytes;
        }
        for (int first = 0; first < parts.size(); first += MOST_PARTS) {
            copy(parts.subList(first, Math.min(parts.size(), first + MOST_PARTS)), step);
        }
    }

    /** Copies a box of elements of {@code bytes} bytes between two addresses. */
    public static void copy(CopyBox elements, int bytes, long from, long to, KernelStepBinding step) {
        if (elements.elements() > 0) {
            copy(List.of(Part.of(elements, bytes, from, to)), step);
        }
    }

    private static void copy(List<Part> parts, KernelStepBinding step) {
        KernelCall call = new KernelCall("copy", parts.getFirst().word().label() + "_x" + parts.size(), "copy.cuh");
        StringBuilder body = new StringBuilder();
        long most = 0;
        for (int i = 0; i < parts.size(); i++) {
            body.append("if (blockIdx.y == ")
                    .append(i)
                    .append(") {\n    ")
                    .append(parts.get(i).statement(call))
                    .append("\n}\n");
            most = Math.max(most, parts.get(i).box().elements());
        }
        call.body(body.toString());
        step.launch(call.threads(THREADS).grid(blocks(most), parts.size(), 1));
    }

    public static void pad(Pad op, KernelStepBinding step) {
        MemoryRead x = step.read(0);
        List<PadBox.Axis> axes = new ArrayList<>();
        for (int axis = 0; axis < x.view().rank(); axis++) {
            long inside = x.view().extents().get(axis);
            long low = op.low().get(axis).value();
            long extent = low + inside + op.high().get(axis).value();
            axes.add(new PadBox.Axis(extent, low, inside, x.view().strides().get(axis)));
        }
        PadBox elements = PadBox.of(axes);
        if (elements.elements() == 0) {
            return;
        }
        int bytes = x.dtype().bytes();
        Word word = elements.word(bytes, x.address(), step.resultAddress(0));
        PadBox box = elements.inWordsOf(word.bytes() / bytes);
        boolean narrow = box.isNarrow();
        KernelCall call = new KernelCall("pad", word.label(), "copy.cuh");
        String source = call.pointer("const " + word.type(), x.address());
        String target = call.pointer(word.type(), step.resultAddress(0));
        String declared = box.declare(call, narrow);
        String fill = call.u64(repeated(x.dtype(), op.value()));
        String count = narrow ? call.u32(box.elements()) : call.u64(box.elements());
        call.body("pad_box<" + UNROLL + ">(" + source + ", " + target + ", " + declared + ", " + fill + ", " + count
                + ");");
        step.launch(call.threads(THREADS).grid(blocks(box.elements())));
    }

    private static long blocks(long words) {
        return Math.ceilDiv(words, (long) THREADS * UNROLL);
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
