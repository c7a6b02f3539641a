package dev.remat.cli.ranks;

import dev.remat.cli.console.Console;
import dev.remat.cli.option.AskedStep;
import dev.remat.cli.option.CountingNumber;
import dev.remat.cli.option.PlanOptions;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.choose.ChooseStaging;
import dev.remat.compiler.choose.ChooseStaging.Choice;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.ir.target.Link;
import dev.remat.ir.target.TargetModel;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** Into how many stages a step is cut, which work on different micro-batches at a time. */
public final class StageOptions extends MicroBatchesOfStages {
    /** Kernels of a step beyond which modes are compared by {@code auto} alone. */
    private static final int MOST_COMPARED = 20_000;

    @Option(
            names = "--stages",
            paramLabel = "S",
            converter = CountingNumber.OfInt.class,
            description = "Cut the model into S stages that work on different micro-batches at a time, each in an arena"
                    + " of its own, to the same bits. Where the batch is not cut, it is cut into S. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int stages = 1;

    @Option(
            names = "--schedule",
            paramLabel = "NAME",
            converter = OrderConverter.class,
            description = "In which order stages take micro-batches, to the same bits: gpipe, all forward, then all"
                    + " backward; 1f1b, backward as soon as there is one; interleaved=V, the same with V parts of the"
                    + " model a stage; zb, where gradients of parameters fill gaps; auto, whichever is fastest within"
                    + " the budget, with what it computes again. Default: 1f1b.")
    private Order order;

    /** In which order stages take micro-batches. */
    sealed interface Order {
        /** By a schedule. */
        record Given(Schedule schedule) implements Order {}

        /** Chosen. */
        record Auto() implements Order {}
    }

    /** Whether the step is cut. */
    public boolean isAsked() {
        require(stages > 1 || order == null, "--schedule orders the work of stages; it needs --stages");
        return stages > 1;
    }

    @Override
    public int most() {
        return stages;
    }

    /**
     * Plans each stage, and tells where some will always wait.
     *
     * @param compares whether GPipe's modes are held against what is planned, where that does not take long
     * @param link between stages and between ranks, if that is known
     * @throws dev.remat.compiler.pipeline.TooFewBlocksException if the model cannot be cut into so many
     * @throws dev.remat.compiler.search.BudgetException if no plan of a stage fits the budget
     */
    public Choice compile(
            AskedStep step,
            PlanOptions planning,
            boolean compares,
            Optional<Link> link,
            TargetModel target,
            Console console) {
        Optional<Schedule> given = schedule();
        Staging first = new Staging(stages, given.orElse(Schedule.ONE_F_ONE_B));
        Choice choice = planning.inStages(step, first, target, console, (compiler, options) -> {
            Choice found = ChooseStaging.run(compiler, step.model(), options, stages, given, link);
            boolean more = compares && given.isPresent() && kernels(found.chosen()) <= MOST_COMPARED;
            return more ? found.beside(ChooseStaging.beside(compiler, options, found.chosen(), link)) : found;
        });
        if (given.isEmpty()) {
            console.note("--schedule auto takes " + choice.chosen().staging().schedule());
        }
        if (step.sharding() == Sharding.AUTO) {
            console.note("--shard auto takes " + choice.chosen().sharding());
        }
        int count = choice.chosen().stages().getFirst().microBatches();
        if (count < stages) {
            console.note(count + " micro-batches are fewer than " + stages
                    + " stages, some of which will always wait; --micro-batches gives more");
        }
        TiedNote.of(choice.chosen()).ifPresent(console::note);
        return choice;
    }

    /** Empty where the fastest is taken. */
    private Optional<Schedule> schedule() {
        return switch (order) {
            case null -> Optional.of(Schedule.ONE_F_ONE_B);
            case Order.Given(Schedule given) -> Optional.of(given);
            case Order.Auto() -> Optional.empty();
        };
    }

    private static int kernels(StageSet set) {
        return set.plans().stages().stream()
                .mapToInt(plan -> plan.steps().size())
                .sum();
    }

    /** For picocli. */
    static final class OrderConverter implements ITypeConverter<Order> {
        @Override
        public Order convert(String text) {
            return text.equals("auto") ? new Order.Auto() : new Order.Given(ScheduleConverter.schedule(text, ", auto"));
        }
    }
}
