package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.TestModels;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStep.Placement;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.execution.Section;
import dev.remat.ir.graph.InputKind;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/** A step of micro-batches, whose sections share one arena. */
class SectionsCheckerTest {
    private static final String MODEL = """
        remat 1
        model Cut() {
          symbol B
          input x: f32[B, 4, 6, 6]
          input targets: i32[B]
          h = conv2d(x, 8, 3, padding = 1) |> batch_norm |> relu |> dropout(0.1)
          h = conv2d(h, 8, 3, padding = 1) |> batch_norm |> relu
          loss = cross_entropy(linear(global_avg_pool(h), 5), targets, ignore_index = -1)
        }
        train {
          minimize loss
          optimizer adam(lr = 0.1, clip_norm = 1.0)
          micro_batches 4
        }
        """;

    private final ExecutionPlan plan = TestModels.compileCut(
                    MODEL, "B=16", CompileOptions.defaults().withStrategy("sqrt"))
            .plan();
    private final PlanEdits edits = new PlanEdits(plan);

    private static AbstractThrowableAssert<?, ?> refuse(ExecutionPlan bad) {
        return assertThatThrownBy(() -> ArenaChecker.check(bad)).isInstanceOf(PlanViolationException.class);
    }

    private Section section(int index) {
        return plan.sections().get(index);
    }

    @Test
    void countsThenRunsMicroBatchesThenUpdates() {
        assertThat(plan.sections()).extracting(Section::times).containsExactly(4, 4, 1);
        assertThat(plan.steps().stream().anyMatch(KernelStep::recomputed)).isTrue();
        assertThatCode(() -> ArenaChecker.check(plan)).doesNotThrowAnyException();
    }

    @Test
    void refusesToUpdateInEveryRound() {
        refuse(edits.sections(
                        section(0),
                        section(1),
                        new Section(section(2).from(), section(2).to(), 4)))
                .hasMessageContaining("once a micro-batch, not once a step");
    }

    @Test
    void refusesToReadWhatNoRoundHasCounted() {
        List<KernelStep> steps =
                plan.steps().subList(section(1).from(), plan.steps().size());
        refuse(edits.steps(steps)).hasMessageContaining("is read before a micro-batch has added to it");
    }

    @Test
    void refusesAnythingInThePlaceOfASum() {
        int tried = 0;
        for (ArenaTensor sum : plan.inputs()) {
            for (int i = 0;
                    sum.kind() == InputKind.ACCUMULATOR && i < plan.steps().size();
                    i++) {
                List<Placement> results = plan.steps().get(i).results();
                for (int r = 0; r < results.size(); r++) {
                    if (!isInput(results.get(r).offset())) {
                        tried++;
                        refuse(edits.placed(results.get(r).value(), sum.offset()));
                    }
                }
            }
        }
        assertThat(tried).isGreaterThan(100);
    }

    @Test
    void refusesResultsOfARoundInThePlaceOfItsData() {
        ArenaTensor data = plan.input("x");
        for (int i = section(1).from(); i < section(1).to(); i++) {
            Placement result = plan.steps().get(i).results().getFirst();
            if (!isInput(result.offset())) {
                refuse(edits.placed(result.value(), data.offset()));
            }
        }
    }

    private boolean isInput(long offset) {
        return plan.inputs().stream().anyMatch(input -> input.offset() == offset);
    }
}
