package dev.remat.compiler.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.Kernels;
import dev.remat.compiler.report.MemoryUse.Purpose;
import dev.remat.ir.graph.Value;
import dev.remat.ir.text.GraphParser;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What micro-batches add up; {@link PlanReportTest} has steps as they are compiled. */
class PurposesTest {
    private static Map<String, Purpose> purposes(String graph) {
        KernelGraph kernels = Kernels.of(GraphParser.parse(graph));
        Purposes purposes = Purposes.of(kernels);
        Map<String, Purpose> byName = new LinkedHashMap<>();
        for (Value value : kernels.graph().values()) {
            byName.put(value.name(), purposes.of(value.id()));
        }
        return byName;
    }

    @Test
    void whatIsAddedUpIsAGradientOrAStatistic() {
        Map<String, Purpose> purposes = purposes("""
            input %x f32[4, 3]
            input %w f32[3, 3] parameter
            input %sum f32[3, 3] accumulator
            input %mean f32[1, 3] accumulator
            input %variance f32[1, 3] accumulator
            input %k i64[] micro_batch
            %m, %v = norm_statistics{axes=[0], centered=true}(%x)
            %h = matmul(%x, %w)
            %a = matmul{transpose_a=true}(%x, %h) backward
            %b = matmul{transpose_a=true}(%h, %h) backward
            %g = add(%a, %b) backward
            %total = accumulate(%sum, %g, %k) update
            %ms, %vs = combine_statistics(%mean, %variance, %m, %v, %k) update
            """);
        assertThat(purposes).containsEntry("sum", Purpose.GRADIENT).containsEntry("g", Purpose.GRADIENT);
        assertThat(purposes).as("a contribution to it").containsEntry("b", Purpose.GRADIENT);
        assertThat(purposes).containsEntry("mean", Purpose.STATE).containsEntry("variance", Purpose.STATE);
        assertThat(purposes).containsEntry("m", Purpose.ACTIVATION).containsEntry("h", Purpose.ACTIVATION);
        assertThat(purposes).containsEntry("k", Purpose.DATA);
    }

    @Test
    void whatUpdatesReadOfIt() {
        Map<String, Purpose> purposes = purposes("""
            input %w f32[3] parameter
            input %sum f32[3] accumulator
            input %rm f32[3] state
            input %rv f32[3] state
            input %mean f32[3] accumulator
            input %variance f32[3] accumulator
            input %rate f32[]
            %next = sgd_update{momentum=0.0, dampening=0.0, weight_decay=0.0}(%w, %sum, %rate) update
            %m, %v = running_statistics{momentum=0.1, samples=8}(%rm, %rv, %mean, %variance) update
            """);
        assertThat(purposes).containsEntry("sum", Purpose.GRADIENT).containsEntry("w", Purpose.PARAMETER);
        assertThat(purposes).containsEntry("mean", Purpose.STATE).containsEntry("variance", Purpose.STATE);
        assertThat(purposes).containsEntry("rm", Purpose.STATE);
    }
}
