package dev.remat.codegen.cuda.emit;

import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.KernelStep;
import java.util.Optional;
import java.util.stream.Stream;

/** Steps that follow one another in a plan and run as one launch, which counts as the first one's. */
public interface StepGroup {
    /** The step that names the launch. */
    KernelStepBinding first();

    /** The group with the plan's next step, or empty if that has to be launched apart. */
    Optional<StepGroup> with(KernelStepBinding step);

    /** Launches the steps. */
    void lower();

    /** Whether two steps may run in any order, or at once: neither writes what the other reads or writes. */
    static boolean areApart(KernelStep a, KernelStep b) {
        return written(a).noneMatch(range -> touches(b, range)) && written(b).noneMatch(range -> touches(a, range));
    }

    private static boolean touches(KernelStep step, ByteRange range) {
        return Stream.concat(
                        written(step), step.reads().stream().map(read -> new ByteRange(read.offset(), read.bytes())))
                .anyMatch(range::overlaps);
    }

    private static Stream<ByteRange> written(KernelStep step) {
        return step.writes().stream().map(write -> new ByteRange(write.offset(), write.bytes()));
    }
}
