package dev.remat.compiler.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.RandomModels;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.plan.price.Price;
import dev.remat.ir.diagnostic.ModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PlanAccountTest {
    private static final int MODELS = 12;

    private static final List<Compilation> PLANS = plans();

    private static List<Compilation> plans() {
        List<Compilation> plans = new ArrayList<>();
        for (int i = 0; i < MODELS; i++) {
            for (String strategy : List.of("keep-all", "sqrt", "peak-priority")) {
                plans.add(TestModels.compile(
                        RandomModels.model(i, 3 + i % 12),
                        CompileOptions.defaults().withStrategy(strategy)));
            }
        }
        return plans;
    }

    private static List<ValueFacts> all(PlanAccount account) {
        return account.values().stream().map(account::value).toList();
    }

    @Test
    void sumsUpToWhatTheArenaHoldsAtEveryStep() {
        for (Compilation plan : PLANS) {
            PlanAccount account = PlanAccount.of(plan);
            for (int k = 0; k < account.stepCount(); k++) {
                assertThat(account.liveBytes(k))
                        .isEqualTo(plan.memory().liveBytes().get(k));
                assertThat(account.stays(k).stream().mapToLong(Stay::bytes).sum())
                        .isEqualTo(account.liveBytes(k));
                assertThat(account.step(k).liveBytes()).isEqualTo(account.liveBytes(k));
            }
            assertThat(account.liveBytes(account.peakStep()))
                    .isEqualTo(plan.memory().peakLiveBytes());
        }
    }

    @Test
    void inputsAreWhatIsThereThroughout() {
        List<Kind> throughout = List.of(Kind.PARAMETER, Kind.OPTIMIZER, Kind.STATISTICS, Kind.BATCH);
        for (Compilation plan : PLANS) {
            PlanAccount account = PlanAccount.of(plan);
            for (Stay tensor : account.stays()) {
                assertThat(tensor.input()).as("%s", tensor).isEqualTo(throughout.contains(tensor.kind()));
                if (tensor.input()) {
                    assertThat(tensor.first()).isZero();
                    assertThat(tensor.last()).isEqualTo(account.stepCount() - 1);
                }
            }
        }
    }

    @Test
    void rangesOfTheArenaNeverOverlapWhileTheyAreInUse() {
        for (Compilation plan : PLANS.subList(0, 12)) {
            PlanAccount account = PlanAccount.of(plan);
            for (int k = 0; k < account.stepCount(); k++) {
                List<Stay> live = new ArrayList<>(account.stays(k));
                live.sort((a, b) -> Long.compare(a.offset(), b.offset()));
                long end = 0;
                for (Stay tensor : live) {
                    assertThat(tensor.offset()).isGreaterThanOrEqualTo(end);
                    end = tensor.offset() + tensor.bytes();
                }
                assertThat(end).isLessThanOrEqualTo(plan.memory().arenaBytes());
            }
        }
    }

    @Test
    void costsOfTheStepsAreThoseOfTheSequence() {
        for (Compilation plan : PLANS) {
            PlanAccount account = PlanAccount.of(plan);
            long sum = 0;
            for (int k = 0; k < account.stepCount(); k++) {
                sum += account.step(k).cost();
            }
            assertThat(sum).isEqualTo(plan.evaluation().cost());
        }
    }

    @Test
    void keepsWhatTheReportRetainsUnlessItIsAlsoComputedAgain() {
        int recomputed = 0;
        for (Compilation plan : PLANS) {
            PlanAccount account = PlanAccount.of(plan);
            List<ValueFacts> values = all(account);
            List<String> marked = values.stream()
                    .filter(value -> value.state() == State.KEPT
                            || value.state() == State.RECOMPUTED
                                    && value.reason().isPresent())
                    .map(value -> value.value().name())
                    .toList();
            assertThat(marked)
                    .containsExactlyInAnyOrderElementsOf(account.retained().stream()
                            .map(tensor -> tensor.value().name())
                            .toList());
            recomputed += (int) values.stream()
                    .filter(value -> value.state() == State.RECOMPUTED)
                    .count();
        }
        assertThat(recomputed).isGreaterThan(50);
    }

    @Test
    void decisionsHaveAPriceAndNothingElseHas() {
        for (Compilation plan : PLANS) {
            for (ValueFacts value : all(PlanAccount.of(plan))) {
                Optional<Price.Change> change = value.price().map(price -> switch (price) {
                    case Price.Changed changed -> changed.change();
                    case Price.Fixed fixed -> fixed.change();
                });
                Optional<Price.Change> expected = switch (value.state()) {
                    case KEPT -> Optional.of(Price.Change.DROP);
                    case RECOMPUTED -> Optional.of(Price.Change.KEEP);
                    case RESIDENT, BELOW, MOVED, FREED, OUTPUT, BACKWARD, FUSED, VIEW -> Optional.empty();
                };
                assertThat(change).as(value.value().name()).isEqualTo(expected);
            }
        }
    }

    @Test
    void chainsEndWithTheValueAndBeginWithWhatIsInMemory() {
        int chains = 0;
        for (Compilation plan : PLANS) {
            PlanAccount account = PlanAccount.of(plan);
            for (ValueFacts value : all(account)) {
                if (value.state() != State.RECOMPUTED) {
                    continue;
                }
                ValueFacts.Recomputation chain = value.recomputation().orElseThrow();
                assertThat(chain.runs()).isNotEmpty().doesNotHaveDuplicates();
                assertThat(chain.from()).doesNotContainAnyElementsOf(chain.runs());
                chains++;
            }
        }
        assertThat(chains).isPositive();
    }

    @Test
    void findsValuesByNameByEndAndByLine() {
        PlanAccount account = PlanAccount.of(TestModels.compile(TestModels.mlp(3, 16, 8), "sqrt"));
        List<String> names =
                all(account).stream().map(value -> value.value().name()).toList();
        String one = names.stream()
                .filter(name -> name.startsWith("layer.1.") && !name.endsWith("weight") && !name.endsWith("bias"))
                .findFirst()
                .orElseThrow();
        String end = one.substring("layer.1.".length());
        assertThat(found(account, one)).containsExactly(one);
        assertThat(found(account, one + "'")).as("a recomputation").containsExactly(one);
        assertThat(found(account, "1." + end)).containsExactly(one);
        assertThat(found(account, end)).hasSizeGreaterThan(1).allMatch(name -> name.endsWith("." + end));
        assertThat(found(account, "mlp.model:2")).contains(one).noneMatch(name -> name.startsWith("layer.0."));
        assertThat(found(account, "mlp.model:2:3")).isEqualTo(found(account, "mlp.model:2"));
    }

    private static List<String> found(PlanAccount account, String text) {
        return account.find().named(text, "VALUE").stream()
                .map(account::unpriced)
                .map(value -> value.value().name())
                .toList();
    }

    @Test
    void saysWhatMayHaveBeenMeant() {
        PlanAccount account = PlanAccount.of(TestModels.compile(TestModels.mlp(3, 16, 8), "sqrt"));
        for (String unknown : List.of("nosuch", "", "'", "mlp.model:2:4", "other.model:2", "lp.model:2", "x:")) {
            assertThatThrownBy(() -> account.find().named(unknown, "VALUE"))
                    .as(unknown)
                    .isInstanceOfSatisfying(
                            ModelException.class,
                            failure -> assertThat(failure.diagnostics())
                                    .singleElement()
                                    .extracting("code")
                                    .isEqualTo("E0201"));
        }
        String name = "layer.1.weight";
        assertThat(found(account, "1.weight")).contains(name, "grad." + name);
        assertThatThrownBy(() -> account.find().named(name + "x", "VALUE"))
                .isInstanceOfSatisfying(
                        ModelException.class,
                        failure ->
                                assertThat(failure.diagnostics().toString()).contains("did you mean '" + name + "'?"));
    }
}
