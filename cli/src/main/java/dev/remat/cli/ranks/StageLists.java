package dev.remat.cli.ranks;

import dev.remat.cli.option.CountingNumber;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Option;

/** Numbers of stages to try, by schedules. */
public final class StageLists extends MicroBatchesOfStages {
    @Option(
            names = "--stages",
            paramLabel = "S",
            split = ",",
            converter = CountingNumber.OfInt.class,
            description = "Numbers of stages that the step is cut into, such as 1,2,4. Default: 1.")
    private List<Integer> stages = new ArrayList<>();

    @Option(
            names = "--schedule",
            paramLabel = "NAME",
            split = ",",
            converter = ScheduleConverter.class,
            description = "Orders in which stages take micro-batches, such as 1f1b,gpipe,zb,interleaved=2. Default:"
                    + " 1f1b.")
    private List<Schedule> schedules = new ArrayList<>();

    /** Of several stages, by every schedule. */
    public List<Staging> stagings() {
        List<Staging> all = new ArrayList<>();
        for (int number : numbers()) {
            for (Schedule schedule : schedules()) {
                if (number > 1) {
                    all.add(new Staging(number, schedule));
                }
            }
        }
        require(!all.isEmpty() || schedules.isEmpty(), "--schedule orders the work of stages; it needs --stages");
        return List.copyOf(all);
    }

    /** Whether numbers of stages are said. */
    public boolean isGiven() {
        return !stages.isEmpty();
    }

    /** Ascending, each once. */
    public List<Integer> numbers() {
        return stages.isEmpty()
                ? List.of(1)
                : stages.stream().distinct().sorted().toList();
    }

    /** By which several stages work. */
    public List<Schedule> schedules() {
        return schedules.isEmpty() ? List.of(Schedule.ONE_F_ONE_B) : List.copyOf(schedules);
    }

    /** Whether a schedule is said. */
    boolean isOrdered() {
        return !schedules.isEmpty();
    }

    @Override
    public int most() {
        return stages.isEmpty() ? 1 : Collections.max(stages);
    }
}
