package dev.remat.cli.device;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.TimedExecutable;

/** What plans run on: the place where executors are wired in. */
public interface Device {
    /** What plans for it are made for. */
    TargetModel target();

    /**
     * Loads a plan.
     *
     * @param poison overwrite freed memory with NaN
     */
    TimedExecutable load(ExecutionPlan plan, boolean poison);

    /** The rates that it reaches, measured where that says more than what its maker does. */
    DeviceSpec measureRates();
}
