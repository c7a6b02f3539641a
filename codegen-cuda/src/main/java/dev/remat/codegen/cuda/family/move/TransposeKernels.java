package dev.remat.codegen.cuda.family.move;

import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.ir.StridedView;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.op.Contiguous;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Copies of permuted tensors whose neighbours were far apart: tiles go through shared memory. */
public final class TransposeKernels {
    private static final int THREADS = 256;
    /** Shorter rows or columns leave most of a tile empty. */
    private static final long LEAST = 16;

    private TransposeKernels() {}

    /** Launches a transpose if the step is nothing else. */
    public static boolean lower(KernelStepBinding step) {
        boolean copies = step.step().body().instructions().size() == 1 && step.op() instanceof Contiguous;
        if (!copies || !step.hasResult(0)) {
            return false;
        }
        MemoryRead read = step.read(0);
        StridedView view = read.view();
        CopyBox box = CopyBox.of(
                view.extents(),
                view.strides(),
                StridedView.dense(step.resultType(0).shape()).strides());
        Optional<Integer> rows = rowAxis(box);
        rows.ifPresent(axis -> launch(step, box, axis, read.dtype().bytes(), read.address(), step.resultAddress(0)));
        return rows.isPresent();
    }

    /** The axis that runs fastest in the source, if tiles of it and the result's fastest axis are worth their while. */
    static Optional<Integer> rowAxis(CopyBox box) {
        int last = box.axes().size() - 1;
        for (int axis = 0; axis < last; axis++) {
            CopyBox.Axis rows = box.axes().get(axis);
            CopyBox.Axis columns = box.axes().get(last);
            if (rows.source() == 1 && columns.source() > 1 && rows.extent() >= LEAST && columns.extent() >= LEAST) {
                return Optional.of(axis);
            }
        }
        return Optional.empty();
    }

    /** Launches a copy of {@code box}: axis {@code rowAxis} runs fastest in the source, the last axis in the target. */
    public static void launch(KernelStepBinding step, CopyBox box, int rowAxis, int bytes, long from, long to) {
        Word word = new Word(bytes);
        int tile = bytes < 4 ? 64 : 32;
        boolean narrow = box.isNarrow();
        CopyBox.Axis rows = box.axes().get(rowAxis);
        CopyBox.Axis columns = box.axes().getLast();
        List<CopyBox.Axis> others = new ArrayList<>(box.axes());
        others.removeLast();
        others.remove(rowAxis);
        CopyBox batch = new CopyBox(others);
        KernelCall call = new KernelCall("transpose", word.label(), "transpose.cuh");
        String source = call.pointer("const " + word.type(), from);
        String target = call.pointer(word.type(), to);
        String matrices = "Matrices<" + Math.max(1, others.size()) + ", " + (narrow ? "u32" : "u64") + ">{"
                + batch.declare(call, narrow, false) + ", " + call.index(narrow, rows.extent()) + ", "
                + call.index(narrow, columns.extent()) + ", " + call.index(narrow, columns.source()) + ", "
                + call.index(narrow, rows.target()) + "}";
        call.body("transpose_tile<" + tile + ">(" + source + ", " + target + ", " + matrices + ");");
        long tiles = Math.ceilDiv(rows.extent(), (long) tile) * Math.ceilDiv(columns.extent(), (long) tile);
        step.launch(call.threads(THREADS).grid(tiles * batch.elements()));
    }
}
