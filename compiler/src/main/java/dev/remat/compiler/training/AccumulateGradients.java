package dev.remat.compiler.training;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.compiler.training.TrainingGraph.ParameterGradient;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Adds the gradients of a micro-batch to those of the micro-batches before it, in order, in f32 at least. The loss of
 * the batch is the mean of those of its micro-batches, and the gradients of that mean add up.
 *
 * <pre>
 * after: %5 = accumulate(%accumulated.w, %grad.w, %micro_batch)
 * </pre>
 */
final class AccumulateGradients implements Differentiate.Completion {
    /**
     * A parameter whose gradient is accumulated.
     *
     * @param parameter its name
     * @param type of the gradient
     * @param accumulator name of the tensor that holds the sum
     */
    record Accumulated(String parameter, TensorType type, String accumulator) {}

    private final TrainingSpec spec;
    private final int microBatches;
    private final boolean reported;
    private final Map<ValueId, ValueId> accumulators = new LinkedHashMap<>();
    private final List<String> parameters = new ArrayList<>();
    private final List<List<Accumulated>> complete = new ArrayList<>();
    private final Map<String, ValueId> sums = new LinkedHashMap<>();
    private Optional<ScaleLosses> scaled = Optional.empty();

    /** @param reported whether the sums become outputs {@code grad.<parameter>}, and no update follows */
    AccumulateGradients(TrainingSpec spec, int microBatches, boolean reported) {
        this.spec = spec;
        this.microBatches = microBatches;
        this.reported = reported;
    }

    @Override
    public void begin(GraphBuilder builder, List<ValueId> trained) {
        for (ValueId parameter : trained) {
            String name = builder.value(parameter).name();
            parameters.add(name);
            accumulators.put(parameter, Accumulators.of(builder, name, builder.type(parameter)));
            builder.mark(accumulators.get(parameter), Mark.GRADIENT);
        }
        if (!reported) {
            scaled = ScaleLosses.begin(
                    spec.scaling(),
                    builder,
                    parameters.stream()
                            .map(name -> spec.objective(name).orElseThrow())
                            .collect(Collectors.toCollection(LinkedHashSet::new)));
        }
    }

    /** Of the mean over micro-batches by the loss of one. */
    @Override
    public ValueId seed(GraphBuilder builder, TensorType loss) {
        double share = 1.0 / microBatches;
        return scaled.map(losses -> builder.scale(losses.seed(loss.dtype()), share))
                .orElseGet(() -> builder.filled(share, loss));
    }

    @Override
    public void complete(GraphBuilder builder, ParameterGradient gradient) {
        builder.at(Origin.NONE).as(Role.BACKWARD);
        ValueId sum = Accumulators.add(builder, accumulators.get(gradient.parameter()), gradient.gradient());
        sums.put(builder.value(gradient.parameter()).name(), sum);
    }

    @Override
    public void end(GraphBuilder builder, List<ParameterGradient> gradients) {
        List<Accumulated> own = new ArrayList<>();
        for (ParameterGradient gradient : gradients) {
            String name = builder.value(gradient.parameter()).name();
            ValueId accumulator = accumulators.get(gradient.parameter());
            own.add(new Accumulated(
                    name,
                    builder.type(gradient.gradient()),
                    builder.value(accumulator).name()));
            if (reported) {
                builder.output("grad." + name, sums.get(name));
            }
        }
        complete.add(own);
    }

    /** Names of the parameters that are trained, in the order of the graph. */
    List<String> parameters() {
        return List.copyOf(parameters);
    }

    /** What was accumulated, by losses, in the order in which gradients are complete. */
    List<List<Accumulated>> complete() {
        return List.copyOf(complete);
    }
}
