package dev.remat.compiler.choose;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.PreparedStage;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.SetTimes;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.pipeline.TooFewBlocksException;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.build.PipeMode;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.search.BudgetException;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The stages of a step by which it takes least time within the budget of each: every schedule, each with what the
 * planner finds and with GPipe's modes, by every level at which ranks may share the state. Of equally fast ones the
 * first is taken.
 */
public final class ChooseStaging {
    /** Parts a stage that are tried at most: each more sends as much again. */
    private static final int MOST_PARTS = 4;

    /**
     * A way to plan all stages.
     *
     * @param level what ranks share of the state
     * @param mode the strategy that decided what is computed again
     * @param outcome what came of it
     */
    public record Tried(Sharding level, Schedule schedule, String mode, Outcome outcome) {}

    /** Whether a way fits. */
    public sealed interface Outcome {
        /** @param largestArena of the stages' arenas */
        record Fits(long nanos, double bubble, long largestArena) implements Outcome {}

        /** @param smallestBytes the smallest plan that was found of a stage that does not fit */
        record Refused(long smallestBytes) implements Outcome {}
    }

    /**
     * What was found.
     *
     * @param tried in their order
     */
    public record Choice(StageSet chosen, List<Tried> tried) {
        public Choice {
            tried = List.copyOf(tried);
        }

        /** The same with what else it was held against, by the same level. */
        public Choice beside(List<Tried> modes) {
            List<Tried> all = new ArrayList<>(tried);
            modes.stream().filter(each -> !all.contains(each)).forEach(all::add);
            return new Choice(chosen, all);
        }
    }

    /** Of what is planned so far. */
    private record Best(StageSet set, long nanos) {}

    private final CompileStages compiler;
    private final ElaboratedModel model;
    private final Optional<Link> link;
    private final List<Tried> tried = new ArrayList<>();
    private Optional<Best> best = Optional.empty();
    private Optional<BudgetException> refused = Optional.empty();

    private ChooseStaging(CompileStages compiler, ElaboratedModel model, Optional<Link> link) {
        this.compiler = compiler;
        this.model = model;
        this.link = link;
    }

    /** All schedules, in the order in which they are tried. */
    public static List<Schedule> schedules() {
        return Stream.concat(
                        Stream.of(Schedule.ONE_F_ONE_B, Schedule.GPIPE, Schedule.ZERO_BUBBLE),
                        IntStream.rangeClosed(2, MOST_PARTS).mapToObj(Schedule::interleaved))
                .toList();
    }

    /**
     * Takes the fastest; where a strategy is given, the fastest by that.
     *
     * @param options for each stage; the level of several ranks may be open
     * @param schedule the one to plan by as the options say; every one, and GPipe's modes, where there is none
     * @param link between stages and between ranks, if that is known
     * @throws TooFewBlocksException if the model cannot be cut into so many stages
     * @throws BudgetException if nothing fits: that of the one that takes least
     */
    public static Choice run(
            CompileStages compiler,
            ElaboratedModel model,
            CompileOptions options,
            int stages,
            Optional<Schedule> schedule,
            Optional<Link> link) {
        ChooseStaging choose = new ChooseStaging(compiler, model, link);
        for (CompileOptions level : levels(options)) {
            if (schedule.isPresent()) {
                Staging staging = new Staging(stages, schedule.get());
                choose.tryOne(staging, level, compiler.prepare(model, level, staging, 1));
            } else {
                schedules().forEach(each -> choose.tryAll(new Staging(stages, each), level));
            }
        }
        return choose.choice();
    }

    private static List<CompileOptions> levels(CompileOptions options) {
        return options.shares().level() != Sharding.AUTO
                ? List.of(options)
                : ChooseSharding.LEVELS.stream().map(options::with).toList();
    }

    /**
     * Holds modes against a set that is planned: the others by the same schedule.
     *
     * @param asked says of the planned set, but for a level that it may leave open
     */
    public static List<Tried> beside(
            CompileStages compiler, CompileOptions asked, StageSet planned, Optional<Link> link) {
        PreparedStep first = planned.prepared().getFirst().step();
        ElaboratedModel model = first.model();
        CompileOptions options = asked.with(first.options().shares());
        ChooseStaging choose = new ChooseStaging(compiler, model, link);
        choose.add(planned.staging(), options, planned);
        for (PipeMode mode : PipeMode.ALL) {
            if (!mode.name().equals(choose.tried.getFirst().mode())) {
                choose.tryOne(planned.staging(), options.with(mode), planned.prepared());
            }
        }
        return List.copyOf(choose.tried);
    }

    private void tryAll(Staging staging, CompileOptions options) {
        List<PreparedStage> prepared;
        try {
            prepared = compiler.prepare(model, options, staging, 1);
        } catch (TooFewBlocksException e) {
            if (staging.schedule().partsEach() == 1) {
                throw e;
            }
            return;
        }
        // Without a budget what the user gets who names no strategy is what never computes again.
        if (options.strategy().isPresent() || options.budget().isPresent()) {
            tryOne(staging, options, prepared);
        }
        if (options.strategy().isEmpty()) {
            PipeMode.ALL.forEach(mode -> tryOne(staging, options.with(mode), prepared));
        }
    }

    private void tryOne(Staging staging, CompileOptions asked, List<PreparedStage> prepared) {
        try {
            add(staging, asked, compiler.run(model, asked, staging, prepared));
        } catch (BudgetException e) {
            tried.add(new Tried(
                    asked.shares().level(),
                    staging.schedule(),
                    mode(asked),
                    new Outcome.Refused(e.smallestFoundBytes())));
            boolean less =
                    refused.isEmpty() || e.smallestFoundBytes() < refused.get().smallestFoundBytes();
            refused = less ? Optional.of(e) : refused;
        }
    }

    private void add(Staging staging, CompileOptions asked, StageSet set) {
        SetTimes times = set.times(link);
        long largest = set.plans().stages().stream()
                .mapToLong(ExecutionPlan::arenaBytes)
                .max()
                .orElseThrow();
        tried.add(new Tried(
                asked.shares().level(),
                staging.schedule(),
                mode(asked),
                new Outcome.Fits(times.makespan(), times.bubble(), largest)));
        if (best.isEmpty() || times.makespan() < best.get().nanos()) {
            best = Optional.of(new Best(set, times.makespan()));
        }
    }

    private static String mode(CompileOptions asked) {
        return asked.strategy().map(Planner::name).orElse(asked.budget().isPresent() ? "auto" : "keep-all");
    }

    private Choice choice() {
        return new Choice(best.orElseThrow(() -> refused.orElseThrow()).set(), tried);
    }
}
