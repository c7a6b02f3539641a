package dev.remat.tests.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Ops;
import dev.remat.ir.text.GraphParser;
import dev.remat.ir.text.GraphPrinter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example of every operation: text form, cost and reference, in each floating dtype. */
class OpCoverageTest {
    private static final List<DType> FLOATS = List.of(DType.F32, DType.BF16, DType.F16, DType.F64);

    static Stream<Arguments> examples() {
        return Ops.ALL.stream()
                .flatMap(family -> family.examples().stream())
                .map(op -> Arguments.of(op.mnemonic() + op.attributes(), op));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void textFormReadsBack(String name, Op op) {
        for (List<Tensor> operands : new OpSamples(DType.F32).of(op)) {
            Graph graph = graph(op, operands);
            assertThat(GraphParser.parse(GraphPrinter.print(graph))).isEqualTo(graph);
        }
    }

    private static Graph graph(Op op, List<Tensor> operands) {
        GraphBuilder builder = new GraphBuilder("example");
        List<ValueId> ids = new ArrayList<>();
        for (Tensor operand : operands) {
            ids.add(builder.input("x", operand.type(), InputKind.DATA, Initializer.ZEROS, Location.NONE));
        }
        builder.emit(op, ids)
                .forEach(result -> builder.output(builder.value(result).name(), result));
        return builder.build();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void evaluatesInEveryFloatingDtype(String name, Op op) {
        for (DType real : FLOATS) {
            for (List<Tensor> operands : new OpSamples(real).of(op)) {
                List<TensorType> types = operands.stream().map(Tensor::type).toList();
                List<TensorType> expected = op.infer(types);
                List<Tensor> exact = new ReferenceInterpreter(Rounding.NONE, 1).apply(op, operands, 1);
                List<Tensor> rounded = new ReferenceInterpreter(Rounding.TO_DTYPE, 1).apply(op, operands, 1);
                assertThat(exact.stream().map(Tensor::type)).isEqualTo(expected);
                assertThat(rounded.stream().map(Tensor::type)).isEqualTo(expected);
                assertThat(op.flops(types, expected)).isNotNegative();
                for (Tensor tensor : rounded) {
                    assertThat(tensor.data()).doesNotContain(Double.NaN);
                }
            }
        }
    }
}
