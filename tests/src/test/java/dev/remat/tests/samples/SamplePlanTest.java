package dev.remat.tests.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.TensorType;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.Op;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Plans of every sample at its tiny size. */
class SamplePlanTest {
    static final List<SampleModel> SAMPLES = SampleModels.ALL;

    private static final TargetModel TARGET = new CpuTarget();
    private static final TargetModel FRUGAL = new Frugal(TARGET);
    private static final ReferenceInterpreter ROUNDED = new ReferenceInterpreter(Rounding.TO_DTYPE, 7);

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void takesLittleMoreThanItsLargestLiveSum(SampleModel sample) {
        for (String strategy : List.of("keep-all", "sqrt")) {
            Compilation plan = compile(sample, strategy, Purpose.TRAIN, TARGET);
            assertThat((double) plan.memory().arenaBytes())
                    .as(strategy)
                    .isBetween(
                            (double) plan.memory().peakLiveBytes(),
                            1.02 * plan.memory().peakLiveBytes());
        }
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void keepAllComputesNothingAgain(SampleModel sample) {
        assertThat(compile(sample, "keep-all", Purpose.TRAIN, TARGET)
                        .evaluation()
                        .recomputations())
                .isZero();
    }

    @Tag("slow")
    @ParameterizedTest
    @FieldSource("SAMPLES")
    void givesTheSameBitsWithRecomputation(SampleModel sample) {
        Graph plain = compile(sample, "keep-all", Purpose.GRADIENTS, FRUGAL)
                .rematerialized()
                .graph();
        Compilation sqrt = compile(sample, "sqrt", Purpose.GRADIENTS, FRUGAL);
        Graph recomputing = sqrt.rematerialized().graph();
        assertThat(sqrt.evaluation().recomputations()).isPositive();
        assertThat(dropouts(recomputing)).isGreaterThanOrEqualTo(dropouts(plain));

        SequencedMap<String, Tensor> inputs = SampleInputs.draw(plain, 3);
        assertThat(outputs(recomputing, inputs)).isEqualTo(outputs(plain, inputs));
    }

    private static long dropouts(Graph graph) {
        return graph.nodes().stream()
                .filter(node -> node.op() instanceof Dropout)
                .count();
    }

    private static SequencedMap<String, List<Double>> outputs(Graph graph, SequencedMap<String, Tensor> inputs) {
        ValueMap<Tensor> values = ROUNDED.run(graph, inputs, 2);
        SequencedMap<String, List<Double>> outputs = new LinkedHashMap<>();
        for (GraphOutput output : graph.outputs()) {
            double[] data = values.get(output.value()).data();
            outputs.put(output.name(), Arrays.stream(data).boxed().toList());
        }
        return outputs;
    }

    private static Compilation compile(SampleModel sample, String strategy, Purpose purpose, TargetModel target) {
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(
                        sample.tinyModel().with(purpose),
                        CompileOptions.defaults().withStrategy(strategy));
    }

    /** The CPU without scratch memory, which would dwarf tiny activations. */
    private record Frugal(TargetModel cpu) implements TargetModel {
        @Override
        public String name() {
            return cpu.name();
        }

        @Override
        public DeviceSpec device() {
            return cpu.device();
        }

        @Override
        public long workspaceBytes(Op op, List<TensorType> operands, List<TensorType> results) {
            return 0;
        }

        @Override
        public boolean acceptsStrides(Op op, int index) {
            return cpu.acceptsStrides(op, index);
        }

        @Override
        public boolean placesResult(Op op, int index) {
            return cpu.placesResult(op, index);
        }

        @Override
        public boolean fusesEpilogue(Op op) {
            return cpu.fusesEpilogue(op);
        }

        @Override
        public boolean fusesPrologue(Op op, List<TensorType> operands) {
            return cpu.fusesPrologue(op, operands);
        }

        @Override
        public long alignment() {
            return 8;
        }
    }
}
