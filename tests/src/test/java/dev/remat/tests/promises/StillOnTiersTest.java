package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.ir.plan.Tier;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A disk makes no step slower, though all that may be moved is reckoned in whole pages. */
@Tag("slow")
class StillOnTiersTest {
    private static final Below DISK =
            new Below(List.of(new Tier("disk", 1L << 40, 500_000_000, 500_000_000, 80_000)), Movable.AUTO);

    /** Tensors of some hundred bytes, none of which is worth moving. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt | B=4,T=5,vocab=11,width=8,depth=2,heads=2,context=8 | 75",
                "unet | B=4,classes=3,width=2,image=16,pad=1 | 40"
            })
    void recomputingAloneIsAmongWhatIsChosenFrom(String name, String settings, int share) throws IOException {
        String text = TrialRun.sample(name);
        CompileOptions quick = CompileOptions.defaults().with(Effort.QUICK);
        Compilation whole = TrialRun.compile(text, settings, quick);
        long floor = whole.step().floor().bytes();
        CompileOptions asked = quick.withBudget(floor + (whole.plan().arenaBytes() - floor) * share / 100);
        Compilation still = TrialRun.compile(text, settings, asked);
        Compilation tiered = TrialRun.compile(text, settings, asked.with(DISK));
        assertThat(cost(tiered)).isLessThanOrEqualTo(cost(still));
        assertThat(cost(still)).isGreaterThan(still.baselineCost());
    }

    private static long cost(Compilation compilation) {
        return compilation.cost();
    }
}
