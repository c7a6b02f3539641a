package dev.remat.compiler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.known.KnownPlan;
import dev.remat.compiler.known.KnownPlanBytes;
import dev.remat.compiler.known.PlanStore;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RetainReason;
import dev.remat.ir.plan.RetainedValue;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.ir.target.UnitCost;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PlanOnceTest {
    private static final ElaboratedModel MODEL = TestModels.model(TestModels.mlp(6, 64, 16), TestModels.ADAM);
    private static final CompileOptions QUICK = CompileOptions.defaults().with(Effort.QUICK);
    private static final TargetModel TARGET = new TestTarget();

    private static final String CUT = """
        remat 1
        model Cut {
          symbol B
          input x: f32[B, 32]
          h = x
          repeat 6 { h = tanh(linear(h, 32)) }
          loss = mean(h * h)
        }
        train { minimize loss; optimizer adamw(lr = 0.1); micro_batches 2 }
        """;

    /** Plans in memory. */
    private static final class Shelf implements PlanStore {
        final Map<String, byte[]> plans = new LinkedHashMap<>();
        final List<String> dropped = new ArrayList<>();
        int found;

        @Override
        public Optional<byte[]> find(String key) {
            found += plans.containsKey(key) ? 1 : 0;
            return Optional.ofNullable(plans.get(key));
        }

        @Override
        public void keep(String key, byte[] plan) {
            plans.put(key, plan);
        }

        @Override
        public void drop(String key, String why) {
            plans.remove(key);
            dropped.add(why);
        }

        /** Another plan instead of the only one. */
        void alter(UnaryOperator<KnownPlan> change) {
            plans.replaceAll((_, bytes) -> KnownPlanBytes.write(change.apply(KnownPlanBytes.read(bytes))));
        }
    }

    /** Hears of every strategy that is asked, but of none for a plan that is known. */
    private static final class Searches implements SearchListener {
        int heard;

        @Override
        public synchronized void trying(String what) {
            heard++;
        }
    }

    private final Shelf shelf = new Shelf();
    private final Searches searches = new Searches();

    private Compilation compile(ElaboratedModel model, CompileOptions options) {
        return new Compiler(TARGET, new UnitCost(), searches).keeping(shelf).compile(model, options);
    }

    private Compilation compile(CompileOptions options) {
        return compile(MODEL, options);
    }

    private static CompileOptions share(double share) {
        return QUICK.with(new Budget.Share(share));
    }

    /** Everything that reports tell of a compilation, but the seconds that it took. */
    private static void assertSame(Compilation one, Compilation other) {
        assertThat(ExecutionPlanJson.hash(one.plan())).isEqualTo(ExecutionPlanJson.hash(other.plan()));
        assertThat(one.sequence().sameSteps(other.sequence())).isTrue();
        assertThat(one.sequence().strategy()).isEqualTo(other.sequence().strategy());
        assertThat(one.sequence().retained()).isEqualTo(other.sequence().retained());
        assertThat(one.memory().offsets())
                .usingRecursiveComparison()
                .isEqualTo(other.memory().offsets());
        assertThat(one.memory().peakLiveBytes()).isEqualTo(other.memory().peakLiveBytes());
        assertThat(one.search())
                .usingRecursiveComparison()
                .ignoringFields("plan", "keepAll.proposal")
                .isEqualTo(other.search());
        assertThat(one.search()
                        .keepAll()
                        .sequence()
                        .sameSteps(other.search().keepAll().sequence()))
                .isTrue();
        assertThat(one.step().options()).isEqualTo(other.step().options());
    }

    /** Without a store, with an empty one, one that knows the plan, and one that knows those of other budgets. */
    @Test
    void theSamePlanComesOfEveryStore() {
        for (double share : new double[] {0.8, 0.7}) {
            Compilation without = TestModels.compile(MODEL, share(share));
            assertSame(compile(share(share)), without);
            searches.heard = 0;
            assertSame(compile(share(share)), without);
            assertThat(searches.heard).as("searches for what is known").isZero();
        }
        assertThat(shelf.plans).hasSize(2);
        assertThat(shelf.found).isEqualTo(2);
        assertThat(shelf.dropped).isEmpty();
    }

    @Test
    void aStrategyThatWasNamedIsAskedOnce() {
        Compilation without = TestModels.compile(MODEL, QUICK.withStrategy("sqrt"));
        assertSame(compile(QUICK.withStrategy("sqrt")), without);
        assertSame(compile(QUICK.withStrategy("sqrt")), without);
        assertThat(shelf.found).isOne();
    }

    /** There is nothing to search for. */
    @Test
    void keepingEverythingIsNotKept() {
        compile(QUICK);
        compile(QUICK.withStrategy("keep-all"));
        assertThat(shelf.plans).isEmpty();
        compile(QUICK.withStrategy("keep-all").with(new Budget.Share(1)));
        assertThat(shelf.plans).hasSize(1);
    }

    @Test
    void whateverMakesAnotherPlanMakesAnotherKey() {
        CompileOptions asked = share(0.8);
        List<Compilation> all = List.of(
                compile(asked),
                compile(share(0.81)),
                compile(asked.withStrategy("sqrt")),
                compile(asked.withStrategy("sqrt").with(Effort.FULL)),
                compile(asked.withStrategy("segments=3")),
                compile(TestModels.model(TestModels.mlp(6, 64, 8), TestModels.ADAM), asked),
                compile(TestModels.model(TestModels.mlp(6, 64, 16), TestModels.SGD), asked),
                new Compiler(TARGET, new RooflineCost(TARGET.device()))
                        .keeping(shelf)
                        .compile(MODEL, asked),
                new Compiler(new TestTarget(4096, 1, false), new UnitCost())
                        .keeping(shelf)
                        .compile(MODEL, asked));
        assertThat(shelf.found).isZero();
        assertThat(shelf.plans).hasSameSizeAs(all);
    }

    @Test
    void whatSectionsAroundThePlanTakeIsKnownToo() {
        ElaboratedModel cut = TestModels.session("cut.model", CUT, "B=1024").step(Purpose.TRAIN);
        Compilation without = TestModels.compile(cut, share(0.8));
        assertThat(without.rounds()).isEqualTo(2);
        assertSame(compile(cut, share(0.8)), without);
        assertSame(compile(cut, share(0.8)), without);
        assertThat(shelf.found).isOne();
        assertThat(shelf.dropped).isEmpty();
    }

    /** The plan is one of another step than the one that was asked about. */
    @Test
    void stateThatWentBelowIsThereAgain() {
        ElaboratedModel wide = TestModels.model(TestModels.mlp(2, 16, 256), TestModels.ADAM);
        Below auto = new Below(List.of(new Tier("disk", 1 << 24, 1_000_000_000, 1_000_000_000, 0)), Movable.AUTO);
        CompileOptions half = share(0.5).with(auto);
        Compilation without = TestModels.compile(wide, half);
        assertThat(without.step().options().below().movable()).isEqualTo(Movable.ALL);
        assertSame(compile(wide, half), without);
        searches.heard = 0;
        assertSame(compile(wide, half), without);
        assertThat(searches.heard).isZero();
        assertThat(shelf.dropped).isEmpty();
    }

    /** Whoever asks next without an end would get less than a search finds. */
    @Test
    void whatAnEndedSearchFoundIsNotKept() {
        SearchListener ended = new SearchListener() {
            @Override
            public void trying(String what) {}

            @Override
            public boolean expired() {
                return true;
            }
        };
        CompileOptions asked = QUICK.withStrategy("sqrt");
        new Compiler(TARGET, new UnitCost(), ended).keeping(shelf).compile(MODEL, asked);
        assertThat(shelf.plans).isEmpty();
        compile(asked);
        assertThat(shelf.plans).hasSize(1);
    }

    @Test
    void whatFitsNoPlanIsNotKept() {
        assertThatThrownBy(() -> compile(QUICK.withBudget(1000))).isInstanceOf(BudgetException.class);
        assertThat(shelf.plans).isEmpty();
    }

    /** Whatever is wrong with a known plan, it is dropped, and the right one is found and kept. */
    @Test
    void noPlanIsUsedThatACheckerRefuses() {
        Compilation right = compile(share(0.7));
        refuses(right, "invalid", plan -> with(plan, plan.layouts(), backwards(plan.sequence()), plan.cost()));
        refuses(right, "costs", plan -> with(plan, plan.layouts(), plan.sequence(), plan.cost() + 1));
        refuses(right, "cannot hold", plan -> with(plan, List.of(zeros(plan)), plan.sequence(), plan.cost()));
        refuses(
                right,
                "another problem",
                plan -> with("0".repeat(64), plan, plan.bound().cost()));
        refuses(right, "no value", plan -> with(plan, plan.layouts(), keepingNothing(plan), plan.cost()));
        refuses(right, "less than any", plan -> with(plan.problem(), plan, plan.cost() + 1));
    }

    /** An arena of the right size in which two buffers lie in one place. */
    @Test
    void theArenaOfAKnownPlanIsProven() {
        Compilation right = compile(share(0.7));
        refuses(right, "", plan -> with(plan, List.of(shifted(plan)), plan.sequence(), plan.cost()));
    }

    @Test
    void bytesThatAreNoPlanAreDropped() {
        Compilation right = compile(share(0.7));
        shelf.plans.replaceAll((_, bytes) -> Arrays.copyOf(bytes, bytes.length / 2));
        assertSame(compile(share(0.7)), right);
        assertThat(shelf.dropped).hasSize(1);
        assertSame(compile(share(0.7)), right);
        assertThat(shelf.dropped).hasSize(1);
    }

    /** Bytes whose hash is right and that mean something else, as only a mistake of remat could make them. */
    @Test
    void whateverIsWrongThereIsAPlan() {
        CompileOptions asked = share(0.7).withStrategy("sqrt");
        long budget = compile(asked).search().budgetBytes().orElseThrow();
        byte[] whole = shelf.plans.values().iterator().next();
        for (int i = 0; i < whole.length; i += 29) {
            byte[] damaged = whole.clone();
            damaged[i] ^= (byte) (1 << i % 8);
            shelf.plans.replaceAll((_, _) -> damaged);
            assertThat(compile(asked).plan().arenaBytes()).as("byte %d", i).isLessThanOrEqualTo(budget);
        }
        assertThat(shelf.dropped).isNotEmpty();
    }

    /** The twin: a layout that is missing is searched for, and is the same. */
    @Test
    void aLayoutThatIsMissingIsFoundAgain() {
        Compilation right = compile(share(0.7));
        shelf.alter(plan -> with(plan, List.of(), plan.sequence(), plan.cost()));
        assertSame(compile(share(0.7)), right);
        assertThat(shelf.dropped).isEmpty();
    }

    private void refuses(Compilation right, String why, UnaryOperator<KnownPlan> change) {
        shelf.alter(change);
        shelf.dropped.clear();
        assertSame(compile(share(0.7)), right);
        assertThat(shelf.dropped).singleElement().asString().contains(why);
        assertSame(compile(share(0.7)), right);
        assertThat(shelf.dropped).hasSize(1);
    }

    private static OperatorSequence backwards(OperatorSequence sequence) {
        int[] steps = sequence.steps().toArray();
        int last = steps[steps.length - 1];
        steps[steps.length - 1] = steps[0];
        steps[0] = last;
        return new OperatorSequence(sequence.strategy(), steps, sequence.retained());
    }

    private static OperatorSequence keepingNothing(KnownPlan plan) {
        int[] steps = plan.sequence().steps().toArray();
        List<RetainedValue> retained = List.of(new RetainedValue(1 << 20, RetainReason.CHOSEN));
        return new OperatorSequence(plan.sequence().strategy(), steps, retained);
    }

    private static List<Long> zeros(KnownPlan plan) {
        return plan.layouts().getFirst().stream().map(_ -> 0L).toList();
    }

    /** The buffer at the bottom of the arena lies where the one above it does. */
    private static List<Long> shifted(KnownPlan plan) {
        List<Long> offsets = new ArrayList<>(plan.layouts().getFirst());
        long second =
                offsets.stream().filter(offset -> offset > 0).min(Long::compare).orElseThrow();
        offsets.replaceAll(offset -> offset == 0 ? second : offset);
        return offsets;
    }

    private static KnownPlan with(KnownPlan plan, List<List<Long>> layouts, OperatorSequence sequence, long cost) {
        return new KnownPlan(
                plan.problem(),
                plan.stateBelow(),
                sequence,
                cost,
                layouts,
                plan.bytes(),
                plan.budgetBytes(),
                plan.keepAllBytes(),
                plan.smallestFoundBytes(),
                plan.bound(),
                plan.tighteningRounds());
    }

    private static KnownPlan with(String problem, KnownPlan plan, long bound) {
        return new KnownPlan(
                problem,
                plan.stateBelow(),
                plan.sequence(),
                plan.cost(),
                plan.layouts(),
                plan.bytes(),
                plan.budgetBytes(),
                plan.keepAllBytes(),
                plan.smallestFoundBytes(),
                new LowerBound(bound, plan.bound().scope()),
                plan.tighteningRounds());
    }
}
