package dev.remat.codegen.cuda.emit;

import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import java.util.Optional;

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
        return !anyIsTouched(a, b) && !anyIsTouched(b, a);
    }

    /** Whether {@code other} reads or writes anything that {@code step} writes. */
    private static boolean anyIsTouched(KernelStep step, KernelStep other) {
        for (MemoryWrite write : step.writes()) {
            ByteRange written = new ByteRange(write.offset(), write.bytes());
            for (MemoryWrite each : other.writes()) {
                if (written.overlaps(new ByteRange(each.offset(), each.bytes()))) {
                    return true;
                }
            }
            for (MemoryRead each : other.reads()) {
                if (written.overlaps(new ByteRange(each.offset(), each.bytes()))) {
                    return true;
                }
            }
        }
        return false;
    }
}
