package dev.remat.compiler.choose;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.CutFloor;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.target.RooflineCost;
import java.util.List;
import org.junit.jupiter.api.Test;

class FindCutFloorsTest {
    private static final String MODEL = """
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

    private final TestTarget target = new TestTarget();
    private final Compiler compiler = new Compiler(target, new RooflineCost(target.device()));
    private final ModelSession session = TestModels.session("deep.model", MODEL, "B=512");

    /** Of the step in micro-batches. */
    private long floor(int count) {
        PreparedStep step = compiler.prepare(session.cutInto(count).step(Purpose.TRAIN), CompileOptions.defaults());
        return step.floor().bytes();
    }

    /** @param floor that the whole step is said to have */
    private List<CutFloor> found(long budget, long floor) {
        BudgetException refused = new BudgetException(
                budget, new MemoryFloor(floor, "something"), 2 * budget, List.of(), List.of(), false);
        return FindCutFloors.run(session, session.step(Purpose.TRAIN), CompileOptions.defaults(), compiler, refused);
    }

    @Test
    void tellsWhatIsBelowTheWholeThatIsAboveTheBudget() {
        long whole = floor(1);
        assertThat(floor(2)).isLessThan(whole);
        CutFloor least = found(1024, whole).getFirst();
        assertThat(least.microBatches()).isGreaterThan(1);
        assertThat(least.floor().bytes()).isEqualTo(floor(least.microBatches())).isLessThan(whole);
        assertThat(found(1024, least.floor().bytes()))
                .as("no less than the whole")
                .isEmpty();
    }

    /** A floor of the whole that no plan reaches says less than one that is higher, and still within the budget. */
    @Test
    void tellsWhatFitsWhereTheWholeIsNotFoundThoughItMayFit() {
        CutFloor least = found(1024, floor(1)).getFirst();
        long bytes = least.floor().bytes();
        assertThat(found(bytes, bytes / 2)).containsExactly(least);
        assertThat(found(bytes - 1, bytes / 2)).as("beyond the budget").isEmpty();
        assertThat(found(bytes, bytes)).as("what stays").isEmpty();
    }
}
