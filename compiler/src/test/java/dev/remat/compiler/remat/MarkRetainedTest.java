package dev.remat.compiler.remat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.HandGraph;
import dev.remat.ir.Graph;
import dev.remat.ir.Role;
import dev.remat.ir.Shape;
import dev.remat.ir.Value;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.Softmax;
import java.util.List;
import org.junit.jupiter.api.Test;

class MarkRetainedTest {
    private static final Softmax SOFTMAX = new Softmax();
    private static final MatMul PRODUCT = new MatMul(false, false);

    private static Graph chain() {
        return new HandGraph()
                .data("x", 8, 8)
                .node("a", SOFTMAX, "x")
                .node("b", SOFTMAX, "a")
                .node("unread", SOFTMAX, "b")
                .node("c", SOFTMAX, "unread")
                .as(Role.BACKWARD)
                .node("dc", PRODUCT, "c", "b")
                .node("db", PRODUCT, "dc", "a")
                .output("loss", "c")
                .output("grad", "db")
                .build();
    }

    private static List<String> retained(String steps) {
        return Problems.insert(chain(), steps).graph().values().stream()
                .filter(value -> value.retained().isPresent())
                .map(Value::name)
                .toList();
    }

    @Test
    void marksWhatTheBackwardReadsOfTheForward() {
        assertThat(retained("a b unread c dc db")).containsExactly("a", "b", "c");
    }

    @Test
    void marksWhatRecomputationStartsFrom() {
        assertThat(retained("a b unread c b dc db")).containsExactly("a", "c");
        assertThat(retained("a b unread c a b dc a db")).containsExactly("c");
    }

    @Test
    void marksBuffersInsteadOfViews() {
        Graph graph = new HandGraph()
                .data("x", 8, 8)
                .node("a", SOFTMAX, "x")
                .node("view", new Reshape(Shape.of(4, 16)), "a")
                .node("b", SOFTMAX, "a")
                .as(Role.BACKWARD)
                .node("d", SOFTMAX, "view")
                .output("loss", "b")
                .output("grad", "d")
                .build();
        assertThat(Problems.insert(graph, "a b d").graph().values().stream()
                        .filter(value -> value.retained().isPresent())
                        .map(Value::name))
                .containsExactly("a");
    }
}
