package dev.remat.codegen.cuda.emit;

import java.util.Optional;

/** Steps that follow one another in a plan and run as one launch, which counts as the first one's. */
public interface StepGroup {
    /** The step that names the launch. */
    KernelStepBinding first();

    /** The group with the plan's next step, or empty if that has to be launched apart. */
    Optional<StepGroup> with(KernelStepBinding step);

    /** Launches the steps. */
    void lower();
}
