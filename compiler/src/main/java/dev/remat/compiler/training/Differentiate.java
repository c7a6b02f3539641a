package dev.remat.compiler.training;

import dev.remat.compiler.training.TrainingGraph.ParameterGradient;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Appends a {@link ReverseSweep} for every loss, the one computed last first, and hands gradients on as soon as they
 * are complete, so that an update can follow at once.
 *
 * <pre>
 * before: %2 = mul(%0, %1) forward         output "loss" %2
 * after:  %2 = mul(%0, %1) forward
 *         %3 = constant{value=1.0}() backward
 *         %4 = mul(%3, %0) backward        gradient by %1
 * </pre>
 *
 * <p>Requires a static graph with scalar losses. Update nodes of the forward graph move after the losses.
 */
public final class Differentiate {
    /** What becomes of the gradients. */
    public interface Completion {
        /** Adds inputs of its own, after those of the forward graph. */
        void begin(GraphBuilder builder, List<ValueId> parameters);

        /** The gradient of a loss by itself, in its type. */
        default ValueId seed(GraphBuilder builder, TensorType loss) {
            return builder.filled(1, loss);
        }

        /** Takes a parameter whose gradient is complete. */
        void complete(GraphBuilder builder, ParameterGradient gradient);

        /** Called when every gradient of a loss is complete, in the order in which they were. */
        void end(GraphBuilder builder, List<ParameterGradient> gradients);

        /** Called after the last loss. */
        default void close(GraphBuilder builder) {}
    }

    /**
     * What is differentiated and by what.
     *
     * @param loss scalar of the forward graph
     * @param trained parameters by name
     */
    public record Target(ValueId loss, Predicate<String> trained) {}

    private Differentiate() {}

    /** By every parameter. */
    public static TrainingGraph run(Graph forward, ValueId loss, Completion completion) {
        return run(forward, List.of(new Target(loss, parameter -> true)), completion);
    }

    /** @param targets none of whose parameters is another's */
    public static TrainingGraph run(Graph forward, List<Target> targets, Completion completion) {
        GraphRewriter rewriter = new GraphRewriter(forward);
        GraphBuilder builder = rewriter.target();
        rewriter.copyInputs();
        completion.begin(
                builder,
                forward.inputs().stream()
                        .filter(input -> targets.stream().anyMatch(target -> trains(target, forward, input)))
                        .map(input -> rewriter.map(input.value()))
                        .toList());
        List<Node> effects = new ArrayList<>();
        for (Node node : forward.nodes()) {
            if (node.role() == Role.UPDATE) {
                effects.add(node);
            } else {
                rewriter.copy(node);
            }
        }
        effects.forEach(rewriter::copy);

        List<ParameterGradient> gradients = new ArrayList<>();
        targets.stream()
                .sorted(Comparator.comparingInt(target -> -target.loss().index()))
                .forEach(target -> {
                    List<ParameterGradient> own = ReverseSweep.run(
                            rewriter, target.loss(), input -> trains(target, forward, input), completion);
                    completion.end(builder, own);
                    gradients.addAll(own);
                });
        completion.close(builder);
        rewriter.copyOutputs();
        return new TrainingGraph(
                builder.build(), rewriter.map(targets.getFirst().loss()), gradients);
    }

    private static boolean trains(Target target, Graph forward, GraphInput input) {
        return input.kind() == InputKind.PARAMETER
                && target.trained().test(forward.value(input.value()).name());
    }
}
