package dev.remat.tests.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.account.Copy;
import dev.remat.compiler.account.Kind;
import dev.remat.compiler.account.OffloadedTensor;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.RoundTimes;
import dev.remat.compiler.account.RoundTimes.Slice;
import dev.remat.compiler.account.State;
import dev.remat.compiler.account.StepTimes;
import dev.remat.compiler.account.ValueFacts;
import dev.remat.compiler.plan.price.Price;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.promises.TrialRun;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is told of plans that move tensors: their lanes beside their kernels, and the way of each value. */
class MovedViewsTest {
    private static final List<Tier> TIERS = List.of(
            new Tier("disk", 1L << 30, 600_000_000, 800_000_000, 500, 30_000), new Tier("far", 1L << 30, 1, 1, 0));

    private static Compilation compile(String name, String settings, CompileOptions options) throws IOException {
        CpuTarget target = new CpuTarget();
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(TrialRun.cut(TrialRun.sample(name), settings, Purpose.TRAIN, 1, DType.F32), options);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt | B=16,T=16,vocab=11,width=16,depth=2,heads=2,context=16 | offload-activations",
                "unet | B=4,classes=3,width=4,image=16,pad=1 | offload",
            })
    void lanesAndWaysAreThoseOfThePlan(String name, String settings, String strategy) throws IOException {
        CompileOptions moving =
                CompileOptions.defaults().with(new Below(TIERS, Movable.AUTO)).withStrategy(strategy);
        Compilation plan =
                compile(name, settings, strategy.equals("offload") ? moving.with(new Budget.Share(0.7)) : moving);
        PlanAccount view = PlanAccount.of(plan);
        RoundTimes round = view.round(view.sections().getFirst(), view.times(plan.costs()));

        assertThat(round.end()).isEqualTo(plan.evaluation().cost());
        assertThat(round.transfers()).hasSameSizeAs(plan.plan().transfers().all());
        Map<String, Long> free = new LinkedHashMap<>();
        for (Slice slice : round.transfers()) {
            String lane = slice.transfer().lane() + " " + slice.transfer().place();
            assertThat(slice.begin()).isGreaterThanOrEqualTo(free.getOrDefault(lane, 0L));
            assertThat(slice.end()).isGreaterThan(slice.begin());
            free.put(lane, slice.end());
        }

        assertThat(view.stays())
                .anySatisfy(tensor -> assertThat(tensor.kind()).isEqualTo(Kind.FETCHED))
                .allSatisfy(tensor -> assertThat(tensor.name().orElse("")).doesNotContain("~"));
        assertPlacesHoldCopies(view);

        int told = 0;
        int moved = 0;
        for (ValueId id : view.values()) {
            ValueFacts facts = view.unpriced(id);
            told += facts.moves().size();
            moved += facts.state() == State.MOVED ? 1 : 0;
            if (facts.state() == State.MOVED) {
                assertThat(facts.moves())
                        .allSatisfy(move -> assertThat(move.storedAfter()).isPresent())
                        .allSatisfy(move -> assertThat(move.awayNanos()).isGreaterThanOrEqualTo(move.laneNanos()));
                assertPriced(view.value(id));
            }
        }
        List<OffloadedTensor> all = view.movement().orElseThrow().tensors();
        assertThat(told).isEqualTo(all.size());
        assertThat(moved).isPositive();
    }

    /** To be kept it takes no transfer, to be computed again it is the last of what runs. */
    private static void assertPriced(ValueFacts moved) {
        assertThat(moved.price()).hasValueSatisfying(price -> {
            assertThat(price).isInstanceOf(Price.Changed.class);
            Price.Changed kept = (Price.Changed) price;
            assertThat(kept.change()).isEqualTo(Price.Change.KEEP);
            assertThat(kept.cost()).isNotPositive();
            assertThat(kept.added()).isEmpty();
            assertThat(kept.peakBytes()).isNotNegative();
        });
        if (moved.instead().orElse(null) instanceof Price.Changed again) {
            assertThat(again.added()).isNotEmpty();
            assertThat(moved.recomputation().orElseThrow().runs()).hasSameSizeAs(again.added());
        }
    }

    /** At no step is more below than the place was given, and at some step something is. */
    private static void assertPlacesHoldCopies(PlanAccount view) {
        List<PlaceSize> places = view.compilation().plan().transfers().places();
        for (int place = 0; place < places.size(); place++) {
            long most = 0;
            for (int step = 0; step < view.stepCount(); step++) {
                long bytes = 0;
                for (Copy copy : view.copies()) {
                    bytes += copy.place() == place && copy.first() <= step && step <= copy.last() ? copy.bytes() : 0;
                }
                most = Math.max(most, bytes);
            }
            assertThat(most).isPositive().isLessThanOrEqualTo(places.get(place).bytes());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = "gpt | B=4,T=5,vocab=11,width=8,depth=2,heads=2,context=8")
    void whatStaysIsSaidToStay(String name, String settings) throws IOException {
        Compilation plan = compile(name, settings, CompileOptions.defaults());
        PlanAccount view = PlanAccount.of(plan);
        StepTimes times = view.times(plan.costs());
        RoundTimes round = view.round(view.sections().getFirst(), times);
        assertThat(round.transfers()).isEmpty();
        assertThat(view.copies()).isEmpty();
        assertThat(view.stays()).noneSatisfy(tensor -> assertThat(tensor.kind()).isEqualTo(Kind.FETCHED));
        assertThat(round.end())
                .isEqualTo(times.costs().stream().mapToLong(Long::longValue).sum());
        assertThat(view.values()).allSatisfy(id -> {
            assertThat(view.unpriced(id).moves()).isEmpty();
            assertThat(view.value(id).instead()).isEmpty();
            assertThat(view.unpriced(id).state()).isNotEqualTo(State.MOVED);
        });
    }
}
