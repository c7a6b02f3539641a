package dev.remat.compiler.plan.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForwardWaitsTest {
    private static RematProblem of(Role... roles) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (Role role : roles) {
            String id = "n" + nodes.size();
            nodes.add(ProblemNode.of(id, role).withResult(ProblemValue.of(id, 1)));
        }
        return RematProblem.of("roles", nodes, List.of(nodes.size() - 1));
    }

    @Test
    void onlyBehindTheBackward() {
        assertThat(Retention.forwardWaits(of(Role.FORWARD, Role.BACKWARD, Role.FORWARD)))
                .isTrue();
        assertThat(Retention.forwardWaits(of(Role.FORWARD, Role.FORWARD, Role.BACKWARD)))
                .isFalse();
        assertThat(Retention.forwardWaits(of(Role.FORWARD))).isFalse();
    }
}
