package dev.remat.runtime.cpu.elementwise;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Reading;
import dev.remat.runtime.cpu.support.IterationSpace;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A fused elementwise kernel: a program evaluated over a box, its inputs and outputs read and written by affine maps,
 * so that broadcasts, transposes, slices, concatenation and padding need no copies of their own. The result of an
 * element depends on its inputs alone, not on where chunks begin. An output may overwrite an input that is
 * read by the same map.
 */
public final class Eltwise {
    private static final int MOST_CHUNKS = 16;
    /** Chunks times weight of a task: some microseconds, beside which a thread's waking is little. */
    private static final int WEIGHT_OF_TASK = 64;

    private final EltwiseProgram program;
    private final IterationSpace space;
    private final EltwiseEvaluator evaluator;
    private final TensorView[] inputs;
    private final TensorView[] outputs;

    /** Tensors have one stride for each of {@code dims}, in the program's order; indices have their first one. */
    public Eltwise(EltwiseProgram program, int[] dims, List<TensorView> inputs, List<TensorView> outputs) {
        this.program = program;
        if (inputs.size() != program.inputs().size()
                || outputs.size() != program.outputs().size()) {
            throw new IllegalArgumentException("one map for each input and output");
        }
        List<TensorView> tensors = new ArrayList<>(inputs);
        tensors.addAll(outputs);
        this.space = IterationSpace.of(
                dims, tensors.stream().map(TensorView::strides).toList());
        TensorView[] walked = space.over(tensors);
        this.inputs = Arrays.copyOf(walked, inputs.size());
        this.outputs = Arrays.copyOfRange(walked, inputs.size(), walked.length);
        this.evaluator = new EltwiseEvaluator(program);
    }

    /** All tensors dense and of one shape; {@code places} are bytes into the arena, inputs first. */
    public static Eltwise dense(EltwiseProgram program, int[] dims, long... places) {
        List<TensorView> tensors = new ArrayList<>();
        int inputs = program.inputs().size();
        for (int i = 0; i < places.length; i++) {
            int value = i < inputs ? i : program.outputs().get(i - inputs);
            tensors.add(TensorView.dense(program.typeOf(value), places[i], dims));
        }
        return new Eltwise(program, dims, tensors.subList(0, inputs), tensors.subList(inputs, places.length));
    }

    public void run(WorkerPool pool, MemorySegment arena) {
        run(pool, arena, RandomBits.NONE);
    }

    public void run(WorkerPool pool, MemorySegment arena, RandomBits randomBits) {
        long size = space.size();
        if (program.instructions().isEmpty() && isContiguous()) {
            copy(pool, arena, size);
            return;
        }
        int chunk = space.chunk();
        long perTask = (long) chunk * Math.clamp(WEIGHT_OF_TASK / program.weight(), 1, MOST_CHUNKS);
        pool.run(Math.toIntExact((size + perTask - 1) / perTask), (task, scratch) -> {
            evaluator.prepare(scratch);
            long end = Math.min(size, (task + 1) * perTask);
            for (long start = task * perTask; start < end; start += chunk) {
                int n = (int) Math.min(chunk, end - start);
                for (int i = 0; i < inputs.length; i++) {
                    evaluator.load(i, arena, inputs[i], start, n, scratch);
                }
                evaluator.run(scratch, randomBits, n);
                for (int i = 0; i < outputs.length; i++) {
                    evaluator.store(i, arena, outputs[i], start, n, scratch);
                }
            }
        });
    }

    private boolean isContiguous() {
        if (space.dims().length != 1) {
            return false;
        }
        for (long[] stride : space.strides()) {
            if (stride[0] != 1) {
                return false;
            }
        }
        return program.inputs().size() == 1 && program.inputs().getFirst().reading() == Reading.ELEMENT;
    }

    private void copy(WorkerPool pool, MemorySegment arena, long size) {
        DType type = program.typeOf(0);
        long bytes = size * type.bytes();
        long perTask = 256L << 10;
        pool.run(Math.toIntExact((bytes + perTask - 1) / perTask), (task, scratch) -> {
            long from = task * perTask;
            for (TensorView output : outputs) {
                long to = output.offset() + from;
                MemorySegment.copy(arena, inputs[0].offset() + from, arena, to, Math.min(perTask, bytes - from));
            }
        });
    }
}
