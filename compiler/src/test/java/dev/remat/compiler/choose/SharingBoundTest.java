package dev.remat.compiler.choose;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.choose.ChooseSharding.Choice;
import dev.remat.compiler.choose.GatheredParameters.Gathered;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.ranks.Shares;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.target.UnitCost;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bound on what ranks may share against every way to share, each solved. */
@Tag("slow")
class SharingBoundTest {
    private static final Compiler COMPILER = new Compiler(new TestTarget(), new UnitCost());

    /** Small steps whose parameters of 256 by 256 are a bucket each. */
    enum Step {
        DEEP("w", """
            h = softmax(softmax(softmax(x @ u)))
            loss = mean((softmax(h) @ w) ** 2)
            """),
        CHAIN("v, w", """
            h = softmax(softmax(x @ u) @ v)
            loss = mean((h @ w) ** 2)
            """),
        TIED("w", """
            h = softmax(softmax(x @ u) @ w)
            loss = mean((softmax(h) @ u) ** 2)
            """),
        ONE("", """
            h = softmax(softmax(x @ u))
            loss = mean(softmax(h) ** 2)
            """);

        private final String text;

        Step(String others, String body) {
            StringBuilder model = new StringBuilder("remat 1\nmodel M {\nsymbol B\ninput x: f32[B, 256]\n");
            for (String parameter : (others.isEmpty() ? "u" : "u, " + others).split(", ")) {
                model.append("param ").append(parameter).append(": f32[256, 256] = ones\n");
            }
            text = model + body + "}\ntrain { minimize loss; optimizer adam(lr = 0.1); micro_batches 4 }\n";
        }

        private ElaboratedModel model(int rows) {
            return TestModels.session("m.model", text, "B=" + rows).step(Purpose.TRAIN);
        }
    }

    private record Asked(ElaboratedModel model, int ranks) {
        private Compilation plan(Shares shares, String strategy, Optional<Long> budget) {
            CompileOptions options =
                    CompileOptions.defaults().onRanks(ranks).with(shares).withStrategy(strategy);
            return COMPILER.compile(model, budget.map(options::withBudget).orElse(options));
        }

        /** Every way to hold some parameters whole and others in shares, and the levels. */
        private List<Shares> everything() {
            Compilation all = plan(Shares.of(Sharding.PARAMETERS), "keep-all", Optional.empty());
            List<String> buckets = GatheredParameters.of(all, Optional.empty()).stream()
                    .map(Gathered::share)
                    .toList();
            List<Shares> ways = new ArrayList<>(List.of(Shares.of(Sharding.NONE), Shares.of(Sharding.OPTIMIZER)));
            for (int subset = 0; subset < 1 << buckets.size(); subset++) {
                List<String> whole = new ArrayList<>();
                for (int k = 0; k < buckets.size(); k++) {
                    if ((subset >> k & 1) == 1) {
                        whole.add(buckets.get(k));
                    }
                }
                ways.add(Shares.of(Sharding.PARAMETERS).withWhole(whole));
            }
            return ways;
        }

        private OptionalDouble cost(Shares shares, long budget) {
            try {
                return OptionalDouble.of(
                        plan(shares, "auto", Optional.of(budget)).cost());
            } catch (BudgetException e) {
                return OptionalDouble.empty();
            }
        }
    }

    /** @param percent of the way from the smallest plan of any to keeping everything */
    @ParameterizedTest
    @CsvSource({"DEEP, 8192, 2, 30", "DEEP, 2048, 4, 0", "CHAIN, 1024, 2, 60", "TIED, 2048, 4, 40"})
    void nothingCostsLess(Step step, int rows, int ranks, int percent) {
        Asked asked = new Asked(step.model(rows), ranks);
        List<Shares> ways = asked.everything();
        long least = Long.MAX_VALUE;
        long most = 0;
        for (Shares shares : ways) {
            least = Math.min(least, bytes(asked.plan(shares, "peak-priority", Optional.empty())));
            most = Math.max(most, bytes(asked.plan(shares, "keep-all", Optional.empty())));
        }
        long budget = least + (most - least) * percent / 100;
        double optimum = ways.stream()
                .map(shares -> asked.cost(shares, budget))
                .flatMapToDouble(OptionalDouble::stream)
                .min()
                .orElseThrow();
        CompileOptions options = CompileOptions.defaults().onRanks(ranks).withBudget(budget);
        Choice choice = ChooseSharding.run(COMPILER, asked.model(), options, Optional.empty());
        assertThat(choice.least()).isLessThanOrEqualTo(optimum);
        assertThat(choice.chosen().cost()).isGreaterThanOrEqualTo(optimum);
    }

    @ParameterizedTest
    @CsvSource({
        "DEEP, 8192, 2, 0", "DEEP, 8192, 2, 60", "DEEP, 2048, 4, 50",
        "CHAIN, 8192, 2, 0", "CHAIN, 8192, 4, 30", "CHAIN, 1024, 4, 0",
        "TIED, 8192, 2, 0", "ONE, 8192, 2, 0", "ONE, 2048, 4, 50"
    })
    @EnabledIfSystemProperty(named = "remat.cases", matches = "all")
    void nothingCostsLessOfAllCases(Step step, int rows, int ranks, int percent) {
        nothingCostsLess(step, rows, ranks, percent);
    }

    private static long bytes(Compilation plan) {
        return plan.plan().arenaBytes();
    }
}
