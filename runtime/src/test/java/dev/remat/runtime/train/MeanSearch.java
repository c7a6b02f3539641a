package dev.remat.runtime.train;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.runtime.Executable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A training step small enough to be written by hand: finds the mean of its data by momentum. Arena of floats: w at 0,
 * momentum at 4, data x[2] at 8, difference at 16, loss at 20, step number at 24.
 */
final class MeanSearch implements Executable {
    static final Location DIFFERENCE_LINE = new Location("mean.model", 3, 5);
    private static final TensorType SCALAR = TensorType.scalar(DType.F32);

    private final MemorySegment arena = Arena.ofAuto().allocate(32, 8);
    private final ExecutionPlan plan;

    MeanSearch(String modelHash, long seed) {
        this(modelHash, seed, List.of("difference", "loss", "update"));
    }

    /** @param order of its kernels */
    MeanSearch(String modelHash, long seed, List<String> order) {
        this.plan = new ExecutionPlan(
                "Mean",
                modelHash,
                "toy",
                seed,
                32,
                List.of(
                        input(0, "w", SCALAR, InputKind.PARAMETER, new Initializer.Normal(0, 1), 0),
                        input(1, "optimizer.momentum_buffer.w", SCALAR, InputKind.STATE, Initializer.ZEROS, 4),
                        input(2, "x", TensorType.of(DType.F32, 2), InputKind.DATA, Initializer.ZEROS, 8),
                        input(3, "step", TensorType.scalar(DType.I64), InputKind.STEP, Initializer.ZEROS, 24)),
                order.stream().map(MeanSearch::kernel).toList(),
                List.of(new PlanOutput("loss", 5, SCALAR, 20, order.indexOf("loss"))));
    }

    private static ArenaTensor input(
            int value, String name, TensorType type, InputKind kind, Initializer start, long at) {
        return new ArenaTensor(value, name, type, kind, start, at, Location.NONE);
    }

    private static KernelStep kernel(String name) {
        return switch (name) {
            case "difference" -> kernel(name, Role.FORWARD, 16);
            case "loss" -> kernel(name, Role.FORWARD, 20);
            default -> kernel(name, Role.UPDATE, 0);
        };
    }

    private static KernelStep kernel(String name, Role role, long at) {
        return new KernelStepBuilder(name, role, DIFFERENCE_LINE)
                .write(MemoryWrite.dense(4, name, at, SCALAR, 0, 0))
                .build();
    }

    float get(long offset) {
        return arena.get(ValueLayout.JAVA_FLOAT, offset);
    }

    private void set(long offset, float value) {
        arena.set(ValueLayout.JAVA_FLOAT, offset, value);
    }

    @Override
    public ExecutionPlan plan() {
        return plan;
    }

    @Override
    public void run(long step, int microBatch, int from, int to) {
        for (int i = from; i < to; i++) {
            switch (plan.steps().get(i).name()) {
                case "difference" -> set(16, get(0) - (get(8) + get(12)) / 2);
                case "loss" -> set(20, get(16) * get(16));
                default -> {
                    if (arena.get(ValueLayout.JAVA_LONG, 24) != step) {
                        throw new IllegalStateException("step number not in the arena");
                    }
                    set(4, 0.5f * get(4) + 2 * get(16));
                    set(0, get(0) - 0.1f * get(4));
                }
            }
        }
    }

    @Override
    public void write(long offset, MemorySegment source) {
        arena.asSlice(offset, source.byteSize()).copyFrom(source);
    }

    @Override
    public MemorySegment read(long offset, long bytes) {
        return arena.asSlice(offset, bytes).asReadOnly();
    }

    @Override
    public long highWaterBytes() {
        return 32;
    }

    @Override
    public Executable loadBeside(ExecutionPlan other) {
        throw new IllegalStateException("its kernels have no operations to look into");
    }

    @Override
    public Executable loadWithin(ExecutionPlan other) {
        throw new IllegalStateException("it has the kernels of one plan");
    }

    @Override
    public void close() {}
}
