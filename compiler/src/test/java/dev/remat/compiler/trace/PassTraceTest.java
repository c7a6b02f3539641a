package dev.remat.compiler.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.target.UnitCost;
import java.util.List;
import org.junit.jupiter.api.Test;

class PassTraceTest {
    private static final PassTrace TRACE = new PassTrace();
    private static final Compilation PLAN = new Compiler(new TestTarget(), new UnitCost(), SearchListener.NONE, TRACE)
            .compile(
                    TestModels.model(TestModels.mlp(4, 256, 16), TestModels.ADAM),
                    CompileOptions.defaults().withStrategy("sqrt"));
    private static final List<IrPass> PASSES = TRACE.through(PLAN);

    private static List<IrLine> lines(String pass) {
        return PASSES.stream()
                .filter(each -> each.name().equals(pass))
                .findFirst()
                .orElseThrow()
                .lines();
    }

    private static List<String> texts(String pass) {
        return lines(pass).stream().map(IrLine::text).toList();
    }

    @Test
    void everyPassIsThereInItsOrder() {
        assertThat(PASSES)
                .extracting(IrPass::name)
                .containsExactly(
                        "elaborate",
                        "eliminate-common-subexpressions",
                        "remove-dead-nodes",
                        "apply-precision",
                        "differentiate",
                        "remove-identities",
                        "concatenate-pads",
                        "eliminate-common-subexpressions",
                        "remove-dead-nodes",
                        "join-products",
                        "stack-products",
                        "channels-last",
                        "take-moments",
                        "sample-pixels",
                        "normalize-again",
                        "keep-signs",
                        "materialize-views",
                        "place-results",
                        "form-fusion-groups",
                        "insert-recompute",
                        "form-kernels");
    }

    @Test
    void whatAPassLeavesAloneHasTheSameLines() {
        assertThat(texts("remove-dead-nodes")).isEqualTo(texts("elaborate"));
        assertThat(texts("differentiate"))
                .containsAll(texts("apply-precision"))
                .hasSizeGreaterThan(texts("apply-precision").size())
                .doesNotHaveDuplicates();
        assertThat(texts("elaborate"))
                .hasSize(PLAN.model().forward().inputs().size()
                        + PLAN.model().forward().nodes().size());
    }

    /** Equal layers differ in their names, so that a page need not tell each of them. */
    @Test
    void equalLayersHaveEqualForms() {
        List<String> products = PASSES.getFirst().lines().stream()
                .map(IrLine::form)
                .filter(form -> form.contains(" = matmul"))
                .toList();
        assertThat(products)
                .hasSizeGreaterThan(products.stream().distinct().toList().size());
    }

    @Test
    void recomputationsBelongToTheirOriginals() {
        List<IrLine> again = lines("insert-recompute").stream()
                .filter(line -> line.text().contains(" again"))
                .toList();
        assertThat(again)
                .hasSameSizeAs(PLAN.rematerialized().graph().nodes().stream()
                        .filter(node -> node.isClone())
                        .toList());
        assertThat(again)
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line.text()).startsWith(line.name() + "'"));
    }

    @Test
    void groupsAndKernelsHaveHeads() {
        assertThat(texts("form-fusion-groups").stream().filter(text -> text.startsWith("— group ")))
                .hasSize(PLAN.planning().fused().groups().size());
        assertThat(texts("form-kernels").stream().filter(text -> text.startsWith("— kernel ")))
                .hasSize(PLAN.plan().steps().size());
        assertThat(texts("insert-recompute")).noneMatch(text -> text.startsWith("—"));
    }
}
