package dev.remat.cli.device;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.lane.Places;
import dev.remat.runtime.memory.DemandMemory;
import dev.remat.runtime.profile.MeasureRates;

/** All processors of this machine. */
public record CpuDevice() implements Device {
    @Override
    public TargetModel target() {
        return new CpuTarget();
    }

    @Override
    public TimedExecutable load(ExecutionPlan plan, boolean poison, Places places) {
        int threads = Runtime.getRuntime().availableProcessors();
        DemandMemory.run(plan.arenaBytes() + hostBytes(plan), threads);
        Lanes.Options lanes = new Lanes.Options(places, poison, transfer -> {});
        return new CpuExecutable(plan, new CpuExecutable.Options(threads, poison, lanes));
    }

    /** What is moved to the host is in the memory of this process, as the arena is. */
    private static long hostBytes(ExecutionPlan plan) {
        return plan.transfers().places().stream()
                .filter(place -> place.name().equals(PlaceSize.HOST))
                .mapToLong(PlaceSize::bytes)
                .sum();
    }

    @Override
    public DeviceSpec measureRates() {
        return MeasureRates.run(CpuExecutable.Options.defaults());
    }
}
