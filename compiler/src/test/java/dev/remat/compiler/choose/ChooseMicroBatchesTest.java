package dev.remat.compiler.choose;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.choose.MicroBatchAlternative.Outcome;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.RooflineCost;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ChooseMicroBatchesTest {
    private static final String ROWS_APART = """
        remat 1

        model Deep {
          symbol B
          input x: f32[B, 64]
          h = x
          repeat 6 { h = gelu(linear(h, 64)) }
          loss = mean(h ** 2)
        }

        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;
    private static final String ROWS_COMPARED =
            ROWS_APART.replace("mean(h ** 2)", "mean(softmax(h @ transpose(h, 0, 1)))");

    private final TestTarget target = new TestTarget();
    private final CostModel costs = new RooflineCost(target.device());
    private final Compiler compiler = new Compiler(target, costs);
    private final List<String> asked = new ArrayList<>();

    private static ModelSession model(String text, int rows) {
        return TestModels.session("deep.model", text, "B=" + rows);
    }

    private PreparedStep prepare(String text, int rows, int count, CompileOptions options) {
        return compiler.prepare(model(text, rows).cutInto(count).step(Purpose.TRAIN), options);
    }

    private MicroBatchChoice choose(String text, int rows, CompileOptions options) {
        return ChooseMicroBatches.run(model(text, rows), Purpose.TRAIN, options, compiler, asked::add);
    }

    private long keepAll(String text, int rows, int count) {
        PreparedStep step = prepare(text, rows, count, CompileOptions.defaults());
        return compiler.search(step).keepAll().bytes();
    }

    @Test
    void nothingIsCutWithoutABudget() {
        assertThat(choose(ROWS_APART, 512, CompileOptions.defaults()).count()).isEqualTo(1);
        assertThat(asked).isEmpty();
    }

    @Test
    void aBatchThatFitsStaysWholeAfterOneLookFurther() {
        long bytes = keepAll(ROWS_APART, 512, 1);
        MicroBatchChoice choice =
                choose(ROWS_APART, 512, CompileOptions.defaults().withBudget(bytes));
        assertThat(choice.count()).isEqualTo(1);
        assertThat(choice.alternatives())
                .extracting(MicroBatchAlternative::count)
                .containsExactly(1, 2);
        assertThat(choice.alternatives().getFirst().outcome()).isInstanceOf(Outcome.Planned.class);
        assertThat(choice.alternatives().getLast().outcome()).isInstanceOf(Outcome.Slower.class);
        assertThat(asked).containsExactly("cutting into 1 part", "cutting into 2 micro-batches");
    }

    /** Against all divisors, each searched by itself. */
    @Tag("slow")
    @Test
    void theCheapestThatFitsIsTaken() {
        for (double share : new double[] {0.6, 0.35}) {
            CompileOptions options = CompileOptions.defaults().with(new Budget.Share(share));
            MicroBatchChoice choice = choose(ROWS_APART, 512, options);
            long best = Long.MAX_VALUE;
            int cheapest = 0;
            for (int count = 1; count <= 512; count *= 2) {
                PreparedStep step = prepare(ROWS_APART, 512, count, options);
                var plan = compiler.search(step)
                        .fit(Strategies.auto(), choice.budgetBytes())
                        .plan();
                long cost = step.cost(plan.evaluation().cost());
                if (plan.bytes() <= choice.budgetBytes() && cost < best) {
                    best = cost;
                    cheapest = count;
                }
            }
            assertThat(choice.count()).as("within %s", share).isEqualTo(cheapest);
        }
    }

    @Test
    void whatFitsInNoNumberComesNearestInOne() {
        MicroBatchChoice choice =
                choose(ROWS_APART, 12, CompileOptions.defaults().withBudget(1000));
        assertThat(choice.alternatives())
                .extracting(MicroBatchAlternative::count)
                .containsExactly(1, 2, 3, 4, 6, 12);
        assertThat(choice.alternatives())
                .extracting(MicroBatchAlternative::outcome)
                .allMatch(Outcome.Impossible.class::isInstance);
        long least = choice.alternatives().stream()
                .mapToLong(each -> ((Outcome.Impossible) each.outcome()).floor().bytes())
                .min()
                .orElseThrow();
        assertThat(choice.alternatives())
                .filteredOn(each -> each.count() == choice.count())
                .extracting(
                        each -> ((Outcome.Impossible) each.outcome()).floor().bytes())
                .containsExactly(least);
    }

    @Test
    void rowsThatAreComparedStayTogether() {
        MicroBatchChoice choice =
                choose(ROWS_COMPARED, 512, CompileOptions.defaults().with(new Budget.Share(0.8)));
        assertThat(choice.count()).isEqualTo(1);
        assertThat(choice.alternatives()).hasSize(2);
        assertThat(choice.alternatives().getLast().outcome())
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        refused -> assertThat(refused.why().code()).isEqualTo("E0501"));
    }
}
