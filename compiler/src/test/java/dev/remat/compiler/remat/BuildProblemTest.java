package dev.remat.compiler.remat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.HandGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Role;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Unary;
import dev.remat.ir.plan.Phase;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BuildProblemTest {
    private static final Unary EXP = new Unary(Unary.Kind.EXP);

    private final PlanningProblem planning = Problems.of(new HandGraph()
            .data("x", 10, 10)
            .parameter("w", 10, 10)
            .data("rate", TensorType.scalar(DType.F32))
            .node("p", new MatMul(false, false), "x", "w")
            .node("s", new Softmax(), "p")
            .node("row", new Slice(Shape.of(5, 0).dims(), Shape.of(5, 10).dims()), "s")
            .node("e", EXP, "row")
            .as(Role.BACKWARD)
            .node("g", new Softmax(), "s")
            .as(Role.UPDATE)
            .node("u", new SgdUpdate(0, 0, false, 0, false), "w", "g", "rate")
            .output("loss", "e")
            .build());
    private final RematProblem problem = planning.problem();

    private int node(String name) {
        return Problems.node(planning, name);
    }

    private List<String> inputs(String name) {
        int node = node(name);
        return IntStream.range(0, problem.inputCount(node))
                .mapToObj(k -> problem.valueId(problem.input(node, k)))
                .toList();
    }

    @Test
    void countsInputsAsResident() {
        assertThat(planning.residents()).isEqualTo(3);
        assertThat(problem.residentBytes())
                .as("two of 400 bytes and one of 4, in units of 256")
                .isEqualTo(1280);
    }

    @Test
    void alignsBytesAndTakesWorkspaces() {
        assertThat(problem.bytes(problem.firstResult(node("p")))).isEqualTo(512);
        assertThat(problem.bytes(problem.firstResult(node("e")))).isEqualTo(256);
        assertThat(problem.workspaceBytes(node("p"))).isEqualTo(512);
        assertThat(problem.workspaceBytes(node("s"))).isZero();
    }

    @Test
    void seesThroughViews() {
        assertThat(inputs("e")).containsExactly("s");
        assertThat(inputs("p")).containsExactly("x", "w");
    }

    @Test
    void countsOperations() {
        assertThat(planning.flops(node("p"))).as("2 · 10 · 10 · 10").isEqualTo(2000);
        assertThat(planning.flops(node("e"))).isEqualTo(50);
    }

    @Test
    void writesWhatUpdatesOverwrite() {
        int update = node("u");
        assertThat(problem.phase(update)).isEqualTo(Phase.UPDATE);
        assertThat(problem.writes(update)).extracting(problem::valueId).containsExactly("w");
        assertThat(problem.once(update)).isTrue();
        assertThat(problem.once(node("g"))).isFalse();
    }

    @Test
    void offersAPlaceOnlyToElementwiseReadersOfAWholeBuffer() {
        assertThat(problem.inPlaceOf(problem.firstResult(node("e")))).isEqualTo(ProblemValue.NONE);
        PlanningProblem whole = Problems.of(new HandGraph()
                .data("x", 4, 4)
                .node("s", new Softmax(), "x")
                .node("e", EXP, "s")
                .output("loss", "e")
                .build());
        int e = whole.problem().firstResult(Problems.node(whole, "e"));
        assertThat(whole.problem().valueId(whole.problem().inPlaceOf(e))).isEqualTo("s");
    }
}
