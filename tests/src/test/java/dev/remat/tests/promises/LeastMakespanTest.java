package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuTarget;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What stages take at least, beside what they are planned to take. */
@Tag("slow")
class LeastMakespanTest {
    private static final int MICRO_BATCHES = 4;
    private static final List<Schedule> SCHEDULES =
            List.of(Schedule.ONE_F_ONE_B, Schedule.GPIPE, Schedule.ZERO_BUBBLE, Schedule.interleaved(2));

    private final CpuTarget target = new CpuTarget();
    private final RooflineCost costs = new RooflineCost(target.device());
    private final CompileStages compiler = new CompileStages(new Compiler(target, costs), target, costs);

    @ParameterizedTest
    @MethodSource(TrainedInPieces.SAMPLES)
    void noStagesAreFaster(String name, String settings, DType precision) throws IOException {
        ElaboratedModel model = TrialRun.cut(TrialRun.sample(name), settings, Purpose.TRAIN, MICRO_BATCHES, precision);
        for (int ranks : new int[] {1, 2}) {
            CompileOptions options =
                    CompileOptions.defaults().onRanks(ranks).with(ranks == 1 ? Sharding.NONE : Sharding.OPTIMIZER);
            for (int stages = 2; stages <= 4; stages++) {
                for (Schedule schedule : SCHEDULES) {
                    StageSet set = compiler.run(model, options, new Staging(stages, schedule));
                    assertThat(compiler.leastMakespan(model, ranks, stages, schedule))
                            .as("%s, %d ranks, %d stages by %s", name, ranks, stages, schedule)
                            .isPositive()
                            .isLessThanOrEqualTo(set.times(Optional.empty()).makespan());
                }
            }
        }
    }

    /** Of one stage all that it computes; of several more than a share of that, for the last has to wait. */
    @Test
    void stagesWaitForTheFirstMicroBatch() throws IOException {
        ElaboratedModel model = TrialRun.cut(
                TrialRun.sample("gpt"),
                "B=8,T=16,vocab=64,width=64,depth=8,heads=2,context=16",
                Purpose.TRAIN,
                MICRO_BATCHES,
                DType.F32);
        long alone = compiler.leastMakespan(model, 1, 1, Schedule.ONE_F_ONE_B);
        assertThat(compiler.leastMakespan(model, 2, 1, Schedule.ONE_F_ONE_B)).isEqualTo(alone / 2);
        long shared = compiler.leastMakespan(model, 1, 4, Schedule.interleaved(2));
        assertThat(shared).isEqualTo(alone / 4);
        // By 13 % if a third of each part were all on the longest way through it, and parts of any size.
        assertThat(compiler.leastMakespan(model, 1, 4, Schedule.ONE_F_ONE_B)).isGreaterThan(shared + shared / 10);
        assertThat(compiler.leastMakespan(model, 1, 1000, Schedule.ONE_F_ONE_B)).isZero();
    }
}
