package dev.remat.codegen.cuda.family.move;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.StridedView;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.op.Concat;
import java.util.ArrayList;
import java.util.List;

/** Copies of boxes: elements of any type are moved as words, 16 bytes where all runs allow it. */
public final class CopyKernels {
    static final int THREADS = 256;
    /** Words that a thread has in flight. */
    static final int UNROLL = 4;
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
            String declared = box.declare(call, narrow, false);
            String count = call.index(narrow, box.elements());
            return "copy_box<" + UNROLL + ">(" + source + ", " + target + ", " + declared + ", " + count + ");";
        }
    }

    /** Concatenation: one launch for some operands; a row of blocks copies each. */
    public record Concatenation(Concat op) implements CudaKernel {
        @Override
        public boolean takesStrides(int index) {
            return true;
        }

        @Override
        public void lower(KernelStepBinding step) {
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

    static long blocks(long words) {
        return Math.ceilDiv(words, (long) THREADS * UNROLL);
    }
}
