package dev.remat.tests.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.training.Differentiate;
import dev.remat.compiler.training.ReportGradients;
import dev.remat.compiler.training.TrainingGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.Differentiable;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Ops;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The gradient rule of every differentiable operation against central differences of the reference in f64. */
class GradientTest {
    private static final double STEP = 1e-5;
    private static final ReferenceInterpreter EXACT = new ReferenceInterpreter(Rounding.NONE, 0x1234_5678_9ABCL);

    static Stream<Arguments> differentiable() {
        return Ops.ALL.stream()
                .flatMap(family -> family.examples().stream())
                .filter(op -> Differentiable.of(op).isPresent() && !(op instanceof NormStatistics))
                .map(op -> Arguments.of(op.mnemonic() + op.attributes(), op));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("differentiable")
    void agreesWithCentralDifferences(String name, Op op) {
        for (List<Tensor> operands : new OpSamples(DType.F64).of(op)) {
            Problem problem = Problem.of(op, operands);
            if (problem.parameters().isEmpty()) {
                continue;
            }
            SequencedMap<String, Tensor> gradients = problem.gradients();
            for (String parameter : problem.parameters()) {
                double[] differences = problem.centralDifferences(parameter);
                Tensor gradient = gradients.get(parameter);
                for (int i = 0; i < differences.length; i++) {
                    double rule = gradient == null ? 0 : gradient.data()[i];
                    assertThat(rule)
                            .as("d loss / d %s[%d]", parameter, i)
                            .isCloseTo(differences[i], within(1e-7 * (1 + Math.abs(differences[i]))));
                }
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("differentiable")
    void hasTheTypesOfTheOperandsInSixteenBits(String name, Op op) {
        for (List<Tensor> operands : new OpSamples(DType.BF16).of(op)) {
            Problem problem = Problem.of(op, operands);
            if (!problem.parameters().isEmpty()) {
                problem.gradients()
                        .forEach((parameter, gradient) -> assertThat(gradient.type())
                                .isEqualTo(problem.inputs().get(parameter).type()));
            }
        }
    }

    /** A scalar that depends on every differentiable result, each element with a weight of its own. */
    private record Problem(Graph graph, SequencedMap<String, Tensor> inputs, List<String> parameters) {
        static Problem of(Op op, List<Tensor> operands) {
            GraphBuilder builder = new GraphBuilder("problem");
            SequencedMap<String, Tensor> inputs = new LinkedHashMap<>();
            List<String> parameters = new ArrayList<>();
            List<ValueId> ids = new ArrayList<>();
            for (int i = 0; i < operands.size(); i++) {
                boolean statistic = op instanceof Normalize n && i > 0 && i <= n.varianceIndex();
                if (statistic) {
                    Normalize n = (Normalize) op;
                    if (i == 1) {
                        ids.addAll(builder.emit(new NormStatistics(n.axes(), n.centered()), List.of(ids.getFirst())));
                    }
                    continue;
                }
                String name = "x" + i;
                TensorType type = operands.get(i).type();
                InputKind kind = type.dtype().isFloat() ? InputKind.PARAMETER : InputKind.DATA;
                ids.add(builder.input(name, type, kind, Initializer.ZEROS, Location.NONE));
                inputs.put(name, operands.get(i));
                if (kind == InputKind.PARAMETER) {
                    parameters.add(name);
                }
            }
            List<ValueId> results = builder.emit(op, ids);
            boolean firstOnly = op instanceof Attention || op instanceof CrossEntropy;
            List<ValueId> terms = new ArrayList<>();
            for (ValueId result : firstOnly ? results.subList(0, 1) : results) {
                TensorType type = builder.type(result);
                if (type.dtype().isFloat()) {
                    String name = "weight" + terms.size();
                    inputs.put(
                            name,
                            new SampleSource(type.dtype(), 11)
                                    .number(type.shape().toArray()));
                    ValueId weight = builder.input(name, type, InputKind.DATA, Initializer.ZEROS, Location.NONE);
                    ValueId product = builder.mul(result, weight);
                    terms.add(builder.sumTo(builder.cast(product, DType.F64), Shape.SCALAR));
                }
            }
            if (terms.isEmpty()) {
                return new Problem(builder.build(), inputs, List.of());
            }
            builder.output("loss", terms.stream().reduce(builder::add).orElseThrow());
            return new Problem(builder.build(), inputs, parameters);
        }

        SequencedMap<String, Tensor> gradients() {
            TrainingGraph training = Differentiate.run(graph, graph.output("loss"), new ReportGradients());
            ValueMap<Tensor> values = EXACT.run(training.graph(), inputs, 1);
            SequencedMap<String, Tensor> gradients = new LinkedHashMap<>();
            for (GraphOutput output : training.graph().outputs()) {
                if (output.name().startsWith("grad.")) {
                    gradients.put(output.name().substring("grad.".length()), values.get(output.value()));
                }
            }
            return gradients;
        }

        double[] centralDifferences(String parameter) {
            Tensor tensor = inputs.get(parameter);
            double[] differences = new double[tensor.elements()];
            for (int i = 0; i < differences.length; i++) {
                differences[i] = (lossAt(parameter, i, STEP) - lossAt(parameter, i, -STEP)) / (2 * STEP);
            }
            return differences;
        }

        private double lossAt(String parameter, int element, double step) {
            Tensor tensor = inputs.get(parameter);
            double[] moved = tensor.data().clone();
            moved[element] += step;
            SequencedMap<String, Tensor> changed = new LinkedHashMap<>(inputs);
            changed.put(parameter, new Tensor(tensor.type(), moved));
            return EXACT.run(graph, changed, 1).get(graph.output("loss")).scalar();
        }
    }
}
