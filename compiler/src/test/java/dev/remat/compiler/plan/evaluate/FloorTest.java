package dev.remat.compiler.plan.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class FloorTest {
    private static ProblemNode node(String id, ProblemValue result, int... inputs) {
        return ProblemNode.of(id, Role.FORWARD).withInputs(inputs).withResult(result);
    }

    private static Floor floor(List<Integer> outputs, ProblemNode... nodes) {
        return Floor.of(RematProblem.of("floor", List.of(nodes), outputs));
    }

    @Test
    void isTheLargestWorkingSetWithResidentsAndWorkspace() {
        ProblemNode w = ProblemNode.resident("w", 7);
        ProblemNode a = node("a", ProblemValue.of("a", 10), 0);
        ProblemNode b = node("b", ProblemValue.of("b", 20), 0, 1).withWorkspace(3);
        assertThat(floor(List.of(), w, a, b)).isEqualTo(new Floor(7 + 10 + 20 + 3, 2));
    }

    @Test
    void countsSharedStorageOnce() {
        ProblemNode a = node("a", ProblemValue.of("a", 10));
        ProblemNode view = node("view", ProblemValue.view("view", 0), 0);
        ProblemNode b = node("b", ProblemValue.of("b", 5), 0, 1);
        assertThat(floor(List.of(), a, view, b)).isEqualTo(new Floor(15, 2));
    }

    @Test
    void letsAResultTakeThePlaceOfAnInputOfItsSizeOnly() {
        ProblemNode a = node("a", ProblemValue.of("a", 10));
        assertThat(floor(List.of(), a, node("b", ProblemValue.inPlace("b", 10, 0), 0))
                        .bytes())
                .isEqualTo(10);
        assertThat(floor(List.of(), a, node("b", ProblemValue.inPlace("b", 9, 0), 0))
                        .bytes())
                .isEqualTo(19);
        ProblemNode w = ProblemNode.resident("w", 10);
        assertThat(floor(List.of(), w, node("b", ProblemValue.inPlace("b", 10, 0), 0))
                        .bytes())
                .isEqualTo(20);
    }

    @Test
    void holdsAllOutputsAtTheEnd() {
        ProblemNode a = node("a", ProblemValue.of("a", 10));
        ProblemNode b = node("b", ProblemValue.of("b", 20));
        assertThat(floor(List.of(0, 1), a, b)).isEqualTo(new Floor(30, -1));
        assertThat(floor(List.of(1), a, b)).isEqualTo(new Floor(20, -1));
        assertThat(floor(List.of(), a, b)).isEqualTo(new Floor(20, 1));
    }
}
