package dev.remat.runtime.check;

import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.runtime.train.GradientEvaluation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;

/**
 * Holds the gradients of a plan in f64 against differences of its loss: for every parameter along one random direction
 * that moves all its elements, with the random draws of one training step throughout. Where they disagree, all
 * parameters are moved a little at random and the question is asked again there, along two directions: what is a
 * mistake is one there too, while bends of the loss that initial values happen to lie on are left behind.
 */
public final class GradientCheck {
    private static final String GRADIENT = "grad.";
    /** Behind the name of a state, the output that it has to be. */
    private static final String NOW = ".now";

    /** How far an element is moved at most for the second point. */
    private static final double MOVE = 1e-3;

    /**
     * What was found of a parameter.
     *
     * @param slope at the point itself
     * @param element where most of a fault lies, in row-major order
     */
    public record Finding(String parameter, SlopeVerdict verdict, SlopeJudgement slope, OptionalInt element) {}

    private final GradientEvaluation analytic;
    private final GradientEvaluation evaluation;
    private final UnaryOperator<String> losses;
    private final long step;
    private final Consumer<String> progress;
    private final Map<String, StoredTensor> tensors = new LinkedHashMap<>();

    private GradientCheck(
            GradientEvaluation analytic,
            GradientEvaluation evaluation,
            UnaryOperator<String> losses,
            long step,
            Consumer<String> progress) {
        this.analytic = analytic;
        this.evaluation = evaluation;
        this.losses = losses;
        this.step = step;
        this.progress = progress;
    }

    /**
     * Checks every parameter that has a gradient; afterwards all are as before.
     *
     * @param evaluation of a plan in f64, its data loaded
     * @param losses name of the output that trains a parameter
     * @param step whose random draws are taken
     * @param progress is told of the parameter at hand
     */
    public static List<Finding> run(
            GradientEvaluation evaluation, UnaryOperator<String> losses, long step, Consumer<String> progress) {
        return run(evaluation, evaluation, losses, step, progress);
    }

    /**
     * Checks gradients that stop somewhere: they are held against losses whose stopped tensors are states and keep the
     * values that they have at the point.
     *
     * @param analytic of the model itself
     * @param held of the model with states; its output {@code NAME.now} is what the state NAME has to be
     */
    public static List<Finding> run(
            GradientEvaluation analytic,
            GradientEvaluation held,
            UnaryOperator<String> losses,
            long step,
            Consumer<String> progress) {
        return new GradientCheck(analytic, held, losses, step, progress).run();
    }

    private List<Finding> run() {
        evaluation.state().tensors().forEach(tensor -> tensors.put(tensor.name(), tensor));
        SequencedMap<String, double[]> initial = new LinkedHashMap<>();
        for (StoredTensor output : analytic.outputs()) {
            if (output.name().startsWith(GRADIENT)) {
                String parameter = output.name().substring(GRADIENT.length());
                initial.put(parameter, values(parameter));
            }
        }
        SequencedMap<String, double[]> gradients = gradientsAt(initial);
        SequencedMap<String, SlopeJudgement> first = new LinkedHashMap<>();
        gradients.forEach((parameter, gradient) -> {
            progress.accept(parameter);
            first.put(parameter, judge(parameter, initial.get(parameter), gradient, 0));
        });
        SequencedMap<String, SlopeVerdict> second = new LinkedHashMap<>();
        SequencedMap<String, Integer> elements = new LinkedHashMap<>();
        if (first.values().stream().anyMatch(slope -> slope.verdict() != SlopeVerdict.AGREES)) {
            SequencedMap<String, double[]> moved = new LinkedHashMap<>();
            initial.forEach((parameter, values) -> moved.put(parameter, moved(parameter, values)));
            SequencedMap<String, double[]> there = gradientsAt(moved);
            first.forEach((parameter, slope) -> {
                if (slope.verdict() != SlopeVerdict.AGREES) {
                    progress.accept(parameter + " at another point");
                    double[] values = moved.get(parameter);
                    double[] gradient = there.get(parameter);
                    SlopeVerdict same = judge(parameter, values, gradient, 0).verdict();
                    SlopeVerdict other = judge(parameter, values, gradient, 1).verdict();
                    second.put(parameter, same.or(other));
                    if (both(slope.verdict(), same.or(other)) == SlopeVerdict.FAULT) {
                        elements.put(parameter, locate(parameter, values, gradient));
                    }
                }
            });
            gradientsAt(initial);
        }
        List<Finding> findings = new ArrayList<>();
        first.forEach((parameter, slope) -> findings.add(new Finding(
                parameter,
                second.containsKey(parameter) ? both(slope.verdict(), second.get(parameter)) : slope.verdict(),
                slope,
                elements.containsKey(parameter) ? OptionalInt.of(elements.get(parameter)) : OptionalInt.empty())));
        return findings;
    }

    /** A mistake is one at both points; a kink at the first may not be there at the second. */
    private static SlopeVerdict both(SlopeVerdict first, SlopeVerdict second) {
        return switch (first) {
            case AGREES -> SlopeVerdict.AGREES;
            case KINK -> second.or(SlopeVerdict.KINK);
            case UNDECIDED, FAULT -> second == SlopeVerdict.FAULT ? SlopeVerdict.FAULT : SlopeVerdict.UNDECIDED;
        };
    }

    /** Moves parameters, and what is held, to another point. */
    private SequencedMap<String, double[]> gradientsAt(SequencedMap<String, double[]> point) {
        point.forEach((parameter, values) -> {
            load(evaluation, parameter, values);
            load(analytic, parameter, values);
        });
        hold();
        analytic.run(step);
        SequencedMap<String, double[]> gradients = new LinkedHashMap<>();
        for (StoredTensor output : analytic.outputs()) {
            if (output.name().startsWith(GRADIENT)) {
                gradients.put(
                        output.name().substring(GRADIENT.length()),
                        output.data().toArray(ValueLayout.JAVA_DOUBLE));
            }
        }
        return gradients;
    }

    /** Brings states to what they have to be; one may follow from another. */
    private void hold() {
        for (boolean changes = evaluation != analytic; changes; ) {
            evaluation.run(step);
            changes = false;
            for (StoredTensor state : evaluation.state().tensors()) {
                for (StoredTensor output : evaluation.outputs()) {
                    if (output.name().equals(state.name() + NOW) && state.data().mismatch(output.data()) >= 0) {
                        evaluation
                                .state()
                                .load(List.of(
                                        new StoredTensor(state.name(), output.type(), output.shape(), output.data())));
                        changes = true;
                    }
                }
            }
        }
    }

    private double[] values(String parameter) {
        return tensors.get(parameter).data().toArray(ValueLayout.JAVA_DOUBLE);
    }

    private SlopeJudgement judge(String parameter, double[] values, double[] gradient, int draw) {
        double[] direction = direction(parameter, values.length, draw);
        SlopeJudgement judgement =
                JudgeSlope.run(product(gradient, direction), lossAlong(parameter, values, direction));
        load(parameter, values);
        return judgement;
    }

    private DoubleUnaryOperator lossAlong(String parameter, double[] values, double[] direction) {
        return distance -> {
            double[] there = values.clone();
            for (int i = 0; i < there.length; i++) {
                there[i] += distance * direction[i];
            }
            load(parameter, there);
            evaluation.run(step);
            return evaluation.loss(losses.apply(parameter));
        };
    }

    /** The half of a direction whose difference is further away, again and again until one element is left. */
    private int locate(String parameter, double[] values, double[] gradient) {
        double[] direction = direction(parameter, values.length, 0);
        int from = 0;
        int to = direction.length;
        while (to - from > 1) {
            int middle = (from + to) >>> 1;
            boolean lower = gap(parameter, values, gradient, direction, from, middle)
                    >= gap(parameter, values, gradient, direction, middle, to);
            from = lower ? from : middle;
            to = lower ? middle : to;
        }
        load(parameter, values);
        return from;
    }

    private double gap(String parameter, double[] values, double[] gradient, double[] whole, int from, int to) {
        double[] direction = new double[whole.length];
        System.arraycopy(whole, from, direction, from, to - from);
        normalize(direction);
        double norm = Math.sqrt(product(whole, whole));
        double share = Math.sqrt(
                        Arrays.stream(whole, from, to).map(part -> part * part).sum())
                / norm;
        return share
                * JudgeSlope.run(product(gradient, direction), lossAlong(parameter, values, direction))
                        .gap();
    }

    private static double product(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    private void load(String parameter, double[] values) {
        load(evaluation, parameter, values);
    }

    private void load(GradientEvaluation to, String parameter, double[] values) {
        StoredTensor tensor = tensors.get(parameter);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, values);
            to.state().load(List.of(new StoredTensor(parameter, StoredType.F64, tensor.shape(), data)));
        }
    }

    private static double[] moved(String parameter, double[] values) {
        SplittableRandom random = new SplittableRandom(parameter.hashCode() ^ 0x5eed);
        return Arrays.stream(values)
                .map(value -> value + random.nextDouble(-MOVE, MOVE))
                .toArray();
    }

    /**
     * Of length 1, so that the distance moved does not grow with the parameter. No element stays where it is, so that a
     * mistake in a single one shows, and no two move alike, so that opposite mistakes do not make up for each other.
     */
    private static double[] direction(String parameter, int length, int draw) {
        SplittableRandom random = new SplittableRandom(31L * parameter.hashCode() + draw);
        double[] direction = new double[length];
        for (int i = 0; i < length; i++) {
            direction[i] = random.nextDouble(0.5, 1.5) * (random.nextBoolean() ? 1 : -1);
        }
        normalize(direction);
        return direction;
    }

    private static void normalize(double[] direction) {
        double norm = Math.sqrt(product(direction, direction));
        for (int i = 0; i < direction.length; i++) {
            direction[i] /= norm;
        }
    }
}
