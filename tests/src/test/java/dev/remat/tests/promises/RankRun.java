package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.runtime.Executable;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.Crew;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.lane.HostPlace;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.ranks.RankedExecutable;
import dev.remat.runtime.ranks.StagedExecutable;
import dev.remat.runtime.ranks.Transport;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import dev.remat.runtime.train.TrainingState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Plans samples for several ranks, and trains them for a few steps. */
final class RankRun {
    /** How many micro-batches a batch is cut into. */
    static final int PIECES = 8;

    private static final int STEPS = 2;
    private static final Lanes.Options LANES =
            new Lanes.Options(size -> new HostPlace(size.bytes()), true, transfer -> {});

    /** What a training leaves behind. */
    record Outcome(List<Double> losses, String state) {}

    private RankRun() {}

    static ExecutionPlan plan(String name, String settings, DType precision, int ranks, String strategy)
            throws IOException {
        return plan(name, settings, precision, ranks, strategy, Sharding.OPTIMIZER);
    }

    static ExecutionPlan plan(
            String name, String settings, DType precision, int ranks, String strategy, Sharding sharding)
            throws IOException {
        return TrialRun.compile(
                        TrialRun.cut(TrialRun.sample(name), settings, Purpose.TRAIN, PIECES, precision),
                        CompileOptions.defaults()
                                .withStrategy(strategy)
                                .onRanks(ranks)
                                .with(sharding))
                .plan();
    }

    static Outcome train(ExecutionPlan plan) {
        return trainOnAll(load(plan, UnaryOperator.identity()));
    }

    /** The same of a step in stages, which work for each other where they would wait. */
    static Outcome train(PlanSet set) {
        int threads = set.stages().size() * set.ranks();
        Crew crew = new Crew(threads, 1, threads);
        BiFunction<ExecutionPlan, Transport, TimedExecutable> load = (plan, transport) -> rank(plan, crew, transport);
        return trainOnAll(set.ranks() == 1 ? StagedExecutable.load(set, load) : RankedExecutable.load(set, load));
    }

    private static Outcome trainOnAll(Executable loaded) {
        try (Executable executable = loaded) {
            Outcome outcome = train(executable);
            long arena = executable.plan().arenaBytes();
            for (int rank = 0; rank < executable.ranks().size(); rank++) {
                assertThat(executable.ranks().get(rank).highWaterBytes()).isEqualTo(arena);
                assertThat(TrainingState.seenBy(rank, executable).hash()).isEqualTo(outcome.state());
            }
            return outcome;
        }
    }

    static Outcome train(Executable executable) {
        return train(executable, UnaryOperator.identity());
    }

    /** @param read makes of the rows that there are those that are read */
    static Outcome train(Executable executable, UnaryOperator<BatchSource> read) {
        ExecutionPlan plan = executable.plan();
        try (SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, read.apply(data.training(InputFeed.specs(plan), plan.seed())));
            List<Double> losses = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                losses.add(trainer.step().loss());
            }
            return new Outcome(losses, trainer.state().hash());
        }
    }

    static Executable load(ExecutionPlan plan, UnaryOperator<Transport> wrapped) {
        return plan.ranks() == 1
                ? new CpuExecutable(plan, new CpuExecutable.Options(1, true))
                : RankedExecutable.load(plan, transport -> rank(plan, wrapped.apply(transport)));
    }

    static CpuExecutable rank(ExecutionPlan plan, Transport transport) {
        return rank(plan, new Crew(1), transport);
    }

    static CpuExecutable rank(ExecutionPlan plan, Crew crew, Transport transport) {
        return new CpuExecutable(plan, new CpuExecutable.Options(crew, true, LANES, transport));
    }
}
