package dev.remat.runtime.cpu.elementwise;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram.Reading;
import dev.remat.runtime.cpu.support.IterationSpace;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A fused elementwise kernel: a program evaluated over a box, its inputs and outputs read and written by affine maps,
 * so that broadcasts, transposes, slices, concatenation and padding need no copies of their own. The result of an
 * element depends on its inputs alone, not on where chunks begin. An output may overwrite an input that is
 * read by the same map.
 */
public final class Eltwise {
    private static final int CHUNKS_PER_TASK = 16;

    private final EltwiseProgram program;
    private final IterationSpace space;
    private final EltwiseEvaluator evaluator;

    /** Strides are in elements, one for each of {@code dims}; 0 broadcasts. */
    public Eltwise(EltwiseProgram program, int[] dims, List<long[]> inputStrides, List<long[]> outputStrides) {
        this.program = program;
        List<long[]> strides = new ArrayList<>(inputStrides);
        strides.addAll(outputStrides);
        if (inputStrides.size() != program.inputs().size()
                || outputStrides.size() != program.outputs().size()) {
            throw new IllegalArgumentException("one map for each input and output");
        }
        this.space = IterationSpace.of(dims, strides);
        this.evaluator = new EltwiseEvaluator(program);
    }

    /** All tensors dense and of one shape. */
    public static Eltwise dense(EltwiseProgram program, int... dims) {
        long[] strides = IterationSpace.dense(dims);
        return new Eltwise(
                program,
                dims,
                program.inputs().stream().map(input -> strides).toList(),
                program.outputs().stream().map(output -> strides).toList());
    }

    /** Offsets are bytes into the arena, in the program's order. */
    public void run(WorkerPool pool, MemorySegment arena, long[] inputs, long[] outputs) {
        run(pool, arena, inputs, outputs, RandomBits.NONE);
    }

    /** Offsets are bytes into the arena, in the program's order; those of indices are their first one. */
    public void run(WorkerPool pool, MemorySegment arena, long[] inputs, long[] outputs, RandomBits randomBits) {
        long size = space.size();
        if (program.instructions().isEmpty() && isContiguous()) {
            copy(pool, arena, size, inputs[0], outputs);
            return;
        }
        int chunk = space.chunk();
        long perTask = (long) chunk * CHUNKS_PER_TASK;
        pool.run(Math.toIntExact((size + perTask - 1) / perTask), (task, scratch) -> {
            evaluator.prepare(scratch);
            long end = Math.min(size, (task + 1) * perTask);
            for (long start = task * perTask; start < end; start += chunk) {
                int n = (int) Math.min(chunk, end - start);
                for (int i = 0; i < inputs.length; i++) {
                    evaluator.load(i, arena, inputs[i], space.dims(), space.strides()[i], start, n, scratch);
                }
                evaluator.run(scratch, randomBits, n);
                for (int i = 0; i < outputs.length; i++) {
                    evaluator.store(
                            i, arena, outputs[i], space.dims(), space.strides()[inputs.length + i], start, n, scratch);
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

    private void copy(WorkerPool pool, MemorySegment arena, long size, long input, long[] outputs) {
        DType type = program.typeOf(0);
        long bytes = size * type.bytes();
        long perTask = 256L << 10;
        pool.run(Math.toIntExact((bytes + perTask - 1) / perTask), (task, scratch) -> {
            long from = task * perTask;
            for (long output : outputs) {
                MemorySegment.copy(arena, input + from, arena, output + from, Math.min(perTask, bytes - from));
            }
        });
    }
}
