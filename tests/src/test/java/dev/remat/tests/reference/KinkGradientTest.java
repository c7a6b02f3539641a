package dev.remat.tests.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.training.Differentiate;
import dev.remat.compiler.training.ReportGradients;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.PoolWindow;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

/** Where there is no derivative, the gradient of the sum is what PyTorch takes it for. */
class KinkGradientTest {
    private static Tensor row(double... data) {
        return Tensor.of(TensorType.of(DType.F64, data.length), data);
    }

    /** Gradients of the sum of {@code op}'s result by each operand. */
    private static List<double[]> gradients(Op op, Tensor... operands) {
        GraphBuilder builder = new GraphBuilder("kink");
        SequencedMap<String, Tensor> inputs = new LinkedHashMap<>();
        List<ValueId> ids = new ArrayList<>();
        for (Tensor operand : operands) {
            String name = "x" + inputs.size();
            inputs.put(name, operand);
            ids.add(builder.input(name, operand.type(), InputKind.PARAMETER, Initializer.ZEROS, Location.NONE));
        }
        ValueId loss = builder.sumTo(builder.emit(op, ids).getFirst(), Shape.SCALAR);
        Graph graph =
                Differentiate.run(builder.build(), loss, new ReportGradients()).graph();
        var values = new ReferenceInterpreter(Rounding.NONE, 0).run(graph, inputs, 1);
        return inputs.keySet().stream()
                .map(name -> values.get(graph.output("grad." + name)).data())
                .toList();
    }

    @Test
    void equalOperandsShareTheGradient() {
        List<double[]> maximum = gradients(new Binary(Binary.Kind.MAX), row(1, 2, 3), row(2, 2, 2));
        assertThat(maximum.get(0)).containsExactly(0, 0.5, 1);
        assertThat(maximum.get(1)).containsExactly(1, 0.5, 0);
        List<double[]> minimum = gradients(new Binary(Binary.Kind.MIN), row(1, 2, 3), row(2, 2, 2));
        assertThat(minimum.get(0)).containsExactly(1, 0.5, 0);
        assertThat(minimum.get(1)).containsExactly(0, 0.5, 1);
    }

    @Test
    void equalElementsShareTheGradientOfTheirMaximum() {
        Op op = new Reduce(Reduce.Kind.MAX, List.of(0));
        assertThat(gradients(op, row(4, 1, 4, 4, 0)).getFirst()).containsExactly(1.0 / 3, 0, 1.0 / 3, 1.0 / 3, 0);
    }

    @Test
    void equalElementsShareTheGradientOfTheirMinimum() {
        Op op = new Reduce(Reduce.Kind.MIN, List.of(0));
        assertThat(gradients(op, row(1, 4, 1, 2)).getFirst()).containsExactly(0.5, 0, 0.5, 0);
    }

    @Test
    void productsHaveGradientsAtZeros() {
        Op op = new Reduce(Reduce.Kind.PROD, List.of(0));
        assertThat(gradients(op, row(2, 3, 4)).getFirst()).containsExactly(12, 8, 6);
        assertThat(gradients(op, row(2, 0, 4)).getFirst()).containsExactly(0, 8, 0);
        assertThat(gradients(op, row(0, 3, 0)).getFirst()).containsExactly(0, 0, 0);
    }

    @Test
    void firstMaximumOfAWindowTakesItAll() {
        Tensor image = Tensor.of(TensorType.of(DType.F64, 1, 1, 2, 2), 1, 5, 5, 5);
        Op op = new MaxPool2d(new PoolWindow(2, 2, 2, 2, 0, 0));
        assertThat(gradients(op, image).getFirst()).containsExactly(0, 1, 0, 0);
    }

    @Test
    void rectifiersTakeZeroForNegative() {
        assertThat(gradients(new Unary(Unary.Kind.RELU), row(-1, 0, 1)).getFirst())
                .containsExactly(0, 0, 1);
        assertThat(gradients(new LeakyRelu(0.5), row(-1, 0, 1)).getFirst()).containsExactly(0.5, 0.5, 1);
        assertThat(gradients(new Unary(Unary.Kind.ABS), row(-1, 0, 1)).getFirst())
                .containsExactly(-1, 0, 1);
    }

    @Test
    void clampPassesAtItsEnds() {
        assertThat(gradients(new Clamp(-1, 1), row(-2, -1, 0, 1, 2)).getFirst()).containsExactly(0, 1, 1, 1, 0);
    }

    @Test
    void powersOfAndByZero() {
        List<double[]> power = gradients(new Binary(Binary.Kind.POW), row(0, 0, 5, 3), row(0, 2, 0, 2));
        assertThat(power.get(0)).containsExactly(0, 0, 0, 6);
        assertThat(power.get(1)).containsExactly(0, 0, Math.log(5), 9 * Math.log(3));
    }
}
