package dev.remat.runtime.cuda;

import dev.remat.ir.execution.ExecutionPlan;

/** Makes or finds machine code of a plan for a GPU; what makes it is none of this module's business. */
@FunctionalInterface
public interface CudaCompiler {
    /** @throws DeviceException if there is no code for that GPU; the message says which to build */
    CudaProgram compile(ExecutionPlan plan, Gpu gpu);
}
