package dev.remat.cli.option;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.Console;
import dev.remat.cli.console.Excerpt;
import dev.remat.cli.console.OneOf;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.choose.MicroBatchAlternative;
import dev.remat.compiler.choose.MicroBatchAlternative.Outcome;
import dev.remat.compiler.choose.MicroBatchChoice;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.training.Purpose;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** Whether a step cuts its batch into micro-batches, and what that may change. */
public final class MicroBatchOptions extends CheckedOptions {
    @Option(
            names = "--micro-batches",
            paramLabel = "M|auto",
            converter = CountConverter.class,
            description = "Cut each batch into M parts that run one after another, adding up gradients: less memory,"
                    + " the same numbers; auto chooses M with what is recomputed. Default: the model's.")
    private Count count = new Count.AsModelSays();

    @Option(
            names = "--batch-norm",
            paramLabel = "micro|error",
            converter = BatchNormConverter.class,
            description = "What becomes of batch norms where a batch is cut: micro normalizes each micro-batch by its"
                    + " own mean and variance; error refuses the model. Default: ${DEFAULT-VALUE}.")
    private BatchNorm batchNorm = BatchNorm.MICRO;

    @Option(
            names = "--micro-batch-order",
            paramLabel = "depth|breadth",
            converter = OrderConverter.class,
            description = "depth runs one micro-batch after the other, breadth all of them through a layer before the"
                    + " next: what lives below the arena comes once for all, and the plan grows with their number."
                    + " Default: ${DEFAULT-VALUE}.")
    private MicroBatchOrder order = MicroBatchOrder.DEPTH;

    /** How many micro-batches a batch is cut into. */
    sealed interface Count {
        /** @param number from 1 */
        record Given(int number) implements Count {}

        /** As many as suit the budget best, chosen together with what is recomputed. */
        record Auto() implements Count {}

        /** What stands in {@code train { micro_batches … }}. */
        record AsModelSays() implements Count {}
    }

    /** What becomes of batch norms that would see a micro-batch in place of the batch. */
    enum BatchNorm {
        MICRO("micro"),
        ERROR("error");

        private final String label;

        BatchNorm(String label) {
            this.label = label;
        }

        @Override
        public String toString() {
            return label;
        }
    }

    /** Whether the number is to be chosen. */
    public boolean isAuto() {
        return count instanceof Count.Auto;
    }

    /** Whether the user has named the number. */
    public boolean isGiven() {
        return count instanceof Count.Given;
    }

    /** Whether all go through a layer before the next. */
    public boolean isBreadth() {
        return order == MicroBatchOrder.BREADTH;
    }

    /** The model with its batch cut as the user asked for, whatever it and an earlier run say. */
    public ModelSession cut(ModelSession model) {
        ModelSettings ordered = model.settings().with(order);
        ModelSession cut = model.with(batchNorm == BatchNorm.ERROR ? ordered.refusingBatchNorms() : ordered);
        return count instanceof Count.Given(int number) ? cut.cutInto(number) : cut;
    }

    /**
     * The same by a command that does not choose.
     *
     * @throws ParameterException if the number is to be chosen
     */
    public ModelSession cutAsGiven(ModelSession model) {
        if (isAuto()) {
            throw misuse("--micro-batches takes a number here, not auto");
        }
        return cut(model);
    }

    /**
     * The step of a model that was cut so.
     *
     * @throws dev.remat.ir.diagnostic.ModelException if it is wrong, or a setting does not suit it
     * @throws ParameterException if an order is given and nothing to order, unless that was chosen
     */
    public ElaboratedModel step(ModelSession model, Purpose purpose) {
        ElaboratedModel step = model.step(purpose);
        if (isBreadth() && !isAuto() && step.microBatches().isEmpty()) {
            throw misuse("--micro-batch-order breadth needs a batch that is cut; --micro-batches M cuts it");
        }
        return step;
    }

    /** For picocli. */
    static final class CountConverter implements ITypeConverter<Count> {
        private final CountingNumber.OfInt numbers = new CountingNumber.OfInt();

        @Override
        public Count convert(String text) {
            if (text.equals("auto")) {
                return new Count.Auto();
            }
            if (!text.matches("[+-]?[0-9].*")) {
                throw new TypeConversionException("'" + Excerpt.of(text) + "' is neither a whole number nor auto");
            }
            return new Count.Given(numbers.convert(text));
        }
    }

    /** For picocli. */
    static final class BatchNormConverter implements ITypeConverter<BatchNorm> {
        @Override
        public BatchNorm convert(String text) {
            return OneOf.of(BatchNorm.values(), text);
        }
    }

    /** For picocli. */
    static final class OrderConverter implements ITypeConverter<MicroBatchOrder> {
        @Override
        public MicroBatchOrder convert(String text) {
            return OneOf.of(MicroBatchOrder.values(), text);
        }
    }

    /** Says what a choice of their number was left without. */
    static void tell(MicroBatchChoice choice, Console console) {
        List<Outcome> outcomes = choice.alternatives().stream()
                .map(MicroBatchAlternative::outcome)
                .toList();
        if (outcomes.isEmpty()) {
            console.note("without --budget, --micro-batches auto leaves the batch whole");
        } else if (outcomes.stream().noneMatch(Outcome.Planned.class::isInstance)) {
            console.note("quick searches found no number of micro-batches that fits; " + choice.count()
                    + " needs the least");
            if (outcomes.getLast() instanceof Outcome.Refused(var why)) {
                console.note("the batch cannot be cut further: " + why.headline());
            }
        }
    }
}
