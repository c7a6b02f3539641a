package dev.remat.compiler.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Brief;
import dev.remat.compiler.HandGraph;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.remat.BuildProblem;
import dev.remat.compiler.remat.InsertRecompute;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.remat.RematerializedGraph;
import dev.remat.compiler.unit.FormUnits;
import dev.remat.ir.Graph;
import dev.remat.ir.Role;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.UnitCost;
import java.util.List;
import org.junit.jupiter.api.Test;

class FormKernelsTest {
    private static final TestTarget TARGET = new TestTarget();
    private static final Unary EXP = new Unary(Unary.Kind.EXP);
    private static final Binary MUL = new Binary(Binary.Kind.MUL);
    private static final MatMul PRODUCT = new MatMul(false, false);

    /** y = exp(x) is read by a product, and by the backward pass: {@code dy = y · g}. */
    private static HandGraph shared() {
        return new HandGraph()
                .data("x", 8, 8)
                .data("g", 8, 8)
                .node("y", EXP, "x")
                .node("z", PRODUCT, "y", "y")
                .as(Role.BACKWARD)
                .node("other", PRODUCT, "g", "g")
                .node("dy", MUL, "y", "g")
                .output("loss", "z")
                .output("more", "other")
                .output("grad", "dy");
    }

    /** @param steps units in the order of the unit graph, by number */
    private static List<String> kernels(HandGraph graph, int... steps) {
        Graph built = graph.build();
        PlanningProblem planning = BuildProblem.run(FormUnits.run(built, TARGET), TARGET, new UnitCost());
        int[] nodes = steps.clone();
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] += planning.residents();
        }
        RematerializedGraph rematerialized =
                InsertRecompute.run(planning, new OperatorSequence("hand", nodes, List.of()));
        KernelGraph kernels = FormKernels.run(rematerialized, TARGET);
        return Brief.units(kernels.graph(), kernels.kernels());
    }

    @Test
    void letsACloneVanishIntoItsOnlyReader() {
        assertThat(kernels(shared(), 0, 1, 2, 0, 3))
                .containsExactly("y -> y", "z -> z", "other -> other", "y' dy -> dy");
    }

    @Test
    void keepsWhatHasAnotherReader() {
        assertThat(kernels(shared(), 0, 1, 2, 3)).containsExactly("y -> y", "z -> z", "other -> other", "dy -> dy");
    }

    @Test
    void movesNothing() {
        assertThat(kernels(shared(), 0, 1, 0, 2, 3))
                .containsExactly("y -> y", "z -> z", "y' -> y'", "other -> other", "dy -> dy");
    }

    @Test
    void keepsOutputs() {
        HandGraph graph = new HandGraph()
                .data("x", 8, 8)
                .node("y", EXP, "x")
                .node("z", EXP, "y")
                .output("y", "y")
                .output("z", "z");
        assertThat(kernels(graph, 0, 1)).containsExactly("y -> y", "z -> z");
    }

    @Test
    void vanishesIntoReductionsThatTakeWorkAlong() {
        HandGraph graph = new HandGraph()
                .data("x", 8, 8)
                .node("y", EXP, "x")
                .node("z", PRODUCT, "y", "y")
                .as(Role.BACKWARD)
                .node("sum", new Reduce(Reduce.Kind.SUM, List.of(0)), "y")
                .output("loss", "z")
                .output("grad", "sum");
        assertThat(kernels(graph, 0, 1, 0, 2)).containsExactly("y -> y", "z -> z", "y' sum -> sum");
    }

    @Test
    void leavesReadersWithoutElementwiseWork() {
        HandGraph graph = new HandGraph()
                .data("x", 8, 8)
                .node("y", EXP, "x")
                .node("z", PRODUCT, "y", "x")
                .as(Role.BACKWARD)
                .node("dy", PRODUCT, "x", "y")
                .output("loss", "z")
                .output("grad", "dy");
        assertThat(kernels(graph, 0, 1, 0, 2)).containsExactly("y -> y", "z -> z", "y' -> y'", "dy -> dy");
    }
}
