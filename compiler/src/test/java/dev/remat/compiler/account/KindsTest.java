package dev.remat.compiler.account;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.Kernels;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Value;
import dev.remat.ir.text.GraphParser;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What micro-batches add up; {@link PlanSumsTest} has steps as they are compiled. */
class KindsTest {
    private static Map<String, Kind> kinds(String text, Map<String, Mark> marks) {
        Graph graph = GraphParser.parse(text);
        GraphRewriter marked = new GraphRewriter(graph);
        marked.copyInputs();
        graph.nodes().forEach(marked::copy);
        for (Value value : graph.values()) {
            Optional.ofNullable(marks.get(value.name()))
                    .ifPresent(mark -> marked.target().mark(marked.map(value.id()), mark));
        }
        KernelGraph kernels = Kernels.of(marked.build());
        Kinds kinds = Kinds.of(kernels);
        Map<String, Kind> byName = new LinkedHashMap<>();
        for (Value value : kernels.graph().values()) {
            byName.put(value.name(), kinds.of(value.id()));
        }
        return byName;
    }

    @Test
    void whatIsAddedUpIsAGradientOrAStatistic() {
        Map<String, Kind> kinds = kinds(
                """
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
                """,
                Map.of("a", Mark.GRADIENT, "b", Mark.GRADIENT, "mean", Mark.STATISTIC, "variance", Mark.STATISTIC));
        assertThat(kinds).containsEntry("sum", Kind.GRADIENT).containsEntry("g", Kind.GRADIENT);
        assertThat(kinds).as("a contribution to it").containsEntry("b", Kind.GRADIENT);
        assertThat(kinds).containsEntry("mean", Kind.STATISTICS).containsEntry("variance", Kind.STATISTICS);
        assertThat(kinds).containsEntry("m", Kind.RETAINED).containsEntry("h", Kind.RETAINED);
        assertThat(kinds).containsEntry("k", Kind.BATCH);
    }

    @Test
    void whatUpdatesReadOfIt() {
        Map<String, Kind> kinds =
                kinds("""
                    input %w f32[3] parameter
                    input %sum f32[3] accumulator
                    input %rm f32[3] state
                    input %rv f32[3] state
                    input %exp_avg f32[3] state
                    input %mean f32[3] accumulator
                    input %variance f32[3] accumulator
                    input %rate f32[]
                    %next, %e = update{rule=lion, states=1, steps=[add x2 g, mul x3 t0, sub p t1], \
                        results=[t2, t0]}(%w, %sum, %exp_avg, %rate) update
                    %m, %v = running_statistics{momentum=0.1, samples=8}(%rm, %rv, %mean, %variance) update
                    """, Map.of("mean", Mark.STATISTIC, "variance", Mark.STATISTIC, "exp_avg", Mark.OPTIMIZER));
        assertThat(kinds).containsEntry("sum", Kind.GRADIENT).containsEntry("w", Kind.PARAMETER);
        assertThat(kinds).containsEntry("mean", Kind.STATISTICS).containsEntry("variance", Kind.STATISTICS);
        assertThat(kinds).containsEntry("rm", Kind.STATISTICS).containsEntry("exp_avg", Kind.OPTIMIZER);
    }
}
