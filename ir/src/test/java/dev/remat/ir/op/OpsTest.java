package dev.remat.ir.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OpsTest {
    @Test
    void everyExampleParsesBack() {
        for (OpFamily family : Ops.ALL) {
            for (Op op : family.examples()) {
                assertThat(Ops.parse(op.mnemonic(), op.attributes())).isEqualTo(op);
                assertThat(op.bind(dim -> dim)).isEqualTo(op);
            }
        }
    }

    @Test
    void everyRecordHasAnExample() {
        Set<Class<?>> expected = new LinkedHashSet<>();
        permitted(Op.class, expected);
        Set<Class<?>> found = new LinkedHashSet<>();
        Ops.ALL.forEach(family -> family.examples().forEach(op -> found.add(op.getClass())));
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static void permitted(Class<?> type, Set<Class<?>> records) {
        if (type.isRecord()) {
            records.add(type);
        } else {
            List.of(type.getPermittedSubclasses()).forEach(permitted -> permitted(permitted, records));
        }
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ops.parse("frobnicate", Attributes.NONE))
                .withMessage("unknown operation frobnicate");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ops.parse("add", Attributes.NONE.with("axis", 1)))
                .withMessage("add has no attribute axis");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ops.parse("concat", Attributes.NONE))
                .withMessage("missing attribute axis");
        assertThatIllegalArgumentException().isThrownBy(() -> Ops.parse("concat", Attributes.NONE.with("axis", "one")));
    }

    @Test
    void onlyTheBackwardPassAndEffectsLackGradients() {
        Set<String> without = new LinkedHashSet<>();
        Ops.ALL.forEach(family -> family.examples().stream()
                .filter(op -> Differentiable.of(op).isEmpty())
                .map(Op::mnemonic)
                .filter(name -> !name.matches(".*(_grad|update|_rows|_if)"))
                .forEach(without::add));
        assertThat(without)
                .containsExactly(
                        "not",
                        "and",
                        "or",
                        "eq",
                        "ne",
                        "lt",
                        "le",
                        "gt",
                        "ge",
                        "cast",
                        "constant",
                        "iota",
                        "table",
                        "stop_gradient",
                        "sum_of_squares",
                        "all_finite",
                        "running_statistics",
                        "mean_loss",
                        "gather_shares",
                        "scatter_shares",
                        "send",
                        "receive",
                        "own_share",
                        "chunk_squares",
                        "sum_of_chunks",
                        "step_seed",
                        "reset_seed",
                        "draw_uniform",
                        "draw_normal",
                        "draw_integer",
                        "assign",
                        "accumulate",
                        "combine_statistics",
                        "learning_rate");
    }
}
