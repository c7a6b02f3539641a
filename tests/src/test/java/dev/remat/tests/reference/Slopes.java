package dev.remat.tests.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.simplify.EliminateCommonSubexpressions;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.compiler.training.Differentiate;
import dev.remat.compiler.training.ReportGradients;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.ValueMap;
import java.util.LinkedHashMap;
import java.util.Random;
import java.util.SequencedMap;

/**
 * Gradients of a graph's loss held to central differences, in double precision: along random directions through all
 * parameters at once, and along the gradient itself.
 */
public final class Slopes {
    private static final ReferenceInterpreter EXACT = new ReferenceInterpreter(Rounding.NONE, 7);
    private static final int DIRECTIONS = 4;
    /** How far the loss moves, about. */
    private static final double STEP = 1e-6;

    private Slopes() {}

    /** @param gradients of the loss of {@code forward} at {@code inputs}, by parameter */
    public static void expectSlopes(
            Graph forward, SequencedMap<String, Tensor> inputs, SequencedMap<String, Tensor> gradients) {
        Random random = new Random(11);
        for (int i = 0; i < DIRECTIONS; i++) {
            SequencedMap<String, double[]> direction = new LinkedHashMap<>();
            gradients.forEach((name, gradient) -> direction.put(
                    name, random.doubles(gradient.data().length, -1, 1).toArray()));
            expectSlope(forward, inputs, gradients, direction);
        }
        SequencedMap<String, double[]> steepest = new LinkedHashMap<>();
        gradients.forEach((name, gradient) -> steepest.put(name, gradient.data().clone()));
        expectSlope(forward, inputs, gradients, steepest);
    }

    private static void expectSlope(
            Graph forward,
            SequencedMap<String, Tensor> inputs,
            SequencedMap<String, Tensor> gradients,
            SequencedMap<String, double[]> direction) {
        double length = Math.sqrt(
                direction.values().stream().mapToDouble(v -> product(v, v)).sum());
        double slope = 0;
        for (String name : direction.sequencedKeySet()) {
            slope += product(gradients.get(name).data(), direction.get(name)) / length;
        }
        double step = STEP / (1 + Math.abs(slope));
        double ahead = loss(forward, moved(inputs, direction, step / length));
        double behind = loss(forward, moved(inputs, direction, -step / length));
        assertThat(slope).isCloseTo((ahead - behind) / (2 * step), within(1e-6 * (1 + Math.abs(slope))));
    }

    /** Of the loss of {@code forward} by each parameter it depends on. */
    public static SequencedMap<String, Tensor> gradients(Graph forward, SequencedMap<String, Tensor> inputs) {
        Graph whole = Differentiate.run(forward, forward.output(ExecutionPlan.LOSS), new ReportGradients())
                .graph();
        Graph training = RemoveDeadNodes.run(EliminateCommonSubexpressions.run(whole));
        ValueMap<Tensor> values = EXACT.run(training, inputs, 1);
        SequencedMap<String, Tensor> gradients = new LinkedHashMap<>();
        for (GraphOutput output : training.outputs()) {
            if (output.name().startsWith("grad.")) {
                gradients.put(output.name().substring("grad.".length()), values.get(output.value()));
            }
        }
        return gradients;
    }

    private static double loss(Graph forward, SequencedMap<String, Tensor> inputs) {
        return EXACT.run(forward, inputs, 1)
                .get(forward.output(ExecutionPlan.LOSS))
                .scalar();
    }

    private static SequencedMap<String, Tensor> moved(
            SequencedMap<String, Tensor> inputs, SequencedMap<String, double[]> direction, double step) {
        SequencedMap<String, Tensor> moved = new LinkedHashMap<>(inputs);
        direction.forEach((name, along) -> {
            double[] data = inputs.get(name).data().clone();
            for (int i = 0; i < data.length; i++) {
                data[i] += step * along[i];
            }
            moved.put(name, new Tensor(inputs.get(name).type(), data));
        });
        return moved;
    }

    private static double product(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }
}
