package dev.remat.codegen.cuda.predict;

import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * What the launches of one step move: a launch reads and writes the tensors that its pointers point to, and of the
 * workspace what lies between its pointer and the next one that any launch of the step has. What an earlier one of its
 * steps has read or written is moved once.
 */
final class StepTraffic {
    private final StepRun run;
    private final List<ArtifactKernel> kernels;
    private final ByteRange workspace;
    /** Where parts of the workspace begin, and its end. */
    private final NavigableSet<Long> parts = new TreeSet<>();

    StepTraffic(StepRun run, List<ArtifactKernel> kernels) {
        this.run = run;
        this.kernels = kernels;
        this.workspace = run.steps().getFirst().workspace();
        for (Launch launch : run.launches()) {
            parts.addAll(pointers(launch).subSet(workspace.offset(), workspace.end()));
            ProductShape.ofSecondPass(kernels.get(launch.kernel()).entry(), launch)
                    .ifPresent(shape -> parts.add(launch.arguments().getFirst() + shape.partialBytes()));
        }
        parts.add(workspace.end());
    }

    private NavigableSet<Long> pointers(Launch launch) {
        List<ParameterType> types = kernels.get(launch.kernel()).entry().parameters();
        NavigableSet<Long> pointers = new TreeSet<>();
        for (int i = 0; i < types.size(); i++) {
            if (types.get(i) == ParameterType.POINTER && launch.arguments().get(i) != ParameterType.NULL) {
                pointers.add(launch.arguments().get(i));
            }
        }
        return pointers;
    }

    Traffic of(Launch launch) {
        NavigableSet<Long> pointers = pointers(launch);
        long read = 0;
        long written = 0;
        NavigableSet<Long> moved = new TreeSet<>();
        for (KernelStep step : run.steps()) {
            NavigableSet<Long> own = new TreeSet<>();
            for (MemoryRead tensor : step.reads()) {
                read += pointers.contains(tensor.address()) && !moved.contains(tensor.address()) ? bytes(tensor) : 0;
                own.add(tensor.address());
            }
            for (MemoryWrite tensor : step.writes()) {
                written += pointers.contains(tensor.address()) ? tensor.type().bytes() : 0;
                own.add(tensor.address());
            }
            moved.addAll(own);
        }
        long scratch = 0;
        for (long pointer : pointers.subSet(workspace.offset(), workspace.end())) {
            scratch += parts.higher(pointer) - pointer;
        }
        return new Traffic(read, written, scratch);
    }

    /** Elements that repeat along an axis are there once. */
    static long bytes(MemoryRead tensor) {
        long elements = 1;
        for (int axis = 0; axis < tensor.view().rank(); axis++) {
            elements *= tensor.view().strides().get(axis) == 0
                    ? 1
                    : tensor.view().extents().get(axis);
        }
        return tensor.dtype().bytesOf(elements);
    }
}
