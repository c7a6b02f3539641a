package dev.remat.compiler.choose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.choose.ChooseSharding.Choice;
import dev.remat.compiler.choose.GatheredParameters.Gathered;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.ranks.Shares;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.target.UnitCost;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What ranks share, where that is left open. */
class ChooseShardingTest {
    private static final String TEXT = """
        remat 1
        model Deep {
          symbol B
          input x: f32[B, 256]
          param u: f32[256, 256] = ones
          param w: f32[256, 256] = ones
          h = softmax(softmax(softmax(x @ u)))
          loss = mean((softmax(h) @ w) ** 2)
        }
        train { minimize loss; optimizer adam(lr = 0.1); micro_batches 4 }
        """;

    private static final ElaboratedModel MODEL =
            TestModels.session("deep.model", TEXT, "B=8192").step(Purpose.TRAIN);

    private static final Compiler COMPILER = new Compiler(new TestTarget(), new UnitCost());
    private static final CompileOptions OPTIONS = CompileOptions.defaults().onRanks(2);

    private static Compilation plan(Shares shares, String strategy, long budget) {
        CompileOptions options = OPTIONS.with(shares).withStrategy(strategy);
        return COMPILER.compile(MODEL, budget == 0 ? options : options.withBudget(budget));
    }

    private static List<String> buckets() {
        Compilation all = plan(Shares.of(Sharding.PARAMETERS), "keep-all", 0);
        return GatheredParameters.of(all, Optional.empty()).stream()
                .map(Gathered::share)
                .toList();
    }

    @Test
    void bucketsComeInTheOrderOfReading() {
        assertThat(buckets()).containsExactly("own.u", "own.w");
    }

    @Test
    void partsOfTheParametersAreHeldWhole() {
        List<Long> arenas = new ArrayList<>();
        for (int whole = 0; whole <= 2; whole++) {
            Shares shares = Shares.of(Sharding.PARAMETERS).withWhole(buckets().subList(0, whole));
            long bytes = plan(shares, "keep-all", 0).plan().inputs().stream()
                    .filter(input -> input.kind() == InputKind.PARAMETER)
                    .mapToLong(input -> input.type().bytes())
                    .sum();
            arenas.add(bytes);
        }
        long share = 256 * 256 * 4 / 2;
        assertThat(arenas).containsExactly(2 * share, 3 * share, 4 * share);
    }

    /** Of so few nodes {@code auto} plays all games with pebbles, so that what it finds is the optimum of each. */
    @Tag("slow")
    @Test
    void whatHasToBeComputedAgainIsPartOfTheBound() {
        Compilation smallest = plan(Shares.of(Sharding.PARAMETERS), "peak-priority", 0);
        CompileOptions options = OPTIONS.withBudget(smallest.plan().arenaBytes());
        Choice choice = ChooseSharding.run(COMPILER, MODEL, options, Optional.empty());
        assertThat(choice.least())
                .isGreaterThan(SharingBound.of(smallest.step(), OptionalLong.empty(), SearchListener.NONE));
    }

    @Test
    void whatFitsNowhereIsRefusedByTheLevelThatTakesLeast() {
        assertThatThrownBy(() -> ChooseSharding.run(COMPILER, MODEL, OPTIONS.withBudget(1 << 16), Optional.empty()))
                .isInstanceOf(BudgetException.class)
                .hasMessageContaining("no plan fits 65536 bytes");
    }
}
