package dev.remat.cli.device;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.lane.Places;
import dev.remat.runtime.process.ProcessGroup;

/** What plans run on: the place where executors are wired in. */
public interface Device {
    /** What plans for it are made for. */
    TargetModel target();

    /** Loads a plan that moves nothing out of its arena. */
    default TimedExecutable load(ExecutionPlan plan, boolean poison) {
        return load(plan, poison, Places.NONE);
    }

    /**
     * Loads a plan.
     *
     * @param poison overwrite freed memory with NaN
     * @param places where the plan finds what it moves tensors to
     */
    TimedExecutable load(ExecutionPlan plan, boolean poison, Places places);

    /**
     * Loads the plan of ranks that are a process each, of which this is one.
     *
     * @throws IllegalStateException if it cannot be one of them
     */
    default TimedExecutable load(ExecutionPlan plan, boolean poison, Places places, ProcessGroup group) {
        throw new IllegalStateException("ranks are processes on the CPU");
    }

    /**
     * Loads the stages of a step.
     *
     * @throws IllegalStateException if it has no threads for them
     */
    default TimedExecutable load(PlanSet stages, boolean poison) {
        throw new IllegalStateException("stages are threads on the CPU");
    }

    /**
     * Loads one of the stages of a step, which are a process each.
     *
     * @throws IllegalStateException if it cannot be one of them
     */
    default TimedExecutable load(PlanSet stages, boolean poison, ProcessGroup group) {
        throw new IllegalStateException("stages are processes on the CPU");
    }

    /** The rates that it reaches, measured where that says more than what its maker does. */
    DeviceSpec measureRates();
}
