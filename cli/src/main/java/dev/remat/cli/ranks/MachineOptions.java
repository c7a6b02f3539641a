package dev.remat.cli.ranks;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.option.CountingNumber;
import dev.remat.compiler.batch.Divisors;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.sweep.MachineSweep.Way;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Among how many machines a step is shared, each a stage of a rank. */
public final class MachineOptions extends CheckedOptions {
    /** How many times as many micro-batches as machines are tried. */
    private static final List<Integer> EACH = List.of(1, 2, 4);

    @Option(
            names = "--machines",
            paramLabel = "N",
            converter = CountingNumber.OfInt.class,
            description =
                    "Share a step among N machines: numbers of stages and ranks that come to N, with N, 2 N and 4 N"
                            + " micro-batches unless that number is given; budgets are the memory of each machine. Ways"
                            + " that are slower whatever their plan are left out.")
    private Integer machines;

    @Mixin
    private StageLists stages;

    /** Whether several stages, or a number of machines are asked for. */
    public boolean isAsked() {
        require(
                machines != null || stages.most() > 1 || !stages.isOrdered(),
                "--schedule orders the work of stages; it needs --stages or --machines");
        require(machines == null || machines > 1, "--machines shares a step among several, not among 1");
        return machines != null || stages.most() > 1;
    }

    /** @throws picocli.CommandLine.ParameterException if something is asked for that does not go with machines */
    public void refuse(String option, boolean given) {
        require(!given, option + " does not go with --machines or --stages");
    }

    /** How many there are at most. */
    public int most(RankLists ranks) {
        return machines != null ? machines : stages.most() * ranks.numbers().getLast();
    }

    /**
     * Every way that is asked for.
     *
     * @param microBatches the number that is given; 0 where none is
     * @param rows of the batch; 0 where they are looked for
     * @throws picocli.CommandLine.ParameterException if there is none
     */
    public List<Way> ways(RankLists ranks, int microBatches, long rows) {
        List<Way> ways = new ArrayList<>();
        for (int stage : machines == null || stages.isGiven() ? stages.numbers() : divisors(machines)) {
            for (int rank : machines == null || ranks.isGiven() ? ranks.numbers() : divisors(machines)) {
                if (machines == null || stage * rank == machines) {
                    add(ways, stage, rank, microBatches, rows);
                }
            }
        }
        require(
                !ways.isEmpty(),
                "no numbers of stages and ranks "
                        + (machines == null ? "" : "that come to " + machines + " machines ")
                        + (microBatches > 0
                                ? "share " + microBatches + " micro-batches evenly"
                                : rows > 0 ? "share a batch of " + rows + " rows evenly" : "are asked for"));
        return ways;
    }

    private void add(List<Way> ways, int stage, int rank, int microBatches, long rows) {
        List<Integer> counts = microBatches > 0
                ? List.of(microBatches)
                : EACH.stream().map(each -> each * stage * rank).toList();
        List<Schedule> schedules = stage == 1 ? List.of(Schedule.ONE_F_ONE_B) : stages.schedules();
        for (int count : counts) {
            if (count % rank == 0 && count > 1 && rows % count == 0) {
                schedules.forEach(schedule -> ways.add(new Way(stage, rank, count, schedule)));
            }
        }
    }

    private static List<Integer> divisors(int number) {
        return Divisors.of(number).stream().map(Math::toIntExact).toList();
    }
}
