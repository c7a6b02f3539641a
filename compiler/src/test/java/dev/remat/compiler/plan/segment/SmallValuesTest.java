package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.build.Retention;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SmallValuesTest {
    /** Pairs of a tensor and a statistic of it. */
    private static Retention retention(int layers, long tensor, long statistic) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            nodes.add(ProblemNode.of("n" + i, Role.FORWARD)
                    .withResult(ProblemValue.of("x" + i, tensor))
                    .withResult(ProblemValue.of("mean" + i, statistic)));
        }
        RematProblem problem = RematProblem.of("statistics", nodes, List.of());
        Retention retention = Retention.required(problem);
        SmallValues.retain(problem, retention);
        return retention;
    }

    @Test
    void retainsStatisticsAndNoTensors() {
        Retention retention = retention(50, 1_000_000, 10);
        for (int i = 0; i < 50; i++) {
            assertThat(retention.retained(2 * i)).isFalse();
            assertThat(retention.reason(2 * i + 1)).isEqualTo(RetainReason.SMALL);
        }
    }

    @Test
    void retainsNothingWhereAllAreOfOneSize() {
        Retention retention = retention(50, 100, 100);
        for (int v = 0; v < 100; v++) {
            assertThat(retention.retained(v)).isFalse();
        }
    }

    /** 50 × (900 + 60) bytes in 100 values: an eighth of a tenth of them all is 600 bytes, enough for ten of 60. */
    @Test
    void stopsBeforeSmallValuesAddUp() {
        Retention retention = retention(50, 900, 60);
        long kept = 0;
        for (int i = 0; i < 50; i++) {
            kept += retention.retained(2 * i + 1) ? 1 : 0;
        }
        assertThat(kept).isEqualTo(10);
    }
}
