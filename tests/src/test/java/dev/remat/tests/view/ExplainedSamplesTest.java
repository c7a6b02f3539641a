package dev.remat.tests.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.State;
import dev.remat.compiler.account.ValueFacts;
import dev.remat.compiler.plan.price.Price;
import dev.remat.ir.ValueId;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.samples.SampleModel;
import dev.remat.tests.samples.SampleModels;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Every value of samples is explained, whatever the plan does with it. */
class ExplainedSamplesTest {
    static final List<SampleModel> SAMPLES = SampleModels.ALL.stream()
            .filter(sample -> List.of("gpt", "unet", "resnet").contains(sample.name()))
            .toList();

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void everyValueIsExplained(SampleModel sample) {
        TargetModel target = new CpuTarget();
        Set<State> seen = EnumSet.noneOf(State.class);
        for (String strategy : List.of("keep-all", "sqrt", "segments=3")) {
            Compilation plan = new Compiler(target, new RooflineCost(target.device()))
                    .compile(sample.tinyModel(), CompileOptions.defaults().withStrategy(strategy));
            PlanAccount view = PlanAccount.of(plan);
            for (ValueId id : view.values()) {
                ValueFacts value = view.value(id);
                seen.add(value.state());
                boolean decided = value.state() == State.KEPT || value.state() == State.RECOMPUTED;
                assertThat(value.price().isPresent()).as(value.value().name()).isEqualTo(decided);
                assertThat(value.storage().isPresent() || value.state() != State.VIEW)
                        .as(value.value().name())
                        .isTrue();
                if (value.price().orElse(null) instanceof Price.Changed price) {
                    assertThat(price.cost() <= 0)
                            .as("%s costs %s", value.value().name(), price)
                            .isEqualTo(price.change() == Price.Change.KEEP || price.cost() == 0);
                }
                assertThat(view.find().named(value.value().name(), "VALUE")).containsExactly(id);
            }
            for (int step = 0; step < view.stepCount(); step++) {
                assertThat(view.step(step).index()).isEqualTo(step);
            }
            assertThat(view.reliefs(3)).allMatch(relief -> relief.price().peakBytes() < 0);
        }
        assertThat(seen)
                .contains(State.RESIDENT, State.KEPT, State.RECOMPUTED, State.FUSED, State.VIEW, State.BACKWARD);
    }
}
