package dev.remat.cli.device;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.cpu.Crew;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.lane.Places;
import dev.remat.runtime.memory.DemandMemory;
import dev.remat.runtime.process.ProcessExecutable;
import dev.remat.runtime.process.ProcessGrid;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.profile.MeasureRates;
import dev.remat.runtime.ranks.RankedExecutable;
import dev.remat.runtime.ranks.StagedExecutable;
import dev.remat.runtime.ranks.Transport;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * All processors of this machine, which ranks or stages share.
 *
 * @param beside how many processes do so, which all run plans of their own
 */
public record CpuDevice(int beside) implements Device {
    /** Of this process alone. */
    public CpuDevice() {
        this(1);
    }

    @Override
    public TargetModel target() {
        return new CpuTarget();
    }

    @Override
    public TimedExecutable load(ExecutionPlan plan, boolean poison, Places places) {
        Function<Transport, TimedExecutable> rank = rank(plan, poison, places, beside * plan.ranks());
        return plan.ranks() == 1 ? rank.apply(Transport.NONE) : RankedExecutable.load(plan, rank);
    }

    @Override
    public TimedExecutable load(ExecutionPlan plan, boolean poison, Places places, ProcessGroup group) {
        return ProcessExecutable.load(group, rank(plan, poison, places, group.here()));
    }

    private static int threads(int here) {
        return Math.max(1, Runtime.getRuntime().availableProcessors() / here);
    }

    /** @param here how many ranks share this machine */
    private static Function<Transport, TimedExecutable> rank(
            ExecutionPlan plan, boolean poison, Places places, int here) {
        int threads = threads(here);
        DemandMemory.run(here * (plan.arenaBytes() + hostBytes(plan)), here * threads);
        Lanes.Options lanes = new Lanes.Options(places, poison, transfer -> {});
        return transport -> new CpuExecutable(plan, new CpuExecutable.Options(threads, poison, lanes, transport));
    }

    @Override
    public TimedExecutable load(PlanSet stages, boolean poison) {
        ProcessGrid grid = new ProcessGrid(stages.stages().size(), stages.ranks());
        Crew crew = new Crew(grid.processes(), threads(grid.processes()));
        BiFunction<ExecutionPlan, Transport, TimedExecutable> stage =
                stage(stages, poison, grid, IntStream.range(0, grid.processes()), crew);
        return stages.ranks() == 1 ? StagedExecutable.load(stages, stage) : RankedExecutable.load(stages, stage);
    }

    @Override
    public TimedExecutable load(PlanSet stages, boolean poison, ProcessGroup group) {
        Crew alone = new Crew(threads(group.here()));
        return ProcessExecutable.load(group, stages, stage(stages, poison, group.grid(), group.mates(), alone));
    }

    /** @param here which stages of which ranks share this machine */
    private static BiFunction<ExecutionPlan, Transport, TimedExecutable> stage(
            PlanSet stages, boolean poison, ProcessGrid grid, IntStream here, Crew crew) {
        long[] bytes = here.mapToLong(
                        each -> stages.stages().get(grid.stage(each)).arenaBytes())
                .toArray();
        DemandMemory.run(LongStream.of(bytes).sum(), bytes.length * threads(bytes.length));
        Lanes.Options lanes = new Lanes.Options(Places.NONE, poison, transfer -> {});
        return (plan, transport) -> new CpuExecutable(plan, new CpuExecutable.Options(crew, poison, lanes, transport));
    }

    /** What is moved to the host is in the memory of this process, as the arena is. */
    private static long hostBytes(ExecutionPlan plan) {
        return plan.transfers().places().stream()
                .filter(place -> place.name().equals(PlaceSize.HOST))
                .mapToLong(PlaceSize::bytes)
                .sum();
    }

    /** How kernels run that move nothing. */
    public CpuExecutable.Options kernels() {
        return new CpuExecutable.Options(threads(beside), false);
    }

    @Override
    public DeviceSpec measureRates() {
        return MeasureRates.run(kernels());
    }
}
