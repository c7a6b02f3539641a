package dev.remat.runtime.train;

import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * Holds the gradients of a plan in f64 against central differences of its loss: for every parameter along one random
 * direction that moves all its elements, with the random draws of one training step throughout.
 */
public final class GradientCheck {
    private static final double STEP_LENGTH = 1e-5;
    private static final double RELATIVE_TOLERANCE = 1e-4;
    private static final double ABSOLUTE_TOLERANCE = 1e-8;

    /**
     * A parameter's derivative along its direction.
     *
     * @param analytic by the plan's gradient
     * @param numeric by central difference
     */
    public record Derivative(String parameter, double analytic, double numeric) {
        /** Whether they agree but for what rounding and curvature explain. */
        public boolean agrees() {
            double scale = Math.max(Math.abs(analytic), Math.abs(numeric));
            return Math.abs(analytic - numeric) <= RELATIVE_TOLERANCE * scale + ABSOLUTE_TOLERANCE;
        }
    }

    private final GradientEvaluation evaluation;
    private final UnaryOperator<String> losses;
    private final long step;

    private GradientCheck(GradientEvaluation evaluation, UnaryOperator<String> losses, long step) {
        this.evaluation = evaluation;
        this.losses = losses;
        this.step = step;
    }

    /**
     * Checks every parameter that has a gradient; afterwards all are as before.
     *
     * @param evaluation of a plan in f64, its data loaded
     * @param losses name of the output that trains a parameter
     * @param step whose random draws are taken
     */
    public static List<Derivative> run(GradientEvaluation evaluation, UnaryOperator<String> losses, long step) {
        return new GradientCheck(evaluation, losses, step).run();
    }

    private List<Derivative> run() {
        evaluation.run(step);
        Map<String, double[]> gradients = new LinkedHashMap<>();
        for (StoredTensor output : evaluation.outputs()) {
            if (output.name().startsWith("grad.")) {
                String parameter = output.name().substring("grad.".length());
                gradients.put(parameter, output.data().toArray(ValueLayout.JAVA_DOUBLE));
            }
        }
        List<Derivative> derivatives = new ArrayList<>();
        gradients.forEach((parameter, gradient) -> derivatives.add(derivative(parameter, gradient)));
        return derivatives;
    }

    private Derivative derivative(String parameter, double[] gradient) {
        double[] direction = direction(parameter, gradient.length);
        double analytic = 0;
        for (int i = 0; i < gradient.length; i++) {
            analytic += gradient[i] * direction[i];
        }
        StoredTensor tensor = evaluation.state().tensors().stream()
                .filter(t -> t.name().equals(parameter))
                .findFirst()
                .orElseThrow();
        double[] values = tensor.data().toArray(ValueLayout.JAVA_DOUBLE);
        double above = lossAt(tensor, values, direction, STEP_LENGTH);
        double below = lossAt(tensor, values, direction, -STEP_LENGTH);
        lossAt(tensor, values, direction, 0);
        return new Derivative(parameter, analytic, (above - below) / (2 * STEP_LENGTH));
    }

    private double lossAt(StoredTensor tensor, double[] values, double[] direction, double distance) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment moved = arena.allocate(values.length * 8L, 8);
            for (int i = 0; i < values.length; i++) {
                moved.setAtIndex(ValueLayout.JAVA_DOUBLE, i, values[i] + distance * direction[i]);
            }
            evaluation.state().load(List.of(new StoredTensor(tensor.name(), StoredType.F64, tensor.shape(), moved)));
        }
        if (distance == 0) {
            return 0;
        }
        evaluation.run(step);
        return evaluation.loss(losses.apply(tensor.name()));
    }

    /** Of length 1, so that the distance moved does not grow with the parameter. */
    private static double[] direction(String parameter, int length) {
        double[] direction = new SplittableRandom(parameter.hashCode())
                .doubles(length, -1, 1)
                .toArray();
        double norm = 0;
        for (double part : direction) {
            norm += part * part;
        }
        for (int i = 0; i < length; i++) {
            direction[i] /= Math.sqrt(norm);
        }
        return direction;
    }
}
