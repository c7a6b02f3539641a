package dev.remat.compiler.simplify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Brief;
import dev.remat.compiler.HandGraph;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Graph;
import dev.remat.ir.InputKind;
import dev.remat.ir.Role;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.Unary;
import org.junit.jupiter.api.Test;

class RemoveDeadNodesTest {
    private static final Unary EXP = new Unary(Unary.Kind.EXP);

    @Test
    void dropsWhatNothingDependsOn() {
        Graph graph = new HandGraph()
                .data("x", 4)
                .node("dead", EXP, "x")
                .node("deader", EXP, "dead")
                .node("y", EXP, "x")
                .output("y", "y")
                .build();
        Graph live = RemoveDeadNodes.run(graph);
        assertThat(Brief.of(live)).containsExactly("y = exp(x)", "output y y");
    }

    @Test
    void keepsInputsThatNothingReads() {
        Graph graph = new HandGraph()
                .data("x", 4)
                .data("spare", 4)
                .node("dead", EXP, "spare")
                .node("y", EXP, "x")
                .output("y", "y")
                .build();
        assertThat(RemoveDeadNodes.run(graph).inputs()).hasSize(2);
    }

    @Test
    void keepsWhatUpdatesNeed() {
        Graph graph = new HandGraph()
                .data("x", 4)
                .input("mean", TensorType.of(DType.F32, 4), InputKind.STATE)
                .input("variance", TensorType.of(DType.F32, 4), InputKind.STATE)
                .node("y", EXP, "x")
                .node("statistic", EXP, "x")
                .as(Role.UPDATE)
                .node(
                        "mean.next variance.next",
                        new RunningStatistics(0.1, Dim.of(8)),
                        "mean",
                        "variance",
                        "statistic",
                        "statistic")
                .output("y", "y")
                .build();
        assertThat(RemoveDeadNodes.run(graph)).isSameAs(graph);
    }
}
