package dev.remat.compiler.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.RandomModels;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.plan.price.Price;
import dev.remat.compiler.report.PlanReport;
import dev.remat.compiler.report.RetainedTensor;
import dev.remat.compiler.view.StepFacts.Tensor;
import dev.remat.ir.diagnostic.ModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PlanViewTest {
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

    private static List<ValueFacts> all(PlanView view) {
        return view.values().stream().map(view::value).toList();
    }

    @Test
    void sumsUpToWhatTheArenaHoldsAtEveryStep() {
        for (Compilation plan : PLANS) {
            PlanView view = PlanView.of(plan);
            for (int k = 0; k < view.stepCount(); k++) {
                assertThat(view.liveBytes(k))
                        .isEqualTo(plan.memory().liveBytes().get(k));
                assertThat(view.tensors(k).stream().mapToLong(Tensor::bytes).sum())
                        .isEqualTo(view.liveBytes(k));
                assertThat(view.step(k).liveBytes()).isEqualTo(view.liveBytes(k));
            }
            assertThat(view.liveBytes(view.peakStep())).isEqualTo(plan.memory().peakLiveBytes());
            assertThat(view.peakStep()).isEqualTo(PlanReport.of(plan).memory().peakKernel());
        }
    }

    @Test
    void inputsAreWhatIsThereThroughout() {
        List<Kind> throughout = List.of(Kind.PARAMETER, Kind.OPTIMIZER, Kind.STATISTICS, Kind.BATCH);
        for (Compilation plan : PLANS) {
            PlanView view = PlanView.of(plan);
            for (Tensor tensor : view.tensors()) {
                assertThat(tensor.input()).as("%s", tensor).isEqualTo(throughout.contains(tensor.kind()));
                if (tensor.input()) {
                    assertThat(tensor.first()).isZero();
                    assertThat(tensor.last()).isEqualTo(view.stepCount() - 1);
                }
            }
        }
    }

    @Test
    void rangesOfTheArenaNeverOverlapWhileTheyAreInUse() {
        for (Compilation plan : PLANS.subList(0, 12)) {
            PlanView view = PlanView.of(plan);
            for (int k = 0; k < view.stepCount(); k++) {
                List<Tensor> live = new ArrayList<>(view.tensors(k));
                live.sort((a, b) -> Long.compare(a.offset(), b.offset()));
                long end = 0;
                for (Tensor tensor : live) {
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
            PlanView view = PlanView.of(plan);
            long sum = 0;
            for (int k = 0; k < view.stepCount(); k++) {
                sum += view.step(k).cost();
            }
            assertThat(sum).isEqualTo(plan.evaluation().cost());
        }
    }

    @Test
    void keepsWhatTheReportRetainsUnlessItIsAlsoComputedAgain() {
        int recomputed = 0;
        for (Compilation plan : PLANS) {
            PlanView view = PlanView.of(plan);
            List<ValueFacts> values = all(view);
            List<String> marked = values.stream()
                    .filter(value -> value.state() == State.KEPT
                            || value.state() == State.RECOMPUTED
                                    && value.reason().isPresent())
                    .map(ValueFacts::name)
                    .toList();
            assertThat(marked)
                    .containsExactlyInAnyOrderElementsOf(PlanReport.of(plan).retained().stream()
                            .map(RetainedTensor::name)
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
            for (ValueFacts value : all(PlanView.of(plan))) {
                Optional<Price.Change> change = value.price().map(price -> switch (price) {
                    case Price.Changed changed -> changed.change();
                    case Price.Fixed fixed -> fixed.change();
                });
                Optional<Price.Change> expected = switch (value.state()) {
                    case KEPT -> Optional.of(Price.Change.DROP);
                    case RECOMPUTED -> Optional.of(Price.Change.KEEP);
                    case RESIDENT, BELOW, MOVED, FREED, OUTPUT, BACKWARD, FUSED, VIEW -> Optional.empty();
                };
                assertThat(change).as(value.name()).isEqualTo(expected);
            }
        }
    }

    @Test
    void chainsEndWithTheValueAndBeginWithWhatIsInMemory() {
        int chains = 0;
        for (Compilation plan : PLANS) {
            PlanView view = PlanView.of(plan);
            for (ValueFacts value : all(view)) {
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
        PlanView view = PlanView.of(TestModels.compile(TestModels.mlp(3, 16, 8), "sqrt"));
        List<String> names = all(view).stream().map(ValueFacts::name).toList();
        String one = names.stream()
                .filter(name -> name.startsWith("layer.1.") && !name.endsWith("weight") && !name.endsWith("bias"))
                .findFirst()
                .orElseThrow();
        String end = one.substring("layer.1.".length());
        assertThat(found(view, one)).containsExactly(one);
        assertThat(found(view, one + "'")).as("a recomputation").containsExactly(one);
        assertThat(found(view, "1." + end)).containsExactly(one);
        assertThat(found(view, end)).hasSizeGreaterThan(1).allMatch(name -> name.endsWith("." + end));
        assertThat(found(view, "mlp.model:2")).contains(one).noneMatch(name -> name.startsWith("layer.0."));
        assertThat(found(view, "mlp.model:2:3")).isEqualTo(found(view, "mlp.model:2"));
    }

    private static List<String> found(PlanView view, String text) {
        return view.find().named(text, "VALUE").stream()
                .map(view::unpriced)
                .map(ValueFacts::name)
                .toList();
    }

    @Test
    void saysWhatMayHaveBeenMeant() {
        PlanView view = PlanView.of(TestModels.compile(TestModels.mlp(3, 16, 8), "sqrt"));
        for (String unknown : List.of("nosuch", "", "'", "mlp.model:2:4", "other.model:2", "lp.model:2", "x:")) {
            assertThatThrownBy(() -> view.find().named(unknown, "VALUE"))
                    .as(unknown)
                    .isInstanceOfSatisfying(
                            ModelException.class,
                            failure -> assertThat(failure.diagnostics())
                                    .singleElement()
                                    .extracting("code")
                                    .isEqualTo("E0201"));
        }
        String name = "layer.1.weight";
        assertThat(found(view, "1.weight")).contains(name, "grad." + name);
        assertThatThrownBy(() -> view.find().named(name + "x", "VALUE"))
                .isInstanceOfSatisfying(
                        ModelException.class,
                        failure ->
                                assertThat(failure.diagnostics().toString()).contains("did you mean '" + name + "'?"));
    }
}
