package dev.remat.runtime.cuda;

import static org.bytedeco.cuda.global.cudart.cuLaunchKernel;

import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;

/** Every launch of a program, ready: its function, and its arguments with addresses in place of offsets. */
final class LaunchTable {
    /** @param arguments address of each argument's slot, as the driver takes them */
    private record Ready(Launch launch, CUfunc_st function, PointerPointer<Pointer> arguments) {}

    private final ExecutionPlan plan;
    private final CudaProgram program;
    private final List<Ready> ready = new ArrayList<>();
    private final long[] ends;
    /** Number of the first launch of each step, then of all launches. */
    private final int[] first;

    private final PointerPointer<Pointer> none = new PointerPointer<>((Pointer) null);

    /** @param slots where arguments are kept as long as they are used */
    LaunchTable(ExecutionPlan plan, CudaProgram program, KernelModule module, long arena, Arena slots) {
        this.plan = plan;
        this.program = program;
        this.ends = LaunchEnds.of(plan, program);
        for (Launch launch : program.code().launches()) {
            ready.add(new Ready(launch, module.function(launch.kernel()), arguments(launch, arena, slots)));
        }
        this.first = new int[plan.steps().size() + 1];
        for (int step = 0, next = 0; step < first.length; step++) {
            while (next < ready.size() && ready.get(next).launch.step() < step) {
                next++;
            }
            first[step] = next;
        }
    }

    private PointerPointer<Pointer> arguments(Launch launch, long arena, Arena slots) {
        int count = launch.arguments().size();
        MemorySegment values = slots.allocate(ValueLayout.JAVA_LONG, Math.max(1, count));
        MemorySegment places = slots.allocate(ValueLayout.ADDRESS, Math.max(1, count));
        List<ParameterType> types = kernel(launch).parameters();
        for (int i = 0; i < count; i++) {
            long slot = launch.arguments().get(i);
            boolean isPlace = types.get(i) == ParameterType.POINTER;
            values.setAtIndex(
                    ValueLayout.JAVA_LONG, i, !isPlace ? slot : slot == ParameterType.NULL ? 0 : arena + slot);
            places.setAtIndex(ValueLayout.ADDRESS, i, values.asSlice(i * ValueLayout.JAVA_LONG.byteSize()));
        }
        return NativeAddress.ofPointers(places);
    }

    private KernelEntry kernel(Launch launch) {
        return program.kernels().get(launch.kernel());
    }

    /** The first launch of step {@code step} or of a later one. */
    int firstOf(int step) {
        return first[step];
    }

    int stepOf(int index) {
        return ready.get(index).launch.step();
    }

    /** The end of the highest range of the arena that the launch receives. */
    long endOf(int index) {
        return ends[index];
    }

    /** Puts a launch into the stream; the driver's error, or 0. */
    int launch(int index, CUstream_st stream) {
        Ready next = ready.get(index);
        Extent3 grid = next.launch.grid();
        Extent3 block = next.launch.block();
        return cuLaunchKernel(
                next.function,
                grid.x(),
                grid.y(),
                grid.z(),
                block.x(),
                block.y(),
                block.z(),
                next.launch.sharedBytes(),
                stream,
                next.arguments,
                none);
    }

    /** {@code gemm_ab12 in kernel 17 of the plan, block.0.mlp at gpt.model:41:9}. */
    String describe(int index) {
        Launch launch = ready.get(index).launch;
        KernelStep step = plan.steps().get(launch.step());
        return kernel(launch).symbol() + " in kernel " + launch.step() + " of the plan, " + step.name() + " at "
                + step.location();
    }
}
