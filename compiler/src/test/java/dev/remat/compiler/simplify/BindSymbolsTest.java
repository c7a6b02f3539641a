package dev.remat.compiler.simplify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.HandGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphVerifier;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.Value;
import dev.remat.ir.op.Reshape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

class BindSymbolsTest {
    private static final Dim B = Dim.symbol("B");

    private static Graph symbolic() {
        return new HandGraph()
                .data("x", new TensorType(DType.F32, new Shape(List.of(B, Dim.of(6)))))
                .node("y", new Reshape(new Shape(List.of(B.times(2), Dim.of(3)))), "x")
                .output("y", "y")
                .build();
    }

    private static Graph bound(String symbol) {
        SequencedMap<String, Long> values = new LinkedHashMap<>();
        values.put(symbol, 5L);
        return BindSymbols.run(symbolic(), values);
    }

    @Test
    void replacesSymbolsInTypesAndAttributes() {
        Graph graph = bound("B");
        GraphVerifier.verify(graph);
        assertThat(graph.values())
                .extracting(Value::type)
                .containsExactly(TensorType.of(DType.F32, 5, 6), TensorType.of(DType.F32, 10, 3));
        assertThat(graph.nodes().getFirst().op()).isEqualTo(new Reshape(Shape.of(10, 3)));
    }

    @Test
    void leavesOtherSymbols() {
        assertThat(bound("T")).isEqualTo(symbolic());
    }
}
